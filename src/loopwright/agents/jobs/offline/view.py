"""What the playbook sees of a request: the state of the job, and what was called since the phase began."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from loopwright.agents.jobs.tools import TACTICAL, WORKSPACE
from loopwright.kernel.messages import Message
from loopwright.kernel.policy import MORE_TOOLS
from loopwright.kits.dialogue.scripts import Call, Exchange, Result, Script, exchanges, read_state

T = TypeVar("T")
BLOCK = re.compile(r"<job_state>\s*(\{.*?\})\s*</job_state>", re.DOTALL)
COMPLETE = "todo_complete"
SUMMARY = "## Summary of the earlier conversation"
TODOS = "Todos:"
"""The line above the todos in a phase's first message."""
TICKED = re.compile(r"^- \[x\] (?P<id>\d+)\. ", re.MULTILINE)
LISTED = re.compile(r"^- \[(?P<mark>[x ])\] (?P<id>\d+)\. (?P<content>.*(?:\n(?!- \[).*)*)", re.MULTILINE)


@dataclass(frozen=True)
class TodoView:
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
    todos: tuple[TodoView, ...]
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
        todos = _todos(messages, state)
        made = exchanges(messages)
        finished = {todo.id for todo in todos if todo.done}
        completed = {number for each in made for number in _completed(each)}
        if finished - completed - _ticked(messages):
            # A compaction has cut the middle out: what stands before the cut, the dialogue's first exchange, belongs to
            # a todo that is done by now, and the calls that completed it are gone.
            made = made[1:]
        notes: dict[int, str] = {}
        called: list[tuple[Call, Result]] = []
        refusals: list[str] = []
        for call, result in (pair for each in made for pair in each.pairs):
            if call.name != COMPLETE:
                called.append((call, result))
                continue
            called = []
            if not result.failed:
                notes[_number(call.arguments.get("todo_id"))] = str(call.arguments.get("notes") or "")
                refusals = []
            else:
                refusals.append(result.text)
        done = tuple(
            replace(todo, done=todo.done or todo.id in notes, notes=notes.get(todo.id, todo.notes)) for todo in todos
        )
        return cls(state, done, tuple(called), tuple(refusals), _callable(state, tools), _said(messages))

    @property
    def todo(self) -> TodoView | None:
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


def _callable(state: Mapping[str, Any], told: Sequence[str]) -> tuple[str, ...]:
    """The tools that may be called: also those that are not told first, where there is a way to get them."""
    if MORE_TOOLS not in told:
        return tuple(told)
    more = (*sorted(WORKSPACE | TACTICAL), *map(str, state.get("domain_tools") or ()))
    return tuple(dict.fromkeys((*told, *more)))


def _job_state(messages: Sequence[Message]) -> Mapping[str, Any]:
    system = "\n".join(message.content for message in messages if message.role == "system")
    # Files are quoted further below: the block that the product itself wrote is the first one.
    match = BLOCK.search(system)
    return read_state(match[1] if match is not None else None, "job state")


def _said(messages: Sequence[Message]) -> str:
    summaries = [m.content.rpartition(SUMMARY)[2] for m in messages if m.role == "system" and SUMMARY in m.content]
    return "\n".join([*summaries, *(m.content for m in messages if m.role == "assistant")])


def _completed(exchange: Exchange) -> list[int]:
    done = (call for call, result in exchange.pairs if call.name == COMPLETE and not result.failed)
    return [_number(call.arguments.get("todo_id")) for call in done]


def _ticked(messages: Sequence[Message]) -> set[int]:
    """The todos that were done when the dialogue began, by the list in its first message."""
    first = next((message.content for message in messages if message.role == "user"), "")
    return {int(match["id"]) for match in TICKED.finditer(first)}


def _todos(messages: Sequence[Message], state: Mapping[str, Any]) -> list[TodoView]:
    """The todos of the phase's first message; the job state tells which of them are done, and their notes."""
    first = next((message.content for message in messages if message.role == "user"), "")
    done = {_number(item.get("id")): str(item.get("notes") or "") for item in state.get("done") or ()}
    listed = first.partition(f"\n{TODOS}\n")[2].partition("\n\n")[0]
    return [
        TodoView(
            int(match["id"]),
            match["content"],
            bool(match["mark"].strip()) or int(match["id"]) in done,
            done.get(int(match["id"]), ""),
        )
        for match in LISTED.finditer(listed)
    ]


def _number(value: object) -> int:
    return int(value) if isinstance(value, int | str) and str(value).lstrip("-").isdigit() else 0


Reading = Script[T]
"""Reads something through the tools of the workspace."""
Work = Script[str]
"""Ends with the note for the todo."""


# --------------------------------------------------------------------------------------------------------------------
# What tools say in words, read back: identifiers and counts.
# --------------------------------------------------------------------------------------------------------------------

CITED = re.compile(r"^(?P<id>CIT-\d+): ", re.MULTILINE)
NOT_CITED = re.compile(r"^Not cited: “(?P<start>.*?)…?”: ", re.MULTILINE)
REQUIREMENT_ID = re.compile(r"\b[0-9a-f]{32}\b")
REQUIREMENTS = re.compile(r"^Requirements added: (?P<counts>.*)$", re.MULTILINE)
COMPARED = 60
"""Characters by which a quote that was refused is recognised; answers show the beginning of each."""


def cited_ids(result: Result, quotes: Sequence[str]) -> list[str | None]:
    """The citation of each quote, None where it was refused. Citations are told in the order of the quotes."""
    made = iter(match["id"] for match in CITED.finditer(result.text))
    refused = Counter(_start(match["start"]) for match in NOT_CITED.finditer(result.text))
    ids: list[str | None] = []
    for quote in quotes:
        start = _start(quote)
        if refused[start]:
            refused[start] -= 1
            ids.append(None)
        else:
            ids.append(next(made, None))
    return ids


def added_ids(result: Result) -> list[str]:
    """The ids of requirements in an answer, each once, in order."""
    return list(dict.fromkeys(REQUIREMENT_ID.findall(result.text))) if not result.failed else []


def requirement_count(summary: str) -> int:
    """How many requirements the job has added, by `get_workspace_summary`."""
    match = REQUIREMENTS.search(summary)
    return sum(int(number) for number in re.findall(r"\d+", match["counts"])) if match else 0


def counted(text: str, status: str) -> int:
    """How many requirements have this status, by the first line of `list_requirements`."""
    match = re.search(rf"\b(\d+) {re.escape(status)}\b", text.partition("\n")[0])
    return int(match[1]) if match else 0


def _start(quote: str) -> str:
    return " ".join(quote.split())[:COMPARED]
