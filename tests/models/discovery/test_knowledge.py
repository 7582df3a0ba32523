"""What was found out decides instead of names; what the user has set stays."""

from datetime import UTC, datetime

import pytest

from loopwright.kernel.events import Usage
from loopwright.kernel.messages import Message
from loopwright.kernel.ports import ModelRequest
from loopwright.models.client import OpenAIClient
from loopwright.models.discovery.endpoint import Endpoint, Kind, Remembered, ServedModel, TokenPrice
from loopwright.models.discovery.knowledge import Knowledge, is_loopback
from loopwright.models.prices import PriceList
from loopwright.models.settings import Capabilities, ModelSettings
from tests.models.discovery.test_memory import PROOF

NOW = datetime(2026, 11, 1, tzinfo=UTC)
LOCAL = "http://127.0.0.1:8080/v1"
MILLION = Usage(prompt_tokens=1_000_000)


def known(*models: ServedModel, kind: Kind = "llama.cpp", url: str = LOCAL, **more) -> Knowledge:
    return Knowledge(url, Remembered(endpoint=Endpoint(base_url=url, kind=kind, models=models, asked_at=NOW), **more))


def client(knowledge: Knowledge, **settings) -> OpenAIClient:
    return OpenAIClient(ModelSettings(base_url=knowledge.base_url, **settings), known=knowledge)


def test_an_endpoint_with_one_model_answers_with_that():
    asker = client(known(ServedModel(name="only")))
    assert {asker.model_of(tier) for tier in ("fast", "standard", "powerful")} == {"only"}
    assert client(known(ServedModel(name="gpt-4.1"), ServedModel(name="b"))).model_of("standard") == "gpt-4.1"
    assert client(known(ServedModel(name="only")), models={"standard": "mine"}).model_of("standard") == "mine"
    several = known(ServedModel(name="a"), ServedModel(name="b"))
    assert client(several, models={"standard": "a"}).model_of("fast") == "a", "and not somebody else's usual one"
    some = client(known(ServedModel(name="gpt-4.1"), ServedModel(name="b"), kind="other"))
    assert some.model_of("powerful") == "gpt-4.1", "the standard tier's, where that alone is listed"


def test_a_model_is_meant_where_the_user_or_the_endpoint_says_so():
    several = known(ServedModel(name="a"), ServedModel(name="b"), kind="other")
    asker = client(several, models={"fast": "alias"}, secondary={"fast": "second"})
    assert [asker.is_meant(name) for name in ("a", "alias", "second", "gpt-4.1")] == [True, True, True, False]
    assert client(known(kind="other")).is_meant("gpt-4.1"), "no list says nothing"


def test_a_name_that_nobody_there_has_said_tells_no_window():
    assert client(known(kind="other")).context_tokens() is None
    assert client(known(kind="other"), models={"standard": "gpt-4.1"}).context_tokens() == 1_047_576
    assert client(known(ServedModel(name="gpt-4.1"), kind="other")).context_tokens() == 1_047_576
    assert OpenAIClient(ModelSettings()).context_tokens() == 1_047_576


def test_what_is_told_and_proved_decides_what_a_model_can_do():
    told = known(ServedModel(name="mine", context_tokens=8192, parameters=1_500_000_000, vision=False))
    can = client(told).capabilities("mine")
    assert (can.tools, can.context_tokens, can.vision, can.profile) == ("schema", 8192, False, "small")
    proved = known(
        ServedModel(name="mine", parameters=1_500_000_000),
        proofs={"mine": PROOF.model_copy(update={"tools": "native"})},
    )
    assert client(proved).capabilities("mine").tools == "native"
    assert client(told, tools="native", profile="frontier").capabilities("mine").tools == "native"
    assert client(told, profile="frontier").profile() == "frontier"
    assert client(known(ServedModel(name="mine", tools=False))).capabilities("mine").tools == "schema"
    assert client(known(ServedModel(name="70b-of-somebody", context_tokens=32768))).profile() == "frontier"
    assert client(known(ServedModel(name="mine", context_tokens=4096))).profile() == "small"


def test_what_nobody_tells_stays_as_the_name_says():
    assert Knowledge().fitted(Capabilities(context_tokens=5), "any", "auto", "auto") == Capabilities(context_tokens=5)


def test_a_kind_and_a_proof_decide_what_the_wire_takes():
    assert known(ServedModel(name="m")).rules("127.0.0.1", "m").name == "llamacpp"
    assert known(kind="lm-studio").rules("127.0.0.1", "m").name == "lmstudio"
    assert known(kind="other").rules("127.0.0.1", "m").name == "unknown"
    proved = known(ServedModel(name="m"), proofs={"m": PROOF})
    assert not proved.rules("127.0.0.1", "m").must_call, "it was tried, and not obeyed"


@pytest.mark.parametrize(
    ("kind", "url", "model", "cost"),
    [
        ("llama.cpp", LOCAL, "gpt-4.1", 0.0),
        ("other", LOCAL, "of-nobody", None),
        ("other", LOCAL, "gpt-4.1", None),  # a gateway on this machine, or a server that takes every name
        ("other", LOCAL, "named", None),
        ("vllm", "https://models.example.com/v1", "gpt-4.1", None),
        ("openrouter", "https://openrouter.example.com/v1", "told", 3.0),
        ("other", "https://models.example.com/v1", "of-nobody", None),
    ],
)
def test_what_a_call_costs(kind, url, model, cost):
    served = ServedModel(name="told", price=TokenPrice(prompt=3e-6, completion=1.5e-5))
    found = PriceList(url, known=known(served, kind=kind, url=url)).cost(model, MILLION)
    assert found == (None if cost is None else pytest.approx(cost))


def test_the_estimate_of_a_local_model_is_nothing():
    assert client(known(ServedModel(name="only"))).estimate_cost(ModelRequest([Message.user("Hi")])) == 0.0


def test_this_machine_is_known_by_its_addresses():
    assert all(map(is_loopback, ("http://127.0.0.1:1/v1", "http://[::1]:1/v1", "http://localhost/v1")))
    assert not any(map(is_loopback, ("http://127.0.0.1.example.com/v1", "http://10.0.0.1/v1", "")))
