"""Documents, networks and openings that the tests of geometry are made from. All in metres."""

import numpy as np

from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.document.spec import DesignSpec
from loopwright.agents.designspec.geometry.domains import build_domain
from loopwright.agents.designspec.network import Network, Opening


def spec_of(domains, **policies):
    return DesignSpec.model_validate(
        {
            "schema": {"name": "aog_designspec", "version": "1.0.0"},
            "meta": {"name": "workpiece"},
            "policies": policies,
            "domains": domains,
            "components": [],
        }
    )


def body_of(domain, project_dir=None, **policies):
    return build_domain(spec_of({"it": domain}, **policies), "it", project_dir)


def box(low, high):
    return {
        "type": "box",
        **{f"{a}_{end}": p[i] for i, a in enumerate("xyz") for end, p in (("min", low), ("max", high))},
    }


CYLINDER = {"type": "cylinder", "radius": 5e-3, "height": 2e-3}


def network_of(positions, segments, radii, ports=None):
    """Radii: one number, one for each segment, or a pair for each."""
    segments = np.array(segments)
    radii = np.broadcast_to(np.asarray(radii, dtype=float), (len(segments),)) if np.ndim(radii) < 2 else radii
    radii = np.stack([radii, radii], axis=1) if np.ndim(radii) == 1 else np.asarray(radii)
    count = len(positions)
    return Network(
        np.array(positions, dtype=float),
        segments,
        radii,
        ("junction",) * count,
        ("arterial",) * count,
        dict(ports or {}),
    )


def opening(position, radius, direction=(0, 0, -1), name="in", **other):
    direction = np.array(direction, dtype=float)
    unit = tuple((direction / np.linalg.norm(direction)).tolist())
    return Opening(name, "part", tuple(map(float, position)), unit, radius, **other)


def policies(**sections):
    return Policies.model_validate(sections)


def lattice(steps, spacing, radius):
    """A cube of steps³ nodes joined along the axes: many rings and junctions of up to six tubes."""
    grid = np.array(list(np.ndindex(steps, steps, steps)))
    number = {tuple(place): i for i, place in enumerate(grid.tolist())}
    segments = [
        (i, number[tuple(place + step)])
        for place, i in ((np.array(place), i) for place, i in number.items())
        for step in np.eye(3, dtype=int)
        if tuple(place + step) in number
    ]
    return network_of(grid * spacing, segments, radius)


def binary_tree(levels, radius=2e-4, ratio=0.79, length=6e-3, wander=0.0, points=1, seed=0):
    """Splits in two at each level, the planes of splitting turning; branches keep apart."""
    random = np.random.default_rng(seed)
    positions, segments, radii = [np.zeros(3)], [], []
    tips = [(0, np.array([0, 0, -1.0]), radius, length)]
    for level in range(levels):
        ahead = []
        for node, heading, thickness, reach in tips:
            for _ in range(points):
                step = heading + random.normal(0, wander, 3) if wander else heading
                positions.append(positions[node] + step / np.linalg.norm(step) * reach / points)
                segments.append((node, len(positions) - 1))
                radii.append((thickness, thickness))
                node = len(positions) - 1
            aside = np.array([1.0, 0, 0]) if level % 2 else np.array([0, 1.0, 0])
            for side in (1, -1):
                turned = 0.4 * heading + side * aside
                ahead.append((node, turned / np.linalg.norm(turned), thickness * ratio, reach * 0.72))
        tips = ahead
    return network_of(positions, segments, np.array(radii), {"in": 0})
