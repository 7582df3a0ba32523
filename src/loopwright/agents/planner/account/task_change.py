"""A change of single tasks, and the plan that it is read against."""

from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from loopwright.agents.planner.account.named import Work, content_of, find_named
from loopwright.agents.planner.account.when import as_one
from loopwright.kernel.account import Claim

Kind = Literal["due", "not_before", "order", "swap", "length", "left_out", "done", "leaves", "takes_over", "added"]


@dataclass(frozen=True)
class Plan:
    """What a change is read against: its open tasks in the order of time, what it is made for, and who does what."""

    works: tuple[Work, ...]
    whole: tuple[str, ...] = ()
    people: frozenset[str] = frozenset()

    @property
    def titles(self) -> list[str]:
        """The titles of all open tasks."""
        return [work.title for work in self.works]

    def is_whole(self, said: str) -> bool:
        """Whether the words name what the plan is made for, or nothing at all: then no single task is meant."""
        named = find_named(said, self.whole)
        return not content_of(said) or bool(named.titles and not named.unknown)


@dataclass(frozen=True)
class TaskChange:
    """One statement about tasks.

    `titles` are those that it is about, `others` those beside which they lie: in an order the first ones, then the
    later ones. With a `problem` (a text of the wording) it is not clear which are meant; `names` goes into the text.
    `echoes` are statements that say it again of "them".
    """

    kind: Kind
    said: str
    titles: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    day: date | None = None
    minutes: int | None = None
    days: int = 0
    who: str = ""
    before: str = ""
    problem: Literal["", "not_named", "which_of"] = ""
    names: tuple[str, ...] = field(default=())
    echoes: tuple[str, ...] = field(default=())

    @property
    def claim(self) -> Claim | None:
        """The one claim, or the one that all of several hold."""
        return as_one(self.claims, self.said) if self.claims else None
