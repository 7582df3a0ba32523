"""Channels that are too near are moved apart by their ports, or growth is told to keep clear."""

import numpy as np

from loopwright.agents.designspec.validity.fixes.amendment import Amendment
from loopwright.agents.designspec.validity.fixes.moves import along_face, moved, mover_of, write_moves
from loopwright.agents.designspec.validity.gaps import Gap, find_gaps
from loopwright.agents.designspec.validity.leaks import find_leaks
from loopwright.agents.designspec.validity.measurements import Measurements
from loopwright.agents.designspec.validity.report import Check, Fix
from loopwright.agents.designspec.validity.wording import length


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
