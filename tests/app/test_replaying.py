"""Requests of the past, rebuilt from the journal alone: the very bytes that a server had received."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from loopwright.agents.ide.usecases import message_for, switches
from loopwright.agents.planner.usecases import plan_run
from loopwright.app.loopwright import Loopwright
from loopwright.app.replaying import find_request, rebuilt, requests_of_run
from loopwright.app.settings import Settings
from loopwright.app.starting import NewRun, create_run
from loopwright.kernel.compaction import DIMENSIONS
from loopwright.kernel.errors import Conflict, NotFound
from loopwright.kernel.messages import STAGE, block
from loopwright.kernel.replay import PastRequest, past_requests
from tests.support.clock import NOW
from tests.support.model_server import ModelServer, calls, rate_limited, text
from tests.support.pages_model import PagesModelServer, Turn, call, native, schema
from tests.support.scripts import DETAILED, building, one_page

SUMMARY = text(json.dumps(dict.fromkeys(DIMENSIONS, "so it was")))


@asynccontextmanager
async def application_at(server: ModelServer, folder: Path, **settings: Any) -> AsyncIterator[Loopwright]:
    """An application whose models are at this server."""
    settings |= {"home": folder / "home", "output_dir": folder / "out", "openai_base_url": server.base_url}
    async with Loopwright.open(Settings(**settings, openai_api_key=SecretStr("none"))) as application:
        yield application


async def played(application: Loopwright, new: NewRun) -> str:
    """The id of a run that has come to its end, or to a gate."""
    record = await create_run(application, new)
    application.dispatcher.dispatch(record.run_id, reason="started")
    await application.dispatcher.wait(record.run_id)
    return record.run_id


async def check_bodies(application: Loopwright, run_id: str, received: Sequence[bytes]) -> list[PastRequest]:
    """Every body that was received is rebuilt, and no other."""
    requests = await requests_of_run(application, run_id)
    bodies = [rebuilt(application, request) for request in requests]
    assert sorted(built.body for built in bodies) == sorted(received)
    assert all(built.identical for built in bodies)
    return requests


@pytest.mark.parametrize("form", ["native", "schema"])
async def test_requests_of_pages_and_of_its_tools(tmp_path: Path, form: str) -> None:
    script = native(*building(DETAILED)) if form == "native" else schema(*building(DETAILED))
    async with PagesModelServer(script) as server, application_at(server, tmp_path, model_tools=form) as application:
        run_id = await played(application, NewRun(DETAILED))
        requests = await check_bodies(application, run_id, [request.raw for request in server.requests])
        dialogue = [
            rebuilt(application, await find_request(application, run_id, step=step)).body
            for step in range(1, len(script) + 1)
        ]
        assert dialogue == [request.raw for request in server.dialogue]
        assert sum(request.step is None for request in requests) == 6  # the design system and five pages
        with pytest.raises(NotFound, match="no step 99"):
            await find_request(application, run_id, step=99)
        with pytest.raises(NotFound):
            await requests_of_run(application, "nobody")


async def test_requests_after_a_summary_by_a_model(tmp_path: Path) -> None:
    looks = [call("validate_html", slug="index", html=f"<p>Draft {number}</p>") for number in range(9)]
    script = native(*one_page()[:2], *looks, *one_page()[2:])
    trouble = {"kernel/compact": [SUMMARY] * 9}
    async with (
        PagesModelServer(script, trouble=trouble) as server,
        application_at(server, tmp_path, compact_threshold=10) as application,
    ):
        run_id = await played(application, NewRun("a page"))
        requests = await check_bodies(application, run_id, [request.raw for request in server.requests])
        events = {event.seq: event for event in await application.stores.journal.read(run_id)}
        last = requests[-1]
        prompt, summary = last.sources[0]
        assert (prompt.type, summary.type, summary.part) == ("prompt_set", "compacted", "summary")
        assert events[prompt.seq].payload["text"] in last.messages[0].content
        check_sources(last, events)


def check_sources(request: PastRequest, events: dict[int, Any]) -> None:
    """Each message stands word for word in the event that it is said to come from, and none comes from a compaction."""
    for message, sources in zip(request.messages[1:], request.sources[1:], strict=True):
        (source,) = sources
        payload = events[source.seq].payload
        assert source.type == events[source.seq].type
        assert source.type != "compacted"
        told = payload.get("kept") or payload.get("text") or payload.get("output") or ""
        told = block(STAGE, told) if source.type == "stage_told" else told
        assert source.type == "context_seeded" or message.content == told
        if message.tool_call_id is not None:
            assert payload["call_id"] == message.tool_call_id


PLAN = {"steps": [{"step": "read it", "status": "pending"}, {"step": "explain it", "status": "pending"}]}
DELIVERED = Turn(json.dumps({"state": "DONE", "missing": [], "reason": "It is there."}))


async def test_requests_of_the_ide_agent_through_its_foldings(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "greet.py").write_text("".join(f"GREETING_{n} = 'Grüße {n}'\n" for n in range(1, 13)), encoding="utf-8")
    looks = [call("index_read_lines", path="greet.py", start_line=n, end_line=n) for n in range(1, 13)]
    empty: list[str] = []
    report = Turn(
        json.dumps({"summary": "Fine.", "findings": [], "missing_steps": empty, "suggested_next_actions": empty})
    )
    script = native(call("planner", **PLAN), *looks, Turn("It greets by name."), DELIVERED, report)
    script.insert(3, rate_limited("0"))  # what is sent again is the same request
    async with ModelServer(script) as server, application_at(server, tmp_path, compact_threshold=10) as application:
        new = await message_for(
            application, "What does greet do?", switches(allowed=["write", "run"], qa=True), root=root
        )
        run_id = await played(application, new)
        received = [request.raw for request in server.requests]
        assert received[3] == received[4]
        requests = await check_bodies(application, run_id, received[:3] + received[4:])
        server.assert_done()
        events = await application.stores.journal.read(run_id)
        assert [event.type for event in events].count("compacted") >= 2
        by_seq = {event.seq: event for event in events}
        for request in requests:
            check_sources(request, by_seq)
        parts = {source.part: source.type for source in requests[-1].sources[0]}
        assert parts == {
            "prompt of stage qa_review": "prompt_set",
            "pin plan": "pinned",
            "pin delivery": "pinned",
            "pin open issues": "pinned",
            "pin seal": "pinned",
            "summary": "compacted",
        }
        newest = next(r for r in requests[-1].sources if r[0].type == "user_message")
        assert by_seq[newest[0].seq].payload["text"] == "What does greet do?"


def project_in(folder: Path) -> Path:
    """An empty project beside the home."""
    (folder / "project").mkdir(exist_ok=True)
    return folder / "project"


async def test_requests_of_a_run_that_goes_on_in_its_session(tmp_path: Path) -> None:
    async with ModelServer([text("Hello."), text("Well.")]) as server, application_at(server, tmp_path) as application:
        first = await played(application, NewRun("hello", "ide", folder=project_in(tmp_path), options={"mode": "chat"}))
        session = (await application.stores.runs.get(first)).session_id
        second = await played(application, NewRun("how are you?", "ide", session_id=session, options={"mode": "chat"}))
        (request,) = await check_bodies(application, second, [server.requests[-1].raw])
        kinds = [sources[0].type for sources in request.sources[1:]]
        assert kinds == ["context_seeded", "context_seeded", "user_message"]


async def test_requests_of_a_planner_run_whose_model_breaks_off(tmp_path: Path) -> None:
    pattern = {"type": "recurring_cycle", "subtype": "habit_building", "confidence": 0.9}
    script = [calls(("pattern_selector", pattern)), text("I know enough."), calls(("node_generator", {"outline": {}}))]
    async with ModelServer(script) as server, application_at(server, tmp_path, model_retries=0, now=NOW) as application:
        run_id = await played(application, plan_run("Walk daily", now=NOW, zone="Europe/Berlin"))
        await check_bodies(application, run_id, [request.raw for request in server.requests[: len(script)]])


async def test_a_journal_of_an_earlier_version_gives_the_messages_alone(tmp_path: Path) -> None:
    chat = NewRun("hello", "ide", folder=project_in(tmp_path), options={"mode": "chat"})
    async with ModelServer([text("Hello.")]) as server, application_at(server, tmp_path) as application:
        run_id = await played(application, chat)
        events = await application.stores.journal.read(run_id)
        older = [
            event.model_copy(update={"payload": {k: v for k, v in event.payload.items() if k != "sent"}})
            for event in events
        ]
        (request,) = past_requests(run_id, older)
        assert [message.role for message in request.messages] == ["system", "user"]
        with pytest.raises(Conflict, match="not how they were sent"):
            rebuilt(application, request)
        whole = await find_request(application, run_id, seq=request.seq)
        assert not rebuilt(application, replace(whole, messages=whole.messages[:1])).identical
