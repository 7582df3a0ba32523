"""Every way in which an endpoint can misbehave, on a real socket: the client recovers, or says why it cannot."""

import asyncio
import time

import pytest

from loopwright.kernel.errors import ModelRejected, ModelUnavailable
from loopwright.kernel.ports import ModelRequest
from loopwright.models.answer import repair_arguments
from loopwright.models.stream import RESTARTED
from tests.models.conftest import KEY
from tests.support import model_server as server

RECOVERABLE = {
    "429": server.rate_limited(),
    "408": server.status(408),
    "409": server.status(409),
    "500": server.status(500),
    "502 with HTML": server.body(b"<html>Bad gateway</html>"),
    "529 overloaded": server.status(529, "Overloaded"),
    "hang": server.hang(),
    "connection reset": server.reset(),
    "truncated": server.truncated("half of this is lost"),
    "truncated abruptly": server.truncated("half of this is lost", abruptly=True),
    "empty choices": server.empty_choices(),
    "broken JSON body": server.broken_json(),
    "no object": server.body(b"[1, 2]"),
    "error with status 200": server.body(b'{"error": {"message": "upstream failed"}}'),
    "no message": server.body(b'{"choices": [{"index": 0}]}'),
}


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("reply", RECOVERABLE.values(), ids=RECOVERABLE.keys())
async def test_what_passes_is_tried_again(talk, request_, reply, streamed):
    pieces: list[str] = []
    # Only what hangs needs a short silence: on a busy machine the second answer may take a while to come.
    silence = 0.5 if reply is RECOVERABLE["hang"] else 30
    async with talk([reply, server.text("here you are")], silence_seconds=silence) as t:
        response = await t.client.complete(request_, pieces.append if streamed else None)
    assert response.text == "here you are"
    assert len(t.clock.waits) == 1
    if streamed:
        shown = pieces[pieces.index(RESTARTED) + 1 :] if RESTARTED in pieces else pieces
        assert "".join(shown) == "here you are"


@pytest.mark.parametrize("reply", RECOVERABLE.values(), ids=RECOVERABLE.keys())
async def test_what_does_not_pass_ends_with_the_reason(talk, request_, reply):
    # What is at work on a prompt is asked once more at most: each time it would read the whole of it again.
    hangs = reply is RECOVERABLE["hang"]
    tries = 2 if hangs else 3
    # On a busy machine the server may need a while to read a request; silence counts from its sending.
    async with talk([reply] * tries, attempts=3, silence_seconds=1 if hangs else 30) as t:
        with pytest.raises(ModelUnavailable, match=rf"gpt-4\.1 could not be had \({tries} attempts") as caught:
            await t.client.complete(request_)
    assert caught.value.hint
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    ("code", "hint"),
    [(400, ""), (401, "OPENAI_API_KEY"), (403, "OPENAI_API_KEY"), (404, "OPENAI_BASE_URL"), (422, "")],
)
async def test_a_refusal_ends_at_once(talk, request_, code, hint):
    async with talk([server.status(code, f"no, {KEY} will not do")], secondary={"standard": "other"}) as t:
        with pytest.raises(
            ModelRejected, match=rf"answered {code} to a request for gpt-4\.1: no, \*\*\* will not do"
        ) as caught:
            await t.client.complete(request_)
    assert hint in caught.value.hint
    assert t.clock.waits == []


async def test_an_account_without_credit_is_not_asked_again(talk, request_):
    async with talk([server.status(429, "You exceeded your quota", code="insufficient_quota")]) as t:
        with pytest.raises(ModelRejected) as caught:
            await t.client.complete(request_)
    assert "credit" in caught.value.hint


async def test_a_redirect_is_told_and_not_followed(talk, request_):
    there = {"Location": "https://elsewhere.example/v1"}
    async with talk([server.status(307, "", there)]) as t:
        with pytest.raises(ModelRejected) as caught:
            await t.client.complete(request_)
    assert "https://elsewhere.example/v1" in caught.value.hint


async def test_retry_after_is_obeyed(talk, request_):
    async with talk([server.rate_limited("7"), server.rate_limited("0"), server.text("ok")]) as t:
        await t.client.complete(request_)
    assert t.clock.waits == [7.0, 1.0]  # never less than our own backoff


async def test_more_patience_than_we_have_is_not_tried(talk, request_):
    async with talk([server.rate_limited("3600")]) as t:
        with pytest.raises(ModelUnavailable) as caught:
            await t.client.complete(request_)
    assert "3600 s" in caught.value.hint


async def test_a_loading_model_is_waited_for_beyond_the_attempts(talk, request_):
    loading = server.status(503, "Loading model")
    async with talk([*[loading] * 12, server.text("awake")], attempts=2, backoff_cap_seconds=5) as t:
        assert (await t.client.complete(request_)).text == "awake"


async def test_a_model_that_loads_for_ever_is_given_up(talk, request_):
    loading = server.status(503, "Loading model")
    async with talk([loading] * 4, loading_seconds=15, backoff_seconds=5, backoff_cap_seconds=5) as t:
        with pytest.raises(ModelUnavailable, match="Loading model"):
            await t.client.complete(request_)


async def test_the_deadline_holds_over_all_attempts(talk, request_):
    async with talk(
        [server.status(500)] * 3, attempts=99, backoff_seconds=4, backoff_cap_seconds=4, deadline_seconds=10
    ) as t:
        with pytest.raises(ModelUnavailable):
            await t.client.complete(request_)
    assert sum(t.clock.waits) <= 10


