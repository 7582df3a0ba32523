"""All checks of a design."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from loopwright.agents.designspec.network import Progress, silent
from loopwright.agents.designspec.validity.checks_of_shape import check_min_diameter, check_topology
from loopwright.agents.designspec.validity.contacts import Plug, measure_walls, share_port, without_edges
from loopwright.agents.designspec.validity.measurements import (
    Measurements,
    check_components,
    check_open_ports,
    check_watertight,
)
from loopwright.agents.designspec.validity.proposing import with_fix
from loopwright.agents.designspec.validity.report import Check, ValidityReport
from loopwright.agents.designspec.validity.surface import BuiltDesign, at, counted, length, place

# Whether every centre line runs through a channel from end to end.


def check_channels_open(measured: Measurements) -> list[Check]:
    """Plugged channels, but for what stands right in a port: that is the port's own check."""
    if measured.walls is None or not len(measured.lines.nodes):
        return [Check(name="channels_open", passed=True, skipped=True, message="There is no channel to look at.")]
    plugs = [plug for plug in measured.plugs if not _at_port(measured, plug)]
    count = len(measured.lines.nodes)
    if not plugs:
        return [
            Check(
                name="channels_open",
                passed=True,
                message=f"{counted(count, 'segment')} followed along the centre line, none is plugged.",
                measured=0,
                required=0,
                unit="segments",
            )
        ]
    first = plugs[0]
    name = measured.lines.name(first.segment)
    return [
        Check(
            name="channels_open",
            passed=False,
            subject=name,
            message=f"Plugged channel: solid stands in {name} {at(first.place)}; "
            f"{len(plugs)} of {counted(count, 'segment')} are plugged.",
            measured=len(plugs),
            required=0,
            unit="segments",
            location=place(first.place),
            details={
                "plugged": [
                    {"segment": measured.lines.name(plug.segment), "location": place(plug.place)} for plug in plugs[:20]
                ]
            },
        )
    ]


def _at_port(measured: Measurements, plug: Plug) -> bool:
    policies = measured.subject.policies
    if not (policies.validity.check_open_ports and policies.open_port.enabled):
        return False
    return any(
        probe.closed_at_surface
        and np.linalg.norm(np.subtract(probe.opening.position, plug.place)) <= max(probe.depth, probe.opening.radius)
        for probe in measured.port_probes
    )


# Whether everything lies within the domain's box.

ROUNDING = 1e-6
"""Share of the domain's size."""


def check_bounds(measured: Measurements) -> list[Check]:
    """The solid, the centre lines and the ports against the box around the body."""
    subject = measured.subject
    box = np.array(subject.body.bounding_box()).reshape(2, 3)
    slack = ROUNDING * float(np.linalg.norm(box[1] - box[0]))
    names, points = [], []
    for name, network in sorted(subject.networks.items()):
        used = np.unique(network.segments)
        names += [f"{name} node {node}" for node in used]
        points.append(network.positions[used])
    names += [f"{opening.component_id}.{opening.name}" for opening in subject.openings]
    points.append(np.array([opening.position for opening in subject.openings]).reshape(-1, 3))
    if subject.solid is not None and not subject.solid.is_empty():
        names += ["the solid", "the solid"]
        points.append(np.array(subject.solid.bounding_box()).reshape(2, 3))
    places = np.concatenate(points)
    beyond = np.maximum(np.maximum(box[0] - places, places - box[1]), 0.0).max(axis=1, initial=0.0)
    size = " × ".join(f"{side * 1e3:.6g}" for side in box[1] - box[0])
    outside = np.flatnonzero(beyond > slack)
    if not len(outside):
        return [
            Check(
                name="bounds",
                passed=True,
                message=f"The networks' nodes, the ports and the solid lie within the domain's box of {size} mm.",
                measured=float(beyond.max(initial=0.0)),
                required=slack,
                unit="m",
                details={"lowest_m": place(box[0]), "highest_m": place(box[1])},
            )
        ]
    worst = int(np.argmax(beyond))
    return [
        Check(
            name="bounds",
            passed=False,
            subject=names[worst],
            message=f"{names[worst]} lies {length(float(beyond[worst]))} outside of the domain's box of {size} mm, "
            f"{at(places[worst])}.",
            measured=float(beyond[worst]),
            required=slack,
            unit="m",
            location=place(places[worst]),
            details={"outside": [names[row] for row in outside[:20]], "count": len(outside)},
        )
    ]


# Whether channels that are no neighbours keep their clearance.

TOLD = 20


