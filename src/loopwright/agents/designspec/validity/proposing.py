"""Which fix belongs to which check."""

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from loopwright.agents.designspec.document.domains import BoxDomain, Component, join
from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.geometry.probe import make_probe
from loopwright.agents.designspec.network import Floats
from loopwright.agents.designspec.validity.contacts import ON_WALL, Gap, find_gaps
from loopwright.agents.designspec.validity.measurements import Measurements
from loopwright.agents.designspec.validity.moves import (
    SLACK,
    Amendment,
    Mover,
    along_face,
    moved,
    mover_of,
    put_on_face,
    write_moves,
)
from loopwright.agents.designspec.validity.report import Check, Fix
from loopwright.agents.designspec.validity.surface import BuiltDesign, find_leaks, length

# Channels that are too near are moved apart by their ports, or growth is told to keep clear.


def move_apart(measured: Measurements, check: Check, amendment: Amendment) -> Fix | None:
    """Shift one of the two channels of the worst pair until all gaps are wide enough, if one shift does it."""
    return widen(measured, measured.gaps[0], amendment)


def widen(measured: Measurements, worst: Gap, amendment: Amendment) -> Fix | None:
    """Shift one of two channels until no gap of the design is narrower than this one is required to be."""
    need = worst.required - worst.gap
    for side, other in ((worst.second, worst.first), (worst.first, worst.second)):
        mover = mover_of(measured, *side)
        if mover is None:
            continue
        away = _away(measured, worst, side, other)
        shift = along_face(mover, away * need) if away is not None else None
        after = moved(measured, mover, shift) if shift is not None else None
        if (
            shift is None
            or after is None
            or find_gaps(after, worst.required)
            or (find_leaks(after) and not measured.leaks)
            or not write_moves(amendment, mover, shift)
        ):
            amendment.operations.clear()
            continue
        names = ", ".join(opening.name for opening in mover.openings)
        told = length(float(np.linalg.norm(shift)))
        return Fix(
            explanation=f"Moving {names} of {mover.component} by {told} leaves {length(worst.required)} between them.",
            patch=amendment.operations,
        )
    return None


def _away(measured: Measurements, gap: Gap, side: tuple[str, int], other: tuple[str, int]) -> np.ndarray | None:
    """The direction from the other segment's centre line to this one's, at the narrow place."""
    feet = []
    for component, segment in (side, other):
        network = measured.subject.networks[component]
        start, end = network.positions[network.segments[segment]]
        along = end - start
        share = np.clip((np.array(gap.place) - start) @ along / max(float(along @ along), 1e-30), 0, 1)
        feet.append(start + share * along)
    away = feet[0] - feet[1]
    size = float(np.linalg.norm(away))
    return np.asarray(away / size) if size > 0 else None


# A void that stands out of the domain: its ports move in, or the domain grows.

SIDES = (("x_max", 0, 1), ("x_min", 0, -1), ("y_max", 1, 1), ("y_min", 1, -1), ("z_max", 2, 1), ("z_min", 2, -1))
"""Fields of a box in the order of a leak's `beyond`, their axis and direction."""


def keep_inside(measured: Measurements, check: Check, amendment: Amendment) -> Fix | None:
    """Move the channel that leaks inwards by its ports; else enlarge a box, where nothing was grown into it."""
    return _move_in(measured, amendment) or _enlarge(measured, amendment)


def _move_in(measured: Measurements, amendment: Amendment) -> Fix | None:
    leaks = measured.leaks
    if not len(measured.lines.nodes) or any(leak.reach <= 0 for leak in leaks):
        return None
    segment, _ = measured.line_index.nearest(np.array([leak.place for leak in leaks]))
    lines = measured.lines
    names = sorted({(lines.components[int(lines.component[row])], int(lines.number[row])) for row in segment})
    movers = [mover_of(measured, *name) for name in names]
    first = movers[0]
    if first is None or any(each is None or each.openings != first.openings for each in movers):
        return None
    beyond = np.max([leak.beyond for leak in leaks], axis=0)
    wall = measured.subject.required_feature
    intent = np.array([-(beyond[2 * axis] - beyond[2 * axis + 1]) for axis in range(3)])
    intent += np.sign(intent) * wall
    shift = along_face(first, intent)
    after = moved(measured, first, shift) if shift is not None else None
    if shift is None or after is None or find_gaps(after) or find_leaks(after):
        return None
    if not write_moves(amendment, first, shift):
        return None
    told = ", ".join(opening.name for opening in first.openings)
    return Fix(
        explanation=f"Moving {told} inwards by {length(float(np.linalg.norm(shift)))} keeps the channel in the domain.",
        patch=amendment.operations,
    )


