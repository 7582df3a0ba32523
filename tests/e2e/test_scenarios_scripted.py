"""The four scenarios of spec 000 §6.3 over HTTP with SSE, with a scripted OpenAI-compatible server on a port."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.pages.spec import FIRST_TOOLS
from loopwright.kernel.policy import MORE_TOOLS
from tests.support.commands import Installation
from tests.support.pages_model import PagesModelServer, Turn, call, native, schema
from tests.support.scripts import DETAILED, QUESTIONS, VAGUE, building, closing, slugs_of
from tests.support.service import Service, deltas_of, events_of, final_of, served, tools_of


@asynccontextmanager
async def scripted(folder: Path, *turns: Turn, **settings: str) -> AsyncIterator[tuple[Service, PagesModelServer]]:
    """A service whose model plays these turns, all of them."""
    script = schema(*turns) if settings.get("MODEL_TOOLS") == "schema" else native(*turns)
    async with (
        PagesModelServer(script) as model,
        served(Installation(folder), OPENAI_BASE_URL=model.base_url, **settings) as service,
    ):
        yield service, model
        model.assert_done()


@pytest.mark.parametrize("tools", ["native", "schema"])
async def test_a_detailed_brief_is_built_without_questions(tmp_path: Path, tools: str) -> None:
    """Scenario A: the interview is skipped; the stream tells the work in order; the pages stand and can be seen."""
    slugs = slugs_of(DETAILED)
    assert len(slugs) == 5
    async with scripted(tmp_path, *building(DETAILED), MODEL_TOOLS=tools) as (service, model):
        frames = await service.stream(message=DETAILED)
        assert tools_of(frames) == ["analyze_brief", "create_design_system", *["generate_page"] * 5]
        final = final_of(frames)
        assert (final["phase"], final["is_complete"], final["progress"]) == ("complete", True, 100)
        assert sorted(final["affected_pages"]) == sorted(slugs)
        assert final["message"] == deltas_of(frames)
        assert final["message"].endswith("Your app is ready.")
        assert final["product_doc_updated"] is True
        seqs = [frame["seq"] for frame in events_of(frames)]
        assert seqs == list(range(1, len(seqs) + 1))
        pages = (await service.get(f"/api/sessions/{final['session_id']}/pages"))["pages"]
        assert sorted(page["slug"] for page in pages) == sorted(slugs)
        preview = await service.client.get(final["preview_url"], follow_redirects=True)
        assert preview.status_code == 200
        assert '<link rel="stylesheet"' not in preview.text
        assert "--brand: #2563eb" in preview.text
        folder = tmp_path / "out" / final["session_id"]
        assert sorted(path.stem for path in folder.glob("pages/*.html")) == sorted(slugs)
        body = model.dialogue[0].body
        assert body["stream"] is True
        if tools == "native":
            assert {tool["function"]["name"] for tool in body["tools"]} == FIRST_TOOLS | {MORE_TOOLS}
        else:
            assert "tools" not in body
            assert body["response_format"]["type"] == "json_schema"


async def test_a_vague_brief_asks_first_and_goes_on_with_the_answers(tmp_path: Path) -> None:
    """Scenario B: questions of all three kinds reach the client, the answers reach the model as the call's result."""
    turns = [call("ask_user", questions=QUESTIONS), *building(VAGUE)]
    async with scripted(tmp_path, *turns) as (service, model):
        frames = await service.stream(message=VAGUE)
        asked = final_of(frames)
        assert (asked["phase"], asked["is_complete"], asked["action"]) == ("waiting_input", False, "ask_user")
        assert [q["type"] for q in asked["questions"]] == ["radio", "checkbox", "text"]
        assert asked["questions"][0]["options"] == ["Warm", "Cool"]
        run = await service.get(f"/api/runs/{asked['run_id']}")
        assert run["status"] == "waiting_input"
        assert run["gate"]["questions"] == asked["questions"]  # who reloads the page is shown them again
        answers = {"0": "Cool", "Which pages?": ["Menu", "Cart"], "2": "Students"}
        frames = await service.stream(session_id=asked["session_id"], resume={"answers": answers})
        final = final_of(frames)
        assert final["phase"] == "complete"
        assert final["run_id"] == asked["run_id"]
        told = model.dialogue[1].body["messages"][-1]
        assert told["role"] == "tool"
        assert all(word in told["content"] for word in ("Cool", "Cart", "Students"))
        assert tools_of(frames) == ["ask_user", "analyze_brief", "create_design_system", *["generate_page"] * 5]
        doc = await service.get(f"/api/sessions/{asked['session_id']}/product-doc")
        assert doc["sections"]["overview"]["content"] == VAGUE
        assert doc["project_card"]


