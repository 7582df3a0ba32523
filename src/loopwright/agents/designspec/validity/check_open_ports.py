"""Whether each port is really open."""

import numpy as np

from loopwright.agents.designspec.validity.measurements import Measurements
from loopwright.agents.designspec.validity.port_probes import CORE, PortProbe
from loopwright.agents.designspec.validity.report import Check
from loopwright.agents.designspec.validity.wording import at, length, place

OPEN_SHARE = 0.9
"""How much of the nominal area must be open; the polygon's own loss comes on top."""


def check_open_ports(measured: Measurements) -> list[Check]:
    """One check for each port that is to open at the surface."""
    if not measured.subject.policies.open_port.enabled:
        off = "Switched off by policies.open_port.enabled."
        return [Check(name="open_port", passed=True, skipped=True, message=off)]
    openings = [opening for opening in measured.subject.openings if opening.surface]
    if not openings or (measured.solid is None and measured.void is None):
        what = "port at the surface" if not openings else "solid"
        return [Check(name="open_port", passed=True, skipped=True, message=f"There is no {what} to look at.")]
    names = [opening.name for opening in openings]
    return [
        _check(
            measured,
            probe,
            f"open_port_{probe.opening.name}"
            if names.count(probe.opening.name) == 1
            else f"open_port_{probe.opening.component_id}.{probe.opening.name}",
        )
        for probe in measured.port_probes
    ]


def _check(measured: Measurements, probe: PortProbe, name: str) -> Check:
    opening = probe.opening
    sections = measured.subject.policies_for(opening.component_id).mesh_synthesis.radial_sections
    nominal = np.pi * opening.radius**2
    required = OPEN_SHARE * sections / (2 * np.pi) * np.sin(2 * np.pi / sections)
    where, problem = np.array(opening.position), ""
    if not probe.outside:
        problem = "it does not lie at the surface: its outer side is within the domain"
    elif probe.obstacle is not None and probe.obstacle_depth is not None:
        where = probe.obstacle
        deep = f"{length(probe.obstacle_depth)} below" if probe.obstacle_depth > 0 else "right at"
        problem = f"solid stands in its way {deep} the surface"
    elif not probe.void_there:
        problem = "no channel reaches it"
    elif probe.open_share < required:
        problem = f"only {probe.open_share:.0%} of its area is open"
    told = f"Port {opening.name} of {opening.component_id}"
    return Check(
        name=name,
        passed=not problem,
        subject=f"{opening.component_id}.{opening.name}",
        message=f"{told} is open: {length(probe.depth)} deep, {probe.open_share:.0%} of its area."
        if not problem
        else f"{told} is not open: {problem} {at(where)}.",
        measured=float(probe.open_share * nominal) if probe.obstacle is None else 0.0,
        required=float(required * nominal),
        unit="m2",
        location=None if not problem else place(where),
        details={
            "probe_depth_m": probe.depth,
            "probe_radius_m": CORE * opening.radius,
            "open_share": probe.open_share,
            "nominal_area_m2": float(nominal),
            "moved_m": opening.moved,
        },
    )
