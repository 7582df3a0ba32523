"""What the playbook sees of a request: the state of the job, and what was called since the phase began."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from loopwright.kernel.messages import Message

BLOCK = re.compile(r"<job_state>\s*(\{.*?\})\s*</job_state>", re.DOTALL)
COMPLETE = "todo_complete"
SUMMARY = "## Summary of the earlier conversation"
TICKED = re.compile(r"^- \[x\] (?P<id>\d+)\. ", re.MULTILINE)


class UnreadableRequest(ValueError):
    """The system prompt holds no job state that could be read."""


@dataclass(frozen=True)
class Call:
    """A tool call; two calls are the same when their tool and their arguments are."""

    name: str
    arguments: Mapping[str, Any]

    @property
    def key(self) -> str:
        """What the call is recognised by."""
        return self.name + json.dumps(self.arguments, sort_keys=True, ensure_ascii=False)


@dataclass(frozen=True)
class Result:
    """What a call came to, as the model reads it."""

    ok: bool
    text: str


@dataclass(frozen=True)
class Todo:
    """A todo as the state of the job tells it."""

    id: int
    content: str
    done: bool
    notes: str = ""


@dataclass(frozen=True)
class View:
    """The job's state, the todos with what was completed since, and the calls that belong to the todo under way.

    `called` holds every call since the last attempt to complete a todo, with its result. `refusals` are the failed
    attempts to complete the todo under way, oldest first. `said` is what the rules said beside their calls, as far as
    the dialogue and the summary of its compactions hold it.
    """

    state: Mapping[str, Any]
    todos: tuple[Todo, ...]
    called: tuple[tuple[Call, Result], ...]
    refusals: tuple[str, ...]
    tools: tuple[str, ...]
    said: str = ""

    @classmethod
    def of(cls, messages: Sequence[Message], tools: Sequence[str]) -> "View":
        """Read a request.

        Raises:
            UnreadableRequest: there is no job state.
        """
        state = _job_state(messages)
        todos = [_todo(item) for item in state.get("todos") or () if isinstance(item, Mapping)]
        exchanges = _exchanges(messages)
        finished = {todo.id for todo in todos if todo.done}
        completed = {number for each in exchanges for number in _completed(each)}
        if finished - completed - _ticked(messages):
            # A compaction has cut the middle out: what stands before the cut, the dialogue's first exchange, belongs to
            # a todo that is done by now, and the calls that completed it are gone.
            exchanges = exchanges[1:]
        notes: dict[int, str] = {}
        called: list[tuple[Call, Result]] = []
        refusals: list[str] = []
        for call, result in (pair for each in exchanges for pair in each):
            if call.name != COMPLETE:
                called.append((call, result))
                continue
            called = []
            if result.ok:
                notes[_number(call.arguments.get("todo_id"))] = str(call.arguments.get("notes") or "")
                refusals = []
            else:
                refusals.append(result.text)
        done = tuple(
            replace(todo, done=todo.done or todo.id in notes, notes=notes.get(todo.id, todo.notes)) for todo in todos
        )
        return cls(state, done, tuple(called), tuple(refusals), tuple(tools), _said(messages))

    @property
    def todo(self) -> Todo | None:
        """The first todo that is open."""
        return next((todo for todo in self.todos if not todo.done), None)

    @property
    def strategic(self) -> bool:
        """Whether the phase is one of planning."""
        return self.state.get("phase_kind") == "strategic"

    @property
    def job_type(self) -> str:
        """The kind of job."""
        return str(self.state.get("job_type") or "")

    @property
    def language(self) -> str:
        """The language of everything that is written."""
        return str(self.state.get("language") or "en")

    @property
    def domain_tools(self) -> tuple[str, ...]:
        """The tools of the subject, which tactical phases have."""
        return tuple(str(name) for name in self.state.get("domain_tools") or ())

    @property
    def documents(self) -> tuple[str, ...]:
        """The documents' paths in the workspace."""
        names = [str(name) for name in self.state.get("documents") or ()]
        return tuple(name if name.startswith("documents/") else f"documents/{name}" for name in names)

    @property
    def last_tactical(self) -> Mapping[str, Any] | None:
        """The tactical phase that ended last, or None in the first phase."""
        earlier = [phase for phase in self.state.get("earlier_phases") or () if isinstance(phase, Mapping)]
        return next((phase for phase in reversed(earlier) if phase.get("kind") == "tactical"), None)

    def limit(self, name: str, default: int) -> int:
        """A whole number of the state, such as `max_todos`."""
        value = self.state.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) else default


def _job_state(messages: Sequence[Message]) -> Mapping[str, Any]:
    system = "\n".join(message.content for message in messages if message.role == "system")
    # Files are quoted further below: the block that the product itself wrote is the first one.
    match = BLOCK.search(system)
    if match is None:
        raise UnreadableRequest("it has no <job_state> block")
    try:
        state = json.loads(match[1])
    except ValueError as error:
        raise UnreadableRequest("its job state is no JSON") from error
    if not isinstance(state, dict):
        raise UnreadableRequest("its job state is no object")
    return state


def _said(messages: Sequence[Message]) -> str:
    summaries = [m.content.rpartition(SUMMARY)[2] for m in messages if m.role == "system" and SUMMARY in m.content]
    return "\n".join([*summaries, *(m.content for m in messages if m.role == "assistant")])


def _exchanges(messages: Sequence[Message]) -> list[list[tuple[Call, Result]]]:
    """The calls that have a result, answer by answer."""
    results = {message.tool_call_id: message.content for message in messages if message.role == "tool"}
    return [
        [
            (Call(call.name, _arguments(call.arguments)), _result(results[call.id]))
            for call in message.tool_calls
            if call.id in results
        ]
        for message in messages
        if message.tool_calls
    ]


def _result(text: str) -> Result:
    return Result(not text.startswith("Error:"), text)


def _completed(exchange: Sequence[tuple[Call, Result]]) -> list[int]:
    return [_number(call.arguments.get("todo_id")) for call, result in exchange if call.name == COMPLETE and result.ok]


def _ticked(messages: Sequence[Message]) -> set[int]:
    """The todos that were done when the dialogue began, by the list in its first message."""
    first = next((message.content for message in messages if message.role == "user"), "")
    return {int(match["id"]) for match in TICKED.finditer(first)}


def _arguments(text: str) -> Mapping[str, Any]:
    """The arguments of a call; what is no object was not called by these rules, and is like no call of theirs."""
    try:
        data = json.loads(text or "{}")
    except ValueError:
        return {"unreadable": text}
    return data if isinstance(data, dict) else {"unreadable": text}


def _todo(item: Mapping[str, Any]) -> Todo:
    done = item.get("status") == "completed"
    return Todo(_number(item.get("id")), str(item.get("content") or ""), done, str(item.get("notes") or ""))


def _number(value: object) -> int:
    return int(value) if isinstance(value, int | str) and str(value).lstrip("-").isdigit() else 0
