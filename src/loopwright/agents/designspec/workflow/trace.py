"""What this run has done so far, read from its own journal: the memory of actions that are begun again."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from loopwright.agents.designspec import events as own
from loopwright.agents.designspec.contracts import DesignSpecDirective, Question
from loopwright.agents.designspec.directive import (
    SentDirective,
    first_directive,
    plain_directive,
    read_directive,
)
from loopwright.agents.designspec.document.checking import check_document
from loopwright.agents.designspec.offline.draft import Draft, Pack
from loopwright.agents.designspec.operations.first_design import begins, offered
from loopwright.agents.designspec.operations.paths import settings
from loopwright.agents.designspec.pipeline.reports import RunReport
from loopwright.agents.designspec.project.changing import document_hash
from loopwright.agents.designspec.project.folder import ProjectFolder
from loopwright.kernel.actions import answer_to
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.events import Event, ModelResponse, Payload, UserMessage
from loopwright.kernel.gates import QuestionItem, digest_of
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import ActionResult
from loopwright.kernel.tools import GateRequest

# What a run finds in its project, and leaves there.

RUN_REPORT = "run_report.json"


def open_project(run: AgentRun) -> ProjectFolder:
    """The project of the run's session; a new folder becomes a project with a minimal document.

    Raises:
        InvalidInput: the folder cannot be used, or its `spec.json` cannot be read.
    """
    return ProjectFolder.create_or_open(run.output_dir)


def report_of(project: ProjectFolder, folder: str) -> RunReport | None:
    """The report that a run left in its folder (relative to the project), or None when it left none."""
    path = project.path / folder / RUN_REPORT
    return RunReport.model_validate_json(path.read_bytes()) if path.is_file() else None


def keep_validation(project: ProjectFolder) -> None:
    """Write down what the check of the stored document says."""
    document = project.document()
    checked = check_document(document).model_dump(mode="json")
    project.write_report("last_validation", {"document_hash": document_hash(document), **checked})


# The form of an answer, by the kind of the model, the design and the message.

ANSWERS = "waiting_answers"
MOST_PATHS = 40
"""Paths that a small model may choose from."""


def is_first_design(run: AgentRun) -> bool:
    """Whether a small model is asked to describe a design that does not exist yet."""
    return run.profile == "small" and begins(open_project(run).document(), run.state.said)


def form_of(run: AgentRun) -> type[SentDirective]:
    """The form of the answer for the run's model."""
    if run.profile != "small":
        return SentDirective
    if is_first_design(run):
        asked = run.state.stage_entries.get(ANSWERS, 0) > 0
        return first_directive("\n".join(run.state.said), asked=asked)
    document, message = open_project(run).document(), run.state.said[-1] if run.state.said else ""
    known = settings(Draft.of(Pack(spec=document)))
    lengths = tuple(each.path for each in known if each.path.endswith("_mm") and "." in each.path)
    return plain_directive(offered(document, message), lengths[:MOST_PATHS])


_PAYLOADS: dict[str, type[Payload]] = {
    payload.type: payload
    for payload in (
        own.ContextExpanded,
        own.PatchProposed,
        own.PatchApplied,
        own.PatchRejected,
        own.PatchDropped,
        own.ApprovalStale,
        own.PipelineRejected,
        own.PipelineStarted,
        own.PipelineFinished,
    )
}


@dataclass
class Trace:
    """The run's own events by kind, in their order; `proposals` holds the newest proposal of each patch."""

    proposals: dict[str, own.PatchProposed] = field(default_factory=dict)
    applied: dict[str, own.PatchApplied] = field(default_factory=dict)
    rejected: dict[str, own.PatchRejected] = field(default_factory=dict)
    dropped: dict[str, own.PatchDropped] = field(default_factory=dict)
    stale: list[own.ApprovalStale] = field(default_factory=list)
    expanded: list[own.ContextExpanded] = field(default_factory=list)
    runs_rejected: list[own.PipelineRejected] = field(default_factory=list)
    runs_started: list[own.PipelineStarted] = field(default_factory=list)
    runs_finished: list[own.PipelineFinished] = field(default_factory=list)
    directives: list[DesignSpecDirective] = field(default_factory=list)

    def settled(self, proposal_id: str) -> bool:
        """Whether nothing more is to be done about a patch."""
        return proposal_id in self.applied or proposal_id in self.rejected or proposal_id in self.dropped

    def take(self, event: Event) -> None:
        """Take one event in; what is not the agent's own changes nothing."""
        if event.type == ModelResponse.type:
            self._take_answer(ModelResponse.model_validate(event.payload))
        known = _PAYLOADS.get(event.type)
        if known is None:
            return
        payload: Any = known.model_validate(event.payload)
        by_id: dict[type[Payload], dict[str, Any]] = {
            own.PatchProposed: self.proposals,
            own.PatchApplied: self.applied,
            own.PatchRejected: self.rejected,
            own.PatchDropped: self.dropped,
        }
        lists: dict[type[Payload], list[Any]] = {
            own.ApprovalStale: self.stale,
            own.ContextExpanded: self.expanded,
            own.PipelineRejected: self.runs_rejected,
            own.PipelineStarted: self.runs_started,
            own.PipelineFinished: self.runs_finished,
        }
        if known in by_id:
            by_id[known][payload.proposal_id] = payload
        else:
            lists[known].append(payload)

    def _take_answer(self, response: ModelResponse) -> None:
        directive = directive_in(response)
        if directive is not None:
            self.directives.append(directive)


