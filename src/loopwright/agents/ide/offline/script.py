"""Work as scripts: generators that yield the calls of the next answer and are sent what these came to.

Nothing is kept between two requests: a script is played again from its beginning against the calls that stand in the
dialogue, and the first calls that are not there are the next answer.
"""

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Step:
    """One tool call."""

    name: str
    arguments: Mapping[str, Any]

    @property
    def shown(self) -> str:
        """The call in a few words."""
        keys = ("command", "path", "query", "pattern", "folder", "checkpoint_id", "content")
        target = next((str(self.arguments[key]) for key in keys if self.arguments.get(key)), "")
        return f"{self.name} {' '.join(target.split())[:80]}".strip()


def step(name: str, /, **arguments: Any) -> Step:
    """A tool call with these arguments."""
    return Step(name, arguments)


@dataclass(frozen=True)
class Result:
    """What a call gave, as the model reads it."""

    text: str

    @property
    def failed(self) -> bool:
        """Whether it was refused or failed."""
        return self.text.startswith("Error")

    @property
    def first_line(self) -> str:
        """Its first line, without the mark of a failure."""
        return self.text.removeprefix("Error:").strip().partition("\n")[0][:300]


@dataclass(frozen=True)
class Outcome:
    """What a script has come to: words for the user, and what was asked for and is not there."""

    words: str
    missing: tuple[str, ...] = ()


Script = Generator[tuple[Step, ...], tuple[Result, ...], T]
Work = Script[Outcome]


@dataclass(frozen=True)
class Unit:
    """The calls of one answer with their results."""

    steps: tuple[Step, ...]
    results: tuple[Result, ...]


@dataclass(frozen=True)
class Progress(Generic[T]):
    """How far a script is: its next calls, or its outcome; and the newest calls that it has made."""

    upcoming: tuple[Step, ...] = ()
    outcome: T | None = None
    newest: Unit | None = None


def follow(work: Script[T], units: Sequence[Unit]) -> Progress[T]:
    """Play a script against the calls of a dialogue; calls that it did not make are passed over."""
    position, newest = 0, None
    try:
        wanted = next(work)
        while True:
            found = next((at for at in range(position, len(units)) if units[at].steps == wanted), None)
            if found is None:
                return Progress(upcoming=wanted, newest=newest)
            position, newest = found + 1, units[found]
            wanted = work.send(units[found].results)
    except StopIteration as end:
        return Progress(outcome=end.value, newest=newest)


def one(name: str, /, **arguments: Any) -> Script[Result]:
    """A script of a single call."""
    results = yield (step(name, **arguments),)
    return results[0]


def in_turn(works: Iterable[Work]) -> Work:
    """Several works, one after the other, as one; each says its words."""
    outcomes: list[Outcome] = []
    for work in works:
        outcome = yield from work
        outcomes.append(outcome)
    words = "\n\n".join(outcome.words for outcome in outcomes)
    return Outcome(words, tuple(line for outcome in outcomes for line in outcome.missing))
