"""Several processes on one home: who cancels, who answers, who takes over; and all of it on PostgreSQL too."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from loopwright.kernel.events import Event
from loopwright.kernel.testing.conformance import check_journal
from tests.support.commands import Finished, Installation
from tests.support.model_server import hang
from tests.support.pages_model import PagesModelServer, call, native
from tests.support.scripts import DETAILED, QUESTIONS, VAGUE, building, closing, one_page, slugs_of
from tests.support.service import Service, final_of, served, sse_data, tools_of

ASK = call("ask_user", questions=QUESTIONS)


def installation(folder: Path, model: PagesModelServer, **settings: str) -> Installation:
    """Server and commands that share a home, a model and a quick heartbeat."""
    return Installation(folder, {"OPENAI_BASE_URL": model.base_url, "LOOPWRIGHT_HEARTBEAT": "0.3", **settings})


async def command(place: Installation, *arguments: str) -> Finished:
    """A command beside the server."""
    return await asyncio.to_thread(place.run, *arguments)


async def begin(service: Service, model: PagesModelServer, at: int) -> dict[str, Any]:
    """A run that has come to the dialogue's request number `at`."""
    run: dict[str, Any] = (await service.client.post("/api/runs", json={"message": VAGUE})).json()
    async with asyncio.timeout(60):
        while len(model.dialogue) < at:  # noqa: ASYNC110 - the other process tells nobody
            await asyncio.sleep(0.02)
    return run


def checked(events: list[dict[str, Any]]) -> list[str]:
    """The types of a journal that keeps its promises."""
    check_journal([Event.model_validate(event) for event in events])
    return [event["type"] for event in events]


async def test_a_command_cancels_the_servers_run(tmp_path: Path) -> None:
    """The server waits for its model, and hears of the cancellation at its next heartbeat."""
    async with PagesModelServer([hang()]) as model:
        place = installation(tmp_path, model)
        async with served(place) as service:
            run = await begin(service, model, 1)
            cancelled = await command(place, "runs", "cancel", run["run_id"])
            assert "It stops in a moment" in cancelled.out
            assert (await service.until_over(run["run_id"]))["status"] == "cancelled"
            assert checked(place.events(run["run_id"]))[-1] == "run_cancelled"


async def test_a_command_answers_the_servers_run(tmp_path: Path) -> None:
    """The command carries the run on; the server's stream shows it to the end, and a second answer is refused there."""
    async with PagesModelServer(native(ASK, *one_page())) as model:
        place = installation(tmp_path, model)
        async with served(place) as service:
            asked = final_of(await service.stream(message=VAGUE))
            url = f"/api/runs/{asked['run_id']}"
            stream = asyncio.create_task(service.client.get(f"{url}/events", headers={"Accept": "text/event-stream"}))
            done = await command(place, "runs", "answer", asked["run_id"], "--yes", "--json")
            assert (done.code, done.last["type"]) == (0, "complete")
            seen = sse_data((await stream).text)
            assert [event["type"] for event in seen] == checked(place.events(asked["run_id"]))
            late = await service.client.post(f"{url}/resume", json={"resume_payload": {"answers": {}}})
            assert late.status_code == 409
        model.assert_done()


async def test_a_client_that_was_cut_off_misses_nothing(tmp_path: Path) -> None:
    """It leaves in the middle of a live stream, and comes back with the last id it saw: each event once."""
    async with PagesModelServer(native(ASK, *one_page())) as model, served(installation(tmp_path, model)) as service:
        run = await begin(service, model, 1)
        url, seen = f"/api/runs/{run['run_id']}/events", []
        async with service.client.stream("GET", url, headers={"Accept": "text/event-stream"}) as response:
            async for line in response.aiter_lines():
                seen += sse_data(line)
                if len(seen) == 4:
                    break
        await service.until_over(run["run_id"])
        key = {"resume_payload": {"answers": {}}}
        back = {"Accept": "text/event-stream", "Last-Event-ID": str(seen[-1]["seq"])}
        stream = asyncio.create_task(service.client.get(url, headers=back))
        assert (await service.client.post(f"/api/runs/{run['run_id']}/resume", json=key)).status_code == 200
        seen += sse_data((await stream).text)
        assert seen == (await service.get(f"{url}?limit=1000"))["events"]
        assert seen[-1]["type"] == "run_completed"


