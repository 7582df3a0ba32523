"""Whether everything lies within the domain's box."""

import numpy as np

from loopwright.agents.designspec.validity.measurements import Measurements
from loopwright.agents.designspec.validity.report import Check
from loopwright.agents.designspec.validity.wording import at, length, place

ROUNDING = 1e-6
"""Share of the domain's size."""


def check_bounds(measured: Measurements) -> list[Check]:
    """The solid, the centre lines and the ports against the box around the body."""
    subject = measured.subject
    box = np.array(subject.body.bounding_box()).reshape(2, 3)
    slack = ROUNDING * float(np.linalg.norm(box[1] - box[0]))
    names, points = [], []
    for name, network in sorted(subject.networks.items()):
        used = np.unique(network.segments)
        names += [f"{name} node {node}" for node in used]
        points.append(network.positions[used])
    names += [f"{opening.component_id}.{opening.name}" for opening in subject.openings]
    points.append(np.array([opening.position for opening in subject.openings]).reshape(-1, 3))
    if subject.solid is not None and not subject.solid.is_empty():
        names += ["the solid", "the solid"]
        points.append(np.array(subject.solid.bounding_box()).reshape(2, 3))
    places = np.concatenate(points)
    beyond = np.maximum(np.maximum(box[0] - places, places - box[1]), 0.0).max(axis=1, initial=0.0)
    size = " × ".join(f"{side * 1e3:.6g}" for side in box[1] - box[0])
    outside = np.flatnonzero(beyond > slack)
    if not len(outside):
        return [
            Check(
                name="bounds",
                passed=True,
                message=f"Everything lies within the domain's box of {size} mm.",
                measured=float(beyond.max(initial=0.0)),
                required=slack,
                unit="m",
                details={"lowest_m": place(box[0]), "highest_m": place(box[1])},
            )
        ]
    worst = int(np.argmax(beyond))
    return [
        Check(
            name="bounds",
            passed=False,
            subject=names[worst],
            message=f"{names[worst]} lies {length(float(beyond[worst]))} outside of the domain's box of {size} mm, "
            f"{at(places[worst])}.",
            measured=float(beyond[worst]),
            required=slack,
            unit="m",
            location=place(places[worst]),
            details={"outside": [names[row] for row in outside[:20]], "count": len(outside)},
        )
    ]
