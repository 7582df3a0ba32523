"""The topology oracle: the genus that the design must have against the one that the solid has.

p openings and b₁ loops of a connected void in a body of genus 0 leave a solid of genus p − 1 + b₁. The measured genus
comes from the solid's Euler characteristic. When the two differ, voids, loops and openings are compared one by one:
the openings follow from χ(∂solid) = χ(∂body) + χ(∂void) − 2 p.
"""

from dataclasses import dataclass

import numpy as np

from loopwright.agents.designspec.network.orientation import Floats
from loopwright.agents.designspec.validity.designed import Designed
from loopwright.agents.designspec.validity.measurements import Measurements
from loopwright.agents.designspec.validity.report import Check
from loopwright.agents.designspec.validity.surface import BuiltDesign, LineIndex, Place, Surface, at, counted, place

# --------------------------------------------------------------------------------------------------------------------
# Where a void leaves its centre lines.
# --------------------------------------------------------------------------------------------------------------------

SAMPLES = 40_000
BEYOND = 1.3
"""How many radii from the centre line a wall must stand to be a stray: tubes are no wider, wherever they meet."""


def stray_places(subject: BuiltDesign, index: LineIndex, void: Surface) -> Floats:
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
