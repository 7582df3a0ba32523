"""Streams end: after an hour, so that a client that reads nothing holds no place for ever, and when the store goes."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from loopwright.kernel.errors import LoopwrightError
from loopwright.server import dependencies
from tests.support.application import in_process
from tests.support.pages_model import call
from tests.support.scripts import QUESTIONS, VAGUE
from tests.support.service import sse_data

SSE = {"Accept": "text/event-stream"}


async def test_a_stream_of_a_waiting_run_ends_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dependencies, "STREAM_SECONDS", 0.5)
    async with in_process(tmp_path, call("ask_user", questions=QUESTIONS)) as (client, _):
        chat = (await client.post("/api/chat", json={"message": VAGUE})).json()
        url = f"/api/runs/{chat['run_id']}/events"
        first = sse_data((await client.get(url, headers=SSE)).text)
        assert first[-1]["type"]
        last = {"Last-Event-ID": str(first[-1]["seq"])}
        assert sse_data((await client.get(url, headers=SSE | last)).text) == []


async def test_a_stream_ends_when_the_store_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with in_process(tmp_path, call("ask_user", questions=QUESTIONS)) as (client, _):
        chat = (await client.post("/api/chat", json={"message": VAGUE})).json()

        async def broken(self: Any, run_id: str, since_seq: int = 0) -> Any:
            raise LoopwrightError("the database was closed")
            yield

        monkeypatch.setattr("loopwright.stores.journal.SqlJournal.watch", broken)
        response = await client.get(f"/api/runs/{chat['run_id']}/events", headers=SSE)
        assert response.status_code == 200
        assert sse_data(response.text) == []
        assert "the database was closed" in caplog.text
        assert not any(record.exc_info for record in caplog.records)


async def test_a_silent_stream_says_that_it_lives_and_nothing_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Comments between the frames; the last frame comes even if the source ends at once behind it."""
    monkeypatch.setattr(dependencies, "PING_SECONDS", 0.01)
    go_on = asyncio.Event()

    async def frames() -> AsyncGenerator[dependencies.Frame, None]:
        yield dependencies.Frame("first\nlines", id="1")
        await go_on.wait()
        yield dependencies.Frame("last")

    pieces = []
    async for piece in dependencies.EventStream(frames()).body_iterator:
        pieces.append(piece)
        if len(pieces) == 3:
            go_on.set()
    assert pieces[0] == b"id: 1\r\ndata: first\r\ndata: lines\r\n\r\n"
    assert set(pieces[1:-1]) == {b": ping\r\n\r\n"}
    assert pieces[-1] == b"data: last\r\n\r\n"


async def test_streams_end_when_the_server_stops_and_errors_are_not_hidden() -> None:
    async def silent() -> AsyncGenerator[dependencies.Frame, None]:
        asyncio.get_running_loop().call_soon(dependencies.end_streams)
        await asyncio.Event().wait()
        yield dependencies.Frame("never")

    async def broken() -> AsyncGenerator[dependencies.Frame, None]:
        yield dependencies.Frame("one")
        raise ZeroDivisionError

    assert [piece async for piece in dependencies.EventStream(silent()).body_iterator] == []
    with pytest.raises(ZeroDivisionError):
        async for _ in dependencies.EventStream(broken()).body_iterator:
            pass
