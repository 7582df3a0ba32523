"""The ridge: a rim that stands on a face of a body along its edge."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from manifold3d import CrossSection, Error, JoinType, Manifold, Mesh64, OpType, triangulate

from loopwright.agents.designspec.document.domains import Domain
from loopwright.agents.designspec.document.policies import Policies, RidgePolicy
from loopwright.agents.designspec.network import Floats
from loopwright.kernel.errors import InvalidInput

# Composition: the voids of all components as one.


@dataclass(frozen=True)
class Union:
    """The united void, in metres, and what was left out of it."""

    void: Manifold
    notes: tuple[str, ...] = ()


def united(voids: Mapping[str, Manifold] | Sequence[Manifold], policies: Policies) -> Union:
    """The union of the components' voids without crumbs.

    Parts smaller than `composition.min_component_volume` are removed, as are all but the largest part where
    `composition.keep_largest_component` (or `mesh_merge`'s) says so: the user has asked for both, and each is noted.

    Raises:
        InvalidInput: the boolean failed, or nothing is left.
    """
    each = list(voids.values()) if isinstance(voids, Mapping) else list(voids)
    whole = Manifold.batch_boolean(each, OpType.Add)
    if whole.status() != Error.NoError or not whole.num_tri():
        raise InvalidInput(
            f"/composition: the voids of {len(each)} components could not be united ({whole.status().name})."
        )
    composition = policies.composition
    merging = {**policies.mesh_merge.model_dump(), **composition.merge_policy}
    largest_only = composition.keep_largest_component or merging["keep_largest_component"]
    if not largest_only and composition.min_component_volume <= 0:
        return Union(whole)
    parts = sorted(whole.decompose(), key=lambda part: -part.volume())
    kept = [part for part in parts if part.volume() >= composition.min_component_volume]
    notes = []
    if len(kept) < len(parts):
        notes.append(
            f"{len(parts) - len(kept)} parts of the void below {composition.min_component_volume:.3g} m³ were removed."
        )
    if largest_only and len(kept) > 1:
        lost = sum(part.volume() for part in kept[1:]) / sum(part.volume() for part in kept)
        notes.append(
            f"Only the largest of {len(kept)} separate parts of the void was kept, as the policy says:"
            f" {lost:.1%} of the volume is gone."
        )
        kept = kept[:1]
    if not kept:
        raise InvalidInput(
            "Nothing is left of the void.",
            hint="Lower policies.composition.min_component_volume: every part is smaller.",
        )
    if not notes:
        return Union(whole)
    return Union(Manifold.batch_boolean(kept, OpType.Add), tuple(notes))


TOWARDS_TOP = {
    "+z": ((1, 0, 0), (0, 1, 0), (0, 0, 1)), "-z": ((1, 0, 0), (0, -1, 0), (0, 0, -1)),
    "+x": ((0, 1, 0), (0, 0, 1), (1, 0, 0)), "-x": ((0, 0, 1), (0, 1, 0), (-1, 0, 0)),
    "+y": ((0, 0, 1), (1, 0, 0), (0, 1, 0)), "-y": ((1, 0, 0), (0, 0, 1), (0, -1, 0)),
}  # fmt: skip
"""Rotations that take a face to the top; they only swap and negate coordinates, so nothing is rounded."""
FACE_NAMES = {"top": "+z", "bottom": "-z", "right": "+x", "left": "-x", "back": "+y", "front": "-y"}
IN_FACE = 1e-9
"""Share of the body's size by which a corner may lie under its flat face."""
LEAST_FACE = 1e-3
"""Share of the bounds' face that a flat face must have to carry the ridge; a smaller one is the tip of a round body."""
DEEPEST_FOOT = 0.9
"""Share of the body's height that the ridge may reach into it."""


def add_ridge(body: Manifold, domain: Domain, policy: RidgePolicy) -> Manifold:
    """The body with a rim on a face: a ring on a cylinder, a frame on a box, the outline's shape on any other.

    On a flat face the rim stands on the face itself, and shares its corners, so `overlap` changes nothing. On a curved
    one it follows the body's outline at the depth of `overlap`. Inner corners of the outline stay sharp.

    Args:
        body: in metres.
        domain: what the body was made from, for errors.
        policy: the face and the sizes.

    Raises:
        InvalidInput: the face is too small for the rim.
    """
    turn = np.array(TOWARDS_TOP[FACE_NAMES.get(policy.face, policy.face)], dtype=np.float64)
    upright = body.transform(np.column_stack([turn, np.zeros(3)]))
    low, high = np.array(upright.bounding_box()).reshape(2, 3)
    # The 2D library keeps eight decimals, so lengths go to it as thousandths of the size.
    size = float((high - low).max()) / 1000
    outlines = _flat_outlines(upright, low, high)
    foot = float(high[2])
    if not outlines:
        depth = min(policy.overlap, DEEPEST_FOOT * float(high[2] - low[2]))
        outlines = _section(upright, foot - depth, size)
        # The ring starts a little deeper, where a body that widens downwards has it inside.
        foot -= min(1.5 * depth, DEEPEST_FOOT * float(high[2] - low[2]))
    rims = [_rim(outline, policy, foot, float(high[2]) + policy.height, size, domain.type) for outline in outlines]
    if not rims:
        raise InvalidInput(f"/policies/ridge/face: the {domain.type} has no face {policy.face!r} that carries a ridge.")
    result = Manifold.batch_boolean([upright, *rims], OpType.Add).transform(np.column_stack([turn.T, np.zeros(3)]))
    if result.status() != Error.NoError or not result.num_tri():
        raise InvalidInput(f"/policies/ridge: the ridge could not be joined to the body ({result.status().name}).")
    return result


def _flat_outlines(body: Manifold, low: Floats, high: Floats) -> list[Floats]:
    """The outer edges of the flat face on top, with the body's own corners: (k, 2) each, anticlockwise."""
    mesh = body.to_mesh64()
    vertices = np.asarray(mesh.vert_properties)[:, :3]
    faces = np.asarray(mesh.tri_verts).astype(np.int64)
    level = high[2] - IN_FACE * float((high - low).max())
    faces = faces[(vertices[faces][:, :, 2] >= level).all(axis=1)]
    halves = [(int(a), int(b)) for face in faces for a, b in zip(face, np.roll(face, -1), strict=True)]
    present = set(halves)
    following = {start: end for start, end in halves if (end, start) not in present}
    outlines = []
    while following:
        start = min(following)
        loop = [start]
        while (after := following.pop(loop[-1], start)) != start:
            loop.append(after)
        outline = vertices[loop][:, :2]
        if _area(outline) > LEAST_FACE * float(np.prod((high - low)[:2])):
            outlines.append(outline)
    return outlines


def _section(body: Manifold, level: float, size: float) -> list[Floats]:
    """The outer edges of the body's section at a level."""
    section = body.scale((1 / size,) * 3).slice(level / size)
    return [np.asarray(loop) * size for loop in section.to_polygons() if _area(np.asarray(loop)) > 0]


def _area(outline: Floats) -> float:
    x, y = outline.T
    return float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) / 2)


