"""Whatever was said, the request is one that the endpoint takes; and nothing that was said is lost."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.kernel.messages import Fleeting, Message, Opaque, ToolCall
from loopwright.models.body import rendered
from loopwright.models.composing import GO_ON, NO_RESULT, NOTHING, OPENING, RULES, SEEN, Composer, WireRules
from tests.support.strict_endpoint import PROFILES, refusal

SYSTEM = Message.system("[task: toy/loop]\nYou help.")
ASK = Message.user("Look a up.")


def call(name: str, number: int = 1) -> ToolCall:
    return ToolCall(id=f"s1c{number}-call", name=name, arguments='{"key": "a"}')


def composed(messages: list[Message], rules: WireRules = RULES["openai"], told: str = "") -> list[dict[str, Any]]:
    return [json.loads(piece) for piece in Composer(rules, "here").compose(messages, told)[0]]


def roles(messages: list[dict[str, Any]]) -> list[str]:
    return [message["role"] for message in messages]


def test_the_task_is_not_told():
    assert composed([SYSTEM, ASK])[0] == {"role": "system", "content": "You help."}


def test_neighbours_become_one():
    made = composed([SYSTEM, ASK, Message.user("And b."), Message.assistant("I do."), Message.assistant("Now.")])
    assert [m["content"] for m in made] == ["You help.", "Look a up.\n\nAnd b.", "I do.\n\nNow.", GO_ON]


def test_the_last_word_is_the_users_and_so_is_the_first():
    assert roles(composed([SYSTEM, Message.assistant("Hello.")])) == ["system", "user", "assistant", "user"]
    assert composed([SYSTEM, Message.assistant("Hello.")])[1]["content"] == OPENING
    assert roles(composed([SYSTEM])) == ["system", "user"]


def test_an_assistants_message_without_anything_is_left_out():
    assert roles(composed([SYSTEM, ASK, Message.assistant(" "), Message.user("Well?")])) == ["system", "user"]


def test_every_call_has_its_one_result():
    calls = Message.assistant("", [call("look"), call("look", 2)])
    once = Message.tool("s1c1-call", "found")
    made = composed([SYSTEM, ASK, calls, once, once, Message.user("Go.")])
    assert roles(made) == ["system", "user", "assistant", "tool", "tool", "user"]
    assert [m["content"] for m in made[3:]] == ["found", NO_RESULT, "Result of an earlier call:\nfound\n\nGo."]


def test_a_later_system_message_is_told_by_the_user():
    made = composed([SYSTEM, Message.system("Be kind."), ASK, Message.system("Be quick.")])
    assert [m["content"] for m in made] == ["You help.\n\nBe kind.", "Look a up.\n\nBe quick."]


def test_a_name_and_an_id_that_nobody_would_take_are_put_right():
    odd = ToolCall(id="functions.look:0" * 4, name="look up!", arguments="[1]")
    made = composed([SYSTEM, ASK, Message.assistant("", [odd]), Message.tool(odd.id, "no")])
    (told,) = made[2]["tool_calls"]
    assert told["function"] == {"name": "_look_up_", "arguments": '{"unreadable":"[1]"}'}
    assert told["id"] == made[3]["tool_call_id"]
    assert len(told["id"]) == 9


def test_white_space_alone_is_no_text():
    blank = Message.assistant(" \n", [call("look")])
    photo = Message.user(" ", ("https://example.org/a.png",))
    made = composed([SYSTEM, photo, blank, Message.tool("s1c1-call", "\t")], RULES["anthropic"])
    assert [part["type"] for part in made[1]["content"]] == ["image_url"]
    assert "content" not in made[2]
    assert made[3]["content"] == NOTHING


def test_an_empty_id_is_another_in_the_call_and_in_its_result():
    nameless = ToolCall(id="", name="look")
    made = composed([SYSTEM, ASK, Message.assistant("", [nameless]), Message.tool("", "found")])
    assert made[2]["tool_calls"][0]["id"] == made[3]["tool_call_id"] != ""


def test_where_there_is_no_systems_role_the_user_tells_it():
    made = composed([SYSTEM, Message.system("Be kind."), ASK, Message.assistant("Yes.")], RULES["llamacpp+gemma2"])
    assert [m["role"] for m in made] == ["user", "assistant", "user"]
    assert made[0]["content"] == "You help.\n\nBe kind.\n\nLook a up."


def test_mistral_gets_words_between_results_and_the_user_and_the_state_with_the_results():
    dialogue = [SYSTEM, ASK, Message.assistant("", [call("look")]), Message.tool("s1c1-call", "found")]
    made = composed([*dialogue, Message.user("Next stage.")], RULES["mistral"])
    assert [m["content"] for m in made[3:]] == ["found", SEEN, "Next stage."]
    made = composed([*dialogue, Fleeting.user("State: b is left.")], RULES["mistral"])
    assert [m["content"] for m in made[3:]] == ["found\n\nState: b is left."]


def test_a_template_for_single_calls_gets_them_one_by_one():
    calls = Message.assistant("I look.", [call("look"), call("look", 2)])
    results = [Message.tool("s1c1-call", "a"), Message.tool("s1c2-call", "b")]
    made = composed([SYSTEM, ASK, calls, *results], RULES["llamacpp"])
    assert roles(made[2:]) == ["assistant", "tool", "assistant", "tool"]
    assert [len(m["tool_calls"]) for m in (made[2], made[4])] == [1, 1]


def test_opaque_fields_go_back_to_the_endpoint_that_made_them_only():
    opaque = Opaque(
        endpoint="here", fields={"reasoning_content": "hm"}, calls={"s1c1-call": {"extra_content": {"s": 1}}}
    )
    said = Message.assistant("I look.", [call("look")], opaque)
    dialogue = [SYSTEM, ASK, said, Message.tool("s1c1-call", "found")]
    assert composed(dialogue, RULES["deepseek"])[2]["reasoning_content"] == "hm"
    assert composed(dialogue, RULES["gemini"])[2]["tool_calls"][0]["extra_content"] == {"s": 1}
    assert "reasoning_content" not in composed(dialogue, RULES["gemini"])[2]
    elsewhere = said.model_copy(update={"opaque": opaque.model_copy(update={"endpoint": "there"})})
    assert composed([SYSTEM, ASK, elsewhere, dialogue[3]], RULES["deepseek"]) == composed(dialogue, RULES["openai"])


@pytest.mark.parametrize("name", ["gemini+signed", "deepseek+signed"])
def test_calls_of_another_model_are_told_as_text_where_calls_are_signed(name):
    calls = Message.assistant("I look.", [call("look"), call("put", 2)], Opaque(endpoint="there", fields={"x": 1}))
    dialogue = [SYSTEM, ASK, calls, Message.tool("s1c1-call", "found"), Message.user("And?")]
    made = composed(dialogue, RULES[name])
    assert roles(made) == ["system", "user", "assistant", "user"]
    assert made[2]["content"] == "I look."
    assert made[3]["content"].split("\n\n") == [
        'Result of an earlier call, look {"key": "a"}:\nfound',
        f'Result of an earlier call, put {{"key": "a"}}:\n{NO_RESULT}',
        "And?",
    ]
    assert roles(composed(dialogue, RULES[name.partition("+")[0]])).count("tool") == 2


def test_neighbours_that_become_one_keep_the_signature():
    opaque = Opaque(endpoint="here", calls={"s1c1-call": {"extra_content": {"s": 1}}})
    acts = Message.assistant("", [call("look")], opaque)
    made = composed([SYSTEM, ASK, Message.assistant("Well."), acts], RULES["gemini+signed"])
    assert made[2]["content"] == "Well."
    assert made[2]["tool_calls"][0]["extra_content"] == {"s": 1}


def test_what_is_told_last_is_no_part_of_what_comes_later():
    composer = Composer(RULES["openai"])
    first, _ = composer.compose([SYSTEM, ASK, Fleeting.user("State: 1")], "Answer in JSON.")
    dialogue = [SYSTEM, ASK, Message.assistant("Done a."), Message.user("Now b.")]
    second, _ = composer.compose([*dialogue, Fleeting.user("State: 2")])
    assert json.loads(first[-1])["content"] == "Look a up.\n\nState: 1\n\nAnswer in JSON."
    assert [json.loads(piece)["content"] for piece in second[1:]] == ["Look a up.", "Done a.", "Now b.\n\nState: 2"]


def test_journals_of_earlier_versions_are_written_as_they_were():
    odd = [SYSTEM, Message.assistant("Hello."), Message.assistant("")]
    assert Composer(RULES[""]).compose(odd)[0] == [message.wire for message in odd]


TOOLS = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}]
NAMES = st.sampled_from(["look", "put", "look up"])


@st.composite
def dialogues(draw: Any) -> list[Message]:
    """Anything that a run, or what is left of it, may hold."""
    made = draw(st.lists(st.sampled_from([SYSTEM, Message.system("More.")]), max_size=2))
    kinds = st.lists(st.sampled_from(["user", "assistant", "calls", "result", "system"]), max_size=14)
    for number, kind in enumerate(draw(kinds), 1):
        if kind == "user":
            images = draw(st.sampled_from([(), ("data:image/png;base64,AA==",)]))
            made.append(Message.user(draw(st.sampled_from(["", "\t", f"user {number}"])), images))
        elif kind == "assistant":
            made.append(Message.assistant(draw(st.sampled_from(["", " \n", f"said {number}"]))))
        elif kind == "calls":
            calls = [
                ToolCall(id=f"s{number}c{n}-{'x' * draw(st.sampled_from([3, 50]))}", name=draw(NAMES))
                for n in range(draw(st.integers(1, 3)))
            ]
            if draw(st.booleans()):
                calls[0] = ToolCall(id="", name=draw(NAMES))
            made.append(Message.assistant(draw(st.sampled_from(["", " ", "I act."])), calls))
            answered = draw(st.lists(st.sampled_from(calls), unique_by=lambda each: each.id))
            made += [Message.tool(each.id, draw(st.sampled_from([" ", f"result {each.id}"]))) for each in answered]
        elif kind == "result":
            made.append(Message.tool(f"lost{number}", f"result {number}"))
        else:
            made.append(Message.system(f"system {number}"))
    return made


@pytest.mark.parametrize("name", PROFILES)
@given(dialogues(), st.booleans())
def test_every_dialogue_is_taken(name, dialogue, state):
    profile = PROFILES[name]
    messages = [*dialogue, *([Fleeting.user("State.")] if state else [])]
    native = "native" in profile.forms
    pieces, _ = Composer(RULES[profile.rules], "here", None if native else rendered).compose(messages)
    made = [json.loads(piece) for piece in pieces]
    body = {"model": "m", "max_tokens": 9, "messages": made} | ({"tools": TOOLS} if native else {})
    assert refusal(profile, body) is None
    told = json.dumps(made)
    assert all(message.content.strip() in told for message in dialogue if message.role in ("user", "tool"))
    assert all(call.name in told for message in dialogue for call in message.tool_calls if call.name != "look up")


@given(dialogues(), st.sampled_from(["openai", "mistral", "llamacpp"]))
def test_a_dialogue_that_grew_is_composed_as_one_that_is_new(dialogue, name):
    composer = Composer(RULES[name], "here")
    for end in range(1, len(dialogue) + 1):
        assert composer.compose(dialogue[:end]) == Composer(RULES[name], "here").compose(dialogue[:end])
