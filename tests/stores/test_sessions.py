"""Sessions: made, found, changed, deleted."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from loopwright.agents.pages.store.pages import SqlPages
from loopwright.agents.pages.store.product_docs import SqlProductDocs
from loopwright.kernel.errors import Conflict, InvalidInput, NotFound
from loopwright.kernel.ports import RunUpdate
from loopwright.stores.artifacts import SqlArtifacts
from loopwright.stores.database import Database
from loopwright.stores.journal import SqlJournal
from loopwright.stores.runs import SqlRuns
from loopwright.stores.sessions import SqlSessions
from tests.stores.play import answer, queued
from tests.stores.test_product_docs import Patch


async def test_a_session_is_read_back_as_it_was_made(sessions: SqlSessions) -> None:
    made = await sessions.create(
        agent="pages", title="Bakery", output_dir="/tmp/é", session_id="abc", metadata={"plan": [1, {"a": None}]}
    )
    assert made == await sessions.get("abc")
    assert made.created_at.utcoffset() == timedelta(0)
    other = await sessions.create(agent="ide")
    assert (other.title, other.output_dir, other.metadata) == ("", "", {})
    assert [session.session_id for session in await sessions.find()] == [other.session_id, "abc"]
    assert [session.session_id for session in await sessions.find(agent="pages")] == ["abc"]
    assert len(await sessions.find(limit=1)) == 1


async def test_a_session_id_is_taken_once(sessions: SqlSessions) -> None:
    outcomes = await asyncio.gather(
        *(sessions.create(agent="pages", session_id="abc") for _ in range(3)), return_exceptions=True
    )
    assert sum(isinstance(outcome, Conflict) for outcome in outcomes) == 2


async def test_unknown_sessions_are_not_found(sessions: SqlSessions) -> None:
    for call in (sessions.get("nope"), sessions.update("nope", title="x"), sessions.delete("nope")):
        with pytest.raises(NotFound):
            await call


async def test_metadata_is_merged_key_by_key(sessions: SqlSessions) -> None:
    await sessions.create(agent="pages", session_id="abc", title="old", metadata={"a": 1, "b": {"c": 2}})
    changed = await sessions.update("abc", metadata={"b": 3, "d": 4, "a": None})
    assert changed.metadata == {"b": 3, "d": 4}
    assert changed.title == "old"
    assert (await sessions.update("abc", title="new", output_dir="there")).metadata == {"b": 3, "d": 4}
    read = await sessions.get("abc")
    assert (read.title, read.output_dir) == ("new", "there")
    assert read.updated_at > read.created_at


async def test_changes_at_once_are_all_kept(sessions: SqlSessions) -> None:
    await sessions.create(agent="pages", session_id="abc")
    await asyncio.gather(*(sessions.update("abc", metadata={str(n): n}) for n in range(30)))
    assert (await sessions.get("abc")).metadata == {str(n): n for n in range(30)}


@pytest.mark.parametrize("field", ["agent", "title", "output_dir", "session_id"])
async def test_a_zero_character_is_refused_everywhere(sessions: SqlSessions, field: str) -> None:
    texts: dict[str, Any] = {"agent": "pages", field: "a\x00b"}
    with pytest.raises(InvalidInput):
        await sessions.create(**texts)
    assert await sessions.find() == []


async def test_deleting_takes_everything_along(
    sessions: SqlSessions, runs: SqlRuns, journal: SqlJournal, database: Database
) -> None:
    pages, docs, artifacts = SqlPages(database), SqlProductDocs(database), SqlArtifacts(database)
    for session_id in ("gone", "kept"):
        await sessions.create(agent="pages", session_id=session_id)
        await pages.save(session_id, "index", "<html>", source="generate")
        await docs.apply(session_id, [Patch("overview", "set", "text")], author="llm", idempotency_key="k")
        await artifacts.add(session_id, "a", kind="file", media_type="text/css", path="a.css")
    runs_of = {session_id: await queued(runs, session_id) for session_id in ("gone", "kept")}
    with pytest.raises(Conflict, match="queued"):
        await sessions.delete("gone")
    claim = await runs.claim(runs_of["gone"], "me")
    await journal.append(claim, 2, [answer()], RunUpdate(status="cancelled"))
    await sessions.delete("gone")
    with pytest.raises(NotFound):
        await sessions.get("gone")
    assert await runs.find(session_id="gone") == []
    assert await journal.read(runs_of["gone"]) == []
    assert await pages.of_session("gone") == []
    assert await docs.get("gone") is None
    assert await artifacts.find("gone") == []
    assert await pages.html("kept", "index") == "<html>"
    assert len(await journal.read(runs_of["kept"])) == 2
    assert len(await docs.history("kept")) == 1
    assert len(await artifacts.find("kept")) == 1
