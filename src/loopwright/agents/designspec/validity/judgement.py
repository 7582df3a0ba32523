"""From single checks to the whole."""

from loopwright.agents.designspec.validity.report import Check, ValidityReport
from loopwright.agents.designspec.validity.subject import Subject

ALWAYS_WARN = ("component_contacts",)
"""Checks that never fail a design: what they find may be meant, and the clearance between components has its own."""


def may_warn(name: str, warn_only: tuple[str, ...]) -> bool:
    """Whether a failure of this check is only a warning; `open_port` speaks for every `open_port_…`."""
    return any(name == listed or name.startswith(listed + "_") for listed in (*warn_only, *ALWAYS_WARN))


def judge(subject: Subject, checks: list[Check]) -> ValidityReport:
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
