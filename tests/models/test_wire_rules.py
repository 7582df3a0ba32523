"""What is asked of an endpoint is what it takes."""

from dataclasses import replace
from typing import Literal

import pytest
from pydantic import BaseModel, Field

from loopwright.kernel.answer_form import answer_format
from loopwright.kernel.messages import Message, ToolSchemas
from loopwright.kernel.ports import ModelRequest
from loopwright.models.body import settings_of
from loopwright.models.composing import HOSTS, RULES, rules_of, without_keywords
from loopwright.models.settings import Capabilities
from tests.models.conftest import LOOKUP
from tests.support.strict_endpoint import PROFILES


class Part(BaseModel):
    """A part."""

    name: str = Field(max_length=20)
    kind: Literal["new", "old"] = "new"


class Plan(BaseModel):
    """A plan."""

    parts: list[Part] = Field(max_length=5)


REQUEST = ModelRequest([Message.user("Plan it.")], response_format=answer_format(Plan))


def fields(name: str, request: ModelRequest = REQUEST) -> dict:
    return settings_of(request, "m", Capabilities(), stream=False, rules=RULES[name])


def test_a_strict_endpoint_gets_a_strict_schema_without_lengths():
    form = fields("openai")["response_format"]["json_schema"]
    assert form["strict"] is True
    part = form["schema"]["properties"]["parts"]["items"]
    assert part["required"] == ["name", "kind"]
    assert part["additionalProperties"] is False
    assert part["properties"] == {"name": {"type": "string"}, "kind": {"type": "string", "enum": ["new", "old"]}}


def test_a_grammar_keeps_the_lengths():
    form = fields("llamacpp")["response_format"]["json_schema"]
    assert "strict" not in form
    assert form["schema"]["properties"]["parts"]["items"]["properties"]["name"]["maxLength"] == 20


def test_who_takes_no_schema_gets_none():
    assert fields("deepseek")["response_format"] == {"type": "json_object"}
    assert "response_format" not in fields("anthropic")


@pytest.mark.parametrize("name", RULES)
def test_a_form_beside_tools_goes_only_where_it_is_taken(name):
    sent = fields(name, replace(REQUEST, tools=LOOKUP))
    assert ("response_format" in sent) == RULES[name].beside_tools


@pytest.mark.parametrize("name", RULES)
def test_a_call_is_demanded_where_that_is_heard(name):
    held = replace(REQUEST, tools=LOOKUP, may_answer=False)
    assert ("tool_choice" in fields(name, held)) == RULES[name].must_call
    assert "tool_choice" not in fields(name, replace(held, tools=ToolSchemas()))
    assert "tool_choice" not in fields(name, replace(held, may_answer=True))


def test_a_schema_of_another_root_goes_only_where_it_is_taken():
    request = ModelRequest([Message.user("Edit it.")], grammar={"anyOf": [{"type": "object"}, {"type": "array"}]})
    steps = Capabilities(tools="schema")
    sent = {name: settings_of(request, "m", steps, stream=False, rules=RULES[name]) for name in ("openai", "llamacpp")}
    assert "response_format" not in sent["openai"]
    assert sent["llamacpp"]["response_format"]["json_schema"]["schema"] == request.grammar


def test_an_endpoint_is_known_by_its_host_or_by_what_it_was_found_to_be():
    assert rules_of("api.openai.com").name == "openai"
    assert rules_of("127.0.0.1").name == "unknown"
    assert rules_of("127.0.0.1", "llamacpp").name == "llamacpp"
    assert set(HOSTS.values()) <= set(RULES)


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
def test_a_model_is_known_by_its_name(profile):
    assert rules_of(profile.host, profile.found, profile.model).name == profile.rules


@pytest.mark.parametrize(
    ("model", "family"),
    [
        *((name, "+gemma2") for name in ("gemma-2-9b-it", "gemma2:2b", "gemma-7b-it", "gemma:latest", "codegemma:7b")),
        *((name, "") for name in ("gemma-3-12b-it", "gemma3:4b", "gemma-3n-e4b", "medgemma-27b", "t5gemma-2b")),
    ],
)
def test_the_first_gemmas_have_no_systems_role(model, family):
    assert rules_of("127.0.0.1", "llamacpp", model).name == f"llamacpp{family}"


def test_who_thinks_wants_its_thoughts_back_and_who_does_not_has_none():
    assert rules_of("api.deepseek.com", model="deepseek-chat").name == "deepseek"
    assert rules_of("generativelanguage.googleapis.com", model="gemini-2.5-flash").name == "gemini"


def test_a_constant_is_told_as_the_only_choice_where_there_are_no_constants():
    kept = without_keywords({"properties": {"tool": {"const": "look"}}}, frozenset({"const"}))
    assert kept == {"properties": {"tool": {"type": "string", "enum": ["look"]}}}


@pytest.mark.parametrize("name", ["deepseek", "gemini", "llamacpp"])
def test_a_model_that_is_told_steps_gets_a_form_without_tools_that_is_taken(name):
    sent = settings_of(REQUEST, "m", Capabilities(tools="schema"), stream=False, rules=RULES[name])
    assert sent.get("response_format") == fields(name).get("response_format")


def test_a_property_with_a_keywords_name_stays():
    schema = {"type": "object", "properties": {"const": {"const": 1}}, "enum": [{"const": 2}]}
    kept = without_keywords(schema, frozenset({"const"}))
    assert kept == {"type": "object", "properties": {"const": {}}, "enum": [{"const": 2}]}
