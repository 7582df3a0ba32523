"""A drilled channel moves away from the wall that it leaves too thin."""

import numpy as np

from loopwright.agents.designspec.geometry.probe import make_probe
from loopwright.agents.designspec.network.network import Floats
from loopwright.agents.designspec.validity.fixes.amendment import Amendment
from loopwright.agents.designspec.validity.fixes.clearances import widen
from loopwright.agents.designspec.validity.fixes.moves import Mover, along_face, moved, mover_of, write_moves
from loopwright.agents.designspec.validity.gaps import find_gaps
from loopwright.agents.designspec.validity.measurements import Measurements
from loopwright.agents.designspec.validity.report import Check, Fix
from loopwright.agents.designspec.validity.subject import Subject
from loopwright.agents.designspec.validity.walls import ON_WALL
from loopwright.agents.designspec.validity.wording import length

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


def _has_walls(after: Subject, mover: Mover, required: float) -> bool:
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
