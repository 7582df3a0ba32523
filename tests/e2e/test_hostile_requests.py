"""Every route of the OpenAPI document with hostile values in every place: never a 5xx, and a message with every 4xx."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.support.application import in_process
from tests.support.hostile import Call, calls, variations
from tests.support.scripts import VAGUE, one_page

PATIENCE_SECONDS = 20


async def answer(client: httpx.AsyncClient, call: Call) -> str | None:
    """What is wrong with the answer to the call, or None."""
    headers = {"Accept": "application/json", **call.headers}
    if call.content is not None:
        headers["Content-Type"] = "application/json"
    try:
        response = await asyncio.wait_for(
            client.request(call.method, f"{call.path}?{call.query}", headers=headers, content=call.content),
            PATIENCE_SECONDS,
        )
    except TimeoutError:
        return "no answer"
    if response.status_code >= 500:
        return f"{response.status_code} {response.text[:200]}"
    if response.status_code >= 400 and not response.json()["error"]["message"]:
        return "no message"
    return None


def options_of_all_agents(agents: list[str]) -> Iterator[Call]:
    """Each agent has options of its own, of which the document knows nothing."""
    for agent in agents:
        for what, content in variations({"message": VAGUE, "agent": agent, "options": {}}):
            yield Call("POST", "/api/runs", f"{agent} {what}", content=content)


@pytest.mark.timeout(600)
async def test_no_value_in_any_place_breaks_the_server(tmp_path: Path) -> None:
    await ask_everything(tmp_path)


@pytest.mark.postgres
@pytest.mark.timeout(600)
async def test_nor_with_postgresql(tmp_path: Path, schema: str) -> None:
    """Which refuses texts that SQLite takes."""
    await ask_everything(tmp_path, database_url=schema)


async def ask_everything(folder: Path, **settings: str) -> None:
    """Send every hostile request to a server with a session, a run and a page; fail with what broke."""
    async with in_process(folder, *one_page(), **settings) as (client, dialogue):
        chat = (await client.post("/api/chat", json={"message": VAGUE})).json()
        document = (await client.get("/openapi.json")).json()
        session = (await client.get(f"/api/sessions/{chat['session_id']}/pages")).json()
        slug = session["pages"][0]["slug"]
        known = {"run_id": [chat["run_id"]], "session_id": [chat["session_id"]], "slug": [slug], "version": ["1"]}
        problems, asked = [], Counter[str]()
        for call in [*calls(document, known), *options_of_all_agents((await client.get("/healthz")).json()["agents"])]:
            asked[f"{call.method} {call.path}"] += 1
            said = await answer(client, call)
            if said:
                problems.append(f"{call.method} {call.path[:100]} {call.what}: {said}")
        # Runs that these calls have begun may ask until the server is closed: none of it is a line left over.
        dialogue.script = dialogue.asked  # type: ignore[assignment]
    assert not problems, f"{len(problems)} of {asked.total()}\n" + "\n".join(problems[:60])
    assert asked.total() > 3_000
