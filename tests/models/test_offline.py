"""The offline model: playbooks behind the wire."""

import json

import pytest

from loopwright.kernel.errors import ModelRejected
from loopwright.kernel.messages import Message
from loopwright.kernel.offline import OfflineReply, OfflineRequest
from loopwright.kernel.ports import ModelRequest
from loopwright.models.offline import create_offline_app, create_offline_client
from loopwright.models.transport import AsgiTransport
from tests.models.conftest import LOOKUP

SYSTEM = Message.system("[task: toy/loop]\nYou help.")


class ToyPlaybook:
    """Looks up what the user says, then tells the result."""

    name = "toy"

    def __init__(self):
        self.seen: list[OfflineRequest] = []

    def answer(self, request):
        self.seen.append(request)
        last = request.messages[-1]
        if last.content == "break":
            raise KeyError("rules")
        if last.role == "tool":
            return OfflineReply(f"It says: {last.content}. " * 10)
        return OfflineReply("I look.", [("lookup", {"key": last.content}), ("lookup", {"key": "ü"})])


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
async def test_a_playbook_plays_through_the_client(streamed):
    toy, pieces = ToyPlaybook(), []
    on_delta = pieces.append if streamed else None
    async with create_offline_client([toy]) as client:
        first = await client.complete(ModelRequest([SYSTEM, Message.user("grüße")], LOOKUP), on_delta)
        told = [SYSTEM, Message.user("grüße"), Message.assistant(first.text, first.tool_calls)]
        told += [Message.tool(call.id, "found") for call in first.tool_calls]
        second = await client.complete(ModelRequest(told, tier="fast"), on_delta)
    assert first.text == "I look."
    assert [json.loads(call.arguments) for call in first.tool_calls] == [{"key": "grüße"}, {"key": "ü"}]
    assert first.tool_calls[0].id != first.tool_calls[1].id
    assert first.finish_reason == "tool_calls"
    assert second.text == "It says: found. " * 10
    assert (first.model, second.model) == ("offline-standard", "offline-fast")
    assert first.cost_usd == second.cost_usd == 0.0
    assert second.usage.prompt_tokens > 0
    assert not second.usage.estimated
    assert toy.seen[0].task == "toy/loop"
    assert toy.seen[0].prompt == "loop"
    assert toy.seen[0].tools == ("lookup",)
    system, *rest = toy.seen[1].messages
    assert (system.content, rest) == ("You help.", told[1:]), "the task goes beside the messages, not in them"
    if streamed:
        assert "".join(pieces) == first.text + second.text
        assert len(pieces) > 3


async def test_without_a_playbook_it_says_what_it_is():
    async with create_offline_client([ToyPlaybook()]) as client:
        for messages in ([Message.user("hi")], [Message.system("[task: other/loop]\n"), Message.user("hi")]):
            response = await client.complete(ModelRequest(messages))
            assert "offline model of Loopwright" in response.text
            assert "not a language model" in response.text
            assert "(toy)" in response.text


async def test_a_broken_playbook_is_told_once(caplog):
    async with create_offline_client([ToyPlaybook()]) as client:
        with pytest.raises(ModelRejected, match=r"playbook failed at toy/loop.*rules"):
            await client.complete(ModelRequest([SYSTEM, Message.user("break")]))
    assert "Traceback" in caplog.text


async def posted(body: bytes, path: str = "/v1/chat/completions"):
    app = create_offline_app([ToyPlaybook()])
    reply = await AsgiTransport(app).post(f"http://offline.invalid{path}", body, {})
    answer = b""
    while chunk := await reply.next_chunk():
        answer += chunk
    await reply.close()
    return reply.status, reply.headers, answer


@pytest.mark.parametrize(
    "body",
    [
        b"{broken",
        b"[]",
        b'{"model": "m"}',
        b'{"model": "m", "messages": []}',
        b'{"model": "m", "messages": [1]}',
        b'{"model": "m", "messages": [{"role": "robot", "content": "x"}]}',
        b'{"messages": [{"role": "user", "content": "x"}]}',
        b'{"model": "m", "messages": [{"role": "user", "content": "x"}], "tools": [{"name": "f"}]}',
        b'{"model": "m", "messages": [{"role": "user", "content": "x"}], "tools": 5}',
    ],
)
async def test_bad_requests_are_answered_as_openai_does(body):
    status, _, answer = await posted(body)
    assert status == 400
    error = json.loads(answer)["error"]
    assert error["type"] == "invalid_request_error"
    assert error["message"]


async def test_any_model_name_will_do_and_the_answer_tells_who_spoke():
    body = {"model": "gpt-4.1", "messages": [SYSTEM.to_dict(), {"role": "user", "content": "a"}]}
    status, headers, answer = await posted(json.dumps(body).encode())
    data = json.loads(answer)
    assert (status, headers["content-type"]) == (200, "application/json")
    assert (data["object"], data["model"]) == ("chat.completion", "offline-standard")
    assert data["system_fingerprint"] == "loopwright-offline"
    assert data["usage"]["total_tokens"] == data["usage"]["prompt_tokens"] + data["usage"]["completion_tokens"]


async def test_the_stream_is_openais():
    body = {"model": "offline-fast", "stream": True, "messages": [SYSTEM.to_dict(), {"role": "user", "content": "a"}]}
    body["stream_options"] = {"include_usage": True}
    status, headers, answer = await posted(json.dumps(body).encode())
    *events, done, rest = answer.split(b"\n\n")
    chunks = [json.loads(event.removeprefix(b"data: ")) for event in events]
    assert (status, done, rest) == (200, b"data: [DONE]", b"")
    assert headers["content-type"].startswith("text/event-stream")
    assert {(chunk["object"], chunk["system_fingerprint"]) for chunk in chunks} == {
        ("chat.completion.chunk", "loopwright-offline")
    }
    assert chunks[-1]["choices"] == []
    assert chunks[-1]["usage"]["prompt_tokens"] > 0
    assert [c["choices"][0]["finish_reason"] for c in chunks[:-1]][-1] == "tool_calls"


async def test_unknown_places():
    assert (await posted(b"", "/v1/nowhere"))[0] == 404


async def test_the_models_are_listed_and_a_server_can_start_it():
    app = create_offline_app([])
    sent: list[dict] = []

    async def send(message):
        sent.append(message)

    async def receive():
        return {"type": "lifespan.startup"} if not sent else {"type": "lifespan.shutdown"}

    await app({"type": "lifespan"}, receive, send)
    assert [m["type"] for m in sent] == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
    await app({"type": "http", "method": "GET", "path": "/v1/models"}, receive, send)
    assert [m["id"] for m in json.loads(sent[-1]["body"])["data"]] == ["offline-standard"]
