"""Whatever is appended, by whomever and however it is cut, is what readers and watchers see."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loopwright.kernel.errors import StaleOwner
from loopwright.kernel.events import ControllerMessage, RunCompleted, ToolCallStarted
from loopwright.kernel.ports import RunClaim, RunUpdate
from loopwright.stores.database import Database
from loopwright.stores.journal import SqlJournal
from loopwright.stores.runs import SqlRuns
from tests.stores.play import ELSEWHERE, running

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
PAYLOADS = st.builds(ControllerMessage, text=TEXTS, reason=TEXTS) | st.builds(
    ToolCallStarted,
    call_id=TEXTS,
    name=TEXTS,
    arguments=st.dictionaries(TEXTS, JSON, max_size=3),
    effect=st.just("pure"),
)
MOVES = st.lists(
    st.tuples(st.just("append"), st.lists(PAYLOADS, min_size=1, max_size=4))
    | st.tuples(st.just("take over"), st.none())
    | st.tuples(st.just("stale append"), st.lists(PAYLOADS, min_size=1, max_size=2))
    | st.tuples(st.just("watch"), st.integers(0, 30)),
    max_size=12,
)


async def play(database: Database, moves: list[tuple[str, Any]], page: int) -> None:
    """Make the moves on a new run, and compare what is stored and watched with what was said."""
    runs, journal = SqlRuns(database), SqlJournal(database)
    claim, seq = await running(runs, journal)
    stale = RunClaim(claim.run_id, claim.epoch - 1, "nobody")
    said: list[dict[str, Any]] = []
    watchers: list[tuple[int, asyncio.Task[list[Any]]]] = []
    for move, argument in moves:
        if move == "append":
            appended = await journal.append(claim, seq, argument)
            said += [payload.model_dump(mode="json") for payload in argument]
            seq += len(argument)
            assert appended.events[-1].seq == seq
        elif move == "take over":
            stale, claim = claim, await runs.claim(claim.run_id, ELSEWHERE, takeover=True)
        elif move == "stale append":
            with pytest.raises(StaleOwner):
                await journal.append(stale, seq, argument)
        else:
            since = min(argument, seq)
            watchers.append((since, asyncio.create_task(collect(journal, claim.run_id, since))))
    await journal.append(claim, seq, [RunCompleted(text="done")], RunUpdate(status="completed"))
    events = await journal.read(claim.run_id)
    assert [event.seq for event in events] == list(range(1, seq + 2))
    assert [event.payload for event in events[3:-1]] == said
    paged: list[Any] = []
    while part := await journal.read(claim.run_id, len(paged), page):
        paged += part
    assert paged == events
    for since, watcher in watchers:
        assert await watcher == events[since:]


async def collect(journal: SqlJournal, run_id: str, since: int) -> list[Any]:
    """Everything a watcher sees."""
    return [event async for event in journal.watch(run_id, since)]


def test_what_is_said_is_what_is_seen(url: str, tmp_path: Path) -> None:
    @settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None)
    @given(moves=MOVES, page=st.integers(1, 5))
    def check(moves: list[tuple[str, Any]], page: int) -> None:
        async def main() -> None:
            async with await Database.open(url, tmp_path) as database:
                await play(database, moves, page)

        asyncio.run(main())

    check()
