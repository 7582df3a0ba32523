"""Runs over HTTP: the journal in pages and as a stream, the inbox, exactly-once answers, cancelling."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from loopwright.app.starting import NewRun, create_run
from loopwright.kernel.events import RunParked
from loopwright.kernel.ports import RunUpdate
from loopwright.server.application import create_app
from tests.support.application import Dialogue, Held, in_process, settings_in, until
from tests.support.pages_model import call
from tests.support.scripts import QUESTIONS, VAGUE, closing, one_page
from tests.support.service import sse_data

SSE = {"Accept": "text/event-stream"}
ASK = call("ask_user", questions=QUESTIONS)


@pytest.fixture
async def done(tmp_path: Path) -> AsyncIterator[tuple[httpx.AsyncClient, str]]:
    """A client, and the address of a run that is over."""
    async with in_process(tmp_path, *one_page()) as (client, _):
        chat = (await client.post("/api/chat", json={"message": VAGUE})).json()
        yield client, f"/api/runs/{chat['run_id']}"


async def all_events(client: httpx.AsyncClient, url: str) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = (await client.get(f"{url}/events?limit=1000")).json()["events"]
    return events


async def test_the_journal_comes_in_pages(done: tuple[httpx.AsyncClient, str]) -> None:
    """Page by page the same as at once; beyond the end there is nothing."""
    client, url = done
    whole, paged, since = await all_events(client, url), [], 0
    while True:
        page = (await client.get(f"{url}/events", params={"since_seq": since, "limit": 3})).json()
        paged += page["events"]
        since = page["last_seq"]
        if not page["has_more"]:
            break
        assert len(page["events"]) == 3
    assert paged == whole
    assert since == whole[-1]["seq"]
    beyond = (await client.get(f"{url}/events", params={"since_seq": since})).json()
    assert beyond == {"events": [], "last_seq": since, "has_more": False}
    for bad in ("since_seq=-1", "limit=0", "limit=1001", "since_seq=x"):
        assert (await client.get(f"{url}/events?{bad}")).status_code == 422


async def test_a_broken_stream_goes_on_exactly_where_it_broke(done: tuple[httpx.AsyncClient, str]) -> None:
    """Wherever the connection ended: with the last id the rest comes, without a gap and without a repetition."""
    client, url = done
    whole = await all_events(client, url)
    assert sse_data((await client.get(f"{url}/events", headers=SSE)).text) == whole
    for seq in (1, 5, len(whole) - 1, len(whole)):
        rest = await client.get(f"{url}/events", headers=SSE | {"Last-Event-ID": str(seq)})
        assert sse_data(rest.text) == whole[seq:]
        ids = [line.removeprefix("id:").strip() for line in rest.text.splitlines() if line.startswith("id:")]
        assert ids == [str(event["seq"]) for event in whole[seq:]]
    later = await client.get(f"{url}/events?since_seq=2", headers=SSE | {"Last-Event-ID": "4"})
    assert sse_data(later.text) == whole[4:]
    nonsense = await client.get(f"{url}/events", headers=SSE | {"Last-Event-ID": "yesterday"})
    assert sse_data(nonsense.text) == whole


async def test_a_stream_follows_the_run_through_its_question(tmp_path: Path) -> None:
    """One stream, opened before anything happens, has the whole journal, and ends with the run."""
    held = Held(ASK)
    async with in_process(tmp_path, held, *one_page()) as (client, _):
        run_id = (await client.post("/api/runs", json={"message": VAGUE})).json()["run_id"]
        url = f"/api/runs/{run_id}"
        stream = asyncio.create_task(client.get(f"{url}/events", headers=SSE))
        held.release.set()
        gate = await open_gate(client)
        answered = await client.post(f"/api/gates/{gate['gate_id']}", json={"answers": {"0": "Cool"}})
        assert answered.status_code == 200
        async with asyncio.timeout(60):
            seen = sse_data((await stream).text)
        assert seen == await all_events(client, url)
        assert seen[-1]["type"] == "run_completed"


async def open_gate(client: httpx.AsyncClient) -> dict[str, Any]:
    """The one gate in the inbox, once it is there."""
    found: list[dict[str, Any]] = []

    async def there() -> bool:
        found[:] = (await client.get("/api/gates")).json()["gates"]
        return bool(found)

    await until(there)
    [gate] = found
    return gate


async def test_the_inbox_and_the_one_answer(tmp_path: Path) -> None:
    """A gate tells whose it is; it takes one answer; the same key again gets the same reply and changes nothing."""
    async with in_process(tmp_path, ASK, *one_page()) as (client, _):
        asked = (await client.post("/api/chat", json={"message": VAGUE})).json()
        gate = await open_gate(client)
        assert (gate["agent"], gate["session_id"], gate["run_id"]) == ("pages", asked["session_id"], asked["run_id"])
        url = f"/api/gates/{gate['gate_id']}"
        assert (await client.get(url)).json()["status"] == "open"
        assert (await client.post(url, json={"decision": "approve"})).status_code == 400
        key = {"Idempotency-Key": "one"}
        first = await client.post(url, json={"answers": {"0": "Cool"}}, headers=key)
        assert first.status_code == 200
        same = await client.post(url, json={"answers": {"0": "Cool"}}, headers=key)
        assert same.status_code == 200
        for headers in ({}, {"Idempotency-Key": "two"}):
            assert (await client.post(url, json={"answers": {"0": "Warm"}}, headers=headers)).status_code == 409
        await over(client, asked["run_id"])
        assert (await client.get("/api/gates")).json() == {"gates": []}
        stored = (await client.get(url)).json()
        assert stored["answer"] == {"answers": {"Which look?": "Cool"}}
        events = await all_events(client, f"/api/runs/{asked['run_id']}")
        assert [event["type"] for event in events].count("gate_answered") == 1


async def over(client: httpx.AsyncClient, run_id: str) -> dict[str, Any]:
    """The run once it has ended."""
    run: dict[str, Any] = {}

    async def ended() -> bool:
        run.update((await client.get(f"/api/runs/{run_id}")).json())
        return run["status"] in ("completed", "failed", "cancelled")

    await until(ended)
    return run


async def test_many_answers_at_once(tmp_path: Path) -> None:
    """Of ten that come together one is taken; with one key all get the same reply."""
    for headers, allowed in (({}, {200, 409}), ({"Idempotency-Key": "k"}, {200})):
        async with in_process(tmp_path / str(len(headers)), ASK, *one_page()) as (client, _):
            run_id = (await client.post("/api/chat", json={"message": VAGUE})).json()["run_id"]
            body = {"resume_payload": {"answers": {"0": "Cool"}}}
            replies = await asyncio.gather(
                *(client.post(f"/api/runs/{run_id}/resume", json=body, headers=headers) for _ in range(10))
            )
            codes = [reply.status_code for reply in replies]
            assert set(codes) <= allowed, codes
            assert codes.count(200) == (10 if headers else 1)
            assert (await over(client, run_id))["status"] == "completed"
            events = await all_events(client, f"/api/runs/{run_id}")
            assert [event["type"] for event in events].count("gate_answered") == 1


async def test_two_messages_at_once_in_one_session(tmp_path: Path) -> None:
    """One begins, the other is told that the session is busy: two runs would write over each other."""
    held = Held(closing("Fine."))
    async with in_process(tmp_path, *one_page(), held) as (client, _):
        session_id = (await client.post("/api/chat", json={"message": VAGUE})).json()["session_id"]
        body = {"message": "more", "session_id": session_id}
        replies = await asyncio.gather(*(client.post("/api/runs", json=body) for _ in range(5)))
        assert sorted(reply.status_code for reply in replies) == [201, 409, 409, 409, 409]
        held.release.set()
        [run_id] = [reply.json()["run_id"] for reply in replies if reply.status_code == 201]
        assert (await over(client, run_id))["status"] == "completed"


async def test_a_running_run_is_cancelled(tmp_path: Path) -> None:
    """202, and the run ends though its model never answers."""
    held = Held(closing("never said"))
    async with in_process(tmp_path, held) as (client, _):
        run_id = (await client.post("/api/runs", json={"message": VAGUE})).json()["run_id"]
        await held.came.wait()
        assert (await client.post(f"/api/runs/{run_id}/cancel")).status_code == 202
        run = await over(client, run_id)
        assert (run["status"], run["gate"]) == ("cancelled", None)


async def test_chat_tells_how_a_run_ended(tmp_path: Path) -> None:
    """A failure is an answer too: its phase and its words, with 200, since the request itself was fine."""
    async with in_process(tmp_path, *[closing("")] * 9) as (client, _):
        failed = (await client.post("/api/chat", json={"message": VAGUE})).json()
        assert (failed["phase"], failed["is_complete"]) == ("error", True)
        assert "sent back" in failed["message"]


async def test_widget_answers_inside_a_message(tmp_path: Path) -> None:
    """What the interview widget of spec 000's client sends resumes the run like a resume does."""
    async with in_process(tmp_path, ASK, *one_page()) as (client, _):
        asked = (await client.post("/api/chat", json={"message": VAGUE})).json()
        block = '{"action": "submit_batch", "answers": [{"id": "q1", "index": 0, "type": "single", "value": "Cool"}]}'
        message = f"<INTERVIEW_ANSWERS>{block}</INTERVIEW_ANSWERS>\nAnswer summary: Cool"
        done = await client.post("/api/chat", json={"session_id": asked["session_id"], "message": message})
        assert done.json()["phase"] == "complete"
        assert done.json()["run_id"] == asked["run_id"]