def check_clearance(measured: Measurements) -> list[Check]:
    """The closest pair of branches, within a network and between components."""
    policy = measured.subject.policies.collision
    if not policy.enabled or not policy.check_collisions:
        switch = "enabled" if not policy.enabled else "check_collisions"
        return [
            Check(
                name="clearance",
                passed=True,
                skipped=True,
                message=f"Switched off by policies.collision.{switch}.",
            )
        ]
    if not len(measured.lines.nodes):
        return [Check(name="clearance", passed=True, skipped=True, message="There are no centre lines to look at.")]
    gaps = measured.gaps
    if not gaps:
        told = (
            f"No two branches that are no neighbours come nearer than {length(policy.collision_clearance)}, worked out "
            "from the segments' centre lines and radii."
        )
        return [
            Check(name="clearance", passed=True, message=told, required=policy.collision_clearance, unit="m"),
        ]
    worst = gaps[0]
    how = f"overlap by {length(-worst.gap)}" if worst.gap < 0 else f"are {length(worst.gap)} apart"
    return [
        Check(
            name="clearance",
            passed=False,
            subject=f"{worst.first_name} and {worst.second_name}",
            message=f"{worst.first_name} and {worst.second_name} {how}, {length(worst.required)} is required, "
            f"{at(worst.place)}; {counted(len(gaps), 'pair')} too near in all.",
            measured=worst.gap,
            required=worst.required,
            unit="m",
            location=worst.place,
            details={
                "pairs": [
                    {"first": gap.first_name, "second": gap.second_name, "gap_m": gap.gap, "location": gap.place}
                    for gap in gaps[:TOLD]
                ],
                "count": len(gaps),
            },
        )
    ]


# From single checks to the whole.

ALWAYS_WARN = ("component_contacts",)
"""Checks that never fail a design: what they find may be meant, and the clearance between components has its own."""


def may_warn(name: str, warn_only: tuple[str, ...]) -> bool:
    """Whether a failure of this check is only a warning; `open_port` speaks for every `open_port_…`."""
    return any(name == listed or name.startswith(listed + "_") for listed in (*warn_only, *ALWAYS_WARN))


def judge(subject: BuiltDesign, checks: list[Check]) -> ValidityReport:
    """`fail` when a check failed that may not, `warnings` when one failed that may or one warns, else `ok`."""
    policy = subject.policies.validity
    failed = [check for check in checks if not check.passed and not check.skipped]
    fatal = [check for check in failed if not may_warn(check.name, policy.warn_only)]
    judged = []
    for check in checks:
        if check.passed or check.skipped:
            judged.append(check)
        elif check in fatal:
            judged.append(check.model_copy(update={"errors": [*check.errors, check.message]}))
        else:
            judged.append(check.model_copy(update={"warnings": [*check.warnings, check.message]}))
    warned = failed or any(check.warnings for check in checks)
    skipped = [check.name for check in checks if check.skipped]
    return ValidityReport(
        success=not fatal,
        status="fail" if fatal else "warnings" if warned else "ok",
        checks=judged,
        policies={
            "validity": policy.model_dump(mode="json"),
            "open_port": subject.policies.open_port.model_dump(mode="json"),
            "collision": subject.policies.collision.model_dump(mode="json"),
        },
        metadata={
            "checks": len(checks),
            "failed": [check.name for check in failed],
            "skipped": skipped,
            "components": len(subject.component_voids),
            "segments": sum(len(network.segments) for network in subject.networks.values()),
            "ports": len(subject.openings),
            "triangles": subject.solid.num_tri() if subject.solid is not None else 0,
            "notes": list(subject.notes),
        },
    )


# Whether the solid's walls are thick enough to be made.

BELIEVED = 3
"""So many rays must agree that a wall is thin; one or two may have met an edge."""


def check_min_feature(measured: Measurements) -> list[Check]:
    """The thinnest wall between channels, or between a channel and the outside."""
    name, required = "min_feature", measured.subject.required_feature
    scene = measured.solid_scene
    if scene is None:
        return [Check(name=name, passed=True, skipped=True, message="There is no solid to look at.")]
    walls = measure_walls(scene, required, np.random.default_rng(measured.subject.spec.meta.seed))
    thin = walls.take(walls.thickness < required)
    thick = walls.thickness[walls.thickness >= required]
    if len(thin.thickness) and len(measured.lines.nodes):
        thin = without_edges(thin, measured.lines, measured.line_index, measured.subject)
    details = {"rays": len(walls.thickness), "thin_rays": len(thin.thickness)}
    if len(thin.thickness) < BELIEVED:
        least = float(thick.min()) if len(thick) else None
        sampled = f"Sampled with {len(walls.thickness)} rays, not proven"
        seen = "no two walls seen that face each other" if least is None else f"the least wall seen is {length(least)}"
        told = f"{sampled}: {seen}."
        return [
            Check(name=name, passed=True, message=told, measured=least, required=required, unit="m", details=details)
        ]
    row = int(np.argsort(thin.thickness)[BELIEVED - 1])
    thickness, where = float(thin.thickness[row]), (thin.near[row] + thin.far[row]) / 2
    return [
        Check(
            name=name,
            passed=False,
            subject="solid",
            message=f"A wall is only {length(thickness)} thick {at(where)}; {length(required)} is required "
            f"(seen by {len(thin.thickness)} of {len(walls.thickness)} sampled rays).",
            measured=thickness,
            required=required,
            unit="m",
            location=place(where),
            details={**details, "near": place(thin.near[row]), "far": place(thin.far[row])},
        )
    ]


