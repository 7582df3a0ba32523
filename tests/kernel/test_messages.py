"""Messages on the wire."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from loopwright.kernel.messages import Message, ToolCall, ToolSchemas

text = st.text(st.characters(codec="utf-8"), max_size=20)
calls = st.lists(
    st.builds(ToolCall, id=text, name=text, arguments=st.dictionaries(text, text).map(json.dumps)), max_size=3
)
messages = st.one_of(
    st.builds(Message.system, text),
    st.builds(Message.user, text, st.lists(text.map(lambda t: f"data:{t}"), max_size=2)),
    st.builds(Message.assistant, text, calls),
    st.builds(Message.tool, text, text),
)


@given(messages)
def test_a_message_survives_the_wire(message):
    assert Message.from_dict(json.loads(message.wire)) == message
    assert message.wire is message.wire
    assert message.estimated_tokens > 0


@pytest.mark.parametrize(
    ("raw", "sent"),
    [
        ('{"a": 1}', {"a": 1}),
        ('{"a": ', {"unreadable": '{"a": '}),
        ("[1]", {"unreadable": "[1]"}),
        ("7", {"unreadable": "7"}),
        ("", {}),
        ("  ", {}),
    ],
)
def test_endpoints_are_sent_arguments_that_they_can_parse(raw, sent):
    message = Message.assistant("", [ToolCall(id="a", name="look", arguments=raw)])
    assert json.loads(message.to_dict()["tool_calls"][0]["function"]["arguments"]) == sent
    assert message.tool_calls[0].arguments == raw


def test_text_and_images_are_parts():
    message = Message.user("Like this", ["data:image/png;base64,AA"])
    assert [part["type"] for part in message.to_dict()["content"]] == ["text", "image_url"]
    assert message.estimated_tokens > 1_000


@pytest.mark.parametrize("data", [{}, {"role": "robot"}, {"role": "user", "content": "x", "tool_call_id": 7}])
def test_what_is_no_message_is_refused(data):
    with pytest.raises(ValidationError):
        Message.from_dict(data)


def test_schemas_are_serialised_once():
    schemas = ToolSchemas(({"type": "function", "function": {"name": "look"}},))
    assert json.loads(schemas.wire)[0]["function"]["name"] == "look"
    assert schemas.wire is schemas.wire
    assert schemas.names == ("look",)
    assert len(schemas) == 1
    assert ToolSchemas().wire == b"[]"