async def test_sessions_and_their_dialogue(tmp_path: Path) -> None:
    """A session lists its runs and tells the dialogue without tool traffic; deleted, it is gone."""
    async with in_process(tmp_path, ASK, *one_page()) as (client, _):
        asked = (await client.post("/api/chat", json={"message": VAGUE})).json()
        url = f"/api/sessions/{asked['session_id']}"
        assert (await client.delete(url)).status_code == 409
        await client.post("/api/chat", json={"session_id": asked["session_id"], "resume": {"answers": {"0": "Cool"}}})
        said = (await client.get(f"{url}/messages")).json()["messages"]
        assert [(line["role"], line["content"]) for line in said] == [
            ("user", VAGUE),
            ("user", ""),
            ("assistant", "Your page is ready."),
        ]
        assert [run["status"] for run in (await client.get(url)).json()["runs"]] == ["completed"]
        assert (await client.get("/api/sessions")).json()["sessions"][0]["session_id"] == asked["session_id"]
        assert (await client.delete(url)).status_code == 204
        assert (await client.get(url)).status_code == 404


async def test_a_parked_run_tries_once_more_when_told_to(tmp_path: Path) -> None:
    """409 unless it is parked, 422 for an answer and `anyway` at once; the run says what it was doing."""
    app = create_app(settings_in(tmp_path))
    async with app.router.lifespan_context(app):
        application = app.state.application
        application.model = Dialogue([closing("Hello.")] * 2)
        run = await create_run(application, NewRun(VAGUE))
        claim = await application.stores.runs.claim(run.run_id, application.owner)
        parked = RunParked(deaths=3, doing="stage x: y")
        await application.stores.journal.append(claim, run.seq, [parked], RunUpdate(status="parked"))
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            path = f"/api/runs/{run.run_id}"
            told = (await client.get(path)).json()
            assert (told["status"], told["doing"]) == ("parked", "stage (none yet): no call under way")
            assert (await client.post(f"{path}/resume", json={"resume_payload": {}})).status_code == 409
            assert (await client.post(f"{path}/resume", json={"resume_payload": {}, "anyway": True})).status_code == 422
            assert (await client.post(f"{path}/resume", json={})).status_code == 422
            assert (await client.post(f"{path}/resume", json={"anyway": True})).status_code == 200
            assert (await over(client, run.run_id))["status"] == "completed"
            assert (await client.post(f"{path}/resume", json={"anyway": True})).status_code == 409
