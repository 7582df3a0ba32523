"""The first segments of colonies: from the ports in."""

from collections.abc import Sequence

import numpy as np

from loopwright.agents.designspec.network.network import Floats
from loopwright.agents.designspec.network.openings import Opening
from loopwright.agents.designspec.network.probe import DomainProbe
from loopwright.agents.designspec.network.proximity import Rods, near_pairs, surface_gaps
from loopwright.kernel.errors import InvalidInput

REACHES = (1.0, 1.5, 0.75, 0.5, 0.25)
"""Shares of the usual first length that are tried; the short ones may end nearer to a wall than the clearance wants."""
SHORT = 0.75


def first_ends(openings: Sequence[Opening], probe: DomainProbe, step: float, clearance: float) -> Floats:
    """Where the first segments end, (k, 3): straight in from each port, as far as its own radius wants.

    Args:
        openings: the ports.
        probe: the domain.
        step: the usual length of a segment.
        clearance: to the wall, in metres.

    Raises:
        InvalidInput: a port leads nowhere, or two run into each other.
    """
    ends = []
    for opening in openings:
        start, heading = np.asarray(opening.position), np.asarray(opening.direction)
        length = max(step, opening.radius + 1.01 * clearance)
        tried = start + np.outer(REACHES, heading) * length
        depth = probe.depth(tried)
        wanted = np.where(np.asarray(REACHES) > SHORT, opening.radius + clearance, 0.0)
        good = np.flatnonzero((depth >= wanted) & (depth > 0))
        if not len(good):
            raise InvalidInput(
                f"/components/{opening.component_id}/ports: {opening.name!r} leads out of the domain.",
                hint="Turn its direction, or move the port.",
            )
        ends.append(tried[good[0]])
    radii = np.array([[opening.radius] * 2 for opening in openings])
    rods = Rods(np.array([opening.position for opening in openings]), np.array(ends), radii)
    _refuse_overlaps(openings, rods)
    return np.asarray(ends)


def _refuse_overlaps(openings: Sequence[Opening], rods: Rods) -> None:
    pairs = near_pairs(rods, None, 0.0)
    gaps, _, _ = surface_gaps(rods.take(pairs[:, 0]), rods.take(pairs[:, 1]))
    for (first, second), gap in zip(pairs, gaps, strict=True):
        if gap < 0:
            one, other = openings[first], openings[second]
            raise InvalidInput(
                f"/components/{one.component_id}/ports: the channels of {one.name!r} and {other.name!r} run into each "
                f"other right behind their ports, by {-gap:g} m.",
                hint="Move the ports apart, or make them smaller.",
            )