def _stays(component: Component, policies: Policies) -> bool:
    """Whether a component's void stays where it is when the domain grows."""
    if component.build.type == "import_void_mesh":
        return True
    paired = len(component.ports.inlets) == len(component.ports.outlets)
    return component.build.type == "primitive_channels" and (paired or policies.channels.length_mode == "explicit")


def _enlarge(measured: Measurements, amendment: Amendment) -> Fix | None:
    """A box grows on the sides that the void stands out of, where no port lies and nothing is grown anew."""
    subject = measured.subject
    refs = {component.domain_ref for component in subject.spec.components}
    name = next(iter(refs))
    domain = subject.spec.domains[name]
    stay = all(_stays(component, subject.policies_for(component.id)) for component in subject.spec.components)
    if len(refs) > 1 or not isinstance(domain, BoxDomain) or not stay or subject.policies.ridge.enabled:
        return None
    if any(leak.reach <= 0 for leak in measured.leaks):
        return None
    beyond = np.max([leak.beyond for leak in measured.leaks], axis=0)
    told = []
    for side, (field, axis, sign) in enumerate(SIDES):
        if beyond[side] <= 0:
            continue
        edge = float(getattr(domain, field))
        if any(abs(opening.position[axis] - edge) < opening.radius for opening in subject.openings if opening.surface):
            return None
        grow = SLACK * (beyond[side] + subject.required_feature)
        amendment.set(join("/domains", name, field), amendment.place([edge + sign * grow])[0])
        told.append(f"{field} by {length(grow)}")
    if not told:
        return None
    return Fix(explanation=f"Moving {', '.join(told)} makes space for the void.", patch=amendment.operations)


# Channels that are too thin are made thicker where their thickness is said.

ROUNDING = 1e-6


def thicken(measured: Measurements, check: Check, amendment: Amendment) -> Fix | None:
    """Raise the smallest radius of the components whose channels are too thin, and their ports' where those are."""
    subject, required = measured.subject, measured.subject.required_diameter
    for component in subject.spec.components:
        network = subject.networks.get(component.id)
        if network is None or not len(network.radii) or 2 * network.radii.min() >= required * (1 - ROUNDING):
            continue
        for opening in subject.openings:
            known = amendment.port(component.id, opening.name) if opening.component_id == component.id else None
            if known is not None and 2 * opening.radius < required * (1 - ROUNDING):
                amendment.set(f"{known[0]}/radius", amendment.raised(required / 2))
        settled = (
            _channels(amendment, component.id, required)
            if component.build.type == "primitive_channels"
            else _growth(amendment, component.id, required)
        )
        if not settled:
            return None
    if not amendment.operations:
        return None
    return Fix(
        explanation=f"Channels of at least {length(required)} need a radius of {length(required / 2)}.",
        patch=amendment.operations,
    )


def _channels(amendment: Amendment, component: str, required: float) -> bool:
    """Straight channels end with `radius_end`, or with a share of their port's radius."""
    policy = amendment.subject.policies_for(component).channels
    if policy.constraint_strategy == "reduce_radius" and policy.enforce_effective_radius:
        return False  # the domain itself may have made them thin
    if policy.profile == "cylinder":
        return bool(amendment.operations)
    radii = [opening.radius for opening in amendment.subject.openings if opening.component_id == component]
    thinnest = max(min(radii), required / 2)
    if policy.radius_end is not None:
        if 2 * policy.radius_end < required:
            amendment.set(amendment.policy(component, "channels", "radius_end"), amendment.raised(required / 2))
    elif 2 * thinnest * policy.taper_factor < required:
        share = min(1.0, round(required / 2 / thinnest + 5e-4, 3))
        amendment.set(amendment.policy(component, "channels", "taper_factor"), share)
    return bool(amendment.operations)


def _growth(amendment: Amendment, component: str, required: float) -> bool:
    """Grown channels are at least as thick as the radius policy's smallest radius, or else the growth's."""
    policies = amendment.subject.policies_for(component)
    if policies.growth.backend == "programmatic":
        return bool(amendment.operations)
    policy = "radius" if policies.radius.min_radius else "growth"
    smallest = policies.radius.min_radius or policies.growth.min_radius
    if 2 * smallest < required:
        pointer = amendment.policy(component, policy, "min_radius")
        if amendment.written(pointer) != amendment.raised(required / 2) and not _has(amendment, pointer):
            amendment.set(pointer, amendment.raised(required / 2))
    return bool(amendment.operations)


