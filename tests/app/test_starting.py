"""A message becomes a run: one of a session at a time, on either database; nothing is kept of what is refused."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from loopwright.app.loopwright import Loopwright
from loopwright.app.starting import NewRun, create_run, start_run
from loopwright.kernel.errors import Conflict, InvalidInput, LoopwrightError, NotFound
from loopwright.kernel.ports import RunRecord
from tests.engine.toys import LookingModel, toy_application
from tests.support.application import journal_of
from tests.support.schemas import own_schema

POSTGRES = pytest.param("postgres", marks=pytest.mark.postgres)


@pytest.fixture(params=["sqlite", POSTGRES])
def database_url(request: pytest.FixtureRequest) -> Iterator[str | None]:
    """None for the file in the home, or an empty schema that is dropped afterwards."""
    if request.param == "sqlite":
        yield None
        return
    with own_schema(request.getfixturevalue("postgres_url")) as url:
        yield url


@pytest.fixture
async def houses(database_url: str | None, tmp_path: Path) -> AsyncIterator[list[Loopwright]]:
    """Two houses on one database, as two processes would be."""
    settings: dict[str, Any] = {"database_url": database_url}
    async with (
        toy_application(tmp_path, LookingModel(looks=0), **settings) as one,
        toy_application(tmp_path, LookingModel(looks=0), **settings) as other,
    ):
        yield [one, other]


async def finished(application: Loopwright, new: NewRun) -> RunRecord:
    """A run to its end."""
    run = await start_run(application, new)
    await application.dispatcher.wait(run.run_id)
    return await application.stores.runs.get(run.run_id)


async def test_one_run_of_a_session_at_a_time(houses: list[Loopwright]) -> None:
    """However many messages come at once, by whatever process: one begins, the others are told which."""
    first = await finished(houses[0], NewRun("hello", agent="toy"))
    more = NewRun("more", agent="toy", session_id=first.session_id)
    tried = await asyncio.gather(*(create_run(houses[n % 2], more) for n in range(8)), return_exceptions=True)
    begun = [each for each in tried if isinstance(each, RunRecord)]
    refused = [each for each in tried if not isinstance(each, RunRecord)]
    assert len(begun) == 1
    assert all(isinstance(each, Conflict) and begun[0].run_id in each.message for each in refused)
    runs = await houses[0].stores.runs.find(session_id=first.session_id)
    assert {run.run_id for run in runs} == {first.run_id, begun[0].run_id}
    houses[0].dispatcher.dispatch(begun[0].run_id)
    await houses[0].dispatcher.wait(begun[0].run_id)
    assert (await finished(houses[1], more)).status == "completed"


async def test_a_later_run_knows_the_earlier_dialogue(tmp_path: Path) -> None:
    """Words are handed on, tool traffic is not; a third run has both earlier ones."""
    async with toy_application(tmp_path, LookingModel(looks=1)) as application:
        first = await finished(application, NewRun("hello", agent="toy"))
        assert await journal_of(application, first.run_id, "context_seeded") == []
        second = await finished(application, NewRun("and more", agent="toy", session_id=first.session_id))
        [seeded] = await journal_of(application, second.run_id, "context_seeded")
        assert [(m["role"], m["content"]) for m in seeded.payload["messages"]] == [
            ("user", "hello"),
            ("assistant", "hello"),
        ]
        third = await finished(application, NewRun("and last", agent="toy", session_id=first.session_id))
        [seeded] = await journal_of(application, third.run_id, "context_seeded")
        assert [m["content"] for m in seeded.payload["messages"]][::2] == ["hello", "and more"]


@pytest.mark.parametrize(
    ("new", "error"),
    [
        (NewRun(" \n", agent="toy"), InvalidInput),
        (NewRun("x" * 100_001, agent="toy"), InvalidInput),
        (NewRun("hi", agent="nobody"), NotFound),
        (NewRun("hi", agent="toy", session_id="nope"), NotFound),
        (NewRun("hi", agent="toy", images=["data:image/png;base64,AAAA"]), InvalidInput),
        (NewRun("hi", agent="toy", images=[Path("nope.png")]), InvalidInput),
        (NewRun("hi", agent="toy", images=["data:,"] * 4), InvalidInput),
    ],
)
async def test_what_cannot_be_used_leaves_nothing(tmp_path: Path, new: NewRun, error: type[LoopwrightError]) -> None:
    """Checked before anything is stored: no session, no run, no folder."""
    async with toy_application(tmp_path, LookingModel()) as application:
        with pytest.raises(error) as caught:
            await create_run(application, new)
        assert caught.value.message
        assert await application.stores.sessions.find() == []
        assert await application.stores.runs.find() == []
    assert not (tmp_path / "out").exists()


async def test_a_session_stays_with_its_agent(tmp_path: Path) -> None:
    """The documents of one agent mean nothing to another."""
    async with toy_application(tmp_path, LookingModel(looks=0)) as application:
        first = await finished(application, NewRun("hello", agent="toy"))
        with pytest.raises(InvalidInput, match="belongs to the agent 'toy'"):
            await create_run(application, NewRun("a page", agent="pages", session_id=first.session_id))
