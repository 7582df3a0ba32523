"""Streams, cut anywhere."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.kernel.errors import ModelRejected
from loopwright.models.retry import AttemptFailed
from loopwright.models.stream import LINE_BYTES, AnswerBuilder, EventLines, read_stream


def pieces_of(data: bytes, cuts=()):
    ends = sorted({*cuts, len(data)} - {0})
    pieces = [data[start:end] for start, end in zip([0, *ends], ends, strict=False)]

    async def next_chunk():
        return pieces.pop(0) if pieces else b""

    return next_chunk


def sse(*chunks, end=b"\n\n", done=True):
    events = [b"data: " + json.dumps(chunk).encode() for chunk in chunks]
    return end.join([*events, *([b"data: [DONE]"] if done else []), b""])


def delta(reason=None, **fields):
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": reason}]}


WHOLE = sse(
    delta(content="Grüße "),
    delta(tool_calls=[{"index": 0, "id": "a", "function": {"name": "lookup", "arguments": '{"k'}}]),
    delta(tool_calls=[{"index": 1, "id": "b", "function": {"name": "store", "arguments": ""}}]),
    delta(tool_calls=[{"index": 0, "function": {"arguments": 'ey": "ü"}'}}]),
    delta(content="世界"),
    delta("tool_calls"),
)


@given(st.lists(st.integers(0, len(WHOLE)), max_size=30))
async def test_where_the_chunks_are_cut_makes_no_difference(cuts):
    shown: list[str] = []
    answer = await read_stream(pieces_of(WHOLE, cuts), shown.append)
    assert answer.text == "".join(shown) == "Grüße 世界"
    assert [(c.id, c.name, c.arguments) for c in answer.tool_calls] == [
        ("a", "lookup", '{"key": "ü"}'),
        ("b", "store", "{}"),
    ]
    assert answer.finish_reason == "tool_calls"


@pytest.mark.parametrize("end", [b"\n\n", b"\r\n\r\n"])
async def test_line_ends_of_either_kind(end):
    answer = await read_stream(pieces_of(sse(delta(content="a"), delta("stop"), end=end)), [].append)
    assert answer.text == "a"


async def test_comments_and_other_fields_are_passed_over():
    data = b": keep-alive\n\nevent: message\nid: 1\nretry: 5\n" + sse(delta("stop", content="a"))
    assert (await read_stream(pieces_of(data), [].append)).text == "a"


def test_an_event_may_have_several_data_lines():
    assert list(EventLines().feed(b'data: {"a":\ndata: 1}\n\n')) == [b'{"a":\n1}']


async def test_the_last_event_may_lack_its_blank_line():
    data = b"data: " + json.dumps(delta("stop", content="a")).encode()
    assert (await read_stream(pieces_of(data), [].append)).text == "a"


async def test_a_finish_reason_is_end_enough():
    data = sse(delta(content="a"), delta("stop"), done=False)
    assert (await read_stream(pieces_of(data), [].append)).text == "a"


async def test_done_is_end_enough_when_something_came():
    assert (await read_stream(pieces_of(sse(delta(content="a"))), [].append)).text == "a"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        sse(),
        sse(delta(content="a"), done=False),
        b"data: {broken\n\n",
        b'data: "text"\n\n',
        sse({"error": {"message": "overloaded"}}),
    ],
    ids=["nothing", "only done", "no end", "broken", "no object", "error"],
)
async def test_what_is_no_whole_answer_fails(data):
    with pytest.raises(AttemptFailed):
        await read_stream(pieces_of(data), [].append)


async def test_a_line_without_end_is_not_read_for_ever():
    async def endless():
        return b"a" * 65_536

    with pytest.raises(ModelRejected, match=str(LINE_BYTES)):
        await read_stream(endless, [].append)


def test_servers_that_leave_the_index_out():
    builder = AnswerBuilder([].append)
    for name in ("one", "two"):
        call = {"id": name, "function": {"name": name, "arguments": {"whole": True}}}
        builder.take(json.dumps(delta(tool_calls=[call])).encode())
    builder.take(json.dumps(delta("stop")).encode())
    answer = builder.finish()
    assert [(c.name, json.loads(c.arguments)) for c in answer.tool_calls] == [
        ("one", {"whole": True}),
        ("two", {"whole": True}),
    ]
    assert answer.finish_reason == "tool_calls"
