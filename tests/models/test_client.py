"""What goes out and what comes back when all is well."""

import asyncio

import pytest

from loopwright.kernel.errors import InvalidInput, ModelRejected
from loopwright.kernel.events import ModelResponse, Usage
from loopwright.kernel.messages import Message, ToolCall
from loopwright.kernel.ports import ModelRequest, RequestLabels
from tests.models.conftest import KEY, LOOKUP
from tests.support import model_server as server

TOOLS = [dict(schema) for schema in LOOKUP.schemas]


async def test_the_wire_is_openais(talk):
    messages = [
        Message.system("You help."),
        Message.user("What is this?", ["data:image/png;base64,AA=="]),
        Message.assistant("I look.", [ToolCall(id="c1", name="lookup", arguments='{"key":"a"}')]),
        Message.tool("c1", "found “it”"),
    ]
    request = ModelRequest(messages, LOOKUP, temperature=0.2, max_tokens=99, response_format={"type": "json_object"})
    async with talk([server.text("ok")]) as t:
        await t.client.complete(request)
    (sent,) = t.server.requests
    assert sent.path == "/v1/chat/completions"
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert sent.headers["content-type"] == "application/json"
    assert sent.headers["user-agent"].startswith("loopwright/")
    assert sent.body == {
        "model": "gpt-4.1",
        "messages": [message.to_dict() for message in messages],
        "tools": TOOLS,
        "max_tokens": 99,
        "temperature": 0.2,
        "response_format": {"type": "json_object"},
    }


async def test_what_is_not_set_is_not_sent(talk):
    async with talk([server.text("ok")], api_key=None) as t:
        await t.client.complete(ModelRequest([Message.user("hi")]))
    (sent,) = t.server.requests
    assert set(sent.body) == {"model", "messages", "max_tokens"}
    assert "authorization" not in sent.headers


async def test_a_stream_is_asked_for_with_its_count(talk, request_):
    pieces: list[str] = []
    async with talk([server.text("one two three four")]) as t:
        response = await t.client.complete(request_, pieces.append)
    assert t.server.requests[0].body["stream"] is True
    assert t.server.requests[0].body["stream_options"] == {"include_usage": True}
    assert len(pieces) > 2
    assert "".join(pieces) == response.text == "one two three four"
    assert response.usage == Usage(prompt_tokens=100, completion_tokens=20, cached_tokens=10)


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
async def test_an_answer_is_taken_whole(talk, request_, streamed):
    request = ModelRequest(request_.messages, LOOKUP, labels=RequestLabels(stage="loop"))
    reply = server.calls(("lookup", {"key": "ä" * 30}), ("lookup", {"key": "b"}), content="I look.")
    async with talk([reply]) as t:
        response = await t.client.complete(request, [].append if streamed else None)
    assert response.text == "I look."
    assert [(c.id, c.name) for c in response.tool_calls] == [("call_1", "lookup"), ("call_2", "lookup")]
    assert "\\u00e4" * 30 in response.tool_calls[0].arguments
    assert response.finish_reason == "tool_calls"
    assert response.model == "scripted"
    assert response.stage == "loop"
    assert response.usage.prompt_tokens == 100


async def test_reasoning_models_get_their_own_fields(talk):
    request = ModelRequest([Message.user("think")], tier="powerful", temperature=0.3, max_tokens=50)
    async with talk([server.text("ok")], models={"powerful": "o3-mini"}) as t:
        await t.client.complete(request)
    assert t.server.requests[0].body["max_completion_tokens"] == 50
    assert not {"max_tokens", "temperature"} & set(t.server.requests[0].body)


async def test_images_do_not_go_where_nobody_sees_them(talk):
    request = ModelRequest([Message.user("look", ["https://example.org/a.png"])], tier="powerful")
    async with talk([], models={"powerful": "o3-mini"}) as t:
        with pytest.raises(ModelRejected, match="o3-mini cannot see images"):
            await t.client.complete(request)


async def test_an_endpoint_that_does_not_count_gets_an_estimate(talk, request_):
    bare = b'{"model": "gpt-4.1", "choices": [{"message": {"content": "hello world"}}]}'
    async with talk([server.body(bare)]) as t:
        response = await t.client.complete(request_)
    assert response.usage.estimated
    assert response.usage.completion_tokens == 2
    assert response.usage.prompt_tokens > 10
    assert response.cost_usd is not None


async def test_a_body_of_megabytes_goes_out(talk):
    image = "data:image/png;base64," + "A" * 3_000_000
    async with talk([server.text("large")]) as t:
        await t.client.complete(ModelRequest([Message.user("look", [image])]))
    assert len(t.server.requests[0].raw) > 3_000_000


