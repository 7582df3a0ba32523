"""What rules know of one kind of job: its goals, the steps that reach them, and how each step is done."""

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol, TypeVar

from loopwright.agents.jobs.tools import TACTICAL, WORKSPACE
from loopwright.kernel.messages import Message
from loopwright.kernel.policy import MORE_TOOLS
from loopwright.kits.dialogue import Call, Exchange, Result, Script, Wording, exchanges, read_state, wording_of

# What the playbook sees of a request: the state of the job, and what was called since the phase began.

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


# What tools say in words, read back: identifiers and counts.

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


# The rules.
#
# JSON objects in what a tool said: one a line, or a list of them.

MOST_LINE = 20_000


def records(text: str) -> list[Mapping[str, Any]]:
    """The objects in a text, in order; what stands between them is passed over.

    A line that is longer than readings show comes in pieces, which are put together again.
    """
    found: list[Mapping[str, Any]] = []
    pending = ""
    for line in text.splitlines():
        if not pending and not line.lstrip().startswith("{"):
            continue
        pending += line
        try:
            data = json.loads(pending)
        except ValueError:
            pending = pending if len(pending) < MOST_LINE else ""
            continue
        pending = ""
        if isinstance(data, dict):
            found.append(data)
    return found


# main_plan.md as the rules write and read it: goals as checkboxes, and below each its steps, which become todos.

GOAL = re.compile(r"^- \[(?P<mark>[ xX])\] (?P<id>G\d{1,3}): (?P<title>.+)$")
STEP = re.compile(r"^ {2}\d{1,4}\. (?P<mark>✔ )?(?P<content>.+)$")


@dataclass(frozen=True)
class Step:
    """One step: its text is the content of the todo that it becomes."""

    content: str
    done: bool = False


@dataclass(frozen=True)
class Goal:
    """A goal; one without steps waits until earlier goals tell what they are."""

    id: str
    title: str
    steps: tuple[Step, ...] = ()
    closed: bool = False

    @property
    def reached(self) -> bool:
        """Whether all is done that it asked for."""
        return self.closed or (bool(self.steps) and all(step.done for step in self.steps))


@dataclass(frozen=True)
class Plan:
    """The goals, in the order in which they are worked off."""

    title: str
    goals: tuple[Goal, ...]

    @classmethod
    def parse(cls, text: str) -> "Plan":
        """Read what `render` wrote; lines that somebody else has put in are passed over."""
        title, goals = "", list[Goal]()
        for line in text.splitlines():
            if not title and line.startswith("# "):
                title = line[2:].strip()
            elif match := GOAL.match(line):
                goals.append(Goal(match["id"], match["title"].strip(), closed=match["mark"] != " "))
            elif goals and (match := STEP.match(line)):
                step = Step(match["content"].strip(), match["mark"] is not None)
                goals[-1] = replace(goals[-1], steps=(*goals[-1].steps, step))
        return cls(title, tuple(goals))

    def render(self) -> str:
        """The text of main_plan.md."""
        lines = [f"# {self.title}", ""]
        for goal in self.goals:
            lines.append(f"- [{'x' if goal.reached else ' '}] {goal.id}: {goal.title}")
            lines += [
                f"  {number}. {'✔ ' if step.done else ''}{step.content}" for number, step in enumerate(goal.steps, 1)
            ]
        return "\n".join(lines) + "\n"

    def ticked(self, contents: Collection[str]) -> "Plan":
        """The plan with the steps marked as done whose text is among these."""
        done = {" ".join(content.split()) for content in contents}
        return self._with(
            replace(goal, steps=tuple(replace(s, done=s.done or s.content in done) for s in goal.steps))
            for goal in self.goals
        )

    def extended(self, goal_id: str, contents: Sequence[str]) -> "Plan":
        """The plan with steps for a goal that had none; where there is nothing to do the goal is closed."""
        steps = tuple(Step(" ".join(content.split())) for content in contents)
        return self._with(
            replace(goal, steps=steps, closed=not steps) if goal.id == goal_id and not goal.steps else goal
            for goal in self.goals
        )

    def goal(self, goal_id: str) -> Goal:
        """The goal with this id."""
        return next(goal for goal in self.goals if goal.id == goal_id)

    @property
    def reached(self) -> bool:
        """Whether every goal is."""
        return all(goal.reached for goal in self.goals)

    def open_steps(self) -> list[tuple[Goal, Step]]:
        """What may be done next, in order: up to the first goal that still waits for its steps."""
        found = []
        for goal in self.goals:
            if goal.reached:
                continue
            if not goal.steps:
                break
            found += [(goal, step) for step in goal.steps if not step.done]
        return found

    def _with(self, goals: "Sequence[Goal] | object") -> "Plan":
        return replace(self, goals=tuple(goals))  # type: ignore[arg-type]


def wording(language: str) -> Wording:
    """The texts of a language, or the English ones where there are none of it."""
    return wording_of("loopwright.agents.jobs.offline", language)


@dataclass(frozen=True)
class Completion:
    """What `job_complete` is told."""

    summary: str
    deliverables: tuple[str, ...] = ()
    notes: str = ""


class JobRules(Protocol):
    """The rules of one kind of job. Everything is worked out from the request; nothing is kept."""

    def goals(self, view: View, instructions: str) -> Sequence[str]:
        """The titles of the goals in order, without the numbers that the plan gives them."""
        ...

    def divide(self, view: View, plan: Plan, goal_id: str, instructions: str) -> Reading[list[str]] | None:
        """The steps of a goal, or None while that cannot be known: earlier goals have to be reached first."""
        ...

    def work(self, view: View, content: str) -> Work:
        """How the todo with this text is done."""
        ...

    def weight(self, view: View, content: str) -> int:
        """How much of a phase the step takes up; a phase holds `PHASE_WEIGHT`."""
        ...

    def witness(self, view: View, content: str) -> Mapping[str, Any] | None:
        """What has to be there before the todo can be completed."""
        ...

    def close(self, view: View, plan: Plan) -> Reading[Completion]:
        """The job's end, once every goal is reached."""
        ...


PHASE_WEIGHT = 20
"""The weight of a phase: with more in it, its dialogue would come near the limit at which it is compacted."""


def not_by_rules(view: View, content: str) -> Work:
    """A step that the rules have not written and do not know: it is left to others, and its note says so."""
    yield from ()
    return wording(view.language).say("not_judged", step=content[:400])


# Rules whose steps are all of their own wording: a table of rules, of weights and of files that prove a step.

Rule = Callable[[View, Mapping[str, str]], Work]
"""Does a step; its facts are what stands in the gaps of its wording."""


class RuleBook:
    """What rules of this kind have in common: a step is found by its wording."""

    rules: ClassVar[Mapping[str, Rule]] = {}
    weights: ClassVar[Mapping[str, int]] = {}
    files: ClassVar[Mapping[str, str]] = {}

    def work(self, view: View, content: str) -> Work:
        """Do one step; one that somebody else has written is left to others."""
        known = wording(view.language).read(content)
        rule = self.rules.get(known[0]) if known is not None else None
        return rule(view, known[1]) if rule is not None and known is not None else not_by_rules(view, content)

    def weight(self, view: View, content: str) -> int:
        """Steps that read much weigh more."""
        known = wording(view.language).read(content)
        return self.weights.get(known[0], 1) if known is not None else 1

    def witness(self, view: View, content: str) -> Mapping[str, Any] | None:
        """The file that a step leaves."""
        known = wording(view.language).read(content)
        path = self.files.get(known[0]) if known is not None else None
        return {"kind": "file", "path": path} if path else None
