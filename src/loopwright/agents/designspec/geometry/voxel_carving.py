"""Carving by a distance field, for the case that the exact boolean fails."""

import numpy as np
from manifold3d import Error, Manifold

from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.geometry.marching import closed_surface
from loopwright.agents.designspec.geometry.mesh_probe import MeshProbe
from loopwright.agents.designspec.network.network import Floats
from loopwright.kernel.errors import InvalidInput


def carved_by_voxels(
    body: Manifold, cutter: Manifold, policies: Policies, notes: list[str]
) -> tuple[Manifold, Manifold]:
    """What is left of the body and what was taken out of it, both rounded by the pitch; thin walls may be lost.

    Raises:
        InvalidInput: nothing closed came out of it either.
    """
    low, high = np.array(body.bounding_box()).reshape(2, 3)
    budget = policies.resolution.max_voxels_embed or policies.embedding.max_voxels
    pitch = max(
        policies.embedding.voxel_pitch or policies.resolution.min_channel_diameter / 4,
        float(np.cbrt(np.prod(high - low) / budget)),
    )
    outside, hollow = MeshProbe(body), MeshProbe(cutter)

    def left(points: Floats) -> Floats:
        return np.maximum(-outside.depth(points), hollow.depth(points))

    def taken(points: Floats) -> Floats:
        return np.maximum(-outside.depth(points), -hollow.depth(points))

    margin = 1.5 * pitch
    results = [Manifold(closed_surface(field, low - margin, high + margin, pitch)) for field in (left, taken)]
    if any(result.status() != Error.NoError for result in results) or results[0].is_empty():
        raise InvalidInput("The void could be carved out of the body neither exactly nor by voxels.")
    notes.append(f"The exact boolean failed; the void was carved by voxels of {pitch:.3g} m, which rounds all edges.")
    return results[0], results[1]
