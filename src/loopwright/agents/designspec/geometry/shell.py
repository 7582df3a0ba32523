"""The shell: a wall of even thickness around the void."""

import numpy as np
from manifold3d import Error, Manifold, Mesh64

from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.geometry.marching import closed_surface
from loopwright.agents.designspec.geometry.mesh_probe import MeshProbe

CELLS_ACROSS = 3
"""Cells of the distance field across the wall."""


def shell_around(
    body: Manifold, cutter: Manifold, policies: Policies, thickened: Manifold | None, notes: list[str]
) -> Manifold | None:
    """The part of the body within `shell_thickness` of the void; None where the policies ask for none.

    Args:
        body: the domain.
        cutter: the void with its openings.
        policies: `embedding` and `resolution` are read.
        thickened: the void with all radii larger by the thickness; without it, a distance field is used.
        notes: told how exact the result is.
    """
    thickness = policies.embedding.shell_thickness
    if thickness <= 0:
        return None
    outer = thickened if thickened is not None else _offset(cutter, thickness, policies, notes)
    shell = (outer ^ body) - cutter
    if shell.status() != Error.NoError or not shell.num_tri():
        notes.append(f"No shell could be made ({shell.status().name}).")
        return None
    return shell


def _offset(void: Manifold, thickness: float, policies: Policies, notes: list[str]) -> Manifold:
    low, high = np.array(void.bounding_box()).reshape(2, 3)
    room = high - low + 2 * thickness
    budget = policies.resolution.max_voxels_embed or policies.embedding.max_voxels
    pitch = max(thickness / CELLS_ACROSS, float(np.cbrt(np.prod(room) / budget)))
    margin = thickness + 1.5 * pitch
    probe = MeshProbe(void)
    surface: Mesh64 = closed_surface(
        lambda points: -probe.depth(points) - thickness, low - margin, high + margin, pitch
    )
    notes.append(f"The shell's outer side comes from a distance field with a pitch of {pitch:.3g} m.")
    return Manifold(surface)
