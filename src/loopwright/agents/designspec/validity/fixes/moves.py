"""Ports are moved along their face, with their channels, where that mends a design."""

from dataclasses import dataclass, replace

import numpy as np

from loopwright.agents.designspec.geometry.channels import channel_network
from loopwright.agents.designspec.geometry.mesh_probe import MeshProbe
from loopwright.agents.designspec.geometry.probe import make_probe
from loopwright.agents.designspec.geometry.tubes import void_of_network
from loopwright.agents.designspec.network.facts import component_labels
from loopwright.agents.designspec.network.network import Floats
from loopwright.agents.designspec.network.openings import Opening
from loopwright.agents.designspec.validity.fixes.amendment import Amendment
from loopwright.agents.designspec.validity.measurements import Measurements
from loopwright.agents.designspec.validity.subject import Subject
from loopwright.agents.designspec.validity.wording import place
from loopwright.kernel.errors import InvalidInput

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


def along_face(mover: Mover, wish: Floats) -> Floats | None:
    """The part of a wish (m) along the ports' faces, stretched so that it goes as far in the wished direction."""
    size = float(np.linalg.norm(wish))
    if size <= 0:
        return None
    flat = wish.copy()
    for opening in mover.openings:
        direction = np.array(opening.direction)
        flat -= (flat @ direction) * direction
    share = float(np.linalg.norm(flat)) / size
    return np.asarray(flat / share**2 * SLACK) if share > 0.5 else None


def moved(measured: Measurements, mover: Mover, shift: Floats) -> Subject | None:
    """The subject with the ports shifted and the component's channels drilled anew; None where they have no room."""
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
        return None  # they do not fit there, so this is no fix
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
