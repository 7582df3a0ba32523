"""What of the body lies over a port, on the way from its cap to the open."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from manifold3d import Manifold, OpType
from scipy.spatial import cKDTree

from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.geometry.port_caps import PortCaps
from loopwright.agents.designspec.network.network import Floats
from loopwright.agents.designspec.network.openings import Opening

RAYS = 32
INWARDS = 1e-3
"""Radii below the cap at which the rays start, so that they start inside the body."""
OFF_THE_RIM = 0.02
"""Share of the way to the middle by which they stand off the rim."""
CURVED = 0.5
"""Radii of cover up to which it is the curvature of the surface itself."""


@dataclass(frozen=True)
class Cover:
    """How much has to be cut: `depth` in metres. `obstacle`: something stands over the port that must stay.

    `deep` says that the port lies below the surface altogether.
    """

    depth: float
    obstacle: bool = False
    deep: bool = False


def thin_cover(opening: Opening, policies: Policies) -> float:
    """How much cover, in metres, is taken for the curvature of the surface: less than a ridge would be high."""
    curved = CURVED * opening.radius
    return min(curved, policies.ridge.height / 2) if policies.ridge.enabled else curved


def covers_of(body: Manifold, caps: PortCaps, openings: Sequence[Opening], policies: Policies) -> list[Cover | None]:
    """The cover over each opening's cap; None for an opening at which the void has no flat end.

    A little of it is the surface's own curvature, which is measured exactly and cut. Where there is more, rays tell
    what it is.
    """
    rims = [caps.rim(number) for number in range(len(openings))]
    pairs = list(zip(rims, openings, strict=True))
    prisms = [
        caps.prism(number, -np.array(opening.direction) * thin_cover(opening, policies))
        for number, (rim, opening) in enumerate(pairs)
        if len(rim)
    ]
    if not prisms:
        return [None for _ in openings]
    hit = Manifold.batch_boolean(prisms, OpType.Add) ^ body
    normals = [caps.normal(i) if len(rim) else -np.array(one.direction) for i, (rim, one) in enumerate(pairs)]
    heights = _heights(hit, openings, np.array(normals))
    covers: list[Cover | None] = []
    for opening, rim, height in zip(openings, rims, heights, strict=True):
        if not len(rim):
            covers.append(None)
        elif height < (1 - 1e-3) * thin_cover(opening, policies):
            covers.append(Cover(height))
        else:
            covers.append(thick_cover(body, rim, opening, policies))
    return covers


def _heights(hit: Manifold, openings: Sequence[Opening], normals: Floats) -> list[float]:
    """How far each opening's cap has to go outwards to pass through all that was hit."""
    heights = np.zeros(len(openings))
    points = np.asarray(hit.to_mesh64().vert_properties)[:, :3]
    if len(points):
        places = np.array([opening.position for opening in openings])
        outward = -np.array([opening.direction for opening in openings])
        _, nearest = cKDTree(places).query(points)
        over = np.einsum("ij,ij->i", points - places[nearest], normals[nearest])
        lean = np.einsum("ij,ij->i", outward, normals)
        np.maximum.at(heights, nearest, over / lean[nearest])
    return [float(height) for height in heights]


def thick_cover(body: Manifold, rim: Floats, opening: Opening, policies: Policies) -> Cover:
    """Measure the cover along rays from the rim (k, 3) and the middle of a cap, against the port's direction.

    A lot of it over a part of the cap, or as much as the ridge is high, is something that stands on the face, and
    stays. A lot of it everywhere, up to `carve_depth`, means that the port lies below the surface, and the channel goes
    on up to it.
    """
    inward = np.array(opening.direction)
    middle = rim.mean(axis=0)
    chosen = rim[:: max(1, len(rim) // RAYS)]
    starts = np.concatenate([middle[None], chosen + OFF_THE_RIM * (middle - chosen)])
    starts = starts + INWARDS * opening.radius * inward
    low, high = np.array(body.bounding_box()).reshape(2, 3)
    way = float(np.linalg.norm(high - low)) + 1e-9
    exits = np.array([_way_out(body, start, -inward, way) for start in starts]) - INWARDS * opening.radius
    exits = np.maximum(exits, 0.0)
    thin = thin_cover(opening, policies)
    shallow = exits <= thin
    if shallow.all():
        return Cover(float(exits.max()))
    ridge = policies.ridge
    is_ridge = ridge.enabled and bool(np.isclose(exits.max(), ridge.height, rtol=1e-3))
    if shallow.any() or is_ridge or exits.max() > policies.embedding.carve_depth:
        return Cover(float(exits[shallow].max(initial=0.0)), obstacle=True)
    return Cover(float(exits.max() + thin), deep=True)


def _way_out(body: Manifold, start: Floats, outward: Floats, way: float) -> float:
    """How far it is from a point inside to the open; 0 for a point that is there already."""
    hits = body.ray_cast(tuple(start), tuple(start + outward * way))
    if not hits or np.dot(hits[0].normal, outward) <= 0:
        return 0.0
    return float(np.linalg.norm(np.array(hits[0].position) - start))
