"""What a run did, in words: the end of what the user reads."""

from collections.abc import Iterable

from loopwright.agents.designspec.pipeline.reports import RunReport
from loopwright.agents.designspec.workflow.trace import Trace


def account_of(trace: Trace) -> str:
    """What became of the patches, a line each."""
    lines = []
    for proposal_id, proposal in trace.proposals.items():
        if proposal_id in trace.applied:
            moved = " (rebased on a newer document)" if trace.applied[proposal_id].rebased else ""
            lines.append(f"Applied: {proposal.title}{moved}.")
        elif proposal_id in trace.rejected:
            lines.append(f"Rejected: {proposal.title}.")
    lines += [f"Not applied: {dropped.reason}" for dropped in trace.dropped.values()]
    return "\n".join(lines)


def account_of_run(report: RunReport) -> str:
    """How the pipeline ended, and why, with what would mend it."""
    head = f"The run {'succeeded' if report.success else 'failed'} in {report.total_duration_s:.1f} s"
    lines = [f"{head} ({', '.join(_reached(report))})."]
    if report.stage_failed:
        lines.append(f"It stopped at {report.stage_failed}:")
    lines += [f"- {error}" for error in report.errors[:8]]
    validity = report.validity
    if validity is not None:
        failed = [check for check in validity.checks if not check.passed and not check.skipped]
        passed = sum(check.passed and not check.skipped for check in validity.checks)
        lines.append(f"Validity: {validity.status} ({passed} checks passed, {len(failed)} failed).")
        for check in failed[:8]:
            lines.append(f"- {check.name}: {check.message}")
            if check.fix is not None:
                lines.append(f"  Would mend it: {check.fix.explanation}")
    if report.artifacts:
        lines.append(f"{len(set(report.artifacts.values()))} files are in {report.output_dir}.")
    return "\n".join(lines)


def _reached(report: RunReport) -> Iterable[str]:
    cached = sum(stage.cached for stage in report.stage_reports)
    yield f"{len(report.stages_completed)} stages"
    if cached:
        yield f"{cached} of them unchanged and taken from the cache"
    if report.peak_memory_mb:
        yield f"{report.peak_memory_mb:.0f} MB"
