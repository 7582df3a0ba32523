"""Ports are moved along their face, with their channels, or to the surface, where that repairs a design."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from loopwright.agents.designspec.document.domains import Port, join, lookup
from loopwright.agents.designspec.document.spec import METRES
from loopwright.agents.designspec.geometry.channels import channel_network
from loopwright.agents.designspec.geometry.probe import MeshProbe, make_probe
from loopwright.agents.designspec.geometry.tubes import void_of_network
from loopwright.agents.designspec.network import Floats, Opening
from loopwright.agents.designspec.network.collision_repair import component_labels
from loopwright.agents.designspec.validity.measurements import Measurements
from loopwright.agents.designspec.validity.report import Check, Fix
from loopwright.agents.designspec.validity.surface import BuiltDesign, at, place
from loopwright.kernel.errors import InvalidInput

# A patch in the making, on the document as the user wrote it and in the user's units.

DIGITS = 4
"""Significant digits of lengths that are raised; they are rounded up."""
PLACE_DIGITS = 7


class Amendment:
    """Gathers operations (RFC 6902, `add` and `replace` only) with numeric indices."""

    def __init__(self, subject: BuiltDesign, document: Mapping[str, Any]) -> None:
        """Begin with nothing to do."""
        self.subject = subject
        self.operations: list[dict[str, Any]] = []
        self._document = document
        self._metres = METRES[subject.document_units]
        self._indices = {component.id: number for number, component in enumerate(subject.spec.components)}

    def raised(self, metres: float) -> float:
        """A length in the document's units, rounded up."""
        value = metres / self._metres
        step = 10.0 ** (math.floor(math.log10(value)) - DIGITS + 1)
        return float(f"{math.ceil(value / step - 1e-6) * step:.{DIGITS}g}")

    def place(self, metres: Any) -> list[float]:
        """A position in the document's units."""
        return [float(f"{float(value) / self._metres:.{PLACE_DIGITS}g}") for value in metres]

    def policy(self, component: str, *path: str) -> str:
        """Where a policy of a component is to be changed: at the component where it overrides it, else for all."""
        own = join("/components", self._indices[component], "policies", *path)
        return own if lookup(self._document, own) is not None else join("/policies", *path)

    def written(self, pointer: str) -> Any:
        """What the document has at a pointer, or None."""
        return lookup(self._document, pointer)

    def component(self, component: str, *path: str | int) -> str:
        """A pointer into a component."""
        return join("/components", self._indices[component], *path)

    def port(self, component: str, name: str) -> tuple[str, Port] | None:
        """A port's pointer and what it says, in metres."""
        ports = self.subject.spec.component(component).ports
        for side, listed in (("inlets", ports.inlets), ("outlets", ports.outlets)):
            for number, port in enumerate(listed):
                if port.name == name:
                    return self.component(component, "ports", side, number), port
        return None

    def set(self, pointer: str, value: Any) -> None:
        """Write a value; objects that are missing on the way (or null) are added."""
        tokens = pointer.split("/")
        for size in range(2, len(tokens)):
            above = "/".join(tokens[:size])
            if lookup(self._document, above) is None:
                for token in reversed(tokens[size:]):
                    value = {token: value}
                pointer = above
                break
        known = self.written(pointer) is not None
        self.operations.append({"op": "replace" if known else "add", "path": pointer, "value": value})


SLACK = 1.02
"""A little farther than needed, so that rounding does not undo the move."""
RIM = 24
"""Points around a port's disc that must lie over the domain."""


@dataclass(frozen=True)
class Mover:
    """A drilled channel that follows its ports: its component, and its openings."""

    component: str
    openings: tuple[Opening, ...]


def mover_of(measured: Measurements, component: str, segment: int) -> Mover | None:
    """The channel that a segment belongs to, if moving its ports moves it and nothing else does."""
    subject = measured.subject
    if subject.spec.component(component).build.type != "primitive_channels":
        return None
    network = subject.networks[component]
    _, labels = component_labels(network)
    label = labels[network.segments[segment, 0]]
    openings = tuple(
        opening
        for opening in subject.openings
        if opening.component_id == component
        and opening.name in network.ports
        and labels[network.ports[opening.name]] == label
    )
    return Mover(component, openings) if openings else None


def along_face(mover: Mover, shift: Floats) -> Floats | None:
    """The part of a wanted shift (m) along the ports' faces, stretched so that it goes as far the wanted way."""
    size = float(np.linalg.norm(shift))
    if size <= 0:
        return None
    flat = shift.copy()
    for opening in mover.openings:
        direction = np.array(opening.direction)
        flat -= (flat @ direction) * direction
    share = float(np.linalg.norm(flat)) / size
    return np.asarray(flat / share**2 * SLACK) if share > 0.5 else None


