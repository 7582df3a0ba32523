"""What servers get wrong in answers that are usable all the same."""

import json

from loopwright.models.answer import Answer, parse_answer


def parse(message, reason="stop", **fields) -> Answer:
    choice = {"index": 0, "message": message, "finish_reason": reason}
    return parse_answer(json.dumps({"choices": [choice], **fields}).encode())


def test_arguments_as_an_object():
    answer = parse({"content": None, "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": {"x": 1}}}]})
    assert json.loads(answer.tool_calls[0].arguments) == {"x": 1}


def test_calls_without_id_get_ids_of_their_own():
    call = {"function": {"name": "f", "arguments": None}}
    first, second = parse({"tool_calls": [call, {**call, "id": ""}]}).tool_calls
    assert first.id
    assert second.id
    assert first.id != second.id
    assert first.arguments == "{}"


def test_calls_that_end_with_stop_are_calls():
    assert parse({"tool_calls": [{"id": "a", "function": {"name": "f"}}]}).finish_reason == "tool_calls"
    assert parse({"tool_calls": [{"id": "a", "function": {"name": "f"}}]}, "length").finish_reason == "length"
    assert parse({"content": "a"}, None).finish_reason == "stop"


def test_content_in_parts():
    assert parse({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}).text == "ab"


def test_a_refusal_is_what_the_model_says():
    assert parse({"content": None, "refusal": "I will not."}).text == "I will not."


def test_usage_in_part_or_not_at_all():
    assert parse({"content": "a"}).usage is None
    usage = parse({"content": "a"}, usage={"prompt_tokens": 3, "completion_tokens": None}).usage
    assert usage is not None
    assert (usage.prompt_tokens, usage.completion_tokens, usage.estimated) == (3, 0, False)
