"""The end of a turn: the result that every surface shows, and the turn log."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from loopwright.agents.designspec.contracts import DesignSpecDirective
from loopwright.agents.designspec.pipeline.reports import RunReport
from loopwright.agents.designspec.workflow.rooms import open_project, report_of
from loopwright.agents.designspec.workflow.trace import Trace, read_trace
from loopwright.kernel.events import Payload
from loopwright.kernel.gates import digest_of
from loopwright.kernel.run import AgentRun


async def absorb_directive(run: AgentRun, records: Sequence[DesignSpecDirective]) -> Sequence[Payload]:
    """Write the directive into the turn log before anything is done with it; once, however often this is called."""
    log = open_project(run).turns
    for directive in records:
        log.append(
            {
                "timestamp": datetime.now(UTC).isoformat(),
                "run_id": run.state.run_id,
                "stage": run.state.stage,
                "user_message": _newest_words(run),
                "context_pack_hash": digest_of(run.state.context.system)[:16],
                "directive_json": directive.as_json(),
            },
            run.key,
        )
    return []


async def finish(run: AgentRun) -> dict[str, Any]:
    """The run's result, for the last line of every surface; the turn's outcome goes into the turn log."""
    project, trace = open_project(run), await read_trace(run)
    report = report_of(project, trace.runs_finished[-1].folder) if trace.runs_finished else None
    project.turns.append(_outcome(run, trace, report), f"{run.state.run_id}:outcome")
    return {
        "success": report.success if report is not None else not trace.dropped and all_went_well(run),
        "stages": report.stages_completed if report is not None else [],
        "stage_failed": report.stage_failed if report is not None else None,
        "artifacts": report.artifacts if report is not None else {},
        "output_dir": report.output_dir if report is not None else None,
        "validity": _validity(report),
        "duration_s": round(report.total_duration_s, 3) if report is not None else 0.0,
        "errors": report.errors if report is not None else [each.reason for each in trace.dropped.values()],
        "project_dir": str(project.path),
        "spec_hash": project.document_hash,
        "patches": {
            "applied": list(trace.applied),
            "rejected": list(trace.rejected),
            "dropped": list(trace.dropped),
        },
    }


def all_went_well(run: AgentRun) -> bool:
    """Whether every action could do what was asked of it; a document that could not be run, for one, is none."""
    return all(action.success for action in run.state.actions.values() if action is not None)


def _validity(report: RunReport | None) -> dict[str, Any] | None:
    if report is None or report.validity is None:
        return None
    checks = [check.model_dump(mode="json", exclude_none=True) for check in report.validity.checks]
    return {"status": report.validity.status, "checks": checks}


def _outcome(run: AgentRun, trace: Trace, report: RunReport | None) -> dict[str, Any]:
    directives = trace.directives
    return {
        "timestamp": datetime.now(UTC).isoformat(),
        "run_id": run.state.run_id,
        "user_message": _newest_words(run),
        "directive_json": directives[0].as_json() if directives else None,
        "second_directive_json": directives[1].as_json() if trace.expanded and len(directives) > 1 else None,
        "context_request_fulfilled": bool(trace.expanded),
        "patch_applied": [each.model_dump(mode="json") for each in trace.applied.values()],
        "patch_rejected": [each.model_dump(mode="json") for each in trace.rejected.values()],
        "run_executed": report is not None,
        "run_result": report.model_dump(mode="json", include={"run_id", "success", "stage_failed", "errors"})
        if report is not None
        else None,
        "errors": [each.reason for each in trace.dropped.values()],
    }


def _newest_words(run: AgentRun) -> str:
    newest = run.state.context.newest_user
    return newest.content if newest is not None else ""
