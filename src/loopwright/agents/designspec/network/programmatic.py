"""Networks written down step by step: serpentines, ladders, mixers, and whatever else has a plan."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from pydantic import ValidationError

from loopwright.agents.designspec.document.backends import (
    AddNode,
    Bifurcate,
    ConnectToOutlet,
    Merge,
    ProgrammaticParams,
    Route,
    Turn,
)
from loopwright.agents.designspec.document.domains import Component
from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.network import DomainProbe, Floats, Network, NodeType, Opening, Progress
from loopwright.agents.designspec.network.pathfinding import curved_route, find_route
from loopwright.agents.designspec.network.scaffold_topdown_fitting import Canvas, NamedNode
from loopwright.kernel.errors import InvalidInput

# Directions and bends that programs are made of.

BEND_STEP_DEG = 7.5
"""A bend has a corner every so many degrees."""


def upright(heading: Floats, given: Floats | None) -> Floats:
    """The axis to turn about: the given one, else z, else y where the heading runs along z; a unit vector."""
    if given is None:
        given = np.array([0.0, 0.0, 1.0]) if abs(float(heading[2])) < 0.9 else np.array([0.0, 1.0, 0.0])
    return np.asarray(given / max(float(np.linalg.norm(given)), 1e-30))


def turned(heading: Floats, axis: Floats, angle_deg: float) -> Floats:
    """A direction turned about an axis, right-handed (Rodrigues' formula)."""
    angle = np.radians(angle_deg)
    along = axis * (axis @ heading) * (1 - np.cos(angle))
    return np.asarray(heading * np.cos(angle) + np.cross(axis, heading) * np.sin(angle) + along)


def fan(heading: Floats, axis: Floats, angle_deg: float, count: int) -> list[Floats]:
    """Directions spread evenly from minus to plus the angle about the axis."""
    return [turned(heading, axis, angle) for angle in np.linspace(angle_deg, -angle_deg, count)]


def between(before: Floats, after: Floats) -> tuple[Floats, float]:
    """The axis and the angle in degrees that turn one direction into another."""
    across = np.cross(before, after)
    size = float(np.linalg.norm(across))
    axis = across / size if size > 1e-9 else np.cross(upright(before, None), before)
    axis = axis / max(float(np.linalg.norm(axis)), 1e-30)
    return np.asarray(axis), float(np.degrees(np.arctan2(size, before @ after)))


def bend(start: Floats, before: Floats, axis: Floats, angle_deg: float, radius: float | None, length: float) -> Floats:
    """(k, 3): a bend of the radius by an angle about an axis, then straight on for the length.

    Without a radius there is a corner instead of a bend.
    """
    points = [start]
    if radius is not None and angle_deg:
        count = max(int(np.ceil(abs(angle_deg) / BEND_STEP_DEG)), 1)
        chord = 2 * radius * np.sin(np.radians(abs(angle_deg) / count) / 2)
        for part in range(count):
            points.append(points[-1] + chord * turned(before, axis, angle_deg * (part + 0.5) / count))
    points.append(points[-1] + turned(before, axis, angle_deg) * length)
    return np.asarray(points)


# What the steps of a program mean.

NEAR_ENDS = 4.0
"""A found route may come near the channels that it starts from, over so many times its required distance."""
PROBES_ACROSS = 64
OUTSIDE_BY_ROUNDING = 1e-6
"""As a share of the domain's size: ports lie on the boundary, and rounding may put them outside by a hair."""


@dataclass
class ProgramSteps:
    """Carries out steps on a canvas; lengths in metres. A step that cannot be carried out raises InvalidInput."""

    canvas: Canvas
    probe: DomainProbe
    policies: Policies
    params: ProgrammaticParams

    def carry_out(self, step: Any, number: int) -> None:
        """Draw what one step asks for."""
        steps: dict[type, Callable[[Any, int], None]] = {
            AddNode: self._add_node,
            Route: self._route,
            Turn: self._turn,
            Bifurcate: self._bifurcate,
            Merge: self._merge,
            ConnectToOutlet: self._connect,
        }
        before = len(self.canvas.segments)
        steps[type(step)](step, number)
        self._stay_inside(before)

    def _add_node(self, step: AddNode, number: int) -> None:
        self._is_new(step.id)
        point = np.asarray(step.position)
        if not bool(self.probe.inside(point[None])[0]):
            raise InvalidInput(f"the position {_shown(point)} lies outside the domain.")
        if step.from_ is None:
            radius = step.radius or self._default_radius()
            node = self.canvas.node(point, "arterial", number)
            self.canvas.places[step.id] = NamedNode(node, radius, None)
            return
        origin = self._place(step.from_)
        self._lead(origin, point, None, step.id, (origin.radius, step.radius or origin.radius), "straight", [], number)

    def _route(self, step: Route, number: int) -> None:
        origin = self._place(step.from_)
        target = self._place(step.to) if isinstance(step.to, str) else None
        if target is origin:
            raise InvalidInput(f"a channel from {step.from_!r} to itself is none.")
        if target is not None and step.id is not None:
            raise InvalidInput(f"{step.to!r} has a name; leave `id` out, or give `to` as a position.")
        if target is None and step.id is not None:
            self._is_new(step.id)
        end = self._position(target) if target is not None else np.asarray(step.to, dtype=np.float64)
        radius = step.radius or origin.radius
        widths = (radius, step.radius_end or radius)
        self._lead(origin, end, target, step.id, widths, step.algorithm, step.via, number, step.clearance)

    def _connect(self, step: ConnectToOutlet, number: int) -> None:
        origin, target = self._place(step.from_), self._place(step.outlet)
        if target.opening is None or not target.opening.outlet:
            outlets = [name for name, place in self.canvas.places.items() if place.opening and place.opening.outlet]
            raise InvalidInput(
                f"{step.outlet!r} is not an outlet.", hint=f"The outlets are: {', '.join(outlets) or 'none'}."
            )
        radius = step.radius or origin.radius
        end = self._position(target)
        self._lead(origin, end, target, None, (radius, radius), step.algorithm, step.via, number, step.clearance)

    def _turn(self, step: Turn, number: int) -> None:
        self._is_new(step.id)
        origin = self._place(step.from_)
        if step.direction is None:
            before = self._heading(step.from_, origin)
            axis, angle = self._axis(step.axis, before), step.angle_deg
        else:
            after = np.asarray(step.direction, dtype=np.float64)
            after = after / max(float(np.linalg.norm(after)), 1e-30)
            before = after if origin.heading is None else origin.heading
            axis, angle = between(before, after)
        path = bend(self._position(origin), before, axis, angle, step.bend_radius, step.length)
        radius = step.radius or origin.radius
        node = self.canvas.channel(path, origin.node, None, (radius, radius), number)
        self.canvas.places[step.id] = NamedNode(node, radius, turned(before, axis, angle))

    def _bifurcate(self, step: Bifurcate, number: int) -> None:
        origin = self._place(step.from_)
        for name in step.ids:
            self._is_new(name)
        if len(set(step.ids)) < len(step.ids):
            raise InvalidInput("`ids` has a name twice.")
        heading = self._heading(step.from_, origin)
        exponent = self.policies.radius.murray_exponent
        ratio = step.ratio or len(step.ids) ** (-1.0 / exponent)
        radius = step.radius or origin.radius * ratio
        ways = fan(heading, self._axis(step.axis, heading), step.angle_deg, len(step.ids))
        start = self._position(origin)
        for name, way in zip(step.ids, ways, strict=True):
            path = np.stack([start, start + way * step.length])
            node = self.canvas.channel(path, origin.node, None, (radius, radius), number)
            self.canvas.places[name] = NamedNode(node, radius, way)

    def _merge(self, step: Merge, number: int) -> None:
        self._is_new(step.id)
        origins = [self._place(name) for name in step.from_]
        if len({origin.node for origin in origins}) < len(origins):
            raise InvalidInput("`from` has a place twice.")
        starts = np.stack([self._position(origin) for origin in origins])
        point = starts.mean(axis=0) if step.position is None else np.asarray(step.position, dtype=np.float64)
        exponent = self.policies.radius.murray_exponent
        radius = step.radius or float(sum(origin.radius**exponent for origin in origins) ** (1.0 / exponent))
        target = NamedNode(self.canvas.node(point, self.canvas.vessels[origins[0].node], number), radius, None)
        for origin in origins:
            self._lead(origin, point, target, None, (origin.radius, origin.radius), step.algorithm, [], number)
        onward = point - starts.mean(axis=0)
        length = float(np.linalg.norm(onward))
        target.heading = onward / length if length > 1e-12 else None
        self.canvas.places[step.id] = target

    def _lead(
        self,
        origin: NamedNode,
        end: Floats,
        target: NamedNode | None,
        name: str | None,
        widths: tuple[float, float],
        algorithm: str | None,
        via: list[Any],
        number: int,
        clearance: float | None = None,
    ) -> None:
        """A channel from a place over the points between to another place or to a point, which may get a name."""
        stops = [self._position(origin), *(np.asarray(point, dtype=np.float64) for point in via), end]
        path = stops[:1]
        for leg, (start, stop) in enumerate(pairwise(stops)):
            if float(np.linalg.norm(stop - start)) < 1e-12:
                raise InvalidInput(f"the channel has no length at {_shown(start)}.")
            leaving = origin.heading if leg == 0 else None
            arriving = None
            if target is not None and target.opening is not None and leg == len(stops) - 2:
                arriving = -np.asarray(target.opening.direction)
            ends = [origin.node, *([] if target is None else [target.node])]
            path.extend(self._way(start, stop, leaving, arriving, ends, max(widths), algorithm, clearance)[1:])
        line = np.asarray(path)
        node = self.canvas.channel(line, origin.node, None if target is None else target.node, widths, number)
        heading = (line[-1] - line[-2]) / float(np.linalg.norm(line[-1] - line[-2]))
        if target is not None:
            target.heading = heading if target.heading is None else target.heading
        elif name is not None:
            self.canvas.places[name] = NamedNode(node, widths[1], heading)

    def _way(
        self,
        start: Floats,
        end: Floats,
        leaving: Floats | None,
        arriving: Floats | None,
        ends: list[int],
        radius: float,
        algorithm: str | None,
        clearance: float | None,
    ) -> Floats:
        algorithm = algorithm or self.params.path_algorithm
        if algorithm == "straight":
            return np.stack([start, end])
        if algorithm == "bezier":
            return curved_route(start, end, leaving, arriving, self.params.bend)
        policy = self.policies.pathfinding
        keep = policy.clearance if clearance is None else clearance
        obstacles = self.canvas.rods_away_from(ends, NEAR_ENDS * (2 * radius + keep))
        found = find_route(start, end, self.probe, keep, obstacles, policy, radius=radius)
        if found is None:
            raise InvalidInput(
                f"there is no way from {_shown(start)} to {_shown(end)} for a radius of {radius:g} m and {keep:g} m "
                "of clearance.",
                hint="A smaller radius or clearance, or points to pass (via), may open one.",
            )
        return found

    def _stay_inside(self, first: int) -> None:
        """Refuse centre lines that leave the domain."""
        for number in range(first, len(self.canvas.segments)):
            start, end = (self.canvas.positions[node] for node in self.canvas.segments[number])
            points = start + np.linspace(0.0, 1.0, PROBES_ACROSS)[:, None] * (end - start)
            depth = self.probe.depth(points)
            if depth.min() < -OUTSIDE_BY_ROUNDING * float(np.ptp(self.probe.bounds, axis=0).max()):
                raise InvalidInput(f"the channel leaves the domain near {_shown(points[int(depth.argmin())])}.")

    def _place(self, name: str) -> NamedNode:
        if name not in self.canvas.places:
            known = ", ".join(list(self.canvas.places)[:20])
            raise InvalidInput(f"there is no place {name!r} yet.", hint=f"The places are: {known}.")
        return self.canvas.places[name]

    def _is_new(self, name: str) -> None:
        if name in self.canvas.places:
            raise InvalidInput(f"the name {name!r} is taken.")

    def _position(self, place: NamedNode) -> Floats:
        return self.canvas.positions[place.node]

    def _heading(self, name: str, place: NamedNode) -> Floats:
        if place.heading is None:
            raise InvalidInput(f"{name!r} has no direction yet: no channel has arrived there.")
        return place.heading

    def _axis(self, given: Any, heading: Floats) -> Floats:
        return upright(heading, None if given is None else np.asarray(given, dtype=np.float64))

    def _default_radius(self) -> float:
        return self.params.default_radius or self.policies.radius.min_radius or self.policies.growth.min_radius


def _shown(point: Floats) -> str:
    return "({:g}, {:g}, {:g}) m".format(*point)


def run_program(
    component: Component,
    openings: list[Opening],
    probe: DomainProbe,
    policies: Policies,
    seed: int,
    progress: Progress,
) -> Network:
    """Carry out the steps of `backend_params.steps`, one after the other.

    Ports are places from the start, by their names. Channels may join at nodes only: one that runs into another is an
    error, and so is one whose centre line leaves the domain.

    Args:
        component: whose program; errors point into it.
        openings: its ports, settled.
        probe: the domain.
        policies: those of the component; `growth.backend_params` holds the program.
        seed: not used: a program leaves nothing to chance.
        progress: told the step.

    Raises:
        InvalidInput: a step cannot be carried out; the message begins with its pointer.
    """
    where = f"/components/{component.id}/build/backend_params"
    try:
        params = ProgrammaticParams.model_validate(policies.growth.backend_params)
    except ValidationError as error:
        first = error.errors()[0]
        place = "/".join(str(part) for part in first["loc"])
        raise InvalidInput(f"{where}/{place}: {first['msg']}") from error
    if not params.steps:
        raise InvalidInput(f"{where}/steps: the program has no steps.", hint="Add steps, for example a route.")
    program = ProgramSteps(_canvas(openings), probe, policies, params)
    for number, step in enumerate(params.steps):
        progress(number / len(params.steps), f"step {number + 1} of {len(params.steps)}: {step.op}")
        try:
            program.carry_out(step, number)
        except InvalidInput as error:
            raise InvalidInput(f"{where}/steps/{number}: {error.message}", hint=error.hint) from error
    _check(program.canvas, f"{where}/steps")
    return program.canvas.network()


def _canvas(openings: list[Opening]) -> Canvas:
    canvas = Canvas()
    for opening in openings:
        kind: NodeType = "outlet" if opening.outlet else "inlet"
        node = canvas.node(np.asarray(opening.position), opening.vessel_type, -1, kind)
        heading = np.asarray(opening.direction, dtype=np.float64)
        canvas.places[opening.name] = NamedNode(node, opening.radius, heading, opening)
    return canvas


def _check(canvas: Canvas, where: str) -> None:
    used = {node for pair in canvas.segments for node in pair}
    for name, place in canvas.places.items():
        if place.opening is None and place.node not in used:
            raise InvalidInput(
                f"{where}/{canvas.made_by[place.node]}: no channel leads to the node {name!r}.",
                hint="Route to it, or remove it.",
            )
    for earlier, later, (x, y, z) in canvas.short_circuits():
        raise InvalidInput(
            f"{where}/{later}: this channel runs into that of step {earlier} near ({x:g}, {y:g}, {z:g}) m.",
            hint="Lead it around (algorithm astar), make it thinner, or join the two at a node.",
        )
