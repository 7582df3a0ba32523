"""Short forms of a document, of a run, and of the checks that failed."""

from typing import Any

from loopwright.agents.designspec.pipeline.reports import RunReport, StageReport
from loopwright.agents.designspec.validity.report import Check

MAX_PORTS, MAX_CHECKS = 64, 12


def summarise_document(document: dict[str, Any]) -> dict[str, Any]:
    """The document without what is long: domains whole, components with their ports, the policies that are set."""
    domains, components, policies = document.get("domains"), document.get("components"), document.get("policies")
    return {
        "meta": document.get("meta"),
        "domains": domains if isinstance(domains, dict) else {},
        "components": [
            _component(each) for each in (components if isinstance(components, list) else []) if isinstance(each, dict)
        ],
        "policies_set": policies if isinstance(policies, dict) else {},
        "embedding": document.get("embedding"),
    }


def _component(component: dict[str, Any]) -> dict[str, Any]:
    build, ports = component.get("build"), component.get("ports")
    listed = []
    for kind in ("inlets", "outlets"):
        found = ports.get(kind) if isinstance(ports, dict) else None
        listed += [
            {"name": port.get("name"), "kind": kind[:-1]} | {key: port.get(key) for key in ("position", "radius")}
            for port in (found if isinstance(found, list) else [])
            if isinstance(port, dict)
        ]
    return {
        "id": component.get("id"),
        "domain_ref": component.get("domain_ref"),
        "build": build if isinstance(build, dict) else {},
        "port_count": len(listed),
        "ports": listed[:MAX_PORTS],
    }


def summarise_run(report: RunReport) -> dict[str, Any]:
    """How a run went: its end, its failed checks with what would mend them, the size of what came out."""
    return {
        "run_id": report.run_id,
        "success": report.success,
        "run_until": report.plan.run_until,
        "spec_hash": report.spec_hash,
        "stage_failed": report.stage_failed,
        "stages_completed": report.stages_completed,
        "errors": report.errors[:8],
        "warnings": report.warnings[:8],
        "validity": report.validity.status if report.validity is not None else None,
        "failed_checks": [_check(check) for check in failed_checks(report)[:MAX_CHECKS]],
        "duration_s": round(report.total_duration_s, 2),
        "artifacts": sorted(report.artifacts),
    }


def summarise_details(report: RunReport) -> dict[str, Any]:
    """What helps to find out why a run failed: the figures of meshes and networks, stage by stage."""
    return {
        "meshes": {stage.stage: mesh for stage in report.stage_reports if (mesh := _metadata(stage, "mesh"))},
        "networks": {stage.stage: net for stage in report.stage_reports if (net := _metadata(stage, "network"))},
        "stage_warnings": {stage.stage: stage.warnings[:6] for stage in report.stage_reports if stage.warnings},
    }


def failed_checks(report: RunReport) -> list[Check]:
    """The checks that failed, in the report's order."""
    checks = report.validity.checks if report.validity is not None else []
    return [check for check in checks if not check.passed and not check.skipped]


def has_trouble(report: RunReport | None) -> bool:
    """Whether the last run failed, or a check of it did."""
    return report is not None and (not report.success or bool(failed_checks(report)))


def _check(check: Check) -> dict[str, Any]:
    keys = {"name", "message", "measured", "required", "unit", "location", "subject", "fix"}
    return check.model_dump(mode="json", include=keys, exclude_none=True)


def _metadata(stage: StageReport, key: str) -> dict[str, Any]:
    found = stage.metadata.get(key)
    return found if isinstance(found, dict) else {}
