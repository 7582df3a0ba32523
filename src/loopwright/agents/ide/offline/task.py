"""One thing that a request asks for, as the rules understand it."""

from dataclasses import dataclass
from typing import Protocol

from loopwright.agents.ide.offline.script import Work


@dataclass(frozen=True)
class TaskPlan:
    """How a task is gone about: what is looked at, what could go wrong, what proves that it is done.

    Each is a part of a sentence, without a full stop.
    """

    research: str
    risk: str
    done_when: str


class Task(Protocol):
    """Something to do. `aim` names it in a part of a sentence that begins with a verb."""

    @property
    def aim(self) -> str:
        """What is to be done."""
        ...

    @property
    def plan(self) -> TaskPlan:
        """How it is gone about."""
        ...

    def work(self, offered: frozenset[str]) -> Work:
        """The script that does it with the tools that are offered."""
        ...
