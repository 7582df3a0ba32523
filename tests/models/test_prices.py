"""A price is known or it is not; it is never guessed to be nothing."""

import pytest

from loopwright.kernel.events import Usage
from loopwright.kernel.messages import Message
from loopwright.kernel.ports import ModelRequest
from loopwright.models.client import OpenAIClient
from loopwright.models.prices import PriceList
from loopwright.models.settings import ModelSettings

USAGE = Usage(prompt_tokens=1_000_000, completion_tokens=100_000)
OPENAI = "https://api.openai.com/v1"


@pytest.mark.parametrize("model", ["gpt-4.1", "gpt-4.1-mini", "o3-mini", "gpt-4.1-2025-04-14"])
def test_known_models_cost_something(model):
    cost = PriceList(OPENAI).cost(model, USAGE)
    assert cost is not None
    assert cost > 0


def test_an_unknown_model_has_no_price():
    prices = PriceList(OPENAI)
    assert prices.cost("somebodys-own-model", USAGE) is None
    assert prices.cost("somebodys-own-model", USAGE) is None


@pytest.mark.parametrize("address", ["http://gateway.example/v1", "http://127.0.0.1:4000/v1"])
def test_behind_a_gateway_the_makers_price_holds_for_a_model_that_the_user_has_named(address):
    named = PriceList(address, named=frozenset({"gpt-4.1"}))
    assert named.cost("gpt-4.1", USAGE) == PriceList(OPENAI).cost("gpt-4.1", USAGE)
    assert named.cost("gpt-4.1-mini", USAGE) is None, "nobody has said that this is OpenAI's"
    assert PriceList("https://api.groq.com/openai/v1").cost("gpt-4.1", USAGE) is None


def test_cached_tokens_cost_less():
    prices = PriceList(OPENAI)
    cached = prices.cost("gpt-4.1", USAGE.model_copy(update={"cached_tokens": 900_000}))
    full = prices.cost("gpt-4.1", USAGE)
    assert cached is not None
    assert full is not None
    assert cached < full


def test_a_free_endpoint_costs_nothing():
    assert PriceList("http://offline.invalid/v1", free=True).cost("anything", USAGE) == 0.0


def test_the_estimate_is_an_upper_one():
    client = OpenAIClient(ModelSettings(secondary={"fast": "gpt-4.1"}))
    request = ModelRequest([Message.user("a" * 3_000)], tier="fast", max_tokens=1_000)
    dear = PriceList(OPENAI).cost("gpt-4.1", Usage(prompt_tokens=1_004, completion_tokens=1_000))
    assert client.estimate_cost(request) == dear  # the secondary model is the dearer one


def test_no_estimate_where_one_of_the_models_has_no_price():
    request = ModelRequest([Message.user("a")])
    assert OpenAIClient(ModelSettings(secondary={"standard": "mine"})).estimate_cost(request) is None
    assert OpenAIClient(ModelSettings()).estimate_cost(ModelRequest([Message.user("a")], model="mine")) is None


@pytest.mark.parametrize(
    "model", ["gpt-4.1", "gpt-4.1-mini", "o3-mini", "gpt-5", "claude-sonnet-4-5", "gemini-2.5-pro"]
)
@pytest.mark.parametrize("prompt", [10, 900_000])
def test_what_is_remembered_is_what_the_library_says(model, prompt):
    usage = Usage(prompt_tokens=prompt, completion_tokens=77, cached_tokens=prompt // 3)
    used, fresh = PriceList(OPENAI), PriceList(OPENAI)
    used.cost(model, Usage(prompt_tokens=1, completion_tokens=1))
    assert used.cost(model, usage) == pytest.approx(fresh.cost(model, usage))
    assert (model in used._rates) == model.startswith(("gpt", "o3"))
