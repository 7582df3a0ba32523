"""Waiting grows with the prompt and the speed that was seen."""

import asyncio
import json
from datetime import UTC, datetime

from loopwright.kernel.messages import Message
from loopwright.kernel.ports import ModelRequest
from loopwright.models.discovery.endpoint import Speed
from loopwright.models.discovery.knowledge import Knowledge, patience_for
from loopwright.models.settings import ModelSettings
from tests.support import model_server as server
from tests.support.model_server import Connection, Request

SLOW = Speed(prompt=36.0, answer=10.0, at=datetime.now(UTC))
ALPHABET = " ".join("abcdefghijklmnopqrstuvwxyz" * 40)


def test_a_long_prompt_at_a_slow_endpoint_is_no_silence() -> None:
    settings = ModelSettings()
    waited = patience_for(settings, SLOW, prompt_tokens=6_000, answer_tokens=8_000, stream=True)
    assert waited.first_byte == 500.0
    assert waited.attempt == 2_900.0
    assert waited.deadline >= 2 * waited.attempt
    whole = patience_for(settings, SLOW, prompt_tokens=6_000, answer_tokens=8_000, stream=False)
    assert whole.first_byte == whole.attempt


def test_the_settings_are_the_least_and_hold_alone_where_no_speed_is_known() -> None:
    settings = ModelSettings()
    wanted = (settings.silence_seconds, settings.attempt_seconds, settings.deadline_seconds)
    assert patience_for(settings, None, prompt_tokens=10**6, answer_tokens=10**6, stream=True) == wanted
    assert patience_for(settings, SLOW, prompt_tokens=10, answer_tokens=10, stream=True) == wanted


async def test_the_speed_that_was_seen_decides_how_long_the_next_first_byte_may_take(talk):
    """A server that says nothing for four times the set silence is waited for, once its speed is known."""

    async def late(request: Request, connection: Connection) -> None:
        await asyncio.sleep(0.4)
        await server.text("here")(request, connection)

    kept: list[Speed] = []
    async with talk([late], silence_seconds=0.1, attempts=1) as t:
        t.client.known = Knowledge(t.server.base_url, keep=lambda _, speed: kept.append(speed))
        t.client.known.remembered = t.client.known.remembered.model_copy(
            update={"speeds": {"gpt-4.1": Speed(prompt=1_000.0, answer=1_000.0, at=datetime.now(UTC))}}
        )
        response = await t.client.complete(ModelRequest([Message.user(ALPHABET)], max_tokens=16), [].append)
    assert response.text == "here"
    assert kept, "an answer that was far slower than what was known is taken in"
    assert kept[0].prompt < 900.0


async def test_what_took_too_long_is_tried_once_more_and_twice_as_patiently(talk):
    async def late(request: Request, connection: Connection) -> None:
        await asyncio.sleep(0.3)
        await server.text("here")(request, connection)

    async with talk([late, late], silence_seconds=0.2) as t:
        response = await t.client.complete(ModelRequest([Message.user("Hi")]))
    assert response.text == "here"
    assert t.server.connections == 2, "the first connection was closed, so that the server can stop"


async def test_the_speeds_that_llama_cpp_tells_are_believed(talk):
    timings = {"prompt_n": 500, "prompt_per_second": 36.5, "predicted_n": 40, "predicted_per_second": 9.5}
    told = server.body(server.completion({"content": "ok"}, "stop", timings=timings))
    cached = server.body(server.completion({"content": "ok"}, "stop", timings=timings | {"prompt_n": 3}))
    async with talk([cached, told]) as t:
        for _ in range(2):
            await t.client.complete(ModelRequest([Message.user("Hi")]))
            speed = t.client.known.speed("gpt-4.1")
    assert speed is not None
    assert (speed.prompt, speed.answer) == (36.5, 9.5)


async def test_timings_that_are_none_are_left_out(talk):
    timings = [{"prompt_n": "x", "prompt_per_second": -1}, [], {"prompt_n": 1e400, "predicted_n": None}, 7]
    replies = [server.body(server.completion({"content": "ok"}, "stop", timings=each)) for each in timings[:2]]
    replies.append(server.body(json.dumps(json.loads(server.completion({"content": "ok"}, "stop"))).encode()))
    async with talk(replies) as t:
        for _ in replies:
            assert (await t.client.complete(ModelRequest([Message.user("Hi")]))).text == "ok"
        assert t.client.known.speed("gpt-4.1") is None
