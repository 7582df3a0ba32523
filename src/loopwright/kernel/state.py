"""A run's state: a fold of its events, and nothing else."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from loopwright.kernel import events as ev
from loopwright.kernel.account.fold import UNKEPT, Account
from loopwright.kernel.budget import Spent
from loopwright.kernel.errors import Conflict
from loopwright.kernel.events import ToolCallStarted, ToolResultRecorded
from loopwright.kernel.gates import Gate
from loopwright.kernel.messages import STAGE, ConversationContext, Message, ToolCall, block
from loopwright.kernel.policy import TERMINAL_STAGES

# The states of a run and the only transitions between them (spec 000, contract 3; field notes, decision 21).

RunStatus = Literal["queued", "running", "waiting_input", "parked", "completed", "failed", "cancelled"]
"""A parked run rests because its owners kept dying: only a human lets it try again."""

TRANSITIONS: dict[RunStatus, frozenset[RunStatus]] = {
    "queued": frozenset({"running", "parked", "cancelled"}),
    "running": frozenset({"waiting_input", "parked", "completed", "failed", "cancelled"}),
    "waiting_input": frozenset({"running", "failed", "cancelled"}),
    "parked": frozenset({"running", "cancelled"}),
    "completed": frozenset(),
    "failed": frozenset(),
    "cancelled": frozenset(),
}

TERMINAL: frozenset[RunStatus] = frozenset(status for status, targets in TRANSITIONS.items() if not targets)


def check_transition(run_id: str, old: RunStatus, new: RunStatus) -> None:
    """Allow the move, or say why not.

    Raises:
        Conflict: the table has no such transition.
    """
    if new not in TRANSITIONS[old]:
        raise Conflict(
            f"Run {run_id} is {old} and cannot become {new}.",
            hint="Start a new run in the same session." if old in TERMINAL else "",
        )


# The tool calls of a model's last answer.


@dataclass
class CallState:
    """One tool call of the last model response: not started, started, or done.

    `parent` is the id of the call whose tool asks for this one; None for the model's own.
    """

    call: ToolCall
    started: ToolCallStarted | None = None
    result: ToolResultRecorded | None = None
    gate_id: str | None = None
    parent: str | None = None


# What each event changes in a run's state.


def _run_created(state: "RunState", payload: ev.RunCreated, at: datetime) -> None:
    state.session_id, state.agent, state.options = payload.session_id, payload.agent, payload.options


def _server_tools(state: "RunState", payload: ev.ServerToolsListed, at: datetime) -> None:
    state.server_tools = tuple(payload.tools)


def _seeded(state: "RunState", payload: ev.ContextSeeded, at: datetime) -> None:
    state.context.replace(payload.messages, payload.summary)
    state.account.seed(payload.account)


def _user_message(state: "RunState", payload: ev.UserMessage, at: datetime) -> None:
    message = Message.user(payload.text, payload.images)
    state.context.newest_user = message
    if not payload.composed:
        state.said.append(payload.text)
    if state.calls:
        state.remarks.append(message)
    else:
        state.context.add(message)


def _prompt_set(state: "RunState", payload: ev.PromptSet, at: datetime) -> None:
    state.context.set_system(payload.text)


def _stage_told(state: "RunState", payload: ev.StageTold, at: datetime) -> None:
    state.task = payload.task
    if payload.text:
        message = Message.user(block(STAGE, payload.text))
        state.told = message.content
        if state.calls:  # nothing may stand between tool calls and their results
            state.remarks.append(message)
        else:
            state.context.add(message)


def _reviewed(state: "RunState", payload: ev.CallsReviewed, at: datetime) -> None:
    state.reviewed = True


def _pinned(state: "RunState", payload: ev.Pinned, at: datetime) -> None:
    state.context.pins[payload.key] = payload.text


def _tools_offered(state: "RunState", payload: ev.ToolsOffered, at: datetime) -> None:
    state.asked_for |= frozenset(payload.tools)


def _model_response(state: "RunState", payload: ev.ModelResponse, at: datetime) -> None:
    state.steps += 1
    state.last_response = payload
    state.last_text = payload.visible_text
    state.absorbed = False
    state.reviewed = False
    if payload.sent is not None and payload.sent.tools is not None:
        state.tools = payload.sent.tools
    state.context.add(Message.assistant(payload.kept_text, payload.tool_calls, payload.opaque))
    state.calls = {call.id: CallState(call) for call in payload.tool_calls}


def _fell_back(state: "RunState", payload: ev.ModelFellBack, at: datetime) -> None:
    state.fell_back = True


def _absorbed(state: "RunState", payload: ev.ResponseAbsorbed, at: datetime) -> None:
    state.absorbed = True


def _controller_message(state: "RunState", payload: ev.ControllerMessage, at: datetime) -> None:
    if state.calls:  # nothing may stand between tool calls and their results, and the model is not sent back
        state.remarks.append(Message.user(payload.text))
        return
    state.context.add(Message.user(payload.text))
    state.refusals += 1
    state.account.sent_back += payload.reason == UNKEPT


def _call_started(state: "RunState", payload: ev.ToolCallStarted, at: datetime) -> None:
    call = state.calls[payload.call_id]
    if call.started is not None and call.started.gate_id:  # the approval of an attempt that was interrupted
        state.gates[call.started.gate_id].status = "consumed"
    call.started = payload
    if payload.gate_id:
        state.gates[payload.gate_id].status = "reserved"


def _inner_calls(state: "RunState", payload: ev.InnerCallsAsked, at: datetime) -> None:
    state.calls |= {call.id: CallState(call, parent=payload.call_id) for call in payload.calls}


def _call_finished(state: "RunState", payload: ev.ToolResultRecorded, at: datetime) -> None:
    call = state.calls[payload.call_id]
    call.result = payload
    if (
        state.stage not in TERMINAL_STAGES and call.parent is None
    ):  # a call that ran beside the one that ended the run says nothing more
        state.last_text = payload.output
    if call.started is not None and call.started.gate_id:
        state.gates[call.started.gate_id].status = "consumed"
    state.tool_answers = {key: value for key, value in state.tool_answers.items() if key[0] != payload.call_id}
    state.settle_calls()


def _tool_model_response(state: "RunState", payload: ev.ToolModelResponse, at: datetime) -> None:
    state.tool_answers[payload.call_id, payload.key] = payload


def _action_started(state: "RunState", payload: ev.ActionStarted, at: datetime) -> None:
    state.actions[payload.key] = None


def _action_finished(state: "RunState", payload: ev.ActionFinished, at: datetime) -> None:
    state.actions[payload.key] = payload
    state.last_text = payload.text or state.last_text or payload.output
    state.ceiling = None
    for gate in state.gates.values():  # an answer holds for the action that asked, and for no later one
        if gate.call_id is None and gate.status == "answered":
            gate.status = "consumed"


def _gate_opened(state: "RunState", payload: ev.GateOpened, at: datetime) -> None:
    gate = payload.gate
    state.gates[gate.gate_id] = gate
    if gate.call_id in state.calls:
        state.calls[gate.call_id].gate_id = gate.gate_id


def _gate_answered(state: "RunState", payload: ev.GateAnswered, at: datetime) -> None:
    gate = state.gates[payload.gate_id]
    gate.status, gate.answer = "answered", payload.answer
    if not gate.asks_human:
        return
    state.said += gate.own_words(payload.answer)
    state.turns += 1
    state.usd_before_turn, state.seconds_before_turn = state.spent.usd, state.active_seconds


def _stage_changed(state: "RunState", payload: ev.StageChanged, at: datetime) -> None:
    state.stage = payload.target
    state.stage_entries[payload.target] = state.stage_entries.get(payload.target, 0) + 1
    state.refusals = 0


def _ceiling_passed(state: "RunState", payload: ev.TurnCeilingPassed, at: datetime) -> None:
    state.ceiling = payload


def _compacted(state: "RunState", payload: ev.Compacted, at: datetime) -> None:
    state.context.replace(payload.messages, payload.summary)
    state.compaction_rests_until = 0


def _compaction_failed(state: "RunState", payload: ev.CompactionFailed, at: datetime) -> None:
    state.compaction_rests_until = len(state.context.messages) + payload.rests_for_messages


def _charged(state: "RunState", payload: ev.BudgetCharged, at: datetime) -> None:
    state.tokens = payload.total_tokens
    state.usd += payload.cost_usd or 0.0
    state.usd_known = payload.total_usd is not None


def _child_charged(state: "RunState", payload: ev.ChildCharged, at: datetime) -> None:
    state.children[payload.run_id] = Spent(payload.tokens, payload.usd, payload.usd_known, payload.steps)


HANDLERS: dict[type[ev.Payload], Callable[[Any, Any, datetime], None]] = {
    ev.RunCreated: _run_created,
    ev.ServerToolsListed: _server_tools,
    ev.ContextSeeded: _seeded,
    ev.UserMessage: _user_message,
    ev.PromptSet: _prompt_set,
    ev.StageTold: _stage_told,
    ev.Pinned: _pinned,
    ev.ToolsOffered: _tools_offered,
    ev.ModelResponse: _model_response,
    ev.ModelFellBack: _fell_back,
    ev.ResponseAbsorbed: _absorbed,
    ev.CallsReviewed: _reviewed,
    ev.ControllerMessage: _controller_message,
    ev.InnerCallsAsked: _inner_calls,
    ev.ToolCallStarted: _call_started,
    ev.ToolResultRecorded: _call_finished,
    ev.ToolModelResponse: _tool_model_response,
    ev.ActionStarted: _action_started,
    ev.ActionFinished: _action_finished,
    ev.GateOpened: _gate_opened,
    ev.GateAnswered: _gate_answered,
    ev.StageChanged: _stage_changed,
    ev.Compacted: _compacted,
    ev.CompactionFailed: _compaction_failed,
    ev.BudgetCharged: _charged,
    ev.ChildCharged: _child_charged,
    ev.TurnCeilingPassed: _ceiling_passed,
    ev.StatementsRead: lambda state, payload, at: state.account.take_read(payload),
    ev.StatementChecked: lambda state, payload, at: state.account.take_checked(payload),
    ev.StatementSettled: lambda state, payload, at: state.account.take_settled(payload),
    ev.RunStarted: lambda state, payload, at: state.start_clock(at),
    ev.RunResumed: lambda state, payload, at: state.start_clock(at),
    ev.RunWaitingInput: lambda state, payload, at: state.stop_clock(at, "waiting_input"),
    ev.RunParked: lambda state, payload, at: state.stop_clock(at, "parked"),
    ev.RunCompleted: lambda state, payload, at: state.stop_clock(at, "completed"),
    ev.RunFailed: lambda state, payload, at: state.stop_clock(at, "failed"),
    ev.RunCancelled: lambda state, payload, at: state.stop_clock(at, "cancelled"),
}
"""What each event does to the state; an event that is not here only counts."""


@dataclass
class RunState:
    """What the journal of one run says up to `seq`.

    `calls` are those of the last model response, in its order; they move into the context together when all are done,
    so that the model never sees a call without its result. Calls that a tool makes stand among them, with their parent.
    `remarks` made meanwhile follow them. `last_text` is the last thing that was said or done: what a run that ends here
    has to show. `tools` is the JSON of those that the last request offered, `asked_for` names those that a small model
    got by asking. `tokens` and `usd` are the run's own, `children` what each run has spent that it has asked for. A
    turn begins with the user's message and with each answer; `ceiling` is the one that it has passed and that the user
    has not been heard about yet. `said` are the texts of the user's messages, `account` what their statements have come
    to. `task` names what the stage asks for, `told` is the message that tells it.
    """

    run_id: str
    session_id: str = ""
    agent: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    server_tools: tuple[ev.ServerTool, ...] = ()
    status: RunStatus = "queued"
    seq: int = 0
    stage: str = ""
    stage_entries: dict[str, int] = field(default_factory=dict)
    refusals: int = 0
    steps: int = 0
    consecutive_errors: int = 0
    tokens: int = 0
    usd: float = 0.0
    usd_known: bool = True
    children: dict[str, Spent] = field(default_factory=dict)
    active_seconds: float = 0.0
    turns: int = 1
    usd_before_turn: float = 0.0
    seconds_before_turn: float = 0.0
    ceiling: ev.TurnCeilingPassed | None = None
    context: ConversationContext = field(default_factory=ConversationContext)
    said: list[str] = field(default_factory=list)
    account: Account = field(default_factory=Account)
    calls: dict[str, CallState] = field(default_factory=dict)
    remarks: list[Message] = field(default_factory=list)
    gates: dict[str, Gate] = field(default_factory=dict)
    tool_answers: dict[tuple[str, str], ev.ToolModelResponse] = field(default_factory=dict)
    last_response: ev.ModelResponse | None = None
    tools: str = ""
    last_text: str = ""
    absorbed: bool = True
    reviewed: bool = True
    fell_back: bool = False
    actions: dict[str, ev.ActionFinished | None] = field(default_factory=dict)
    asked_for: frozenset[str] = frozenset()
    task: str = ""
    told: str = ""
    compaction_rests_until: int = 0
    _active_since: datetime | None = None
    _last_event_at: datetime | None = None

    @property
    def spent(self) -> Spent:
        """What the run has spent, and those that it has asked for."""
        return sum(self.children.values(), Spent(self.tokens, self.usd, self.usd_known, self.steps))

    @property
    def open_calls(self) -> list[CallState]:
        """Calls of the last model response that have no result yet, in its order."""
        return self.open_calls_of(None)

    def open_calls_of(self, parent: str | None) -> list[CallState]:
        """Calls that this call's tool has made and that have no result yet, in order; None: the model's own."""
        return [state for state in self.calls.values() if state.parent == parent and state.result is None]

    @property
    def open_gate(self) -> Gate | None:
        """The gate that a human has to answer before anything goes on; a run that is over waits for nobody."""
        if self.status in TERMINAL:
            return None
        return next((gate for gate in self.gates.values() if gate.status == "open"), None)

    @classmethod
    def fold(cls, run_id: str, events: Iterable[ev.Event]) -> "RunState":
        """The state after these events; unknown event types change nothing."""
        state = cls(run_id)
        for event in events:
            known = ev.KERNEL_PAYLOADS.get(event.type)
            state.apply(known.model_validate(event.payload) if known else None, event.at)
        return state

    def apply(self, payload: ev.Payload | None, at: datetime) -> None:
        """Take one event; None stands for one that only counts."""
        self.seq += 1
        handler = HANDLERS.get(type(payload)) if payload is not None else None
        if handler is not None:
            handler(self, payload, at)
        self._last_event_at = at

    def settle_calls(self) -> None:
        """Move the last response's calls into the context once all of them are done."""
        if not self.calls or self.open_calls:
            return
        own = [state for state in self.calls.values() if state.parent is None]
        results = [state.result for state in own if state.result is not None]
        for result in results:
            self.context.add(Message.tool(result.call_id, result.output))
        for remark in self.remarks:
            self.context.add(remark)
        self.remarks = []
        self.consecutive_errors = 0 if any(result.success for result in results) else self.consecutive_errors + 1
        self.calls = {}

    def active_seconds_at(self, now: datetime) -> float:
        """Seconds of activity up to now; the time spent waiting for a human does not count."""
        current = (now - self._active_since).total_seconds() if self._active_since is not None else 0.0
        return self.active_seconds + current

    def start_clock(self, at: datetime) -> None:
        """Active time runs from here; an owner that died was active up to its last event."""
        if self._active_since is not None and self._last_event_at is not None:
            self.active_seconds += (self._last_event_at - self._active_since).total_seconds()
        self.status = "running"
        self._active_since = at

    def stop_clock(self, at: datetime, status: RunStatus) -> None:
        """Active time stands still: a human is waited for, or the run is over."""
        if self._active_since is not None:
            self.active_seconds += (at - self._active_since).total_seconds()
        self._active_since = None
        self.status = status


# Runs that harm: when a run rests because its owners keep dying, and what it was doing.

MOST_DEATHS = 3
"""Owners that may die in a row before the run rests."""

PROGRESS_STEPS = 20
"""Steps since the last death after which counting begins anew: a long run may outlive many power cuts.

Fewer would let a run go on for ever that kills its owner every few steps, and pays for a model call each time.
"""


def deaths_after(deaths: int, steps_since: int, stages_since: int) -> int:
    """The count when one more owner has died, so many steps and changes of stage after the last one that did.

    A new stage is progress that the controller has judged; its caps bound a run that goes round in circles.
    """
    return 1 if stages_since or steps_since >= PROGRESS_STEPS else deaths + 1


def under_way(state: RunState) -> str:
    """What the run is doing, by its journal: the stage, and the calls or the action that were started."""
    calls = [f"{call.started.name} {call.started.arguments}"[:200] for call in state.open_calls if call.started]
    actions = [f"action {key.rpartition(':')[2]}" for key, finished in state.actions.items() if finished is None]
    work = ", ".join(calls) or ("the stage's own work" if actions else "no call under way")
    return f"stage {state.stage or '(none yet)'}: {work}"
