"""Work as a generator that is replayed: it asks for calls, is given their results, and ends with a note.

The playbook remembers nothing between two requests. It starts the work afresh each time and feeds it what the messages
hold; the first calls without a result are what has to be called next. Results are found by what was called, not by
place: when a compaction has cut the dialogue, only the calls that were lost are made again.
"""

from collections import defaultdict, deque
from collections.abc import Collection, Generator, Iterable, Sequence
from typing import TypeVar

from loopwright.agents.jobs.offline.view import Call, Result

T = TypeVar("T")
Reading = Generator[Sequence[Call], list[Result], T]
"""Yields calls that may be made side by side, receives their results in the same order, returns what came of them."""
Work = Reading[str]
"""Ends with the note for the todo."""

MOST_AT_ONCE = 20
"""Calls in one answer."""


def call(tool: str, /, **arguments: object) -> Call:
    """A call; arguments that are None are left out."""
    return Call(tool, {key: value for key, value in arguments.items() if value is not None})


def replay(work: Work, called: Iterable[tuple[Call, Result]], tools: Collection[str]) -> Sequence[Call] | str:
    """Carry the work as far as the results reach: gives the next calls, or the note with which it ends.

    A call of a tool that is not to be had fails at once, without being made: the work sees to it as to any failure.
    """
    return Replay(called, tools).carry(work)


class Replay:
    """What was called, as far as the work has not asked for it yet."""

    def __init__(self, called: Iterable[tuple[Call, Result]], tools: Collection[str]) -> None:
        """Sort the results by their calls."""
        self._tools = tools
        self._known: dict[str, deque[Result]] = defaultdict(deque)
        for made, result in called:
            self._known[made.key].append(result)

    @property
    def has_more(self) -> bool:
        """Whether results are left over: the work did not get as far as it once was, so something before was lost."""
        return any(self._known.values())

    def carry(self, work: Work) -> Sequence[Call] | str:
        """Carry the work as far as the results reach."""
        try:
            wanted = next(work)
            while True:
                results = [self._result_of(each) for each in wanted]
                missing = [each for each, result in zip(wanted, results, strict=True) if result is None]
                if missing:
                    work.close()
                    return missing[:MOST_AT_ONCE]
                wanted = work.send([result for result in results if result is not None])
        except StopIteration as end:
            return str(end.value)

    def _result_of(self, wanted: Call) -> Result | None:
        if wanted.name not in self._tools:
            return Result(False, f"Error: {wanted.name} is not available in this phase.")
        return self._known[wanted.key].popleft() if self._known[wanted.key] else None


def one(wanted: Call) -> Reading[Result]:
    """The result of a single call."""
    results = yield [wanted]
    return results[0]