# Where the voids of different components meet.


def check_contacts(measured: Measurements) -> list[Check]:
    """Contacts at a port that components share are meant; others are told, and may be meant too."""
    name = "component_contacts"
    if len(measured.subject.component_voids) < 2:
        return [Check(name=name, passed=True, skipped=True, message="There is one component only.")]
    contacts = measured.contacts
    stray = [contact for contact in contacts if not contact.at_shared_port]
    details = {
        "contacts": [
            {
                "components": [contact.first.component, contact.second.component],
                "location": contact.place,
                "at_shared_port": contact.at_shared_port,
            }
            for contact in contacts[:TOLD]
        ]
    }
    told = f"{counted(len(contacts), 'contact')} between components, {len(contacts) - len(stray)} at a shared port"
    if not stray:
        return [
            Check(name=name, passed=True, message=f"{told}.", measured=0, required=0, unit="contacts", details=details)
        ]
    first = stray[0]
    sharing = share_port(measured.subject, first.first.component, first.second.component)
    meant = "away from the port that they share" if sharing else "though they share no port"
    between = f"{first.first.component} and {first.second.component}"
    return [
        Check(
            name=name,
            passed=False,
            subject=between,
            message=f"{told}: {between} run into each other {at(first.place)}, {meant}.",
            measured=len(stray),
            required=0,
            unit="contacts",
            location=first.place,
            details=details,
        )
    ]


# Whether the voids stay within the domain, but for their ports.


def check_void_inside(measured: Measurements) -> list[Check]:
    """Exact: the volume of the components' voids outside of the body and of the ports' neighbourhoods."""
    name = "void_inside_domain"
    if not any(not void.is_empty() for void in measured.subject.component_voids.values()):
        return [Check(name=name, passed=True, skipped=True, message="There is no void to look at.")]
    leaks = measured.leaks
    volume = sum(leak.volume for leak in leaks)
    if not leaks:
        told = "The void leaves the domain at its ports only."
        return [Check(name=name, passed=True, message=told, measured=0.0, required=0.0, unit="m3")]
    worst = leaks[0]
    far = f", {length(worst.reach)} beyond its box" if worst.reach > 0 else ""
    return [
        Check(
            name=name,
            passed=False,
            subject="void",
            message=f"The void breaks out of the domain {at(worst.place)}{far}; "
            f"{counted(len(leaks), 'place')}, {volume * 1e9:.4g} mm³ in all.",
            measured=volume,
            required=0.0,
            unit="m3",
            location=worst.place,
            details={
                "places": [
                    {"location": leak.place, "volume_m3": leak.volume, "beyond_m": leak.beyond} for leak in leaks
                ]
            },
        )
    ]


@dataclass(frozen=True)
class Family:
    """Checks that belong together, and the field of the validity policy that switches them.

    Those that are `measured_anyway` cost little and tell whether the result is sound at all: switched off they cannot
    fail the design, but what they find is reported as a warning.
    """

    name: str
    switch: str
    run: Callable[[Measurements], list[Check]]
    measured_anyway: bool = False


FAMILIES = (
    Family("watertight", "check_watertight", check_watertight, measured_anyway=True),
    Family("components", "check_components", check_components),
    Family("channels_open", "check_topology", check_channels_open),
    Family("min_diameter", "check_min_diameter", check_min_diameter),
    Family("clearance", "check_clearance", check_clearance),
    Family("component_contacts", "check_clearance", check_contacts),
    Family("bounds", "check_bounds", check_bounds),
    Family("void_inside_domain", "check_void_inside_domain", check_void_inside),
    Family("open_port", "check_open_ports", check_open_ports),
    Family("min_feature", "check_min_feature", check_min_feature),
    Family("topology", "check_topology", check_topology, measured_anyway=True),
)


def check_design(subject: BuiltDesign, progress: Progress = silent) -> ValidityReport:
    """Check a design: on its meshes and on its networks.

    Args:
        subject: what came out of the pipeline.
        progress: told after each family of checks.
    """
    measured = Measurements(subject)
    checks: list[Check] = []
    for number, family in enumerate(FAMILIES):
        progress(number / len(FAMILIES), family.name)
        checks += _run(family, measured)
    progress(1.0, "checked")
    return judge(subject, checks)


def _run(family: Family, measured: Measurements) -> list[Check]:
    if getattr(measured.subject.policies.validity, family.switch):
        return [with_fix(measured, check) for check in family.run(measured)]
    off = f"Switched off by policies.validity.{family.switch}."
    if not family.measured_anyway:
        return [Check(name=family.name, passed=True, skipped=True, message=off)]
    return [
        check.model_copy(
            update={
                "passed": True,
                "skipped": True,
                "message": f"{off} Measured all the same: {check.message}",
                "warnings": check.warnings if check.passed else [*check.warnings, check.message],
            }
        )
        for check in family.run(measured)
    ]
