"""What rules cannot do, said plainly."""

from dataclasses import dataclass
from importlib import resources

from loopwright.agents.ide.offline.script import Outcome, Work
from loopwright.agents.ide.offline.wish import Plan


def capabilities() -> str:
    """What the rules can do, for the user."""
    return resources.files("loopwright.agents.ide.offline").joinpath("capabilities.md").read_text("utf-8").strip()


@dataclass(frozen=True)
class Unable:
    """A part of the request that no rule reads."""

    clause: str

    @property
    def aim(self) -> str:
        """What is to be done."""
        return f"“{self.clause[:200]}”"

    @property
    def plan(self) -> Plan:
        """How it is gone about."""
        return Plan(
            research="the words of the request against what the rules can read",
            risk="a rule that guesses would change what nobody meant, so none does",
            done_when="a language model has done it, which rules cannot",
        )

    def work(self, offered: frozenset[str]) -> Work:
        """Say so."""
        yield from ()
        words = f"{self.aim} needs a language model: the offline model works by rules and has none for it. "
        return Outcome(f"{words}Nothing was done about it.\n\n{capabilities()}", (self.aim,))


@dataclass(frozen=True)
class Introduce:
    """Say what the rules can do."""

    @property
    def aim(self) -> str:
        """What is to be done."""
        return "say what the offline model can do"

    @property
    def plan(self) -> Plan:
        """How it is gone about."""
        return Plan(
            research="the rules themselves",
            risk="the request could have meant more",
            done_when="it has been said",
        )

    def work(self, offered: frozenset[str]) -> Work:
        """Say it."""
        yield from ()
        return Outcome(capabilities())
