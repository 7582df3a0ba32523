"""What the user's own limit cuts is asked for piece by piece; what cannot be continued says that it was cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.kernel.messages import Message
from loopwright.kernel.ports import ModelRequest
from loopwright.models.stream import RESTARTED, joined_text
from tests.models.conftest import LOOKUP
from tests.support import model_server as server

SHEET = "```css\n:root { --gap: 4px }\n.page { margin: 0 }\n.btn { padding: 4px }\n```"


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
async def test_a_text_cut_by_the_users_limit_is_continued(talk, streamed):
    pieces: list[str] = []
    script = [server.text(SHEET[:30], "length"), server.text(SHEET[30:50], "length"), server.text(SHEET[50:])]
    request = ModelRequest([Message.system("Write."), Message.user("A sheet.")], max_tokens=8_000)
    async with talk(script, answer_tokens=1_500) as t:
        response = await t.client.complete(request, pieces.append if streamed else None)
    assert (response.text, response.finish_reason) == (SHEET, "stop")
    assert response.usage.completion_tokens == 60
    assert [sent.body["max_tokens"] for sent in t.server.requests] == [1_500] * 3
    last = t.server.requests[2].body["messages"]
    assert [message["role"] for message in last] == ["system", "user", "assistant", "user"]
    assert last[2]["content"] == SHEET[:50]
    if streamed:
        assert "".join(pieces) == SHEET


async def test_a_continuation_that_breaks_voids_no_more_than_itself(talk):
    pieces: list[str] = []
    script = [server.text("one two ", "length"), server.truncated("three four five six"), server.text("three four")]
    async with talk(script, answer_tokens=100) as t:
        response = await t.client.complete(ModelRequest([Message.user("Count.")], max_tokens=400), pieces.append)
    assert response.text == "one two three four"
    shown = pieces[len(pieces) - pieces[::-1].index(RESTARTED) :] if RESTARTED in pieces else pieces
    assert "".join(shown) == response.text


async def test_what_the_request_itself_bounds_stays_cut(talk):
    """The stage's own limit is no accident: whoever asked is told, and refuses or asks for less."""
    async with talk([server.text("half", "length")]) as t:
        assert (await t.client.complete(ModelRequest([Message.user("Hi")], max_tokens=50))).finish_reason == "length"
    async with talk([server.text("a", "length"), server.text("b", "length")], answer_tokens=100) as t:
        response = await t.client.complete(ModelRequest([Message.user("Hi")], max_tokens=200))
    assert (response.text, response.finish_reason) == ("ab", "length")


@pytest.mark.parametrize(
    "request_",
    [
        ModelRequest([Message.user("Hi")], LOOKUP, max_tokens=400),
        ModelRequest([Message.user("Hi")], response_format={"type": "json_object"}, max_tokens=400),
        ModelRequest([Message.user("Hi")], grammar={"type": "object"}, max_tokens=400),
    ],
    ids=["tools", "format", "grammar"],
)
async def test_what_has_a_form_is_not_continued(talk, request_):
    async with talk([server.text('{"answer": "ha', "length")], answer_tokens=100) as t:
        assert (await t.client.complete(request_)).finish_reason == "length"


async def test_a_model_that_goes_in_circles_is_not_asked_to_go_on(talk):
    circles = "The pump is cleaned, and then the pump is filled again, and then it is closed, and so on. " * 8
    async with talk([server.text(circles, "length")], answer_tokens=100) as t:
        assert (await t.client.complete(ModelRequest([Message.user("Hi")], max_tokens=400))).finish_reason == "length"


async def test_no_room_to_go_on_leaves_a_cut_answer(talk):
    refusal = server.status(400, "the request exceeds the available context size", code="exceed_context_size_error")
    async with talk([server.text("half", "length"), refusal], answer_tokens=100) as t:
        response = await t.client.complete(ModelRequest([Message.user("Hi")], max_tokens=400))
    assert (response.text, response.finish_reason) == ("half", "length")


def test_a_second_piece_may_repeat_the_end_or_begin_anew() -> None:
    assert joined_text("The quick brown", "quick brown fox") == "The quick brown fox"
    whole = "<!doctype html><html lang=en><head><title>Shop</title></head><body>Hello</body></html>"
    assert joined_text(whole[:70], whole) == whole


@given(st.text(max_size=200), st.text(max_size=200))
def test_no_character_of_the_second_piece_is_lost_but_what_stood_before(first: str, second: str) -> None:
    joined = joined_text(first, second)
    assert joined.endswith(second)
    assert len(joined) <= len(first) + len(second)