async def test_connections_are_kept(talk, request_):
    async with talk([server.text("a"), server.text("b"), server.text("c")]) as t:
        for _ in range(3):
            await t.client.complete(request_)
        assert t.server.connections == 1


async def test_no_limit_holds_up_concurrent_runs(talk, request_):
    async with talk([server.answer({"content": "x"}, "stop", pause=0.2)] * 150) as t:
        await asyncio.wait_for(asyncio.gather(*(t.client.complete(request_) for _ in range(150))), 20)
        assert t.server.connections == 150


async def test_chat_completion_takes_dictionaries(talk):
    async with talk([server.text("hello")]) as t:
        response = await t.client.chat_completion(
            [{"role": "user", "content": "hi"}, Message.assistant("yes?")], "gpt-4o", TOOLS, max_tokens=5, tier="fast"
        )
    assert response.text == "hello"
    sent = t.server.requests[0].body
    assert (sent["model"], sent["max_tokens"], sent["tools"]) == ("gpt-4o", 5, TOOLS)
    assert [m["content"] for m in sent["messages"]] == ["hi", "yes?", "Go on."], "no request ends on the assistant"


@pytest.mark.parametrize(
    "message", [{"role": "robot", "content": ""}, {"content": "no role"}, "text", {"role": "user", "content": [1]}]
)
async def test_what_is_no_message_is_the_callers_fault(talk, message):
    async with talk([]) as t:
        with pytest.raises(InvalidInput, match="chat format"):
            await t.client.chat_completion([message])


async def test_an_unknown_option_is_the_callers_fault(talk):
    async with talk([]) as t:
        with pytest.raises(InvalidInput, match="top_k"):
            await t.client.chat_completion([Message.user("hi")], top_k=3)


async def test_chat_completion_stream_ends_with_the_response(talk):
    async with talk([server.text("piece by piece")]) as t:
        *pieces, last = [item async for item in t.client.chat_completion_stream([{"role": "user", "content": "hi"}])]
    assert isinstance(last, ModelResponse)
    assert "".join(pieces) == last.text == "piece by piece"
    assert len(pieces) > 1


async def test_chat_completion_stream_tells_of_failure(talk):
    async with talk([server.status(401)]) as t:
        with pytest.raises(ModelRejected):
            await anext(t.client.chat_completion_stream([{"role": "user", "content": "hi"}]))


async def test_leaving_the_stream_ends_the_request(talk):
    async with talk([server.slow_drip("for ever and ever " * 50, 0.02)]) as t:
        stream = t.client.chat_completion_stream([{"role": "user", "content": "hi"}])
        assert await anext(stream)
        assert any("OpenAIClient.complete" in repr(task) for task in asyncio.all_tasks())
        await stream.aclose()
        assert not any("OpenAIClient.complete" in repr(task) for task in asyncio.all_tasks())


async def test_chat_with_tools_parses_the_calls(talk):
    reply = server.calls(("lookup", "{'key': 'a',}"), ("lookup", '{"key": "cut o'), content="I look.")
    async with talk([reply]) as t:
        text, calls = await t.client.chat_with_tools(
            [{"role": "user", "content": "hi"}], TOOLS, "gpt-4.1", max_tokens=9
        )
    assert text == "I look."
    assert calls[0] == {"id": "call_1", "name": "lookup", "arguments": {"key": "a"}}
    assert calls[1]["arguments"] == {}
    assert "stop in the middle" in calls[1]["error"]
    assert t.server.requests[0].body["max_tokens"] == 9


async def test_run_with_fallback_needs_no_second_model_when_the_first_answers(talk):
    async def call(model: str) -> str:
        return model

    async with talk([], secondary={"standard": "b"}) as t:
        assert await t.client.run_with_fallback(call) == "gpt-4.1"
        assert await t.client.run_with_fallback(call, "fast") == "gpt-4.1-mini"


async def test_no_answer_is_asked_for_that_is_longer_than_the_users_cap(talk):
    """The cap holds for longer wishes only, and the estimate counts with it where an answer cannot be continued."""
    async with talk([server.text("ok"), server.text("ok")], answer_tokens=1_000) as t:
        for wanted in (4_096, 500):
            await t.client.complete(ModelRequest([Message.user("Hi")], max_tokens=wanted))
        dear, cheap = (
            t.client.estimate_cost(ModelRequest([Message.user("Hi")], LOOKUP, max_tokens=n)) for n in (8_000, 1_000)
        )
    assert [sent.body["max_tokens"] for sent in t.server.requests] == [1_000, 500]
    assert dear == cheap
