"""What rules know of one kind of job: its goals, the steps that reach them, and how each step is done."""

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol

from loopwright.agents.jobs.offline.view import Reading, View, Work
from loopwright.kits.dialogue.wording import Wording, wording_of

# --------------------------------------------------------------------------------------------------------------------
# JSON objects in what a tool said: one a line, or a list of them.
# --------------------------------------------------------------------------------------------------------------------

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


# --------------------------------------------------------------------------------------------------------------------
# main_plan.md as the rules write and read it: goals as checkboxes, and below each its steps, which become todos.
# --------------------------------------------------------------------------------------------------------------------

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


# --------------------------------------------------------------------------------------------------------------------
# Rules whose steps are all of their own wording: a table of rules, of weights and of files that prove a step.
# --------------------------------------------------------------------------------------------------------------------

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