async def test_a_run_does_not_end_with_its_server(tmp_path: Path) -> None:
    """Kill -9 in the middle; the next server finishes the run by itself; no page is made twice."""
    first, page, last = one_page()
    async with PagesModelServer([*native(first, page), hang(), *native(last)]) as model:
        place = installation(tmp_path, model)
        async with served(place) as service:
            run = await begin(service, model, 3)
            await service.kill()
        async with served(place) as service:
            assert (await service.until_over(run["run_id"]))["status"] == "completed"
        model.assert_done()
        types = checked(place.events(run["run_id"]))
        assert types.count("run_resumed") == 1
        assert types.count("page_version_created") == 1


async def test_a_server_takes_over_from_a_killed_command(tmp_path: Path) -> None:
    """Whoever is alive carries on what a dead process left: here a server that was there all the time."""
    first, page, last = one_page()
    async with PagesModelServer([*native(first, page), hang(), *native(last)]) as model:
        place = installation(tmp_path, model)
        async with served(place) as service:
            process = await asyncio.to_thread(place.start, "pages", VAGUE, "--json")
            async with asyncio.timeout(60):
                while len(model.dialogue) < 3:  # noqa: ASYNC110 - the other process tells nobody
                    await asyncio.sleep(0.02)
            assert [run["status"] for run in (await service.get("/api/runs"))["runs"]] == ["running"]
            process.kill()
            await asyncio.to_thread(process.communicate)
            [run] = (await service.get("/api/runs"))["runs"]
            assert (await service.until_over(run["run_id"]))["status"] == "completed"
        model.assert_done()
        assert checked(place.events(run["run_id"])).count("page_version_created") == 1


async def test_a_resume_leaves_a_living_owner_alone(tmp_path: Path) -> None:
    """`runs resume` of a run that a server carries on waits for that owner's end; here it ends by being cancelled."""
    async with PagesModelServer([hang()]) as model:
        place = installation(tmp_path, model)
        async with served(place) as service:
            run = await begin(service, model, 1)
            resuming = asyncio.create_task(command(place, "runs", "resume", run["run_id"]))
            await asyncio.sleep(1.5)
            assert not resuming.done()
            assert (await service.client.post(f"/api/runs/{run['run_id']}/cancel")).status_code == 202
            refused = await resuming
            assert refused.code == 2
            assert "is cancelled" in refused.err
        assert checked(place.events(run["run_id"])).count("run_resumed") == 0


@pytest.mark.postgres
async def test_everything_on_postgresql(tmp_path: Path, schema: str) -> None:
    """Scenario B and a refinement by command, with the state in PostgreSQL and none in the home."""
    async with PagesModelServer(native(ASK, *building(DETAILED))) as model:
        place = installation(tmp_path, model, DATABASE_URL=schema)
        async with served(place) as service:
            asked = final_of(await service.stream(message=DETAILED))
            assert asked["phase"] == "waiting_input"
            answers = {"answers": {"0": "Cool"}}
            frames = await service.stream(session_id=asked["session_id"], resume=answers)
            assert tools_of(frames).count("generate_page") == 5
            final = final_of(frames)
            assert final["phase"] == "complete"
            assert sorted(final["affected_pages"]) == sorted(slugs_of(DETAILED))
            model.play(native(call("edit_page", slug="index", edit_instructions="Hello"), closing("Done.")))
            done = await command(place, "pages", "new title", "--session", asked["session_id"], "--json")
            assert (done.code, done.last["affected_pages"]) == (0, ["index"])
            page = await service.get(f"/api/sessions/{asked['session_id']}/pages/index")
            assert "<h1>Hello</h1>" in page["html"]
            assert checked(place.events(done.last["run_id"]))[-1] == "run_completed"
        model.assert_done()
    assert not list((tmp_path / "home").glob("*.db"))
