"""What rules know of one kind of job: its goals, the steps that reach them, and how each step is done."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from loopwright.agents.jobs.offline.plan import Plan
from loopwright.agents.jobs.offline.replay import Reading, Work
from loopwright.agents.jobs.offline.view import View
from loopwright.agents.jobs.offline.wording import wording


@dataclass(frozen=True)
class Completion:
    """What `job_complete` is told."""

    summary: str
    confidence: float
    deliverables: tuple[str, ...] = ()
    notes: str = ""


class Trade(Protocol):
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
        """How much of a phase the step takes up; a phase has room for `ROOM`."""
        ...

    def witness(self, view: View, content: str) -> Mapping[str, Any] | None:
        """What has to be there before the todo can be completed."""
        ...

    def close(self, view: View, plan: Plan) -> Reading[Completion]:
        """The job's end, once every goal is reached."""
        ...


ROOM = 20
"""The weight of a phase: with more in it, its dialogue would come near the limit at which it is compacted."""


def not_by_rules(view: View, content: str) -> Work:
    """A step that the rules have not written and do not know: it is left to others, and its note says so."""
    yield from ()
    return wording(view.language).say("not_judged", step=content[:400])
