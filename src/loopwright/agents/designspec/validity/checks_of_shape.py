"""Two checks of the shape: whether channels are wide enough, and whether the solid has the genus of its design."""

from dataclasses import dataclass

import numpy as np

from loopwright.agents.designspec.network import Floats, Ints
from loopwright.agents.designspec.validity.contacts import RayScene, across
from loopwright.agents.designspec.validity.designed import Designed
from loopwright.agents.designspec.validity.measurements import Measurements
from loopwright.agents.designspec.validity.report import Check
from loopwright.agents.designspec.validity.surface import (
    BuiltDesign,
    CentreLines,
    LineIndex,
    Place,
    Surface,
    at,
    counted,
    length,
    place,
)

# How wide channels are, measured with rays across them.

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


# The topology oracle: the genus that the design must have against the one that the solid has.
#
# p openings and b₁ loops of a connected void in a body of genus 0 leave a solid of genus p − 1 + b₁. The measured genus
# comes from the solid's Euler characteristic. When the two differ, voids, loops and openings are compared one by one:
# the openings follow from χ(∂solid) = χ(∂body) + χ(∂void) − 2 p.
#
# Where a void leaves its centre lines.

GENUS_SAMPLES = 40_000
BEYOND = 1.3
"""How many radii from the centre line a wall must stand to be a stray: tubes are no wider, wherever they meet."""


def stray_places(subject: BuiltDesign, index: LineIndex, void: Surface) -> Floats:
    """(k, 3): places on a void's surface that no tube of the networks explains, those around ports left out.

    Looked for only when the topology differs: points spread over the surface, against points along the centre lines
    half a radius apart.
    """
    random = np.random.default_rng(subject.spec.meta.seed)
    points = void.sample(GENUS_SAMPLES, random)[0]
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


@dataclass(frozen=True)
class Reason:
    """Why the topology differs, where, and what it is about."""

    told: str
    place: Place | None = None
    subject: str = ""


def check_topology(measured: Measurements) -> list[Check]:
    """Genus of the solid; of the void where there is no solid."""
    designed = measured.designed
    if measured.solid is not None:
        surface, expected, what = measured.solid, designed.genus, "solid"
    elif measured.void is not None:
        surface, expected, what = measured.void, designed.loops, "void"
    else:
        return [Check(name="topology", passed=True, skipped=True, message="There is no solid to look at.")]
    genus = sum(shell.genus for shell in surface.shells)
    counts = void_counts(measured)
    details = {
        "euler": surface.euler,
        "expected": {"voids": designed.voids, "loops": designed.loops, "openings": designed.openings},
        "measured": counts,
        "ports_without_channel": list(designed.unmet_ports),
    }
    made_of = (
        f"{counted(designed.voids, 'void')}, {counted(designed.openings, 'opening')}, {counted(designed.loops, 'loop')}"
    )
    if genus == expected:
        return [
            Check(
                name="topology",
                passed=True,
                subject=what,
                message=f"The {what} has genus {expected}, as designed ({made_of}).",
                measured=expected,
                required=expected,
                unit="genus",
                details=details,
            )
        ]
    reasons = explain(measured, designed, counts)
    where = next((reason for reason in reasons if reason.place is not None), Reason(""))
    return [
        Check(
            name="topology",
            passed=False,
            subject=where.subject or what,
            message=f"The {what} has genus {genus:g}, designed is {expected} ({made_of}): "
            + "; ".join(reason.told for reason in reasons)
            + ".",
            measured=genus,
            required=expected,
            unit="genus",
            location=where.place,
            details={**details, "reasons": [reason.told for reason in reasons]},
        )
    ]


def void_counts(measured: Measurements) -> dict[str, int]:
    """Voids, loops and (where there is a solid too) openings as they are."""
    void = measured.void
    if void is None:
        return {}
    voids = sum(shell.volume > 0 for shell in void.shells)
    counts = {"voids": voids, "loops": voids - void.euler // 2}
    if measured.solid is not None:
        counts["openings"] = (measured.body.euler + void.euler - measured.solid.euler) // 2
    return counts


def explain(measured: Measurements, designed: Designed, counts: dict[str, int]) -> list[Reason]:
    """What differs, in words, and where."""
    reasons = [
        Reason(
            f"plugged channel: solid stands in {measured.lines.name(plug.segment)} {at(plug.place)}",
            place(plug.place),
            measured.lines.name(plug.segment),
        )
        for plug in measured.plugs[:1]
    ]
    openings = counts.get("openings", designed.openings)
    if openings < designed.openings:
        reasons.insert(0, _lost_port(measured, designed.openings - openings))
    if openings > designed.openings:
        reasons.append(_breakout(measured, openings - designed.openings))
    loops, voids = counts.get("loops", designed.loops), counts.get("voids", designed.voids)
    if loops > designed.loops or voids < designed.voids:
        reasons.append(_short(measured, max(loops - designed.loops, designed.voids - voids)))
    if not reasons and voids > designed.voids:
        reasons.append(Reason("cut branch: a void falls into more pieces than were designed"))
    if not reasons and loops < designed.loops:
        reasons.append(Reason(f"cut branch: {counted(designed.loops - loops, 'loop')} of the network is not closed"))
    if designed.unmet_ports:
        reasons.append(Reason("no channel begins at " + ", ".join(designed.unmet_ports)))
    return reasons or [Reason("the void is as designed, but it does not meet the solid as it should")]


def _lost_port(measured: Measurements, count: int) -> Reason:
    closed = [probe for probe in measured.port_probes if probe.obstacle is not None or not probe.outside]
    told = f"lost port: {counted(count, 'opening')} missing"
    if not closed and measured.leaks:
        where = measured.leaks[0].place
        return Reason(f"{told}: openings run into each other where the void breaks out {at(where)}", where, "void")
    if not closed:
        return Reason(told)
    name = f"{closed[0].opening.component_id}.{closed[0].opening.name}"
    where = place(closed[0].opening.position)
    return Reason(f"{told}, {name} is closed {at(where)}", where, name)


def _breakout(measured: Measurements, count: int) -> Reason:
    told = f"breakout: {counted(count, 'opening')} that no port asks for"
    if measured.leaks:
        where = measured.leaks[0].place
        return Reason(f"{told}, {at(where)}", where, "void")
    return _stray(measured, told)


def _short(measured: Measurements, count: int) -> Reason:
    told = f"accidental short: {counted(count, 'connection')} that the network does not have"
    overlaps = [gap for gap in measured.gaps if gap.gap < 0]
    if overlaps:
        first, second, where = overlaps[0].first_name, overlaps[0].second_name, overlaps[0].place
        return Reason(f"{told}, {first} runs into {second} {at(where)}", where, f"{first} and {second}")
    return _stray(measured, told)


def _stray(measured: Measurements, told: str) -> Reason:
    if measured.void is None or not len(measured.lines.nodes):
        return Reason(told)
    strays = stray_places(measured.subject, measured.line_index, measured.void)
    if not len(strays):
        return Reason(told)
    where = place(strays[int(np.argmin(np.linalg.norm(strays - strays.mean(axis=0), axis=1)))])
    return Reason(f"{told}, the void leaves its centre lines {at(where)}", where, "void")
