"""Ledgers of promises: recorded once per call, counted with their page, withdrawn once."""

import asyncio
from dataclasses import dataclass
from typing import Literal

import pytest

from loopwright.agents.pages.store.pages import SqlPages
from loopwright.agents.pages.store.promises import SqlPromises
from loopwright.kernel.errors import Conflict, InvalidInput, NotFound
from loopwright.stores.database import Database
from loopwright.stores.sessions import SqlSessions


@dataclass(frozen=True)
class Draft:
    """A promise as an agent might model it."""

    request: str
    author: Literal["controller", "model"] = "controller"
    checks_json: str = "[]"
    check_count: int = 1


@dataclass(frozen=True)
class Taken:
    """A turn of a check."""

    number: int
    place: int
    state: Literal["active", "withdrawn", "superseded", "undone"]
    reason: str | None = None
    superseded_by: int | None = None
    slug: str | None = None
    version: int | None = None


@pytest.fixture
async def promises(database: Database, sessions: SqlSessions) -> SqlPromises:
    await sessions.create(agent="pages", session_id="s")
    return SqlPromises(database)


@pytest.fixture
def pages(database: Database) -> SqlPages:
    return SqlPages(database)


async def kept(promises: SqlPromises, pages: SqlPages, *requests: str, call: str = "c", slug: str = "index") -> None:
    """Record the requests by a call that also stores its page."""
    await promises.record("s", slug, [Draft(each) for each in requests], run_id="r", call_id=call)
    await pages.save("s", slug, "<p>x</p>", source="edit", run_id="r", call_id=call)


async def test_they_count_once_their_page_is_stored(promises: SqlPromises, pages: SqlPages) -> None:
    recorded = await promises.record("s", "index", [Draft("hearts"), Draft("search")], run_id="r", call_id="c")
    assert [each.number for each in recorded] == [1, 2]
    assert await promises.of_session("s") == []
    assert await promises.of_call("s", "r", "c") == recorded
    with pytest.raises(NotFound):
        await promises.get("s", 1)
    await pages.save("s", "index", "<p>x</p>", source="edit", run_id="r", call_id="other")
    assert await promises.of_session("s") == []
    await pages.save("s", "index", "<p>y</p>", source="edit", run_id="r", call_id="c")
    assert await promises.of_session("s") == recorded
    assert await promises.get("s", 2) == recorded[1]


async def test_a_call_records_once(promises: SqlPromises, pages: SqlPages) -> None:
    await kept(promises, pages, "hearts")
    again = await promises.record("s", "index", [Draft("something else"), Draft("more")], run_id="r", call_id="c")
    assert [each.request for each in again] == ["hearts"]
    assert [each.request for each in await promises.of_session("s")] == ["hearts"]


async def test_numbers_count_within_the_session(promises: SqlPromises, pages: SqlPages, sessions: SqlSessions) -> None:
    await asyncio.gather(*(kept(promises, pages, "a", "b", call=f"c{n}", slug=f"page-{n}") for n in range(5)))
    found = await promises.of_session("s")
    assert [each.number for each in found] == list(range(1, 11))
    assert all(len({each.slug for each in found[n : n + 2]}) == 1 for n in range(0, 10, 2))
    await sessions.create(agent="pages", session_id="other")
    await promises.record("other", "index", [Draft("c")], run_id="r", call_id="c")
    await pages.save("other", "index", "<p>x</p>", source="edit", run_id="r", call_id="c")
    assert [each.number for each in await promises.of_session("other")] == [1]


async def test_withdrawn_ones_stay_as_a_record(promises: SqlPromises, pages: SqlPages) -> None:
    await kept(promises, pages, "hearts", "search")
    gone = await promises.withdraw("s", 1, "not wanted")
    assert [(each.state, each.reason) for each in gone.entries] == [("active", None), ("withdrawn", "not wanted")]
    assert [each.number for each in await promises.of_session("s")] == [2]
    assert [each.number for each in await promises.of_session("s", withdrawn=True)] == [1, 2]
    with pytest.raises(Conflict):
        await promises.withdraw("s", 1, "again")
    assert await promises.withdraw("s", 1, "again", once=True) == gone
    with pytest.raises(NotFound):
        await promises.withdraw("s", 3, "x")


async def test_texts_that_cannot_be_stored(promises: SqlPromises) -> None:
    with pytest.raises(InvalidInput):
        await promises.record("s", "index", [Draft("a\x00")], run_id="r", call_id="c")
    with pytest.raises(NotFound):
        await promises.record("nobody", "index", [Draft("a")], run_id="r", call_id="c")


async def test_they_go_with_their_session(promises: SqlPromises, pages: SqlPages, sessions: SqlSessions) -> None:
    await kept(promises, pages, "hearts")
    await sessions.delete("s")
    assert await promises.of_session("s", withdrawn=True) == []


async def test_a_single_check_is_withdrawn(promises: SqlPromises, pages: SqlPages) -> None:
    await promises.record("s", "index", [Draft("hearts", check_count=3)], run_id="r", call_id="c")
    await pages.save("s", "index", "<p>x</p>", source="edit", run_id="r", call_id="c")
    assert (await promises.withdraw("s", 1, "not this", place=1)).active_places == (0, 2)
    with pytest.raises(Conflict, match="Check 2 of promise P1"):
        await promises.withdraw("s", 1, "again", place=1)
    with pytest.raises(NotFound, match="no check 4"):
        await promises.withdraw("s", 1, "x", place=3)
    assert (await promises.withdraw("s", 1, "nothing of it")).active_places == ()
    assert [each.reason for each in (await promises.get("s", 1)).entries if each.reason] == [
        "not this", "nothing of it", "nothing of it",
    ]  # fmt: skip


async def test_what_is_superseded_counts_until_the_page_is_stored(promises: SqlPromises, pages: SqlPages) -> None:
    await kept(promises, pages, "green", "hearts")
    turn = Taken(1, 0, "superseded", "blue")
    for _ in range(2):
        await promises.record("s", "index", [Draft("blue")], run_id="r", call_id="d", superseded=[turn])
    assert [each.number for each in await promises.of_session("s")] == [1, 2]
    await pages.save("s", "index", "<p>z</p>", source="edit", run_id="r", call_id="d")
    assert [each.number for each in await promises.of_session("s")] == [2, 3]
    newest = (await promises.get("s", 1)).entries
    assert [(each.state, each.superseded_by, each.call_id) for each in newest] == [
        ("active", None, "c"), ("superseded", 3, "d"),
    ]  # fmt: skip


async def test_turns_are_entered_once(promises: SqlPromises, pages: SqlPages) -> None:
    await kept(promises, pages, "green", "hearts")
    turns = [Taken(1, 0, "undone", slug="index", version=2), Taken(2, 0, "active")]
    for _ in range(2):
        await promises.enter("s", turns)
    assert [len(each.entries) for each in await promises.of_session("s", withdrawn=True)] == [2, 1]
    with pytest.raises(NotFound):
        await promises.enter("s", [Taken(1, 0, "active"), Taken(2, 7, "undone")])
    assert (await promises.get("s", 1)).active_places == ()