def _rim(outline: Floats, policy: RidgePolicy, foot: float, top: float, size: float, kind: str) -> Manifold:
    middle = outline.mean(axis=0)
    face = CrossSection([(outline - middle) / size])
    outer = [outline]
    if policy.inset > 0:
        outer = _inwards(face, policy.inset, middle, size)
    inner = _inwards(face, policy.inset + policy.thickness, middle, size)
    if not outer or not inner:
        raise InvalidInput(
            f"/policies/ridge/thickness: a rim of {policy.thickness:g} m at an inset of {policy.inset:g} m fills the"
            f" whole face {policy.face!r} of the {kind}.",
            hint="Make the ridge thinner or its inset smaller.",
        )
    return _upright_walls([*outer, *(loop[::-1] for loop in inner)], foot, top)


def _inwards(face: CrossSection, distance: float, middle: Floats, size: float) -> list[Floats]:
    moved = face.offset(-distance / size, JoinType.Miter)
    return [np.asarray(loop) * size + middle for loop in moved.to_polygons() if _area(np.asarray(loop)) > 0]


def _upright_walls(loops: list[Floats], foot: float, top: float) -> Manifold:
    """The body over a region, holes clockwise, between two levels; its corners are exactly those of the loops."""
    flat = np.concatenate(loops)
    count = len(flat)
    cover = np.asarray(triangulate(loops), dtype=np.int64)
    sides = []
    start = 0
    for loop in loops:
        here = np.arange(start, start + len(loop))
        after = np.roll(here, -1)
        sides += [np.column_stack([here, after, after + count]), np.column_stack([here, after + count, here + count])]
        start += len(loop)
    faces = np.concatenate([cover[:, ::-1], cover + count, *sides])
    levels = np.repeat([foot, top], count)[:, None]
    return Manifold(Mesh64(np.column_stack([np.tile(flat, (2, 1)), levels]), faces.astype(np.uint64)))
