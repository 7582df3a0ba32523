"""The packaged chat template tells tools and calls in the form that the model writes."""

import jinja2

from loopwright.models.local import template_for

CALL = {"id": "c", "function": {"name": "look_up", "arguments": {"key": "a"}}}
TOOLS = [{"type": "function", "function": {"name": "look_up", "parameters": {"type": "object"}}}]


def rendered(*messages: dict, **more) -> str:
    source = template_for("qwen2.5-coder-1.5b")
    assert source is not None
    return jinja2.Environment().from_string(source).render(messages=messages, add_generation_prompt=True, **more)


def test_a_dialogue_with_a_call_and_its_result():
    told = rendered(
        {"role": "system", "content": "Help."},
        {"role": "user", "content": "Find a."},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "content": "a = 1"},
        tools=TOOLS,
    )
    assert told.startswith("<|im_start|>system\nHelp.\n")
    assert '```json\n{"name": "look_up", "arguments": {"key": "a"}}\n```<|im_end|>' in told
    assert "<|im_start|>user\nResult:\na = 1<|im_end|>" in told
    assert told.endswith("<|im_start|>assistant\n")
    assert told.count("<|im_start|>") == told.count("<|im_end|>") + 1


def test_without_tools_none_are_told():
    assert rendered({"role": "user", "content": "Hi"}) == (
        "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n"
        "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"
    )


def test_other_models_keep_their_own():
    assert template_for("llama-3.2-3b") is None
