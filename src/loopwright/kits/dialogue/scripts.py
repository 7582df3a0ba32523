"""Work as scripts: generators that yield the calls of the next answer and are sent what these came to.

Nothing is kept between two requests: a script is played again from its beginning against the calls that stand in the
dialogue, and the first calls that are not there are the next answer.
"""

import json
from collections import defaultdict, deque
from collections.abc import Collection, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from loopwright.kernel.messages import Message

T = TypeVar("T")


class UnreadableRequest(ValueError):
    """A request lacks what every prompt of its agent carries; the message says what, in a part of a sentence."""


# --------------------------------------------------------------------------------------------------------------------
# Calls and their results, as they stand in the messages of a request.
# --------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Call:
    """A tool call; two calls are the same when their tool and their arguments are."""

    name: str
    arguments: Mapping[str, Any]

    @property
    def key(self) -> str:
        """What the call is recognised by."""
        return self.name + json.dumps(self.arguments, sort_keys=True, ensure_ascii=False)


def call(name: str, /, **arguments: object) -> Call:
    """A call; arguments that are None are left out."""
    return Call(name, {key: value for key, value in arguments.items() if value is not None})


@dataclass(frozen=True)
class Result:
    """What a call gave, as the model reads it."""

    text: str

    @property
    def failed(self) -> bool:
        """Whether it was refused or failed."""
        return self.text.startswith("Error:")

    @property
    def first_line(self) -> str:
        """Its first line, without the mark of a failure; at most 300 characters."""
        return self.text.removeprefix("Error:").strip().partition("\n")[0][:300]


@dataclass(frozen=True)
class Exchange:
    """The calls of one answer with their results, in the same order."""

    calls: tuple[Call, ...]
    results: tuple[Result, ...]

    @property
    def pairs(self) -> tuple[tuple[Call, Result], ...]:
        """Each call with its result."""
        return tuple(zip(self.calls, self.results, strict=True))


def exchanges(messages: Sequence[Message]) -> list[Exchange]:
    """The calls that have a result, answer by answer."""
    results = {message.tool_call_id: Result(message.content) for message in messages if message.role == "tool"}
    found = []
    for message in messages:
        done = [made for made in message.tool_calls or () if made.id in results]
        if done:
            calls = tuple(Call(made.name, _arguments(made.arguments)) for made in done)
            found.append(Exchange(calls, tuple(results[made.id] for made in done)))
    return found


def _arguments(text: str) -> Mapping[str, Any]:
    """The arguments of a call; what is no object was not called by rules, and is like no call of theirs."""
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return {"unreadable": text}
    return found if isinstance(found, dict) else {"unreadable": text}


def read_state(text: str | None, what: str) -> Mapping[str, Any]:
    """The JSON object that a block of a prompt holds.

    Args:
        text: what stands in the block; None where there is no block.
        what: how messages call it, such as `job state`.

    Raises:
        UnreadableRequest: there is no block, or it holds no object.
    """
    if text is None:
        raise UnreadableRequest(f"it has no {what}")
    try:
        state = json.loads(text)
    except ValueError as error:
        raise UnreadableRequest(f"its {what} is not JSON") from error
    if not isinstance(state, dict):
        raise UnreadableRequest(f"its {what} is not an object")
    return state


# --------------------------------------------------------------------------------------------------------------------
# Scripts, and how far the calls of a dialogue carry them.
# --------------------------------------------------------------------------------------------------------------------

Script = Generator[Sequence[Call], Sequence[Result], T]
"""Yields calls that may be made side by side, is sent their results in the same order, returns what came of them."""

MOST_AT_ONCE = 20
"""Calls in one answer."""


def one(wanted: Call) -> Script[Result]:
    """A script of a single call."""
    results = yield (wanted,)
    return results[0]


@dataclass(frozen=True)
class Progress(Generic[T]):
    """How far a script is: its next calls, or its outcome; and the newest calls of the dialogue that it has made.

    `ended` says whether the script has come to its end, also where its outcome is None.
    """

    upcoming: tuple[Call, ...] = ()
    outcome: T | None = None
    newest: Exchange | None = None
    ended: bool = False


@dataclass
class Replay:
    """The calls of a dialogue, as far as no script has asked for them yet.

    Each call is one result for one question: who asks twice for the same gets the first two results, in their order.
    With `offered`, a call of any other tool fails at once without being made, and the script sees to it as to any
    failure.
    """

    pairs: Iterable[tuple[Call, Result]]
    offered: Collection[str] | None = None
    _known: dict[str, deque[Result]] = field(init=False)

    def __post_init__(self) -> None:
        """Sort the results by their calls."""
        self._known = defaultdict(deque)
        for made, result in self.pairs:
            self._known[made.key].append(result)

    @property
    def has_more(self) -> bool:
        """Whether results are left over: the script did not get as far as it once was, so something before was lost."""
        return any(self._known.values())

    def carry(self, script: Script[T]) -> Progress[T]:
        """Carry a script as far as the results reach."""
        newest: Exchange | None = None
        try:
            wanted = next(script)
            while True:
                results = [self._result_of(each) for each in wanted]
                missing = [each for each, result in zip(wanted, results, strict=True) if result is None]
                if missing:
                    script.close()
                    return Progress(upcoming=tuple(missing[:MOST_AT_ONCE]), newest=newest)
                found = tuple(result for result in results if result is not None)
                newest = Exchange(tuple(wanted), found) if wanted else newest
                wanted = script.send(found)
        except StopIteration as end:
            return Progress(outcome=end.value, newest=newest, ended=True)

    def _result_of(self, wanted: Call) -> Result | None:
        if self.offered is not None and wanted.name not in self.offered:
            return Result(f"Error: {wanted.name} is not available in this phase.")
        known = self._known.get(wanted.key)
        return known.popleft() if known else None


def follow(script: Script[T], found: Iterable[Exchange]) -> Progress[T]:
    """Play a script against the calls of a dialogue; calls that it did not make are passed over."""
    return Replay(pair for exchange in found for pair in exchange.pairs).carry(script)
