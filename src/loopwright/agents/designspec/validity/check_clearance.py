"""Whether channels that are no neighbours keep their clearance."""

from loopwright.agents.designspec.validity.measurements import Measurements
from loopwright.agents.designspec.validity.report import Check
from loopwright.agents.designspec.validity.wording import at, counted, length

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
        told = f"All branches keep {length(policy.collision_clearance)} apart."
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
