"""The four scenarios of spec 000 §6.3 over HTTP with SSE, with the offline model."""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import Installation
from tests.support.service import Service, deltas_of, events_of, final_of, served, tools_of

DETAILED = "Netflix clone, 5 pages, dark theme, red accent"
VAGUE = "make me a coffee shop app"


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    """A server on the offline model."""
    async with served(Installation(tmp_path)) as running:
        yield running


async def test_a_detailed_brief_is_built_without_questions(service: Service) -> None:
    """Scenario A."""
    frames = await service.stream(message=DETAILED)
    tools = tools_of(frames)
    assert "ask_user" not in tools
    order = [tools.index(name) for name in ("analyze_brief", "create_design_system", "generate_page")]
    assert order == sorted(order)
    final = final_of(frames)
    assert final["phase"] == "complete"
    assert final["is_complete"] is True
    assert len(final["affected_pages"]) == 5
    assert deltas_of(frames) == final["message"]
    seqs = [event["seq"] for event in events_of(frames)]
    assert seqs == list(range(1, len(seqs) + 1))
    pages = (await service.get(f"/api/sessions/{final['session_id']}/pages"))["pages"]
    assert len(pages) == 5
    assert pages[0]["slug"] == "index"
    assert "<html" in final["preview_html"]
    preview = await service.client.get(final["preview_url"], follow_redirects=True)
    assert preview.status_code == 200
    assert "sandbox" in preview.headers["content-security-policy"]
    assert '<link rel="stylesheet"' not in preview.text
    targets = set(re.findall(r'href="(\.\./[a-z0-9-]+/preview)', preview.text))
    assert targets
    for target in targets:
        assert (await service.client.get(preview.url.join(target))).status_code == 200, target


async def test_a_vague_brief_asks_first_and_goes_on_with_the_answers(service: Service) -> None:
    """Scenario B."""
    frames = await service.stream(message=VAGUE)
    asked = final_of(frames)
    assert asked["phase"] == "waiting_input"
    assert asked["is_complete"] is False
    assert 3 <= len(asked["questions"]) <= 5
    assert {q["type"] for q in asked["questions"]} <= {"radio", "checkbox", "text"}
    assert tools_of(frames) == []
    session_id = asked["session_id"]
    answers = {
        q["question"]: q["options"][-1] if q["type"] == "radio" else q.get("default") for q in asked["questions"]
    }
    answers = {k: v for k, v in answers.items() if v is not None}
    frames = await service.stream(session_id=session_id, resume={"answers": answers})
    final = final_of(frames)
    assert final["phase"] == "complete"
    assert "generate_page" in tools_of(frames)
    assert events_of(frames, "product_doc_updated")
    doc = await service.get(f"/api/sessions/{session_id}/product-doc")
    assert doc["sections"]
    assert doc["project_card"]
    history = await service.get(f"/api/sessions/{session_id}/product-doc/history")
    assert history["patches"]


async def test_a_refinement_reads_edits_and_keeps_the_rest(service: Service) -> None:
    """Scenario C."""
    built = final_of(await service.stream(message=DETAILED))
    session_id = built["session_id"]
    before = {p["slug"]: (await page(service, session_id, p["slug"])) for p in await pages_of(service, session_id)}
    frames = await service.stream(session_id=session_id, message="@index change the title to Nightflix")
    tools = tools_of(frames)
    # It reads the pages, edits them and looks at the effect in one call (docs/decisions/0042-edits-by-effect.md).
    assert "change_app" in tools
    assert "generate_page" not in tools
    assert final_of(frames)["phase"] == "complete"
    after = {slug: (await page(service, session_id, slug)) for slug in before}
    assert after["index"] != before["index"]
    assert "Nightflix" in after["index"]
    assert {s: h for s, h in after.items() if s != "index"} == {s: h for s, h in before.items() if s != "index"}
    versions = (await service.get(f"/api/sessions/{session_id}/pages/index/versions"))["versions"]
    assert len(versions) >= 2
    body = {"version": versions[-1]["version"]}
    rolled = await service.client.post(f"/api/sessions/{session_id}/pages/index/rollback", json=body)
    assert rolled.status_code == 200
    assert await page(service, session_id, "index") == before["index"] or versions[-1]["source"] == "generate"


async def test_a_vague_feature_is_asked_about_before_it_is_built(service: Service) -> None:
    """Scenario D."""
    built = final_of(
        await service.stream(message="Coffee shop app called Bean There, 5 pages, warm colours, light theme")
    )
    if built["phase"] == "waiting_input":
        built = final_of(await service.stream(session_id=built["session_id"], resume={"answers": {}}))
    session_id = built["session_id"]
    frames = await service.stream(session_id=session_id, message="add a favorites feature")
    asked = final_of(frames)
    assert asked["phase"] == "waiting_input"
    assert asked["questions"]
    assert not {"edit_page", "generate_page"} & set(tools_of(frames))
    frames = await service.stream(session_id=session_id, resume={"answers": {}})
    assert final_of(frames)["phase"] == "complete"
    assert {"edit_page", "generate_page"} & set(tools_of(frames))


async def pages_of(service: Service, session_id: str) -> list[dict[str, Any]]:
    """The session's pages."""
    pages: list[dict[str, Any]] = (await service.get(f"/api/sessions/{session_id}/pages"))["pages"]
    return pages


async def page(service: Service, session_id: str, slug: str) -> str:
    """A page's HTML."""
    html: str = (await service.get(f"/api/sessions/{session_id}/pages/{slug}"))["html"]
    return html