async def test_refining_and_asking_again(tmp_path: Path) -> None:
    """Scenarios C and D on one app: read, edit, keep the rest; a vague wish is asked about before any edit."""
    async with scripted(tmp_path, *building(DETAILED)) as (service, model):
        session_id = final_of(await service.stream(message=DETAILED))["session_id"]
        before = await htmls(service, session_id)

        edit = call("edit_page", slug="index", edit_instructions="Nightflix")
        model.play(native(call("read_page", slug="index"), edit, closing("The heading is new.")))
        frames = await service.stream(session_id=session_id, message="@index change the title to Nightflix")
        assert tools_of(frames) == ["read_page", "edit_page"]
        assert final_of(frames)["affected_pages"] == ["index"]
        after = await htmls(service, session_id)
        heading = before["index"].split("<h1>")[1].split("</h1>")[0]
        assert after["index"] == before["index"].replace(f"<h1>{heading}</h1>", "<h1>Nightflix</h1>")
        assert {s: h for s, h in after.items() if s != "index"} == {s: h for s, h in before.items() if s != "index"}
        system = "\n".join(str(message["content"]) for message in model.dialogue[0].body["messages"])
        assert model.dialogue[0].headers["x-loopwright-task"] == "pages/multi-page"
        assert '"target_pages": ["index"]' in system

        ask = call("ask_user", questions=QUESTIONS[:1])
        other = next(slug for slug in before if slug != "index")  # the home page's title is promised by now
        model.play(native(ask, call("edit_page", slug=other, edit_instructions="Favourites"), closing("Added.")))
        frames = await service.stream(session_id=session_id, message="add a favorites feature")
        asked = final_of(frames)
        assert asked["phase"] == "waiting_input"
        assert tools_of(frames) == []
        assert await htmls(service, session_id) == after
        frames = await service.stream(
            session_id=session_id, resume={"run_id": asked["run_id"], "answers": {"0": "Warm"}}
        )
        assert tools_of(frames) == ["ask_user", "edit_page"]
        assert final_of(frames)["phase"] == "complete"
        assert "<h1>Favourites</h1>" in (await htmls(service, session_id))[other]


async def test_a_run_may_be_cancelled_at_its_question(tmp_path: Path) -> None:
    """Spec 000, 1b.2: cancellable while waiting."""
    async with scripted(tmp_path, call("ask_user", questions=QUESTIONS)) as (service, _):
        asked = final_of(await service.stream(message=VAGUE))
        cancelled = await service.client.post(f"/api/runs/{asked['run_id']}/cancel")
        assert cancelled.status_code == 202
        assert cancelled.json()["status"] == "cancelled"
        late = await service.client.post("/api/chat", json={"session_id": asked["session_id"], "resume": {"0": "Warm"}})
        assert late.status_code == 409


async def htmls(service: Service, session_id: str) -> dict[str, str]:
    """Every page's HTML."""
    pages: list[dict[str, Any]] = (await service.get(f"/api/sessions/{session_id}/pages"))["pages"]
    base = f"/api/sessions/{session_id}/pages"
    return {page["slug"]: (await service.get(f"{base}/{page['slug']}"))["html"] for page in pages}
