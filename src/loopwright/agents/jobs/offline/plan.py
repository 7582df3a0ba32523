"""main_plan.md as the rules write and read it: goals as checkboxes, and below each its steps, which become todos."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

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
