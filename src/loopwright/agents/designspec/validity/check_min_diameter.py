"""Whether channels are wide enough: as the network says, and as the mesh is."""

from dataclasses import dataclass

import numpy as np

from loopwright.agents.designspec.network.orientation import Floats, Ints
from loopwright.agents.designspec.validity.contacts import RayScene, across
from loopwright.agents.designspec.validity.measurements import Measurements
from loopwright.agents.designspec.validity.report import Check
from loopwright.agents.designspec.validity.surface import CentreLines, Surface, at, counted, length, place

# --------------------------------------------------------------------------------------------------------------------
# How wide channels are, measured with rays across them.
# --------------------------------------------------------------------------------------------------------------------

STATIONS = 4_000
"""Stations along the centre lines, evenly spaced, and at least one in each segment."""
SPOKES = 6
"""Diameters at each station."""
SAMPLES = 10_000
"""Rays through a void that has no centre line."""
FACING = -0.5
"""Cosine between two walls' normals up to which they face each other: below, the ray has met an edge."""


@dataclass(frozen=True)
class Widths:
    """Widths (k,) in metres at places (k, 3), with the segment (k,) each was measured in (−1: none)."""

    width: Floats
    place: Floats
    segment: Ints


def widths_along(lines: CentreLines, walls: tuple[RayScene, bool], body: RayScene) -> Widths:
    """The smallest of `SPOKES` diameters at each station that lies in a channel.

    Args:
        lines: the centre lines.
        walls: a surface, and whether the channels are its inner side.
        body: the domain.
    """
    scene, channel_inside = walls
    spacing = max(float(lines.lengths.sum()) / STATIONS, 1e-12)
    counts = np.where(lines.lengths > 0, np.ceil(lines.lengths / spacing).astype(int), 0)
    segment = np.repeat(np.arange(len(counts)), counts)
    step = np.arange(len(segment)) - np.repeat(np.cumsum(counts) - counts, counts)
    share = np.clip((step + 0.5) / counts[segment], 0.02, 0.98)
    along = (lines.ends - lines.starts)[segment]
    place = lines.starts[segment] + share[:, None] * along
    within = body.inside(place)
    segment, place, along = segment[within], place[within], along[within]
    unit = along / np.linalg.norm(along, axis=1, keepdims=True)
    first = across(along)
    second = np.cross(unit, first)
    width = np.full(len(place), np.inf)
    in_channel = np.zeros(len(place), dtype=int)
    for spoke in range(SPOKES):
        turn = np.pi * spoke / SPOKES
        direction = np.cos(turn) * first + np.sin(turn) * second
        there, back = scene.cast(place, direction), scene.cast(place, -direction)
        width = np.minimum(width, there.distance + back.distance)
        in_channel += (there.leaving == channel_inside).astype(int) + (back.leaving == channel_inside).astype(int)
    measured = np.isfinite(width) & (in_channel > SPOKES)
    return Widths(width[measured], place[measured], segment[measured])


def widths_of(void: Surface, random: np.random.Generator) -> Widths:
    """The widths of a void without centre lines: rays inwards from its wall to the wall that faces it."""
    points, triangles = void.sample(SAMPLES, random)
    normals = void.normals[triangles] / np.linalg.norm(void.normals[triangles], axis=1, keepdims=True)
    hits = RayScene(void).cast(points - 1e-5 * void.extent * normals, -normals)
    met = void.normals[hits.triangle] / np.linalg.norm(void.normals[hits.triangle], axis=1, keepdims=True)
    facing = hits.leaving & (np.einsum("ij,ij->i", met, normals) < FACING)
    width = hits.distance[facing] + 1e-5 * void.extent
    return Widths(width, points[facing] - width[:, None] / 2 * normals[facing], np.full(len(width), -1))


ROUNDING = 1e-6
"""Relative; a radius that was given in other units may come back a little smaller."""
LOWEST_SHARE = 0.01
"""Where rays start anywhere on a wall, one in a hundred may meet a corner and is not believed."""


def check_min_diameter(measured: Measurements) -> list[Check]:
    """One check on the network's radii, one on the mesh."""
    return [_of_network(measured), _of_mesh(measured)]


def _of_network(measured: Measurements) -> Check:
    lines, required = measured.lines, measured.subject.required_diameter
    if not len(lines.nodes):
        return Check(name="min_diameter", passed=True, skipped=True, message="There is no network to look at.")
    ends = np.argmin(lines.radii, axis=1)
    thinnest = lines.radii.min(axis=1)
    segment = int(np.argmin(thinnest))
    diameter = float(2 * thinnest[segment])
    thin = int((2 * thinnest < required * (1 - ROUNDING)).sum())
    name, where = lines.name(segment), lines.positions[lines.nodes[segment, ends[segment]]]
    told = f"The thinnest channel is {length(diameter)} wide, in {name}"
    return Check(
        name="min_diameter",
        passed=not thin,
        subject=name,
        message=f"{told}."
        if not thin
        else f"{told} {at(where)}; {length(required)} is required. {counted(thin, 'segment')} too thin.",
        measured=diameter,
        required=required,
        unit="m",
        location=place(where) if thin else None,
        details={"segments_too_thin": thin},
    )


def _of_mesh(measured: Measurements) -> Check:
    name, required = "void_min_diameter", measured.subject.required_diameter
    walls = measured.walls
    if walls is None:
        return Check(name=name, passed=True, skipped=True, message="There is no mesh to look at.")
    found: list[tuple[float, Widths, int]] = []
    if len(measured.lines.nodes):
        widths = widths_along(measured.lines, walls, measured.body_scene)
        if len(widths.width):
            found.append((float(widths.width.min()), widths, int(np.argmin(widths.width))))
    random = np.random.default_rng(measured.subject.spec.meta.seed)
    for component, void in sorted(measured.subject.component_voids.items()):
        if component not in measured.subject.networks and not void.is_empty():
            widths = widths_of(Surface.of(void), random)
            if len(widths.width):
                row = int(np.argsort(widths.width)[int(LOWEST_SHARE * len(widths.width))])
                found.append((float(widths.width[row]), widths, row))
    if not found:
        return Check(name=name, passed=True, skipped=True, message="There is no channel to look at.")
    width, widths, row = min(found, key=lambda entry: entry[0])
    sections = measured.subject.policies.mesh_synthesis.radial_sections
    least = required * np.cos(np.pi / sections) ** 2 * (1 - 5e-3)
    where = widths.place[row]
    subject = measured.lines.name(int(widths.segment[row])) if widths.segment[row] >= 0 else "an imported void"
    stations = sum(len(each.width) for _, each, _ in found)
    passed = width >= least
    told = f"The narrowest place in the mesh is {length(width)} wide, in {subject}"
    return Check(
        name=name,
        passed=passed,
        subject=subject,
        message=f"{told}." if passed else f"{told} {at(where)}; {length(required)} is required.",
        measured=width,
        required=required,
        unit="m",
        location=None if passed else place(where),
        details={
            "stations": stations,
            "diameters_each": SPOKES,
            "first_percentile_m": float(min(np.percentile(each.width, 1) for _, each, _ in found)),
            "least_with_sections_m": float(least),
        },
    )
