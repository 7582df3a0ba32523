"""A port that is not at the surface is put there."""

from dataclasses import replace

import numpy as np

from loopwright.agents.designspec.network.orientation import Floats
from loopwright.agents.designspec.network.radii import Opening
from loopwright.agents.designspec.validity.fixes.moves import Amendment, on_face
from loopwright.agents.designspec.validity.measurements import Measurements
from loopwright.agents.designspec.validity.report import Check, Fix
from loopwright.agents.designspec.validity.surface import at, place

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
