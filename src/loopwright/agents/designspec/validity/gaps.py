"""Where channels that are no neighbours come too near to each other."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from loopwright.agents.designspec.network.collisions import find_collisions
from loopwright.agents.designspec.network.proximity import near_pairs, rods_of, surface_gaps
from loopwright.agents.designspec.validity.contacts import share_port
from loopwright.agents.designspec.validity.subject import Subject
from loopwright.agents.designspec.validity.wording import Place, place

ROUNDING = 1e-9
"""Metres; less than this is no shortfall."""


@dataclass(frozen=True)
class Gap:
    """Two segments, each as component and number, and the gap (m) between their walls; below 0 they overlap."""

    first: tuple[str, int]
    second: tuple[str, int]
    gap: float
    required: float
    place: Place

    @property
    def first_name(self) -> str:
        """`net_1 segment 17`."""
        return f"{self.first[0]} segment {self.first[1]}"

    @property
    def second_name(self) -> str:
        """As `first_name`."""
        return f"{self.second[0]} segment {self.second[1]}"


def find_gaps(subject: Subject, at_least: float = 0.0) -> list[Gap]:
    """The gaps that are narrower than the collision policy's clearance, or than `at_least` metres; the worst first.

    Within a network it is the network's own rule which branches are neighbours. Components that share a port are one
    system of channels: nothing is required between them (`component_contacts` tells where they meet).
    """
    names = sorted(subject.networks)
    required = {name: max(subject.policies_for(name).collision.collision_clearance, at_least) for name in names}
    found = [
        Gap((name, hit.first), (name, hit.second), hit.gap, hit.required, hit.place)
        for name in names
        for hit in find_collisions(subject.networks[name], required[name])
    ]
    for one, other in combinations(names, 2):
        if not share_port(subject, one, other):
            found += _between(subject, one, other, max(required[one], required[other]))
    return sorted(found, key=lambda gap: (gap.gap - gap.required, gap.first, gap.second))


def _between(subject: Subject, one: str, other: str, required: float) -> list[Gap]:
    first, second = rods_of(subject.networks[one]), rods_of(subject.networks[other])
    pairs = near_pairs(first, second, required)
    first, second = first.take(pairs[:, 0]), second.take(pairs[:, 1])
    gaps, s, t = surface_gaps(first, second)
    ours = first.starts + s[:, None] * (first.ends - first.starts)
    theirs = second.starts + t[:, None] * (second.ends - second.starts)
    return [
        Gap(
            (one, int(pairs[row, 0])),
            (other, int(pairs[row, 1])),
            float(gaps[row]),
            required,
            place((ours[row] + theirs[row]) / 2),
        )
        for row in np.flatnonzero(gaps < required - ROUNDING)
    ]
