"""Runs of the pipeline: asked for, approved on exactly this document and these stages, then carried out."""

import asyncio

from loopwright.agents.designspec.context import has_trouble
from loopwright.agents.designspec.contracts import DesignSpecDirective, RunRequest
from loopwright.agents.designspec.directive import DONE, RUN, next_signal
from loopwright.agents.designspec.document.checking import require_spec
from loopwright.agents.designspec.document.difference import diff_documents
from loopwright.agents.designspec.events import (
    ApprovalStale,
    PipelineFinished,
    PipelineRejected,
    PipelineStageFinished,
    PipelineStarted,
)
from loopwright.agents.designspec.offline.draft import Draft, Pack
from loopwright.agents.designspec.operations.forms import lengths_of, unfounded, unsaid
from loopwright.agents.designspec.operations.paths import settings
from loopwright.agents.designspec.pipeline.preview import estimate_run
from loopwright.agents.designspec.pipeline.reports import PipelineJob, PipelineProgress, RunPlan, RunReport
from loopwright.agents.designspec.pipeline.runner import run_pipeline
from loopwright.agents.designspec.project.folder import ProjectFolder
from loopwright.agents.designspec.workflow.proposals import check_patches, proposed_document
from loopwright.agents.designspec.workflow.review import REVISE, not_so, said_in
from loopwright.agents.designspec.workflow.trace import (
    Trace,
    account_of,
    account_of_run,
    current_directive,
    is_first_design,
    open_project,
    read_trace,
    report_of,
)
from loopwright.kernel.actions import answer_to
from loopwright.kernel.crash import crash_point
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.events import ControllerMessage, UserMessage
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import ActionResult
from loopwright.kernel.think import RULES
from loopwright.kernel.tools import GateRequest

# What the controller checks before a directive is put to the user.

AGAIN = "If a size of the user's does not fit, ask them about it with ask; else send the whole answer again, corrected."
SENT_BACK = 2
"""How often a proposal that is not what was said is sent back; then it is put to the user, and the account tells."""
MAX_ROUNDS = 5
"""How often one message of the user may lead to questions."""


async def patches_fit(run: AgentRun) -> str | None:
    """Patches must apply to the document as it is, and leave it valid."""
    directive = current_directive(run)
    if directive is None:
        return None
    project = open_project(run)
    by_rules = run.state.last_response is not None and run.state.last_response.model == RULES
    small = run.profile == "small" and not by_rules
    reason = _invented(run, project, directive) if small else None
    small = small and run.state.refusals < SENT_BACK
    reason = reason or check_patches(project, directive)
    if reason is None and small and not is_first_design(run):
        reason = await asyncio.to_thread(_not_what_was_said, run, project, directive)
    if reason is None:
        return None
    return f"Your patches were not put to the user. {reason}\n{AGAIN}"


def _invented(run: AgentRun, project: ProjectFolder, directive: DesignSpecDirective) -> str | None:
    """Which sizes of a small model's proposal nobody said, and those that were: it is bad at units."""
    said, known = said_in(run), settings(Draft.of(Pack(spec=project.document())))
    sizes = [float(each.value) for each in known if isinstance(each.value, int | float)]
    taken = [*unsaid(said, directive.changes, sizes), *unfounded(said, directive.changes, sizes)]
    lengths = ", ".join(f"{each:g}" for each in lengths_of(run.state.said[-1] if run.state.said else ""))
    return f"Nobody said {', '.join(taken)}. The lengths that were said, in mm: {lengths or 'none'}." if taken else None


def _not_what_was_said(run: AgentRun, project: ProjectFolder, directive: DesignSpecDirective) -> str | None:
    """What the user said that a small model's proposal would not bring about, with what it measures."""
    newest = len(run.state.said) - 1
    statements = [each for each in run.state.account.statements.values() if each.message == newest]
    failing = "\n".join(f"- {each}" for each in not_so(project, proposed_document(project, directive), statements))
    return f"The user said this, and the design would not be so:\n{failing}" if failing else None


async def spec_can_run(run: AgentRun) -> str | None:
    """A run needs a document that is complete and valid."""
    try:
        require_spec(open_project(run).document())
    except InvalidInput as error:
        return f"The document cannot be run yet. {error.message} {error.hint}".rstrip()
    return None


async def asks_no_more_than_enough(run: AgentRun) -> str | None:
    """A model that asks round after round has to decide."""
    if run.state.stage_entries.get("waiting_answers", 0) >= MAX_ROUNDS:
        return f"You have asked {MAX_ROUNDS} times. Decide with what you know, say what you assumed, and go on."
    return None


APPROVED, REPORT = "approved", "report"
REPORTED = "The run has ended."
"""How the controller's message with a run's report begins."""


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
        run.defer(UserMessage(text=f"I did not want the run: {comment}", composed=True))
    text = f"{account_of(trace)}\nNothing was run.".strip()
    return ActionResult(True, text, REVISE if comment else after, text=text)


def wanted_run(run: AgentRun) -> RunRequest:
    """The run that is asked for; the user's own `run_plan` or `run_until` wins over the model's intent."""
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
    if directive is not None and signal == DONE and (wanted_run(run).expected_signal or has_trouble(report)):
        told = (
            f"{REPORTED} {account_of_run(report)}\nTell me what this means for what I asked, or propose what to change."
        )
        run.defer(ControllerMessage(text=told, reason="run reported"))
        signal = REPORT
    return ActionResult(report.success, account_of_run(report), signal, {"folder": started.folder}, text)


async def close_turn(run: AgentRun) -> ActionResult:
    """End a turn in which something was run: the model's last words, then what was applied and measured."""
    project, trace = open_project(run), await read_trace(run)
    report = report_of(project, trace.runs_finished[-1].folder) if trace.runs_finished else None
    told = account_of_run(report) if report is not None else ""
    text = "\n\n".join(part for part in (_spoken(run), account_of(trace), told) if part)
    return ActionResult(True, told, DONE, text=text)


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
