"""The table of statuses, by itself and as the store keeps to it whatever workers do in whatever order."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.jobs.store.requirement_records import STATUSES, TRANSITIONS, status_after
from loopwright.kernel.errors import Conflict, InvalidInput
from loopwright.stores.database import Database
from tests.stores.requirements.bench import Bench
from tests.support.stores import upgrade

EVENTS = sorted({event for _, event in TRANSITIONS})
NUMBER = 4
OWNERS = ("first", "second")
LEASE = 60

MOVES = st.lists(
    st.tuples(st.just("claim"), st.sampled_from(OWNERS), st.integers(1, NUMBER))
    | st.tuples(
        st.just("settle"),
        st.sampled_from(OWNERS),
        st.tuples(st.integers(0, NUMBER - 1), st.sampled_from(("integrated", "rejected", "failed"))),
    )
    | st.tuples(st.just("retry"), st.just(""), st.integers(0, NUMBER - 1))
    | st.tuples(st.just("release"), st.sampled_from(OWNERS), st.just(0))
    | st.tuples(st.just("wait"), st.just(""), st.sampled_from((30, LEASE + 1)))
    | st.tuples(st.just("rewind"), st.sampled_from(OWNERS), st.integers(0, 12)),
    max_size=14,
)


@dataclass
class Expected:
    """What one requirement should be."""

    status: str = "pending"
    holder: str = ""
    until: float = 0
    claimed_phase: int = 0
    settler: str = ""
    settled_phase: int = 0


@dataclass
class World:
    """The whole of it, in memory and by plain rules."""

    rows: list[Expected] = field(default_factory=lambda: [Expected() for _ in range(NUMBER)])
    now: float = 0

    def claimable(self, owner: str) -> list[int]:
        """What a claim may give, in the order in which it gives it."""
        held = [n for n, row in enumerate(self.rows) if row.status == "validating" and row.holder == owner]
        free = [
            n
            for n, row in enumerate(self.rows)
            if row.status == "pending" or (row.status == "validating" and row.holder != owner and row.until < self.now)
        ]
        return held + free

    def may_settle(self, number: int, owner: str) -> bool:
        return self.rows[number].status == "validating" and self.rows[number].holder == owner


@contextmanager
def refused_unless(allowed: bool) -> Iterator[None]:
    """What the rules forbid is a conflict; what they allow goes through."""
    if allowed:
        yield
    else:
        with pytest.raises(Conflict):
            yield


class Play:
    """Makes the same moves on the store and in the world."""

    def __init__(self, bench: Bench, ids: list[str]) -> None:
        self.bench, self.ids, self.world, self.phase = bench, ids, World(), 0

    async def make(self, kind: str, owner: str, argument: Any) -> None:
        self.phase += 1
        await getattr(self, kind)(owner, argument)
        await self.compare()

    async def claim(self, owner: str, limit: int) -> None:
        chosen = self.world.claimable(owner)[:limit]
        got = await self.bench.claim(owner, limit, seconds=LEASE, phase=self.phase)
        assert sorted(got) == sorted(self.ids[n] for n in chosen)
        for n in chosen:
            self.world.rows[n] = Expected("validating", owner, self.world.now + LEASE, self.phase)

    async def settle(self, owner: str, argument: tuple[int, str]) -> None:
        number, status = argument
        allowed = self.world.may_settle(number, owner)
        with refused_unless(allowed):
            await self.bench.settle(self.ids[number], owner, status, phase=self.phase)
        if allowed:
            self.world.rows[number] = Expected(status, settler=owner, settled_phase=self.phase)

    async def retry(self, _: str, number: int) -> None:
        allowed = self.world.rows[number].status == "failed"
        with refused_unless(allowed):
            await self.bench.store.retry(self.ids[number])
        if allowed:
            self.world.rows[number] = Expected()

    async def release(self, owner: str, _: int) -> None:
        held = [n for n in range(NUMBER) if self.world.may_settle(n, owner)]
        assert sorted(await self.bench.store.release(owner)) == sorted(self.ids[n] for n in held)
        for n in held:
            self.world.rows[n] = Expected()

    async def wait(self, _: str, seconds: int) -> None:
        self.world.now += seconds
        self.bench.clock.passes(seconds)

    async def rewind(self, owner: str, phase: int) -> None:
        undone = await self.bench.store.withdraw_after(owner, phase)
        expected = [
            n
            for n, row in enumerate(self.world.rows)
            if (row.holder == owner and row.claimed_phase > phase)
            or (row.settler == owner and row.settled_phase > phase)
        ]
        assert (sorted(undone.reopened), undone.removed) == (sorted(self.ids[n] for n in expected), [])
        for n in expected:
            self.world.rows[n] = Expected()

    async def compare(self) -> None:
        stored = {row.requirement_id: row for row in await self.bench.store.find()}
        for name, row in zip(self.ids, self.world.rows, strict=True):
            assert (stored[name].status, stored[name].claimed_by or "") == (row.status, row.holder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("states")


async def play(folder: Path, moves: list[tuple[str, str, Any]]) -> None:
    async with await Database.open(None, folder) as database:
        await upgrade(database, "jobs")
        bench = await Bench(database).open()
        try:
            game = Play(bench, [row.requirement_id for row in await bench.add(NUMBER)])
            for kind, owner, argument in moves:
                await game.make(kind, owner, argument)
        finally:
            for name in ("creator", *OWNERS):
                await bench.sessions.delete(name)


@settings(max_examples=20)
@given(moves=MOVES)
async def test_the_store_keeps_to_the_table(folder: Path, moves: list[tuple[str, str, Any]]) -> None:
    await play(folder, moves)


@pytest.mark.soak
@settings(max_examples=1_500)
@given(moves=MOVES)
async def test_the_store_keeps_to_the_table_for_long(folder: Path, moves: list[tuple[str, str, Any]]) -> None:
    await play(folder, moves)


@given(status=st.sampled_from(STATUSES), event=st.sampled_from(EVENTS))
def test_an_event_leads_to_one_status_or_is_refused(status: Any, event: Any) -> None:
    if (status, event) in TRANSITIONS:
        assert status_after("x", status, event) in STATUSES
    else:
        with pytest.raises(Conflict, match=status):
            status_after("x", status, event)


def test_every_status_can_be_reached_and_only_verdicts_end() -> None:
    reached = {"pending"}
    for _ in STATUSES:
        reached |= {target for (source, event), target in TRANSITIONS.items() if source in reached}
    assert reached == set(STATUSES)
    ends = {s for s in STATUSES if not [e for (source, e) in TRANSITIONS if source == s and e != "withdraw"]}
    assert ends == {"integrated", "rejected"}


async def test_a_claim_is_refused_when_it_makes_no_sense(bench: Bench) -> None:
    for limit, seconds in ((0, 60), (501, 60), (1, 0)):
        with pytest.raises(InvalidInput):
            await bench.claim("first", limit, seconds=seconds)
