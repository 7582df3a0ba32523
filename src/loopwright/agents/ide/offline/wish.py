"""One thing that a request asks for, as the rules understand it."""

from typing import Protocol

from loopwright.agents.ide.offline.script import Work


class Wish(Protocol):
    """Something to do, with what a plan says about it; all four texts are short and have no full stop."""

    @property
    def aim(self) -> str:
        """What is to be done."""
        ...

    @property
    def research(self) -> str:
        """What is looked at."""
        ...

    @property
    def risk(self) -> str:
        """What could go wrong."""
        ...

    @property
    def done_when(self) -> str:
        """What proves it."""
        ...

    def work(self, offered: frozenset[str]) -> Work:
        """The script that does it with the tools that are offered."""
        ...
