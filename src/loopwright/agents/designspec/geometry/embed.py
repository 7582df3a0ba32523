"""Embedding: the void carved out of the body, open at its ports."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from manifold3d import Error, Manifold, OpType

from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.geometry.circles import area_factor, perpendicular_frame, unit_circle
from loopwright.agents.designspec.geometry.port_caps import drawn_out, find_caps
from loopwright.agents.designspec.geometry.port_cover import Cover, covers_of, thick_cover, thin_cover
from loopwright.agents.designspec.geometry.shell import shell_around
from loopwright.agents.designspec.geometry.voxel_carving import carved_by_voxels
from loopwright.agents.designspec.network.openings import Opening
from loopwright.kernel.errors import InvalidInput

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
