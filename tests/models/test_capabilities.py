"""What models can do is told by rows, and the user's word goes first."""

import pytest

from loopwright.models.settings import capabilities_of


@pytest.mark.parametrize(
    "model", ["gpt-4.1", "gpt-4.1-mini", "openai/gpt-4o", "llama3.1:8b", "qwen3-14b", "mistral-large", "offline-fast"]
)
def test_models_use_the_wires_own_tool_calls(model):
    assert capabilities_of(model).tools == "native"


@pytest.mark.parametrize(
    "model",
    [
        "qwen2.5-coder-1.5b",
        "llama3.2:1b",
        "llama3.2:3b-instruct",
        "gemma3:1b",
        "smol-0.5b",
        "/models/some-model.gguf",
        "Qwen/Qwen2.5-3B-Instruct",
    ],
)
def test_small_local_models_take_schema_steps(model):
    assert capabilities_of(model).tools == "schema"


def test_the_users_word_goes_first():
    assert capabilities_of("llama3.2:1b", tools="native").tools == "native"
    assert capabilities_of("gpt-4.1", tools="schema").tools == "schema"


def test_reasoning_models():
    for model in ("o1", "o3-mini", "openai/o4-mini-2025-04-16", "gpt-5-mini"):
        assert capabilities_of(model).limit_name == "max_completion_tokens"
        assert not capabilities_of(model).temperature
    assert not capabilities_of("o3-mini").vision
    assert capabilities_of("o4-mini").vision
    assert capabilities_of("gpt-5-chat-latest").temperature


def test_an_unknown_model_is_trusted_with_everything():
    unknown = capabilities_of("something-new")
    assert unknown.vision
    assert unknown.stream_usage
    assert unknown.context_tokens is None


def test_endpoints_have_their_own_ways():
    assert not capabilities_of("mistral-large", "api.mistral.ai").stream_usage
