"""Each kind of server is known by its answers, and what it tells is read."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.kernel.errors import ModelRejected, ModelUnavailable
from loopwright.models.discovery.asking import ANSWER_BYTES, discover, shown_address
from loopwright.models.discovery.endpoint import Endpoint, ServedModel, parameters_in
from loopwright.models.discovery.reading import (
    kind_of,
    ollama_models,
    openai_models,
    studio_models,
    why_unlisted,
    with_props,
)
from loopwright.models.transport.http import HttpTransport
from tests.support.told_server import LLAMA_CPP, LM_STUDIO, OLLAMA, OPENROUTER, VLLM, TalkingServer


async def asked(told: dict[str, Any], key: str | None = None) -> tuple[Endpoint, TalkingServer]:
    transport = HttpTransport()
    async with TalkingServer(told=told) as server:
        try:
            return await discover(server.base_url, key, transport), server
        finally:
            await transport.aclose()


async def test_llama_cpp():
    endpoint, _ = await asked(LLAMA_CPP)
    assert endpoint.kind == "llama.cpp"
    (model,) = endpoint.models
    assert (model.context_tokens, model.trained_tokens, model.size) == (8192, 32768, 1_777_088_000)
    assert (model.vision, model.tools, model.profile) == (False, True, "small")
    assert endpoint.only_model == model


async def test_ollama_tells_the_window_that_is_allocated_and_not_the_trained_one():
    endpoint, _ = await asked(OLLAMA)
    assert endpoint.kind == "ollama"
    big, see, embed = endpoint.models
    assert (big.context_tokens, big.window_assumed, big.trained_tokens) == (32768, False, 131072)
    assert (big.tools, big.vision, big.profile, big.loaded) == (True, False, "frontier", True)
    assert (see.context_tokens, see.window_assumed, see.tools, see.vision) == (16384, False, False, True)
    assert not embed.chat
    assert endpoint.only_model == big, "of several, the one that is in memory"


async def test_ollama_allocates_little_where_nothing_is_said():
    told = OLLAMA | {"/api/ps": {"models": []}}
    endpoint, _ = await asked(told)
    assert (endpoint.models[0].context_tokens, endpoint.models[0].window_assumed) == (4096, True)
    assert endpoint.only_model is None


async def test_lm_studio():
    endpoint, _ = await asked(LM_STUDIO)
    assert endpoint.kind == "lm-studio"
    loaded, other, embedding = endpoint.models
    assert (loaded.context_tokens, loaded.trained_tokens, loaded.vision, loaded.tools) == (4096, 262144, True, True)
    assert (other.context_tokens, other.loaded, other.profile) == (None, False, "small")
    assert not embedding.chat
    assert endpoint.only_model == loaded


async def test_vllm_and_openrouter():
    endpoint, _ = await asked(VLLM)
    assert (endpoint.kind, endpoint.models[0].context_tokens, endpoint.models[0].profile) == ("vllm", 40960, "frontier")
    endpoint, _ = await asked(OPENROUTER)
    large, plain = endpoint.models
    assert (endpoint.kind, large.context_tokens, large.vision, large.tools) == ("openrouter", 128000, True, True)
    assert large.price is not None
    assert large.price.completion == 0.000015
    assert (plain.tools, plain.tool_choice_required, plain.profile) == (False, False, "small")


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (b"<!doctype html><p>Sign in", "no JSON object"),
        (b'{"object": "list", "data": [{"id": "a"', "no JSON object"),
        ([{"id": "a"}], "no JSON object"),
        (b"null", "no JSON object"),
        ({"data": {"id": "a"}}, "no list in `data`"),
        ({"data": []}, "names no model"),
        ({"data": [{"id": 7}, "a", {"id": "a\x1b[2J"}]}, "names no model"),
        (None, "it answered 404"),
    ],
)
async def test_what_is_no_list_of_models_is_told(answer: Any, why: str):
    endpoint, _ = await asked({} if answer is None else {"/v1/models": answer})
    assert (endpoint.kind, endpoint.models) == ("other", ())
    assert endpoint.unlisted.startswith(f"{endpoint.base_url}/models gave no list of models: ")
    assert why in endpoint.unlisted
    assert why_unlisted(307, None).startswith("it answered 307")


async def test_of_a_long_list_the_rest_is_counted_and_the_usual_models_are_found():
    listed = [{"id": f"m{number}"} for number in range(20_000)]
    endpoint, _ = await asked({"/v1/models": {"data": listed}})
    assert (len(endpoint.models), endpoint.more, endpoint.unlisted) == (1_000, 19_000, "")
    endpoint, _ = await asked({"/v1/models": {"data": [*listed, {"id": "gpt-4.1"}]}})
    assert endpoint.model("gpt-4.1") is not None


async def test_the_key_goes_with_every_question_and_is_in_no_message():
    _, server = await asked(LLAMA_CPP, "sk-secret-key-123456")
    assert {request.headers["authorization"] for request in server.asked} == {"Bearer sk-secret-key-123456"}
    transport = HttpTransport()
    with pytest.raises(ModelUnavailable) as caught:
        await discover("http://user:sk-secret-key-123456@127.0.0.1:9/v1", "sk-secret-key-123456", transport)
    await transport.aclose()
    assert "secret" not in str(caught.value)


async def test_a_server_that_knows_no_models_is_of_no_known_kind():
    endpoint, _ = await asked({})
    assert (endpoint.kind, endpoint.models, endpoint.only_model) == ("other", (), None)


async def test_a_refused_key_is_told():
    class Guarded(TalkingServer):
        async def tell(self, request, connection):
            await connection.respond(401, b"{}")

    transport = HttpTransport()
    async with Guarded() as server:
        with pytest.raises(ModelRejected, match="401"):
            await discover(server.base_url, None, transport)
    await transport.aclose()


@pytest.mark.parametrize(
    "body",
    [b"", b"[" * 100_000, b"\xff\xfe", b'{"data": ' + b"7" * 5_000 + b"}", b" " * (ANSWER_BYTES + 2), b"<html>"],
    ids=["empty", "deep", "no text", "huge number", "too large", "HTML"],
)
async def test_what_is_no_answer_says_nothing(body):
    endpoint, _ = await asked(dict.fromkeys(("/v1/models", "/props", "/api/tags", "/api/v1/models"), body))
    assert endpoint.models == ()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
PLAIN = st.sampled_from([json.dumps(each) for each in (LLAMA_CPP, OLLAMA, LM_STUDIO, VLLM, OPENROUTER)])


@st.composite
def bent(draw: st.DrawFn) -> dict[str, Any]:
    """The answers of a real server in which some values are something else."""
    told = json.loads(draw(PLAIN))

    def bend(value: Any) -> Any:
        if draw(st.integers(0, 5)) == 0:
            return draw(JSON)
        if isinstance(value, dict):
            return {key: bend(each) for key, each in value.items()}
        return [bend(each) for each in value] if isinstance(value, list) else value

    return {path: bend(answer) for path, answer in told.items()}


@settings(max_examples=300)
@given(bent())
def test_whatever_is_answered_becomes_bounded_records(told: dict[str, Any]) -> None:
    models, props = told.get("/v1/models"), told.get("/props")
    tags, studio = told.get("/api/tags"), told.get("/api/v1/models")
    shown = told.get("/api/show")
    kind_of(models, props, tags, studio)
    served = (
        *with_props(openai_models(models), props),
        *ollama_models(tags, told.get("/api/ps"), shown if isinstance(shown, dict) else {}),
        *studio_models(studio),
    )
    for model in served:
        assert ServedModel.model_validate_json(model.model_dump_json()) == model
        assert 0 < len(model.name) <= 300
        assert model.name.isprintable()
        assert model.context_tokens is None or 0 < model.context_tokens <= 10**15
        assert model.profile in (None, "small", "frontier")


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("qwen2.5-coder:1.5b", 1_500_000_000),
        ("Qwen3-30B-A3B", 30_000_000_000),
        ("smollm-135M-instruct", 135_000_000),
        ("gpt-4.1", None),
        ("b2b-model", None),
        ("o3-mini", None),
    ],
)
def test_the_size_in_a_name(name, size):
    assert parameters_in(name) == size


def test_an_address_is_known_without_its_user_and_query():
    assert shown_address("http://me:secret@Host:80/v1/?key=1") == "http://host:80/v1"