async def test_an_endpoint_that_is_not_there(request_):
    from loopwright.models.client import OpenAIClient
    from loopwright.models.settings import ModelSettings
    from tests.models.conftest import PatientClock

    settings = ModelSettings(base_url="http://127.0.0.1:9/v1", attempts=3)
    async with OpenAIClient(settings, clock=PatientClock().clock()) as client:
        with pytest.raises(ModelUnavailable, match=r"The connection to 127\.0\.0\.1:9 failed"):
            await client.complete(request_)


async def test_the_secondary_model_takes_over(talk, request_):
    script = [server.status(500), server.status(500), server.text("from the second")]
    async with talk(script, attempts=2, secondary={"standard": "gpt-4o"}) as t:
        response = await t.client.complete(request_)
    assert response.text == "from the second"
    assert [r.body["model"] for r in t.server.requests] == ["gpt-4.1", "gpt-4.1", "gpt-4o"]


async def test_both_failures_are_told(talk, request_):
    async with talk(
        [server.status(500, "first"), server.status(500, "second")], attempts=1, secondary={"standard": "b"}
    ) as t:
        with pytest.raises(ModelUnavailable, match=r"b could not be had.*second.*Before that: gpt-4\.1.*first"):
            await t.client.complete(request_)


async def test_a_model_named_outright_has_no_secondary(talk, request_):
    request = ModelRequest(request_.messages, model="mine")
    async with talk([server.status(500)], attempts=1, secondary={"standard": "gpt-4o"}) as t:
        with pytest.raises(ModelUnavailable, match="mine"):
            await t.client.complete(request)


async def test_shown_pieces_are_declared_void_when_the_stream_breaks(talk, request_):
    pieces: list[str] = []
    script = [server.truncated("this was all wrong"), server.text("this is right")]
    async with talk(script) as t:
        response = await t.client.complete(request_, pieces.append)
    restart = pieces.index(RESTARTED)
    assert pieces[:restart] != []
    assert "this was all wrong".startswith("".join(pieces[:restart]))
    assert "".join(pieces[restart + 1 :]) == response.text == "this is right"


async def test_the_secondary_model_also_starts_with_a_clean_sheet(talk, request_):
    pieces: list[str] = []
    script = [server.truncated("this was all wrong"), server.text("this is right")]
    async with talk(script, attempts=1, secondary={"standard": "b"}) as t:
        await t.client.complete(request_, pieces.append)
    assert "".join(pieces[pieces.index(RESTARTED) :]) == "this is right"


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
async def test_200_kilobytes_of_text_arrive(talk, request_, streamed):
    async with talk([server.text("abcdefgh" * 25_600, piece=1_000)]) as t:
        response = await t.client.complete(request_, [].append if streamed else None)
    assert response.text == "abcdefgh" * 25_600


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
async def test_an_endless_answer_is_cut_off(talk, request_, streamed):
    async with talk([server.text("a" * 300_000, piece=5_000)], answer_bytes=100_000) as t:
        with pytest.raises(ModelRejected, match=r"larger than 0\.095"):
            await t.client.complete(request_, [].append if streamed else None)


async def test_a_slow_drip_is_no_silence(talk, request_):
    async with talk([server.slow_drip("drop by drop by drop", 0.05)], silence_seconds=0.15) as t:
        assert (await t.client.complete(request_, [].append)).text == "drop by drop by drop"


async def test_but_a_drip_has_no_more_time_than_an_attempt(talk, request_):
    async with talk([server.slow_drip("drop by drop " * 9, 0.05)], attempts=1, attempt_seconds=0.2) as t:
        with pytest.raises(ModelUnavailable, match=r"no whole answer within 0\.2 s"):
            await t.client.complete(request_, [].append)


async def test_broken_arguments_reach_dispatch_as_they_are(talk, request_):
    broken = '{"key": "a", "deep": true,}'
    async with talk([server.calls(("lookup", broken), ("nonsense", '{"key": "a'))]) as t:
        response = await t.client.complete(request_)
    assert [call.name for call in response.tool_calls] == ["lookup", "nonsense"]
    assert repair_arguments(response.tool_calls[0].arguments) == {"key": "a", "deep": True}
    assert isinstance(repair_arguments(response.tool_calls[1].arguments), str)


async def test_the_length_limit_is_reported(talk, request_):
    async with talk([server.text("cut o", "length"), server.text("cut o", "length")]) as t:
        assert (await t.client.complete(request_)).finish_reason == "length"
        assert (await t.client.complete(request_, [].append)).finish_reason == "length"


async def test_a_cancelled_request_ends_at_once(talk, request_):
    async with talk([server.hang()]) as t:
        task = asyncio.create_task(t.client.complete(request_))
        await t.server.came.wait()
        started = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert time.monotonic() - started < 30


async def test_a_kept_connection_that_was_closed_is_replaced_at_once(talk, request_):
    async with talk([server.text("one"), server.reset(), server.text("two")]) as t:
        await t.client.complete(request_)
        assert (await t.client.complete(request_)).text == "two"
    assert t.clock.waits == [0.0]


async def test_a_connection_with_unread_bytes_is_not_used_again(talk, request_):
    async with talk([server.text("a" * 300_000, piece=5_000), server.text("fresh")], answer_bytes=100_000) as t:
        with pytest.raises(ModelRejected):
            await t.client.complete(request_, [].append)
        assert (await t.client.complete(request_)).text == "fresh"
        assert t.server.connections == 2
