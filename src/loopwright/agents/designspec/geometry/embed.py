"""Embedding: the void carved out of the body, open at its ports."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from manifold3d import Error, Manifold, Mesh64, OpType
from scipy.spatial import cKDTree

from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.geometry.channels import area_factor, perpendicular_frame, unit_circle
from loopwright.agents.designspec.geometry.domains import closed_surface
from loopwright.agents.designspec.geometry.probe import MeshProbe, PortCaps, drawn_out, find_caps
from loopwright.agents.designspec.network import Floats, Opening
from loopwright.kernel.errors import InvalidInput

# What of the body lies over a port, on the way from its cap to the open.

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


# The shell: a wall of even thickness around the void.

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
    size = high - low + 2 * thickness
    budget = policies.resolution.max_voxels_embed or policies.embedding.max_voxels
    pitch = max(thickness / CELLS_ACROSS, float(np.cbrt(np.prod(size) / budget)))
    margin = thickness + 1.5 * pitch
    probe = MeshProbe(void)
    surface: Mesh64 = closed_surface(
        lambda points: -probe.depth(points) - thickness, low - margin, high + margin, pitch
    )
    notes.append(f"The shell's outer side comes from a distance field with a pitch of {pitch:.3g} m.")
    return Manifold(surface)


# Carving by a distance field, for the case that the exact boolean fails.


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


CLEARING = 1e-3
"""Radii by which an opening is cut beyond the surface, so that no film is left to rounding."""
PROBE_RADIUS, PROBE_DEPTH = 0.5, 0.2
"""Radii across and deep of the pin that must pass into an opening."""
FILM = 1e-6
"""Share of the pin's volume that may be hit before the opening counts as blocked."""


@dataclass(frozen=True)
class Embedded:
    """What came of embedding, in metres.

    `solid` is the body without the void; `void` is what of the cutter lies within the body, so it ends flush with the
    surface; `shell` is the wall around the void, where one was asked for; `cutter` is the void with its openings drawn
    out through the surface. `notes` say what was done beyond the plain difference.
    """

    solid: Manifold
    void: Manifold
    shell: Manifold | None
    cutter: Manifold
    notes: tuple[str, ...] = ()


def embed(
    body: Manifold,
    void: Manifold,
    openings: Sequence[Opening],
    policies: Policies,
    *,
    thickened: Manifold | None = None,
) -> Embedded:
    """Carve the void out of the body.

    Openings keep the radius of their channel. `carve_radius_factor` and `carve_depth` widen only an opening that is
    found blocked after that: an exact boolean keeps ports open by itself, and a wider mouth would not be the port that
    was asked for.

    Args:
        body: the domain with its ridge.
        void: all channels united.
        openings: the ports of all components; only those on the surface are cut through.
        policies: `embedding`, `ridge` and `resolution` are read.
        thickened: the void with all radii larger by `shell_thickness`, for an exact shell. Without it the shell comes
            from a distance field, which rounds edges by its pitch.

    Raises:
        InvalidInput: nothing is left of the body, or the boolean failed and the policy allows no voxels.
    """
    notes: list[str] = []
    surface = _distinct([opening for opening in openings if opening.surface])
    caps = find_caps(void, surface)
    covers = covers_of(body, caps, surface, policies)
    shifts = [_shift(cover, opening, notes) for cover, opening in zip(covers, surface, strict=True)]
    cutter = drawn_out(caps, np.array(shifts).reshape(-1, 3))
    solid, inside = _carve(body, cutter, policies, notes)
    blocked = _blocked(solid, surface)
    if blocked and policies.embedding.preserve_ports_enabled and policies.embedding.preserve_mode == "recarve":
        plugs = [_recarved(body, cutter, opening, policies, notes) for opening in blocked]
        cutter = Manifold.batch_boolean([cutter, *(plug for plug in plugs if plug is not None)], OpType.Add)
        solid, inside = _carve(body, cutter, policies, notes)
    elif blocked:
        notes.append(f"Blocked openings were left as they are: {', '.join(opening.name for opening in blocked)}.")
    shell = shell_around(body, cutter, policies, thickened, notes)
    return Embedded(solid, inside, shell, cutter, tuple(notes))


def _distinct(openings: Sequence[Opening]) -> list[Opening]:
    """One opening for each place: components may share a port, and the widest speaks for all."""
    found: dict[tuple[float, ...], Opening] = {}
    for opening in openings:
        place = tuple(round(value, 9) for value in opening.position)
        if place not in found or opening.radius > found[place].radius:
            found[place] = opening
    return list(found.values())


