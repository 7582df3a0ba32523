"""Whether every centre line runs through a channel from end to end."""

import numpy as np

from loopwright.agents.designspec.validity.measurements import Measurements
from loopwright.agents.designspec.validity.plugs import Plug
from loopwright.agents.designspec.validity.report import Check
from loopwright.agents.designspec.validity.wording import at, counted, place


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
