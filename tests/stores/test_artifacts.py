"""Artifacts: recorded once, found again."""

import asyncio

import pytest

from loopwright.kernel.errors import InvalidInput, NotFound
from loopwright.stores.artifacts import SqlArtifacts
from loopwright.stores.database import Database
from loopwright.stores.sessions import SqlSessions


@pytest.fixture
async def artifacts(database: Database, sessions: SqlSessions) -> SqlArtifacts:
    await sessions.create(agent="pages", session_id="s")
    return SqlArtifacts(database)


async def test_artifacts_are_found_by_session_run_and_kind(artifacts: SqlArtifacts) -> None:
    css = await artifacts.add(
        "s", "design-system.css", kind="stylesheet", media_type="text/css", path="design-system.css", run_id="r1"
    )
    mesh = await artifacts.add(
        "s", "part", kind="mesh", media_type="model/stl", digest="ab" * 32, size_bytes=84, metadata={"faces": 12}
    )
    assert await artifacts.get(css.artifact_id) == css
    assert await artifacts.find("s") == [mesh, css]
    assert await artifacts.find("s", run_id="r1") == [css]
    assert await artifacts.find("s", kind="mesh") == [mesh]
    assert await artifacts.find("s", limit=1) == [mesh]
    assert (mesh.metadata, mesh.size_bytes, mesh.path) == ({"faces": 12}, 84, None)


async def test_the_same_key_records_once(artifacts: SqlArtifacts) -> None:
    def again(name: str) -> object:
        return artifacts.add("s", name, kind="file", media_type="text/plain", path=name, idempotency_key="r:c")

    first = await artifacts.add("s", "a", kind="file", media_type="text/plain", path="a", idempotency_key="r:c")
    assert await asyncio.gather(again("a"), again("b")) == [first, first]  # type: ignore[call-overload]
    assert await artifacts.find("s") == [first]


async def test_what_is_wrong_is_refused(artifacts: SqlArtifacts) -> None:
    with pytest.raises(ValueError, match="path or a digest"):
        await artifacts.add("s", "a", kind="file", media_type="text/plain")
    with pytest.raises(InvalidInput):
        await artifacts.add("s", "a\x00", kind="file", media_type="text/plain", path="a")
    with pytest.raises(NotFound):
        await artifacts.add("nope", "a", kind="file", media_type="text/plain", path="a")
    with pytest.raises(NotFound):
        await artifacts.get("nope")
