"""Where a void leaves its centre lines."""

import numpy as np

from loopwright.agents.designspec.network.network import Floats
from loopwright.agents.designspec.validity.line_index import LineIndex
from loopwright.agents.designspec.validity.subject import Subject
from loopwright.agents.designspec.validity.surface import Surface

SAMPLES = 40_000
BEYOND = 1.3
"""How many radii from the centre line a wall must stand to be a stray: tubes are no wider, wherever they meet."""


def stray_places(subject: Subject, index: LineIndex, void: Surface) -> Floats:
    """(k, 3): places on a void's surface that no tube of the networks explains, those around ports left out.

    Looked for only when the topology differs: points spread over the surface, against points along the centre lines
    half a radius apart.
    """
    random = np.random.default_rng(subject.spec.meta.seed)
    points = void.sample(SAMPLES, random)[0]
    for opening in subject.openings:
        policy = subject.policies_for(opening.component_id).embedding
        reach = max(policy.carve_depth if policy.preserve_ports_enabled else 0.0, 2 * opening.radius)
        wide = 1.1 * opening.radius * max(policy.carve_radius_factor, 1.0)
        away = points - np.array(opening.position)
        along = away @ np.array(opening.direction)
        sideways = np.linalg.norm(away - along[:, None] * np.array(opening.direction), axis=1)
        points = points[(np.abs(along) > reach) | (sideways > wide)]
    if not len(points):
        return points
    _, relative = index.nearest(points)
    return np.asarray(points[relative > BEYOND])