def moved(measured: Measurements, mover: Mover, shift: Floats) -> BuiltDesign | None:
    """The subject with the ports shifted and the component's channels drilled anew; None where they have no space."""
    subject = measured.subject
    component = subject.spec.component(mover.component)
    openings = [
        replace(opening, position=place(np.array(opening.position) + shift)) if opening in mover.openings else opening
        for opening in subject.openings
    ]
    if not all(on_face(measured, opening) for opening in openings if opening.surface):
        return None
    own = [opening for opening in openings if opening.component_id == mover.component]
    policies = subject.policies_for(mover.component)
    probe = make_probe(subject.spec, component.domain_ref, subject.body)
    if isinstance(probe, MeshProbe) and policies.ridge.enabled:
        return None  # the channels were fitted into the body without its ridge, which is not here
    try:
        network = channel_network(component, own, probe, policies)
        void = void_of_network(network, policies, caps="flat", openings=own)
    except InvalidInput:
        return None  # they do not fit there, so this is not a fix
    return replace(
        subject,
        networks={**subject.networks, mover.component: network},
        component_voids={**subject.component_voids, mover.component: void},
        openings=openings,
    )


def on_face(measured: Measurements, opening: Opening) -> bool:
    """Whether an opening's disc lies at the surface: just below within the domain, at its middle and all around."""
    along = np.array(opening.direction)
    first = np.cross(along, np.eye(3)[int(np.argmin(np.abs(along)))])
    first /= np.linalg.norm(first)
    second = np.cross(along, first)
    turn = np.arange(RIM)[:, None] * (2 * np.pi / RIM)
    position = np.array(opening.position)
    rim = position + 1.02 * opening.radius * (np.cos(turn) * first + np.sin(turn) * second)
    below = np.concatenate([position[None], rim]) + 0.5 * opening.radius * along
    above = position - 1e-3 * opening.radius * along
    return bool(measured.body_scene.inside(below).all()) and not bool(measured.body_scene.inside(above[None])[0])


def write_moves(amendment: Amendment, mover: Mover, shift: Floats) -> bool:
    """Write the ports' new positions; False where a port is not placed by the document."""
    for opening in mover.openings:
        known = amendment.port(mover.component, opening.name)
        if known is None or known[1].position is None:
            return False
        amendment.set(f"{known[0]}/position", amendment.place(np.array(opening.position) + shift))
    return True


# A port that is not at the surface is put there.

MARGIN = 1.1
"""Radii that a port keeps from the edge of the domain's box."""
STEPS = 8


def put_on_face(measured: Measurements, check: Check, amendment: Amendment) -> Fix | None:
    """Move a port to the surface along its own axis, and away from the edge where it hangs over it."""
    opening = next(
        (each for each in measured.subject.openings if f"{each.component_id}.{each.name}" == check.subject), None
    )
    if opening is None or on_face(measured, opening):
        return None
    known = amendment.port(opening.component_id, opening.name)
    target = surface_place(measured, opening)
    if known is None or known[1].position is None or target is None:
        return None
    amendment.set(f"{known[0]}/position", amendment.place(target))
    return Fix(
        explanation=f"Port {opening.name} must lie on the surface, for instance {at(target)}.",
        patch=amendment.operations,
    )


def surface_place(measured: Measurements, opening: Opening) -> Floats | None:
    """A place on the surface near the port where its disc fits, its axis unchanged."""
    low, high = np.array(measured.subject.body.bounding_box()).reshape(2, 3)
    along, wanted = np.array(opening.direction), np.array(opening.position)
    middle = (low + high) / 2
    slack = np.maximum((high - low) / 2 - MARGIN * opening.radius, 0.0)
    inner = middle + np.clip(wanted - middle, -slack, slack)
    size = float(np.linalg.norm(high - low))
    for step in range(STEPS + 1):
        sideways = inner + step / STEPS * (middle - inner)
        start = sideways - ((sideways - wanted) @ along) * along - size * along
        hits = measured.body_scene.cast(start[None], along[None])
        if not np.isfinite(hits.distance[0]):
            continue
        scene = measured.body_scene
        normal = scene.surface.normals[hits.triangle[0]]
        corner = scene.surface.corners[hits.triangle[0], 0]  # rays are in single precision, the plane is not
        target = start + ((corner - start) @ normal) / (along @ normal) * along
        if on_face(measured, replace(opening, position=place(target))):
            return np.asarray(target)
    return None
