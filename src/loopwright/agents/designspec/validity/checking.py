"""All checks of a design."""

from collections.abc import Callable
from dataclasses import dataclass

from loopwright.agents.designspec.network.probe import Progress, silent
from loopwright.agents.designspec.validity.check_bounds import check_bounds
from loopwright.agents.designspec.validity.check_channels_open import check_channels_open
from loopwright.agents.designspec.validity.check_clearance import check_clearance
from loopwright.agents.designspec.validity.check_components import check_components
from loopwright.agents.designspec.validity.check_contacts import check_contacts
from loopwright.agents.designspec.validity.check_min_diameter import check_min_diameter
from loopwright.agents.designspec.validity.check_min_feature import check_min_feature
from loopwright.agents.designspec.validity.check_open_ports import check_open_ports
from loopwright.agents.designspec.validity.check_topology import check_topology
from loopwright.agents.designspec.validity.check_void_inside import check_void_inside
from loopwright.agents.designspec.validity.check_watertight import check_watertight
from loopwright.agents.designspec.validity.fixes.proposing import with_fix
from loopwright.agents.designspec.validity.judgement import judge
from loopwright.agents.designspec.validity.measurements import Measurements
from loopwright.agents.designspec.validity.report import Check, ValidityReport
from loopwright.agents.designspec.validity.subject import Subject


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


def check_design(subject: Subject, progress: Progress = silent) -> ValidityReport:
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