def _shift(cover: Cover | None, opening: Opening, notes: list[str]) -> np.ndarray:
    """How far the cap of an opening is drawn out, in metres."""
    if cover is None:
        return np.zeros(3)
    if cover.obstacle:
        notes.append(
            f"Port {opening.name}: part of the body (a ridge, or a wall) stands over it; that was not cut away."
        )
    elif cover.deep:
        notes.append(
            f"Port {opening.name} lies up to {cover.depth:.3g} m below the surface; its channel was cut up to it."
        )
    return np.asarray(-np.array(opening.direction) * (cover.depth + CLEARING * opening.radius))


def _carve(body: Manifold, cutter: Manifold, policies: Policies, notes: list[str]) -> tuple[Manifold, Manifold]:
    """What is left of the body, and what was taken out of it."""
    inside, solid = body.split(cutter)
    if solid.status() == Error.NoError and inside.status() == Error.NoError:
        if not solid.num_tri():
            raise InvalidInput("Nothing is left of the body: the void fills all of it.")
        return solid, inside
    if policies.embedding.fallback == "none":
        raise InvalidInput(
            f"The void could not be carved out of the body ({solid.status().name}).",
            hint="policies.embedding.fallback = 'auto' allows to carve it by voxels.",
        )
    return carved_by_voxels(body, cutter, policies, notes)


def _pin(opening: Opening, radius: float, inwards: float, outwards: float, sections: int = 24) -> Manifold:
    """A cylinder around an opening's axis; lengths in metres from the port's plane."""
    direction = np.array(opening.direction)
    first, second = perpendicular_frame(direction)
    rod = Manifold.cylinder(inwards + outwards, radius, radius, sections).translate((0, 0, -outwards))
    return rod.transform(np.column_stack([first, second, direction, opening.position]))


def _blocked(solid: Manifold, openings: Sequence[Opening]) -> list[Opening]:
    """The openings into which no pin passes."""
    found: list[Opening] = []
    if not openings:
        return found
    pins = [_pin(one, PROBE_RADIUS * one.radius, PROBE_DEPTH * one.radius, CLEARING * one.radius) for one in openings]
    hit = Manifold.batch_boolean(pins, OpType.Add) ^ solid
    low_high = [np.array(part.bounding_box()).reshape(2, 3) for part in hit.decompose() if part.volume() > 0]
    for opening, pin in zip(openings, pins, strict=True):
        low, high = np.array(pin.bounding_box()).reshape(2, 3)
        if any((box[0] <= high).all() and (box[1] >= low).all() for box in low_high) and (
            (pin ^ solid).volume() > FILM * pin.volume()
        ):
            found.append(opening)
    return found


def _recarved(
    body: Manifold, cutter: Manifold, opening: Opening, policies: Policies, notes: list[str]
) -> Manifold | None:
    """The cylinder that opens a blocked port, or None where the body stands over it."""
    radius = opening.radius * policies.embedding.carve_radius_factor
    depth = _depth_needed(body, cutter, opening, policies.embedding.carve_depth)
    rim = np.array(opening.position) + radius * unit_circle(np.array(opening.direction), 16)
    cover = thick_cover(body, rim, opening, policies)
    if cover.obstacle or depth <= 0:
        notes.append(f"Port {opening.name} is blocked and was left so.")
        return None
    notes.append(
        f"Port {opening.name} was blocked and has been carved anew: radius {radius:.3g} m instead of"
        f" {opening.radius:.3g} m, {depth:.3g} m deep."
    )
    outwards = cover.depth + (CLEARING * radius if cover.deep else thin_cover(opening, policies))
    sections = policies.channels.radial_sections
    return _pin(opening, radius * area_factor(sections), depth, outwards, sections)


def _depth_needed(body: Manifold, cutter: Manifold, opening: Opening, most: float) -> float:
    """How deep a blocked port has to be carved: to the void; where none is near, never through the body."""
    start, along = np.array(opening.position), np.array(opening.direction)
    start = start + CLEARING * opening.radius * along
    ahead = cutter.ray_cast(tuple(start), tuple(start + most * along))
    if ahead and np.dot(ahead[0].normal, along) > 0:
        return opening.radius / 2  # the void is here already, only its mouth is shut
    if ahead:
        return min(most, float(np.linalg.norm(np.array(ahead[0].position) - start)) + opening.radius / 2)
    far = body.ray_cast(tuple(start), tuple(start + 2 * most * along))
    return min(most, float(np.linalg.norm(np.array(far[0].position) - start)) / 2) if far else most
