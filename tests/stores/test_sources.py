"""Sources and citations: numbered within a job, written once per key, whoever writes at the same time."""

import asyncio
from pathlib import Path

import pytest

from loopwright.agents.jobs.store.sources import SqlSources
from loopwright.kernel.errors import InvalidInput, NotFound
from loopwright.stores.database import Database
from loopwright.stores.sessions import SqlSessions
from tests.support.stores import upgrade

SHA = "a" * 64


@pytest.fixture
async def job(database) -> str:
    return (await SqlSessions(database).create(agent="jobs", title="a job")).session_id


async def document(store: SqlSources, job: str, locator: str = "documents/GoBD.pdf", sha256: str = SHA):
    return await store.add_source(
        job, kind="document", title="GoBD", locator=locator, stored_path=locator, sha256=sha256
    )


def quote(text: str, source: str = "SRC-001") -> dict[str, object]:
    return {"source_id": source, "verbatim_quote": text, "page": 3, "verification_status": "verified"}


async def test_a_source_is_one_content_of_one_place(database, job):
    store = SqlSources(database)
    first = await document(store, job)
    assert first.source_id == "SRC-001"
    assert await document(store, job) == first
    assert (await document(store, job, sha256="b" * 64)).source_id == "SRC-002"
    assert [source.source_id for source in await store.sources(job)] == ["SRC-001", "SRC-002"]


async def test_citations_are_written_once_for_each_key(database, job):
    store = SqlSources(database)
    await document(store, job)
    made = await store.add_citations(job, [quote("one"), quote("two")], "run:call")
    assert [each.citation_id for each in made] == ["CIT-001", "CIT-002"]
    assert await store.add_citations(job, [quote("one"), quote("two")], "run:call") == made
    (third,) = await store.add_citations(job, [quote("three")], "run:next")
    assert third.citation_id == "CIT-003"
    assert await store.citation(job, "cit-002") == made[1]
    assert await store.citations(job) == [*made, third]
    assert await store.locators(job) == dict.fromkeys(
        ["SRC-001", "CIT-001", "CIT-002", "CIT-003"], "documents/GoBD.pdf"
    )


async def test_each_job_counts_for_itself(database, job):
    store = SqlSources(database)
    other = (await SqlSessions(database).create(agent="jobs", title="another")).session_id
    for each in (job, other):
        await document(store, each)
        (made,) = await store.add_citations(each, [quote("same key")], "run:call")
        assert made.citation_id == "CIT-001"
    await SqlSessions(database).delete(job)
    assert await store.citations(job) == []
    assert await store.sources(job) == []
    assert len(await store.citations(other)) == 1


async def test_two_writers_never_take_the_same_number(url: str, tmp_path: Path):
    async with await Database.open(url, tmp_path) as one, await Database.open(url, tmp_path) as two:
        await upgrade(one, "jobs")
        job = (await SqlSessions(one).create(agent="jobs")).session_id
        stores = [SqlSources(one), SqlSources(two)]
        await asyncio.gather(*(document(stores[n % 2], job, f"documents/{n % 4}.pdf") for n in range(8)))
        assert [each.source_id for each in await stores[0].sources(job)] == [f"SRC-{n:03d}" for n in range(1, 5)]
        await asyncio.gather(*(stores[n % 2].add_citations(job, [quote(str(n))] * 2, f"k{n}") for n in range(10)))
        made = await stores[0].citations(job)
        assert [each.citation_id for each in made] == [f"CIT-{n:03d}" for n in range(1, 21)]
        assert sorted(each.verbatim_quote for each in made) == sorted(str(n) for n in range(10) for _ in range(2))


async def test_a_verification_is_noted(database, job):
    store = SqlSources(database)
    await document(store, job)
    await store.add_citations(job, [quote("one")], "k")
    await store.set_verification(job, "CIT-001", "failed")
    assert (await store.citation(job, "CIT-001")).verification_status == "failed"
    with pytest.raises(NotFound):
        await store.set_verification(job, "CIT-002", "failed")


async def test_what_is_not_there_or_cannot_be_stored(database, job):
    store = SqlSources(database)
    with pytest.raises(NotFound, match="SRC-001"):
        await store.add_citations(job, [quote("nothing to take it from")], "k")
    with pytest.raises(InvalidInput, match="not an id of a source"):
        await store.add_citations(job, [quote("x", "GoBD.pdf")], "k")
    for unknown in ("CIT-001", "CIT-", "'; DROP TABLE citations", "CIT-٣"):
        with pytest.raises(NotFound, match="no citation"):
            await store.citation(job, unknown)
    with pytest.raises(NotFound):
        await document(store, "nobody")
    with pytest.raises(InvalidInput, match="2,000 bytes"):
        await document(store, job, "ä" * 1_001)
    await document(store, job, "ä" * 1_000)
    await document(store, job)
    with pytest.raises(InvalidInput, match="zero character"):
        await store.add_citations(job, [quote("fine"), quote("a\x00b")], "k")
    assert await store.citations(job) == []
