"""The contracts that spec 000 freezes in phase 0, as clients of the HTTP API meet them: items 3 to 5."""

from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.pages.routes.chat import ChatRequest, ChatResponse
from loopwright.kernel.gates import QuestionItem
from tests.support.application import Held, in_process, until
from tests.support.event_types import event_types
from tests.support.pages_model import call
from tests.support.scripts import QUESTIONS, VAGUE, closing, one_page
from tests.support.service import sse_data


async def test_3_the_state_machine_over_http(tmp_path: Path) -> None:
    """All the way to completed; whatever does not fit the state is a 409 and changes nothing."""
    held = Held(call("ask_user", questions=QUESTIONS))
    async with in_process(tmp_path, held, *one_page()) as (client, _):
        created = await client.post("/api/runs", json={"message": VAGUE})
        assert created.status_code == 201
        assert created.json()["status"] == "queued"
        url = f"/api/runs/{created.json()['run_id']}"

        async def status() -> str:
            return str((await client.get(url)).json()["status"])

        async def refused(method: str = "resume", **body: Any) -> None:
            before = (await client.get(url)).json()
            response = await client.post(f"{url}/{method}", json={"resume_payload": {"answers": {}}} | body)
            assert response.status_code == 409, response.text
            assert response.json()["error"]["code"] == "conflict"
            assert (await client.get(url)).json() == before

        await held.came.wait()
        assert await status() == "running"
        await refused()
        beside = {"message": "and this?", "session_id": created.json()["session_id"]}
        assert (await client.post("/api/runs", json=beside)).status_code == 409
        held.release.set()
        await until(lambda: _is(status, "waiting_input"))
        assert (await client.post("/api/runs", json=beside)).status_code == 409
        resumed = await client.post(f"{url}/resume", json={"resume": {"answers": {"0": "Warm"}}})
        assert resumed.status_code == 200
        assert resumed.json()["status"] == "running"
        await until(lambda: _is(status, "completed"))
        await refused()
        again = await client.post(f"{url}/cancel")
        assert (again.status_code, again.json()["status"]) == (200, "completed")


async def _is(status: Any, wanted: str) -> bool:
    return bool(await status() == wanted)


@pytest.mark.parametrize("moment", ["running", "waiting_input"])
async def test_3_cancelled_for_good(tmp_path: Path, moment: str) -> None:
    """202 when it is heard, 200 ever after; a cancelled run cannot be resumed."""
    held = Held(closing("never said")) if moment == "running" else call("ask_user", questions=QUESTIONS)
    async with in_process(tmp_path, held) as (client, _):
        run_id = (await client.post("/api/runs", json={"message": VAGUE})).json()["run_id"]
        url = f"/api/runs/{run_id}"

        async def status() -> str:
            return str((await client.get(url)).json()["status"])

        if isinstance(held, Held):
            await held.came.wait()
        await until(lambda: _is(status, moment))
        assert (await client.post(f"{url}/cancel")).status_code == 202
        await until(lambda: _is(status, "cancelled"))
        assert (await client.post(f"{url}/cancel")).status_code == 200
        late = await client.post(f"{url}/resume", json={"resume_payload": {"answers": {}}})
        assert late.status_code == 409
        events = (await client.get(f"{url}/events")).json()["events"]
        assert [event["type"] for event in events if event["type"].startswith("run_c")] == [
            "run_created",
            "run_cancelled",
        ]


CHAT_REQUEST = {
    "session_id", "message", "interview", "generate_now", "images", "target_pages", "style_reference",
    "style_reference_mode", "resume",
}  # fmt: skip
CHAT_RESPONSE = {
    "session_id", "message", "preview_url", "preview_html", "active_page_slug", "product_doc_updated",
    "affected_pages", "action", "tokens_used",
}  # fmt: skip


async def test_4_chat_and_its_stream_answer_alike(tmp_path: Path) -> None:
    """All fields of the field notes; the stream's last frame says the same as the plain answer."""
    assert set(ChatRequest.model_fields) >= CHAT_REQUEST
    assert set(ChatResponse.model_fields) >= CHAT_RESPONSE
    async with in_process(tmp_path / "plain", *one_page()) as (client, _):
        response = await client.post("/api/chat", json={"message": VAGUE})
        assert response.status_code == 200
        plain = response.json()
    assert set(plain) >= CHAT_RESPONSE
    assert plain["tokens_used"] > 0
    async with in_process(tmp_path / "stream", *one_page()) as (client, _):
        streamed = await client.post("/api/chat/stream", json={"message": VAGUE})
        assert streamed.headers["content-type"].startswith("text/event-stream")
        frames = sse_data(streamed.text)
    assert frames[-1] == "[DONE]"
    last = frames[-2]
    changing = {"session_id", "run_id", "preview_url", "tokens_used"}
    assert {k: v for k, v in plain.items() if v is not None and k not in changing} == {
        k: v for k, v in last.items() if k in ChatResponse.model_fields and k not in changing
    }
    pieces = [frame["delta"] for frame in frames if isinstance(frame, dict) and "delta" in frame]
    assert all(0 < len(piece) <= 32 for piece in pieces)
    assert "".join(pieces) == last["message"]
    envelopes = [frame for frame in frames if isinstance(frame, dict) and "event_id" in frame]
    wanted = {"type", "timestamp", "session_id", "seq", "source", "run_id", "event_id", "payload"}
    assert all(set(envelope) == wanted and envelope["timestamp"].endswith("Z") for envelope in envelopes)
    assert {envelope["type"] for envelope in envelopes} <= event_types()


def test_5_the_question_item() -> None:
    """Three types by name, options as strings; nothing is turned into something else (decision 2)."""
    for good in QUESTIONS:
        assert QuestionItem.model_validate(good).type == good["type"]
    bad: list[dict[str, Any]] = [
        {"question": "?", "type": "single", "options": ["a"]},
        {"question": "?", "type": "radio"},
        {"question": "?", "type": "checkbox", "options": []},
        {"question": "?", "type": "radio", "options": [{"id": "a", "label": "A"}]},
    ]
    for item in bad:
        with pytest.raises(ValueError, match=r"question|type|options"):
            QuestionItem.model_validate(item)


async def test_5_an_unknown_question_type_goes_back_to_the_model(tmp_path: Path) -> None:
    """No gate is opened for it; the model is told what is wrong and asks properly."""
    wrong = [{"question": "Which?", "type": "dropdown", "options": ["a"]}]
    script = [call("ask_user", questions=wrong), call("ask_user", questions=QUESTIONS[:1])]
    async with in_process(tmp_path, *script) as (client, dialogue):
        asked = (await client.post("/api/chat", json={"message": VAGUE})).json()
        assert [question["type"] for question in asked["questions"]] == ["radio"]
        told = dialogue.asked[1].messages[-1].content
        assert all(word in told for word in ("radio", "checkbox", "text"))


@pytest.mark.parametrize("interview", [True, False, None])
async def test_5_the_users_word_on_the_interview_reaches_the_model(tmp_path: Path, interview: bool | None) -> None:
    """Asked for, forbidden, or left to the agent: three different things."""
    async with in_process(tmp_path, closing("Hello."), closing("Hello.")) as (client, dialogue):
        body = {"message": "hello", "interview": interview}
        assert (await client.post("/api/chat", json=body)).status_code == 200
        shown = {True: "true", False: "false", None: "null"}[interview]
        assert any(f'"interview": {shown}' in message.content for message in dialogue.asked[0].messages)
