"""What this run has done so far, read from its own journal: the memory of actions that are begun again."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from loopwright.agents.designspec import events as own
from loopwright.agents.designspec.contracts import DesignSpecDirective
from loopwright.agents.designspec.directive.reading import read_directive
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.events import Event, ModelResponse, Payload
from loopwright.kernel.run import AgentRun

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
            self._take_answer(event.payload["text"])
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

    def _take_answer(self, text: str) -> None:
        directive = directive_or_none(text)
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


def current_directive(run: AgentRun) -> DesignSpecDirective | None:
    """The directive that the controller is carrying out: the last answer of the model, if there was one."""
    response = run.state.last_response
    return directive_or_none(response.text) if response is not None else None
