"""What topology a design asks for: how many voids, with how many loops and openings."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np
from manifold3d import Manifold
from scipy.spatial import cKDTree

from loopwright.agents.designspec.network import Opening
from loopwright.agents.designspec.validity.surface import BuiltDesign, CentreLines, Surface

# Things that belong together because a chain of joins connects them (union–find).

Member = TypeVar("Member", bound=Hashable)


class Groups(Generic[Member]):
    """Groups of members; at first each is alone. The order of members decides all orders."""

    def __init__(self, members: Iterable[Member]) -> None:
        """Begin with each member alone."""
        self._above: dict[Member, Member] = {member: member for member in members}

    def leader(self, member: Member) -> Member:
        """The member that stands for the group."""
        while self._above[member] != member:
            self._above[member] = self._above[self._above[member]]
            member = self._above[member]
        return member

    def join(self, first: Member, second: Member) -> None:
        """Make one group of two."""
        self._above[self.leader(second)] = self.leader(first)

    def all(self) -> list[list[Member]]:
        """The groups, each in the order of its members."""
        together: dict[Member, list[Member]] = {}
        for member in self._above:
            together.setdefault(self.leader(member), []).append(member)
        return list(together.values())


@dataclass(frozen=True)
class ConnectedPart:
    """A connected piece of one component. `euler` is that of the volume: 1 − b₁ for a tree with b₁ extra loops."""

    component: str
    number: int
    euler: int


@dataclass(frozen=True)
class Contact:
    """A place where the voids of two components overlap. `euler` is that of the common volume."""

    first: ConnectedPart
    second: ConnectedPart
    place: tuple[float, float, float]
    size: float
    euler: int
    at_shared_port: bool


@dataclass(frozen=True)
class Designed:
    """The expected topology. `voids` counts connected voids, `sealed` those of them without an opening.

    `loops` is b₁ of all voids together, `openings` the number of separate openings in the surface, `genus` and
    `cavities` those of the solid that must be left (its own hollows and handles of the body included).
    """

    voids: int
    sealed: int
    loops: int
    openings: int
    genus: int
    cavities: int
    parts: Sequence[ConnectedPart] = ()
    unmet_ports: Sequence[str] = ()
    details: Mapping[str, int] = field(default_factory=dict)


def network_parts(lines: CentreLines) -> dict[int, ConnectedPart]:
    """The connected parts of the networks by their label; V − E of a graph is its Euler characteristic."""
    if not len(lines.nodes):
        return {}
    edges = Counter(lines.part_of_node[lines.nodes[:, 0]].tolist())
    nodes = Counter(lines.part_of_node[np.unique(lines.nodes)].tolist())
    first_segment: dict[int, int] = {}
    for segment, part in enumerate(lines.part_of_node[lines.nodes[:, 0]].tolist()):
        first_segment.setdefault(part, segment)
    numbers: Counter[str] = Counter()
    parts = {}
    for label, segment in sorted(first_segment.items(), key=lambda entry: entry[1]):
        component = lines.components[int(lines.component[segment])]
        parts[label] = ConnectedPart(component, numbers[component], nodes[label] - edges[label])
        numbers[component] += 1
    return parts


def imported_parts(component: str, void: Manifold) -> dict[int, ConnectedPart]:
    """The parts of a void that has no network, as they are measured on it, by the shell's number."""
    surface = Surface.of(void)
    return {
        shell.number: ConnectedPart(component, number, shell.euler // 2)
        for number, shell in enumerate(shell for shell in surface.shells if shell.volume > 0)
    }


def open_groups(openings: Sequence[Opening]) -> list[list[Opening]]:
    """Surface openings, those whose discs overlap together: they are one opening of the solid."""
    surface = [opening for opening in openings if opening.surface]
    groups = Groups(range(len(surface)))
    for first, one in enumerate(surface):
        for second in range(first):
            other = surface[second]
            if np.linalg.norm(np.subtract(one.position, other.position)) < one.radius + other.radius:
                groups.join(first, second)
    return [[surface[member] for member in members] for members in groups.all()]


def expect(
    subject: BuiltDesign,
    parts_of_openings: Mapping[tuple[str, str], ConnectedPart],
    parts: Sequence[ConnectedPart],
    contacts: Iterable[Contact],
) -> Designed:
    """The topology that must come out.

    Voids are joined where components touch, and their Euler characteristics follow Mayer and Vietoris:
    χ(A ∪ B) = χ(A) + χ(B) − χ(A ∩ B). Each opening takes a disc from the body's surface and one from the void's, so
    χ(∂solid) = χ(∂body) + 2 χ(void) − 2 p; the solid's shells are the body's and the voids' where openings join them,
    and its genus is (2 · shells − χ) / 2. With one body of genus 0 and open voids this is Σ (p − 1 + b₁).
    """
    contacts = list(contacts)
    groups: Groups[object] = Groups(parts)
    for contact in contacts:
        groups.join(contact.first, contact.second)
    euler = sum(part.euler for part in parts) - sum(contact.euler for contact in contacts)
    voids = len(groups.all())
    body = Surface.of(subject.body)
    body_shells = {shell.number: ("body", shell.number) for shell in body.shells}
    openings = open_groups(subject.openings)
    joined: Groups[object] = Groups([*parts, *body_shells.values()])
    for contact in contacts:
        joined.join(contact.first, contact.second)
    opened = set()
    for group in openings:
        shell = body_shells[_shell_at(body, group[0])]
        for opening in group:
            part = parts_of_openings.get((opening.component_id, opening.name))
            if part is not None:
                joined.join(part, shell)
                opened.add(groups.leader(part))
    shells = len(joined.all())
    surface_euler = body.euler + 2 * euler - 2 * len(openings)
    sealed = len({groups.leader(part) for part in parts} - opened)
    hollows = sum(shell.volume < 0 for shell in body.shells)
    unmet = [
        f"{opening.component_id}.{opening.name}"
        for opening in subject.openings
        if opening.surface and (opening.component_id, opening.name) not in parts_of_openings
    ]
    return Designed(
        voids=voids,
        sealed=sealed,
        loops=voids - euler,
        openings=len(openings),
        genus=(2 * shells - surface_euler) // 2,
        cavities=hollows + sealed,
        parts=parts,
        unmet_ports=unmet,
        details={"body_euler": body.euler, "void_euler": euler, "shells": shells},
    )


def _shell_at(body: Surface, opening: Opening) -> int:
    if len(body.shells) == 1:
        return body.shells[0].number
    _, nearest = cKDTree(body.corners.mean(axis=1)).query(np.array(opening.position))
    return int(body.shell_of[int(nearest)])
