"""Runs of the pipeline: asked for, approved on exactly this document and these stages, then carried out."""

import asyncio

from loopwright.agents.designspec.contracts import RunRequest
from loopwright.agents.designspec.directive.reading import DONE, RUN, next_signal
from loopwright.agents.designspec.document.checking import require_spec
from loopwright.agents.designspec.document.difference import diff_documents
from loopwright.agents.designspec.events import (
    ApprovalStale,
    PipelineFinished,
    PipelineRejected,
    PipelineStageFinished,
    PipelineStarted,
)
from loopwright.agents.designspec.pipeline.job import PipelineJob
from loopwright.agents.designspec.pipeline.preview import estimate_run
from loopwright.agents.designspec.pipeline.reports import PipelineProgress, RunPlan, RunReport
from loopwright.agents.designspec.pipeline.runner import run_pipeline
from loopwright.agents.designspec.project.folder import ProjectFolder
from loopwright.agents.designspec.workflow.account import account_of, account_of_run
from loopwright.agents.designspec.workflow.review import REVISE
from loopwright.agents.designspec.workflow.rooms import open_project
from loopwright.agents.designspec.workflow.trace import Trace, current_directive, read_trace
from loopwright.kernel.asking import answer_to
from loopwright.kernel.crash import crash_point
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.events import UserMessage
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import ActionResult
from loopwright.kernel.tools import GateRequest

APPROVED = "approved"


async def approve_run(run: AgentRun) -> ActionResult | GateRequest:
    """Put the wanted run to the user: on this document, with these stages; a stale yes is refused and asked anew."""
    wanted = wanted_run(run)
    project, trace = open_project(run), await read_trace(run)
    directive = current_directive(run)
    after = next_signal(directive, after=RUN) if directive is not None else DONE
    try:
        request = gate_for(project, trace, wanted)
    except InvalidInput as error:
        text = f"{account_of(trace)}\nNothing was run: {error.message} {error.hint}".strip()
        return ActionResult(False, text, after, text=text)
    stale = _stale_approval(run, project, trace, request)
    if stale is not None:
        await run.append(stale)
        return gate_for(project, await read_trace(run), wanted)
    answer = answer_to(run, request)
    if answer is None:
        return request
    if answer["decision"] == "approve":
        return ActionResult(True, "The user has approved the run.", APPROVED)
    comment = str(answer.get("comment") or "")
    run.defer(PipelineRejected(spec_hash=project.document_hash, comment=comment))
    if comment:
        run.defer(UserMessage(text=f"I did not want the run: {comment}"))
    text = f"{account_of(trace)}\nNothing was run.".strip()
    return ActionResult(True, text, REVISE if comment else after, text=text)


def wanted_run(run: AgentRun) -> RunRequest:
    """The run that is asked for; the user's own `run_plan` or `run_until` wins over the model's wish."""
    directive, options = current_directive(run), run.state.options
    requested = directive.run_request if directive is not None else None
    if options.get("run_plan"):
        until = RunPlan.model_validate(options["run_plan"]).run_until
        return RunRequest(run=True, run_until=until, reason="asked for by the user")
    if requested is not None and options.get("run_until"):
        return RunRequest.model_validate(requested.model_dump() | {"run_until": options["run_until"]})
    return requested or RunRequest(run=True)


def gate_for(project: ProjectFolder, trace: Trace, wanted: RunRequest) -> GateRequest:
    """The question about a run; the approval names the document's hash and the stages.

    Raises:
        InvalidInput: the document cannot be run as it is; the message names the culprit.
    """
    document = project.document()
    require_spec(document)
    plan = RunPlan(run_until=wanted.run_until)
    estimate = estimate_run(document, plan, project.path)
    differences = [line for each in trace.stale if each.subject == "run" for line in each.differences]
    return GateRequest(
        "run",
        f"Run the pipeline ({wanted.run_until})?",
        details={
            "spec_hash": project.document_hash,
            "run_until": wanted.run_until,
            "reason": wanted.reason,
            "expected_signal": wanted.expected_signal,
            "stages": estimate.stages,
            "kept": estimate.kept,
            "estimate": estimate.estimate.model_dump(mode="json"),
            **({"stale": differences} if differences else {}),
        },
    )


