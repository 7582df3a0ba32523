"""A page that is looked at while a scripted model writes it, slowly."""

import asyncio
from pathlib import Path

from tests.agents.pages.studio import CSS, fenced, page
from tests.support.commands import Installation
from tests.support.model_server import Reply, answer, truncated
from tests.support.pages_model import PagesModelServer, native
from tests.support.scripts import one_page
from tests.support.service import Service, events_of, final_of, served

PAGE = page("index", body="<p>One.</p>\n" * 40, title="Home")


def slowly(content: str, piece: int = 60) -> Reply:
    """An answer that takes about two seconds to write; smaller pieces take longer."""
    return answer({"content": content}, "stop", piece=piece, pause=0.05)


async def when_live(service: Service, session_id: str) -> str:
    """The live document of the home page, once the model has begun to write it; its scripts are forbidden."""
    url = f"/api/sessions/{session_id}/pages/index/live"
    for _ in range(200):
        async with service.client.stream("GET", url) as response:
            assert response.status_code == 200
            assert "script-src 'none'" in response.headers["content-security-policy"]
            body = "".join([piece async for piece in response.aiter_text()])
        if "not being written yet" not in body:
            return body
        await asyncio.sleep(0.05)
    raise AssertionError("nobody began to write the page")


async def session_of(service: Service) -> str:
    for _ in range(600):
        runs = (await service.get("/api/runs"))["runs"]
        if runs:
            session_id: str = runs[0]["session_id"]
            return session_id
        await asyncio.sleep(0.05)
    raise AssertionError("no run began")


async def test_a_page_is_shown_while_it_is_written(tmp_path: Path) -> None:
    async with (
        PagesModelServer(
            native(*one_page()), trouble={"pages/generate-page": [slowly(f"Sure!\n{fenced('html', PAGE)}")]}
        ) as model,
        served(Installation(tmp_path), OPENAI_BASE_URL=model.base_url) as service,
    ):
        turn = asyncio.create_task(service.stream(message="A page that says hello", stream_writing=True))
        session_id = await session_of(service)
        body = await when_live(service, session_id)
        assert body.startswith("<!doctype html>")
        assert body.count("<p>One.</p>") == 40
        assert f"\n{CSS[:20]}" in body.partition("</style>")[0]
        assert body.endswith('<meta http-equiv="refresh" content="1">')
        frames = await turn
        written = [frame for frame in frames if isinstance(frame, dict) and frame.get("type") == "tool_writing"]
        calls = {e["payload"]["call_id"]: e["payload"] for e in events_of(frames, "tool_call")}
        mine = [f["text"] for f in written if calls[f["call_id"]]["name"] == "generate_page"]
        assert len(mine) > 10
        assert "".join(mine).strip() == f"Sure!\n{fenced('html', PAGE)}"
        arguments = [frame for frame in frames if isinstance(frame, dict) and frame.get("type") == "tool_arguments"]
        assert "".join(f["text"] for f in arguments if f["name"] == "generate_page").startswith('{"slug"')
        after = await service.client.get(f"/api/sessions/{session_id}/pages/index/live")
        assert after.status_code == 307
        assert final_of(frames)["is_complete"]


async def test_who_does_not_ask_for_it_gets_no_pieces_of_pages(tmp_path: Path) -> None:
    async with (
        PagesModelServer(native(*one_page())) as model,
        served(Installation(tmp_path), OPENAI_BASE_URL=model.base_url) as service,
    ):
        frames = await service.stream(message="A page that says hello")
        assert not [f for f in frames if isinstance(f, dict) and str(f.get("type")).startswith(("tool_w", "tool_a"))]
        missing = await service.client.get("/api/sessions/nobody/pages/index/live")
        assert missing.status_code == 404
        hostile = await service.client.get(f"/api/sessions/{final_of(frames)['session_id']}/pages/..%2fx/live")
        assert hostile.status_code in (400, 404, 422)


async def test_an_answer_that_breaks_off_is_shown_anew(tmp_path: Path) -> None:
    broken = truncated(fenced("html", PAGE)[:600], abruptly=True)
    async with (
        PagesModelServer(
            native(*one_page()), trouble={"pages/generate-page": [broken, slowly(fenced("html", PAGE))]}
        ) as model,
        served(Installation(tmp_path), OPENAI_BASE_URL=model.base_url) as service,
    ):
        turn = asyncio.create_task(service.stream(message="A page that says hello", stream_writing=True))
        await session_of(service)
        frames = await turn
        calls = {e["payload"]["call_id"]: e["payload"]["name"] for e in events_of(frames, "tool_call")}
        pieces = [
            f["text"]
            for f in frames
            if isinstance(f, dict) and f.get("type") == "tool_writing" and calls[f["call_id"]] == "generate_page"
        ]
        restart = len(pieces) - 1 - pieces[::-1].index("")
        assert "".join(pieces[restart:]) == fenced("html", PAGE)


async def test_a_page_is_shown_while_another_process_writes_it(tmp_path: Path) -> None:
    """The command line carries the run on; the server beside it reads the draft from the home that they share."""
    async with PagesModelServer(
        native(*one_page()), trouble={"pages/generate-page": [slowly(f"Sure!\n{fenced('html', PAGE)}", piece=20)]}
    ) as model:
        place = Installation(tmp_path, {"OPENAI_BASE_URL": model.base_url})
        async with served(place) as service:
            process = await asyncio.to_thread(place.start, "pages", "A page that says hello", "--yes", "--json")
            session_id = await session_of(service)
            url = f"/api/sessions/{session_id}/pages/index/live"
            pieces: list[str] = []
            for _ in range(200):
                async with service.client.stream("GET", url) as response:
                    pieces = [piece async for piece in response.aiter_text()]
                if "not being written yet" not in pieces[0]:
                    break
                await asyncio.sleep(0.05)
            assert len(pieces) > 3  # it grew while it was read
            body = "".join(pieces)
            assert body.startswith("<!doctype html>")
            assert f"\n{CSS[:20]}" in body.partition("</style>")[0]
            assert body.count("<p>One.</p>") == 40
            assert body.endswith('<meta http-equiv="refresh" content="1">')
            await asyncio.to_thread(process.communicate)
            assert process.returncode == 0
            assert (await service.client.get(url)).status_code == 307
        assert list((tmp_path / "home" / "drafts").iterdir()) == []