def _has(amendment: Amendment, pointer: str) -> bool:
    return any(operation["path"] == pointer for operation in amendment.operations)


# A drilled channel moves away from the wall that it leaves too thin.

STATIONS = 33


def thicken_wall(measured: Measurements, check: Check, amendment: Amendment) -> Fix | None:
    """Between two channels they are moved apart; between one and the outside it is moved inwards."""
    required = measured.subject.required_feature
    between = find_gaps(measured.subject, required)
    if between:
        return widen(measured, between[0], amendment)
    near, far = (np.array(check.details[side]) for side in ("near", "far"))
    segments, away = measured.line_index.nearest(np.array([near, far]))
    on_channel = np.flatnonzero(away <= ON_WALL)
    if len(on_channel) != 1:
        return None
    side = int(on_channel[0])
    lines, segment = measured.lines, int(segments[side])
    mover = mover_of(measured, lines.components[int(lines.component[segment])], int(lines.number[segment]))
    inwards = (near - far) if side == 0 else (far - near)
    thickness = float(np.linalg.norm(inwards))
    if mover is None or thickness <= 0:
        return None
    shift = along_face(mover, inwards / thickness * (required - thickness))
    after = moved(measured, mover, shift) if shift is not None else None
    if shift is None or after is None or find_gaps(after, required) or not _has_walls(after, mover, required):
        return None
    if not write_moves(amendment, mover, shift):
        return None
    told = ", ".join(opening.name for opening in mover.openings)
    return Fix(
        explanation=f"Moving {told} by {length(float(np.linalg.norm(shift)))} leaves a wall of {length(required)}.",
        patch=amendment.operations,
    )


def _has_walls(after: BuiltDesign, mover: Mover, required: float) -> bool:
    """Whether all channels of the component keep their wall to the boundary, but for where their ports open."""
    network = after.networks[mover.component]
    shares = np.linspace(0.0, 1.0, STATIONS)[:, None, None]
    points: Floats = (network.starts + shares * (network.ends - network.starts)).reshape(-1, 3)
    radii = (network.radii[:, 0] + shares[..., 0] * (network.radii[:, 1] - network.radii[:, 0])).reshape(-1)
    inner = np.ones(len(points), dtype=bool)
    for opening in after.openings:
        inner &= np.linalg.norm(points - np.array(opening.position), axis=1) > 2 * opening.radius + required
    probe = make_probe(after.spec, after.spec.component(mover.component).domain_ref, after.body)
    return bool((probe.depth(points[inner]) >= radii[inner] + required * (1 - 1e-6)).all())


Known = TypeVar("Known")
Proposer = Callable[[Measurements, Check, Amendment], Fix | None]

PROPOSERS: tuple[tuple[str, Proposer], ...] = (
    ("min_diameter", thicken),
    ("clearance", move_apart),
    ("void_inside_domain", keep_inside),
    ("open_port", put_on_face),
    ("min_feature", thicken_wall),
)

HINTS = {
    "void_min_diameter": "Rounder tubes need more policies.mesh_synthesis.radial_sections; an imported void must be"
    " wider in its file.",
    "min_diameter": "Give the steps of a program, or the ports, larger radii.",
    "clearance": "Fewer or thinner branches, or a larger domain, give them space.",
    "void_inside_domain": "Keep the channels farther from the wall, or make the domain larger.",
    "min_feature": "Keep the channels farther apart and from the wall; policies.validity.min_feature_size says what can"
    " be made.",
    "open_port": "A ridge may stand over the port, or its channel may begin elsewhere: see the notes of embedding.",
    "sealed_cavities": "Give the component a port at the surface.",
    "void_components": "Components that share a port become one void; policies.validity.max_components says how many"
    " may be separate.",
}
"""What to think of where no patch is certain."""


def with_fix(measured: Measurements, check: Check) -> Check:
    """The check with a fix, or with a hint, where it failed."""
    if check.passed or check.skipped:
        return check
    document, fix = measured.subject.document, None
    propose = _named(dict(PROPOSERS), check.name)
    if document is not None and propose is not None:
        fix = propose(measured, check, Amendment(measured.subject, document))
    hint = _named(HINTS, check.name)
    if fix is not None or hint is None:
        return check.model_copy(update={"fix": fix})
    return check.model_copy(update={"message": f"{check.message} {hint}", "details": {**check.details, "hint": hint}})


def _named(table: dict[str, Known], name: str) -> Known | None:
    return next((value for key, value in table.items() if name == key or name.startswith(key + "_")), None)
