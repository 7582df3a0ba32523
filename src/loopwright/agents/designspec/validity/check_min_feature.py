"""Whether the solid's walls are thick enough to be made."""

import numpy as np

from loopwright.agents.designspec.validity.measurements import Measurements
from loopwright.agents.designspec.validity.report import Check
from loopwright.agents.designspec.validity.walls import measure_walls, without_edges
from loopwright.agents.designspec.validity.wording import at, length, place

BELIEVED = 3
"""So many rays must agree that a wall is thin; one or two may have met an edge."""


def check_min_feature(measured: Measurements) -> list[Check]:
    """The thinnest wall between channels, or between a channel and the outside."""
    name, required = "min_feature", measured.subject.required_feature
    scene = measured.solid_scene
    if scene is None:
        return [Check(name=name, passed=True, skipped=True, message="There is no solid to look at.")]
    walls = measure_walls(scene, required, np.random.default_rng(measured.subject.spec.meta.seed))
    thin = walls.take(walls.thickness < required)
    thick = walls.thickness[walls.thickness >= required]
    if len(thin.thickness) and len(measured.lines.nodes):
        thin = without_edges(thin, measured.lines, measured.line_index, measured.subject)
    details = {"rays": len(walls.thickness), "thin_rays": len(thin.thickness)}
    if len(thin.thickness) < BELIEVED:
        least = float(thick.min()) if len(thick) else None
        told = f"The thinnest wall is {length(least)} thick." if least is not None else "No two walls face each other."
        return [
            Check(name=name, passed=True, message=told, measured=least, required=required, unit="m", details=details)
        ]
    row = int(np.argsort(thin.thickness)[BELIEVED - 1])
    thickness, where = float(thin.thickness[row]), (thin.near[row] + thin.far[row]) / 2
    return [
        Check(
            name=name,
            passed=False,
            subject="solid",
            message=f"A wall is only {length(thickness)} thick {at(where)}; {length(required)} is required.",
            measured=thickness,
            required=required,
            unit="m",
            location=place(where),
            details={**details, "near": place(thin.near[row]), "far": place(thin.far[row])},
        )
    ]
