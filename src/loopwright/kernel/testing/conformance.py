"""What must hold of every journal, every compaction strategy and every controller, whoever wrote them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from loopwright.kernel import events as ev
from loopwright.kernel.controller import TERMINAL_STAGES, Controller
from loopwright.kernel.run_states import TERMINAL

_TERMINAL_TYPES = frozenset(f"run_{status}" for status in TERMINAL)


def check_journal(events: Sequence[ev.Event], *, over: bool = True) -> None:
    """Check the order that `loopwright.kernel.events` promises; `over` demands the one terminal event.

    Raises:
        AssertionError: the first broken promise, with the event that breaks it.
    """
    book = _Book()
    for position, event in enumerate(events, 1):
        book.require(event.seq == position, event, f"seq {position} was due")
        book.require((event.type == "run_created") == (position == 1), event, "run_created comes first, and once")
        book.require(book.end is None, event, f"nothing may follow {book.end}")
        check = _CHECKS.get(event.type)
        if check is not None:
            check(book, event, event.payload)
        if event.type in _TERMINAL_TYPES:
            book.end = event.type
    if over and book.end is None:
        raise AssertionError(f"the journal has no terminal event; it ends with {[e.type for e in events[-4:]]}")


@dataclass
class _Book:
    """What the journal said so far."""

    end: str | None = None
    started: bool = False
    asked: dict[str, bool] = field(default_factory=dict)
    begun: dict[str, dict[str, Any]] = field(default_factory=dict)
    gates: dict[str, str] = field(default_factory=dict)
    used: dict[str, str] = field(default_factory=dict)

    def require(self, holds: bool, event: ev.Event, promise: str) -> None:
        if not holds:
            raise AssertionError(f"event {event.seq} {event.type}: {promise} — {str(event.payload)[:300]}")


def _run_started(book: _Book, event: ev.Event, payload: dict[str, Any]) -> None:
    book.require(not book.started, event, "a run starts once; later owners resume it")
    book.started = True


def _model_response(book: _Book, event: ev.Event, payload: dict[str, Any]) -> None:
    open_calls = [call for call, done in book.asked.items() if not done]
    book.require(not open_calls, event, f"the model is asked only when every call has its result, not {open_calls}")
    ids = [call["id"] for call in payload["tool_calls"]]
    book.require(len({*ids, *book.asked}) == len(ids) + len(book.asked), event, "ids of calls are unique in a run")
    book.asked |= dict.fromkeys(ids, False)


def _tool_call(book: _Book, event: ev.Event, payload: dict[str, Any]) -> None:
    call, gate = payload["call_id"], payload["gate_id"]
    book.require(call in book.asked, event, "a call is started only after the response that asks for it")
    book.require(not book.asked.get(call, True), event, "a finished call never runs again")
    before = book.begun.get(call)
    book.require(payload["attempt"] == (before["attempt"] + 1 if before else 1), event, "attempts are counted")
    if gate is not None:
        book.require(book.gates.get(gate) == "approved", event, "a call runs only after its gate said yes")
        book.require(book.used.setdefault(gate, call) == call, event, "an approval serves one call")
    if before is not None and payload["effect"] == "once":
        book.require(gate is not None and gate != before["gate_id"], event, "a repetition needs an approval of its own")
    book.begun[call] = payload


def _tool_result(book: _Book, event: ev.Event, payload: dict[str, Any]) -> None:
    call = payload["call_id"]
    book.require(call in book.asked, event, "a result answers a call that was asked for")
    book.require(not book.asked.get(call, True), event, "a call has one result")
    if payload["success"]:
        book.require(call in book.begun, event, "only a call that was started can succeed")
    book.asked[call] = True


def _gate_opened(book: _Book, event: ev.Event, payload: dict[str, Any]) -> None:
    gate = payload["gate_id"]
    book.require(gate not in book.gates, event, "a gate is opened once")
    book.require("open" not in book.gates.values(), event, "one gate is open at a time")
    book.gates[gate] = "open"


def _gate_answered(book: _Book, event: ev.Event, payload: dict[str, Any]) -> None:
    book.require(book.gates.get(payload["gate_id"]) == "open", event, "an open gate is answered, and once")
    yes = "answers" in payload["answer"] or payload["answer"].get("decision") == "approve"
    book.gates[payload["gate_id"]] = "approved" if yes else "rejected"


def _run_waiting(book: _Book, event: ev.Event, payload: dict[str, Any]) -> None:
    book.require(book.gates.get(payload["gate_id"]) == "open", event, "a run waits only at an open gate")


_CHECKS = {
    "run_started": _run_started,
    "model_response": _model_response,
    "tool_call": _tool_call,
    "tool_result": _tool_result,
    "gate_opened": _gate_opened,
    "gate_answered": _gate_answered,
    "run_waiting_input": _run_waiting,
}


def check_controller(controller: Controller, entries: Sequence[str]) -> None:
    """Check a table as a graph: every stage can be reached from an entry, and from every stage an end can be reached.

    Guards are taken as passable; caps end a run whose guards never pass.

    Raises:
        AssertionError: the stages that break this.
    """
    stages = set(controller.stages)
    edges = {
        (stage, row.target)
        for stage in controller.stages
        for row in controller.transitions
        if controller.row(stage, row.signal) is row
    }
    unknown = sorted(set(entries) - stages)
    unreachable = sorted(stages - _closure(set(entries), edges))
    endless = sorted(stages - _closure(set(TERMINAL_STAGES), {(target, source) for source, target in edges}))
    problems = [
        f"{text}: {', '.join(names)}"
        for text, names in (
            ("entries that are no stages", unknown),
            ("stages that nothing leads to", unreachable),
            ("stages from which nothing leads to an end", endless),
        )
        if names
    ]
    if problems or not entries:
        raise AssertionError("; ".join(problems) or "a controller needs an entry")


def _closure(found: set[str], edges: set[tuple[str, str]]) -> set[str]:
    while more := {target for source, target in edges if source in found} - found:
        found = found | more
    return found