def fold(events: Iterable[Event]) -> Trace:
    """The trace of these events."""
    trace = Trace()
    for event in events:
        trace.take(event)
    return trace


async def read_trace(run: AgentRun) -> Trace:
    """The trace of the run up to now; what was deferred is stored first."""
    await run.append()
    return fold(await run.journal.read(run.state.run_id))


def directive_or_none(text: str) -> DesignSpecDirective | None:
    """The directive in a text, or None where the text is none: the model was sent back for it."""
    try:
        return read_directive(text)
    except InvalidInput:
        return None


def directive_in(response: ModelResponse) -> DesignSpecDirective | None:
    """The directive of an answer: as it was written, or as the controller has kept what was written in another form."""
    return directive_or_none(response.text) or directive_or_none(response.kept_text)


def current_directive(run: AgentRun) -> DesignSpecDirective | None:
    """The directive that the controller is carrying out: the last answer of the model, if there was one."""
    response = run.state.last_response
    return directive_in(response) if response is not None else None


# The end of a turn: the result that every surface shows, and the turn log.


async def absorb_directive(run: AgentRun, records: Sequence[DesignSpecDirective]) -> Sequence[Payload]:
    """Write the directive into the turn log before anything is done with it; once, however often this is called."""
    log = open_project(run).turns
    response = run.state.last_response
    state = (response.state if response is not None else "") or ""
    for directive in records:
        log.append(
            {
                "timestamp": datetime.now(UTC).isoformat(),
                "run_id": run.state.run_id,
                "stage": run.state.stage,
                "user_message": _newest_words(run),
                "context_pack_hash": digest_of(state)[:16],
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


# What a run did, in words: the end of what the user reads.


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
    """How the pipeline ended, and why, with what would repair it."""
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
        sampled = [check for check in validity.checks if check.passed and not check.skipped and "rays" in check.details]
        lines += [f"- {check.name}: {check.message}" for check in sampled]
        for check in failed[:8]:
            lines.append(f"- {check.name}: {check.message}")
            if check.fix is not None:
                lines.append(f"  Would correct it: {check.fix.explanation}")
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


# Questions of the model to the user, through a gate; the answers go back to the model.

ANSWERED, DONE = "answered", "done"


async def ask_questions(run: AgentRun) -> ActionResult | GateRequest:
    """Ask what the directive wants to know, then let the model go on with the answers."""
    directive = current_directive(run)
    if directive is None or not directive.questions:
        return ActionResult(True, "There was nothing to ask.", DONE)
    request = GateRequest("questions", directive.assistant_message[:200], questions=question_items(directive))
    answer = answer_to(run, request)
    if answer is None:
        return request
    lines = [f"{question} – {given or '(no answer)'}" for question, given in answer["answers"].items()]
    unasked = [item.question for item in request.questions if item.question not in answer["answers"]]
    lines += [f"{question} – (no answer)" for question in unasked]
    # Stored together with the end of this action, or not at all.
    run.defer(UserMessage(text="\n".join(lines), composed=True))
    return ActionResult(True, "The user has answered.", ANSWERED)


def question_items(directive: DesignSpecDirective) -> tuple[QuestionItem, ...]:
    """The directive's questions as gates ask them; two with the same text are asked once."""
    items = {question.question: _item(question) for question in directive.questions}
    return tuple(items.values())


def _item(question: Question) -> QuestionItem:
    default = "" if question.default is None else str(question.default)
    return QuestionItem(
        question=question.question, type="text", context=question.why_needed or None, default=default or None
    )
