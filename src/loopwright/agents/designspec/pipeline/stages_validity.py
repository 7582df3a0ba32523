"""The verdict: is the design what the document says?"""

from manifold3d import Manifold

from loopwright.agents.designspec.geometry.embed import Embedded
from loopwright.agents.designspec.network.network import Network
from loopwright.agents.designspec.pipeline.plan import Step
from loopwright.agents.designspec.pipeline.workbench import Outcome, Workbench
from loopwright.agents.designspec.validity.checking import check_design
from loopwright.agents.designspec.validity.subject import Subject
from loopwright.kernel.errors import InvalidInput


def validity(bench: Workbench, step: Step) -> Outcome:
    """Check what there is; a failed check is a verdict on the design, not a breakdown of the run.

    Raises:
        InvalidInput: there is no body to look at.
    """
    if not bench.spec.validity.enable:
        return Outcome(results={step.name: None}, metadata={"enabled": False, "note": "switched off by the document"})
    report = check_design(subject_of(bench, step), bench.progress)
    failed = [check for check in report.checks if not check.passed and not check.skipped]
    return Outcome(
        results={step.name: report},
        metadata={
            "status": report.status,
            "passed": sum(check.passed and not check.skipped for check in report.checks),
            "failed": [check.name for check in failed],
            "skipped": [check.name for check in report.checks if check.skipped],
        },
        warnings=[warning for check in report.checks for warning in check.warnings],
        errors=[] if report.success else [f"{check.name}: {check.message}" for check in failed],
    )


def subject_of(bench: Workbench, step: Step) -> Subject:
    """The design as far as this run and earlier ones have made it."""
    body: Manifold | None = bench.find("mesh_domain")
    if body is None:
        raise InvalidInput("The result of mesh_domain is needed to check the design.", hint="Run mesh_domain first.")
    embedded: Embedded | None = bench.find("embed")
    union: Manifold | None = bench.find("union_voids")
    inside = union ^ body if union is not None else None
    ids = [component.id for component in bench.spec.components]
    voids = {name: bench.find(f"component_mesh:{name}") for name in ids}
    built = {name: bench.find(f"component_build:{name}") for name in ids}
    return Subject(
        spec=bench.spec,
        document_units=bench.checked.input_units,
        body=body,
        solid=solid_of(bench),
        void=embedded.void if embedded is not None else inside,
        component_voids={name: void for name, void in voids.items() if void is not None},
        networks={name: network for name, network in built.items() if isinstance(network, Network)},
        openings=[opening for name in ids for opening in bench.find(f"component_ports:{name}") or []],
        policies=bench.policies(step.stage),
        notes=embedded.notes if embedded is not None else (),
        policies_of={name: bench.policies(step.stage, name) for name in ids},
        document=bench.document,
    )


def solid_of(bench: Workbench) -> Manifold | None:
    """The body as it would be printed: carved, or whole where there is nothing to carve."""
    embedded: Embedded | None = bench.find("embed")
    if embedded is not None:
        return embedded.solid
    nothing = bench.has("union_voids") and bench.get("union_voids") is None
    body: Manifold | None = bench.find("mesh_domain") if nothing else None
    return body
