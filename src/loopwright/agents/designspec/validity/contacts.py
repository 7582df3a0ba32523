"""Where the voids of two components overlap."""

import numpy as np
from manifold3d import Manifold, OpType

from loopwright.agents.designspec.network.network import Floats
from loopwright.agents.designspec.network.openings import Opening
from loopwright.agents.designspec.validity.centre_lines import CentreLines
from loopwright.agents.designspec.validity.designed import Contact, Part, imported_parts, network_parts
from loopwright.agents.designspec.validity.segments import nearest_segment
from loopwright.agents.designspec.validity.subject import Subject
from loopwright.agents.designspec.validity.surface import Surface
from loopwright.agents.designspec.validity.wording import place

CRUMB = 1e-3
"""A common volume thinner than this share of the smallest channel is two surfaces that touch, not a contact."""


class Parts:
    """The parts of all components, and which of them is at a point."""

    def __init__(self, subject: Subject, lines: CentreLines) -> None:
        """Find the parts: of networks from their graphs, of imported voids from their surfaces."""
        self._lines = lines
        self._of_label = network_parts(lines)
        self._imported = {
            name: (Surface.of(void), imported_parts(name, void))
            for name, void in sorted(subject.component_voids.items())
            if name not in subject.networks and not void.is_empty()
        }
        self.all: list[Part] = [
            *self._of_label.values(),
            *(part for _, parts in self._imported.values() for part in parts.values()),
        ]

    def at(self, component: str, point: Floats) -> Part | None:
        """The component's part that is nearest to a point."""
        if component in self._imported:
            surface, parts = self._imported[component]
            nearest = int(np.argmin(np.linalg.norm(surface.corners.mean(axis=1) - point, axis=1)))
            return parts.get(int(surface.shell_of[nearest]))
        if component not in self._lines.components:
            return None
        chosen = np.flatnonzero(self._lines.component == self._lines.components.index(component))
        if not len(chosen):
            return None
        segment = chosen[nearest_segment(point, self._lines, chosen)]
        return self._of_label[int(self._lines.part_of_node[self._lines.nodes[segment, 0]])]

    def of_opening(self, opening: Opening, subject: Subject) -> Part | None:
        """The part that opens at a port."""
        if opening.component_id in self._imported:
            return self.at(opening.component_id, np.array(opening.position))
        node = self._lines.port_node(opening, subject)
        return None if node is None else self._of_label.get(int(self._lines.part_of_node[node]))


def share_port(subject: Subject, one: str, other: str) -> list[Opening]:
    """The openings of `one` whose disc overlaps an opening of `other`."""
    return [
        mine
        for mine in subject.openings
        if mine.component_id == one
        and any(
            theirs.component_id == other
            and np.linalg.norm(np.subtract(mine.position, theirs.position)) < mine.radius + theirs.radius
            for theirs in subject.openings
        )
    ]


def find_contacts(subject: Subject, parts: Parts) -> list[Contact]:
    """Every place where a component's void overlaps those of the components before it."""
    names = sorted(name for name, void in subject.component_voids.items() if not void.is_empty())
    contacts = []
    for number, name in enumerate(names):
        void = subject.component_voids[name]
        others = [other for other in names[:number] if _boxes_meet(void, subject.component_voids[other])]
        if not others:
            continue
        earlier = Manifold.batch_boolean([subject.component_voids[other] for other in others], OpType.Add)
        surface = Surface.of(void ^ earlier)
        for shell in surface.shells:
            faces = surface.shell_of == shell.number
            if shell.volume <= CRUMB * subject.required_diameter * float(surface.areas[faces].sum()):
                continue
            contact = _contact(subject, parts, (name, others), surface.corners[faces].reshape(-1, 3))
            if contact is not None:
                first, second, where, shared = contact
                contacts.append(Contact(first, second, place(where), shell.size, shell.euler // 2, shared))
    return contacts


def _boxes_meet(one: Manifold, other: Manifold) -> bool:
    first, second = np.array(one.bounding_box()), np.array(other.bounding_box())
    return bool(np.all(first[:3] <= second[3:]) and np.all(second[:3] <= first[3:]))


def _contact(
    subject: Subject, parts: Parts, names: tuple[str, list[str]], points: Floats
) -> tuple[Part, Part, Floats, bool] | None:
    name, others = names
    where = points.mean(axis=0)
    first = parts.at(name, where)
    seconds = [(other, parts.at(other, where)) for other in others]
    touching = [(other, part) for other, part in seconds if part is not None]
    if first is None or not touching:
        return None
    if len(touching) > 1:  # the one whose void the point lies in, or nearly
        touching.sort(key=lambda entry: _gap_to(subject, entry[0], where))
    other, second = touching[0]
    shared = any(
        np.linalg.norm(points - np.array(opening.position), axis=1).min() <= 2 * opening.radius
        for opening in share_port(subject, name, other)
    )
    return first, second, where, shared


def _gap_to(subject: Subject, component: str, point: Floats) -> float:
    corners = Surface.of(subject.component_voids[component]).vertices
    return float(np.linalg.norm(corners - point, axis=1).min())