def _stale_approval(run: AgentRun, project: ProjectFolder, trace: Trace, request: GateRequest) -> ApprovalStale | None:
    """The refusal of a yes that was given to another document than the one that would run."""
    told = {each.approved_hash for each in trace.stale if each.subject == "run"}
    for gate in run.state.gates.values():
        if gate.kind != "run" or gate.status != "answered" or not gate.approved:
            continue
        approved = gate.details["spec_hash"]
        if approved == request.details["spec_hash"] or approved in told:
            continue
        changes = diff_documents(project.version(approved), project.document())
        return ApprovalStale(
            subject="run",
            approved_hash=approved,
            current_hash=project.document_hash,
            differences=[change.text for change in changes],
        )
    return None


async def run_the_pipeline(run: AgentRun) -> ActionResult:
    """Carry the approved run out in a worker process; cancelling the run stops it at once."""
    project, trace = open_project(run), await read_trace(run)
    directive = current_directive(run)
    started = await _begin(run, project, trace)
    job = PipelineJob(
        document=project.version(started.spec_hash),
        project_dir=project.path,
        run_dir=project.path / started.folder,
        run_id=started.folder.rpartition("/")[2],
        plan=RunPlan.model_validate(started.plan),
    )

    report = await run.interruptibly(_watched(run, job))
    crash_point("action.effect")
    run.defer(_finished(started, report))
    project.keep_run(report)
    text = "\n\n".join(part for part in (_spoken(run), account_of(trace), account_of_run(report)) if part)
    signal = next_signal(directive, after=RUN) if directive is not None else DONE
    return ActionResult(report.success, account_of_run(report), signal, {"folder": started.folder}, text)


async def _begin(run: AgentRun, project: ProjectFolder, trace: Trace) -> PipelineStarted:
    """The run's beginning; one that a process died in is taken up again, in the same folder."""
    if len(trace.runs_started) > len(trace.runs_finished):
        return trace.runs_started[-1]
    given = run.state.options.get("run_plan")
    wanted = wanted_run(run)
    plan = RunPlan.model_validate(given) if given else RunPlan(run_until=wanted.run_until)
    folder = project.new_run_folder()
    started = PipelineStarted(
        spec_hash=project.document_hash,
        folder=folder,
        plan=plan.model_dump(mode="json"),
        reason=wanted.reason,
        expected_signal=wanted.expected_signal,
    )
    await run.append(started)
    return started


async def _watched(run: AgentRun, job: PipelineJob) -> RunReport:
    """The pipeline's report; finished stages are journalled as they come, the rest is shown only."""
    told: asyncio.Queue[PipelineProgress | None] = asyncio.Queue()

    async def write_down() -> None:
        while (progress := await told.get()) is not None:
            await _tell(run, progress)

    writing = asyncio.ensure_future(write_down())
    try:
        report = await run_pipeline(job, told.put_nowait)
        told.put_nowait(None)
        await writing
    finally:
        writing.cancel()
    return report


async def _tell(run: AgentRun, progress: PipelineProgress) -> None:
    report = progress.report
    if progress.kind != "stage_finished" or report is None:
        message = f"{progress.stage}: {progress.message}" if progress.message else progress.stage
        run.sink(run.state.run_id, "progress", {"message": message, "stage": progress.stage, "share": progress.share})
        return
    await run.append(
        PipelineStageFinished(
            stage=report.stage,
            success=report.success,
            cached=report.cached,
            duration_s=report.duration_s,
            warnings=report.warnings[:20],
            errors=report.errors[:20],
        )
    )


def _finished(started: PipelineStarted, report: RunReport) -> PipelineFinished:
    return PipelineFinished(
        folder=started.folder,
        success=report.success,
        stage_failed=report.stage_failed,
        validity=report.validity.status if report.validity is not None else None,
        duration_s=report.total_duration_s,
    )


def _spoken(run: AgentRun) -> str:
    directive = current_directive(run)
    return directive.assistant_message.strip() if directive is not None else ""
