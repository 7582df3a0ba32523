"""Endpoints that refuse, ignore or drop what the real ones do: every rule is data, a profile is a list of rules.

A rule looks at a request's body and says what is wrong with it, or nothing. What an endpoint does about it is its
`mode`: it refuses with a status and a body in its own form, says so in the middle of a stream that began with 200, or
drops the message in silence. The texts are the ones that the endpoints answer with, shortened.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.support.strict_rules import (
    Body,
    Finding,
    any_schema,
    any_system,
    any_tool_turn,
    bad_arguments,
    bad_ids,
    calls_without_tools,
    choice_without_tools,
    empty_lists,
    empty_text,
    ends_on_assistant,
    grammar_beside_tools,
    keywords,
    late_system,
    loose_schema,
    misplaced_call,
    no_content,
    no_user,
    odd_names,
    options_without_stream,
    other_fields,
    other_message_fields,
    same_neighbours,
    two_assistants_last,
    two_calls,
    unpaired,
    unsigned,
    user_behind_tool,
)

Mode = Literal["refuse", "stream", "drop"]


@dataclass(frozen=True)
class Rule:
    """What a request must not be."""

    wrong: Callable[[Body], Finding]
    status: int = 400
    mode: Mode = "refuse"


@dataclass(frozen=True)
class Profile:
    """An endpoint: the rules of its own, what it never reads, and the name under which our side knows it.

    `host` is where it is thought to be; `found` what discovery would say of it. `forms` are those in which tools can be
    told to it. `signs` are the opaque fields that it sends with its answers and wants to have back.
    """

    name: str
    rules: str
    checks: tuple[Rule, ...]
    error: Callable[[int, str], Any]
    host: str = "127.0.0.1"
    found: str = ""
    model: str = "some-model"
    forms: tuple[str, ...] = ("native",)
    unread: frozenset[str] = frozenset()
    signs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Refused:
    """What the endpoint says instead of an answer."""

    status: int
    body: bytes
    mode: Mode
    why: str


def refusal(profile: Profile, body: Body) -> Refused | None:
    """What the endpoint objects to first, or None where it takes the request."""
    read = {key: value for key, value in body.items() if key not in profile.unread}
    for rule in (*profile.checks, *(Rule(unsigned(name)) for name in profile.signs)):
        why = rule.wrong(read)
        if why is not None:
            return Refused(rule.status, json.dumps(profile.error(rule.status, why)).encode(), rule.mode, why)
    return None


def openai_error(status: int, why: str) -> Any:
    return {"error": {"message": why, "type": "invalid_request_error", "param": "messages", "code": None}}


def anthropic_error(status: int, why: str) -> Any:
    return {"type": "error", "error": {"type": "invalid_request_error", "message": why}, "request_id": "req_1"}


def gemini_error(status: int, why: str) -> Any:
    return [{"error": {"code": status, "message": why, "status": "INVALID_ARGUMENT"}}]


def mistral_error(status: int, why: str) -> Any:
    if status == 422:
        return {"detail": [{"type": "extra_forbidden", "msg": why}]}
    return {"object": "error", "message": why, "type": "invalid_request_message_order", "param": None, "code": "3230"}


def vllm_error(status: int, why: str) -> Any:
    return {"error": {"message": why, "type": "BadRequestError", "param": None, "code": status}}


def llamacpp_error(status: int, why: str) -> Any:
    return {"error": {"code": status, "message": why, "type": "invalid_request_error"}}


COMMON = (Rule(unpaired), Rule(empty_lists), Rule(no_content), Rule(odd_names), Rule(bad_arguments))
TEMPLATE = (Rule(no_user), Rule(late_system), Rule(same_neighbours))
LLAMACPP = (*COMMON, Rule(two_assistants_last), Rule(ends_on_assistant), Rule(grammar_beside_tools))
BOTH = ("native", "schema")

PROFILES: dict[str, Profile] = {
    profile.name: profile
    for profile in (
        Profile(
            "openai",
            "openai",
            (
                *COMMON,
                Rule(bad_ids(r".{1,40}")),
                Rule(choice_without_tools),
                Rule(options_without_stream),
                Rule(loose_schema),
            ),
            openai_error,
            host="api.openai.com",
            forms=BOTH,
        ),
        Profile(
            "anthropic",
            "anthropic",
            (
                *COMMON,
                Rule(ends_on_assistant),
                Rule(empty_text),
                Rule(bad_ids(r"[a-zA-Z0-9_-]+")),
                Rule(calls_without_tools),
            ),
            anthropic_error,
            host="api.anthropic.com",
            forms=BOTH,
            unread=frozenset({"response_format"}),
        ),
        Profile(
            "gemini",
            "gemini+signed",
            (
                *COMMON,
                Rule(other_fields("stream_options", "max_completion_tokens")),
                Rule(misplaced_call),
                Rule(keywords("$schema", "const", "examples", "additionalProperties", "propertyNames")),
                Rule(grammar_beside_tools),
            ),
            gemini_error,
            host="generativelanguage.googleapis.com",
            model="gemini-3-pro",
            forms=BOTH,
            signs=("extra_content",),
        ),
        Profile(
            "mistral",
            "mistral",
            (
                *COMMON,
                Rule(ends_on_assistant),
                Rule(user_behind_tool),
                Rule(late_system),
                Rule(bad_ids(r"[a-zA-Z0-9]{9}")),
                Rule(other_fields(), 422),
                Rule(other_message_fields(), 422),
            ),
            mistral_error,
            host="api.mistral.ai",
            forms=BOTH,
        ),
        Profile(
            "deepseek",
            "deepseek+signed",
            (*COMMON, Rule(any_schema)),
            openai_error,
            host="api.deepseek.com",
            model="deepseek-reasoner",
            forms=BOTH,
            signs=("reasoning_content",),
        ),
        Profile(
            "vllm",
            "vllm",
            (*COMMON, Rule(choice_without_tools), Rule(options_without_stream), Rule(late_system, mode="stream")),
            vllm_error,
            found="vllm",
            forms=BOTH,
        ),
        Profile("llamacpp", "llamacpp", LLAMACPP, llamacpp_error, found="llamacpp", forms=BOTH),
        Profile(
            "ollama",
            "ollama",
            LLAMACPP,
            openai_error,
            found="ollama",
            forms=BOTH,
            unread=frozenset({"tool_choice", "parallel_tool_calls", "max_completion_tokens"}),
        ),
        Profile(
            "gemma",
            "llamacpp",
            (*LLAMACPP, *TEMPLATE, Rule(any_tool_turn)),
            llamacpp_error,
            found="llamacpp",
            model="gemma-3-12b-it",
            forms=("schema",),
        ),
        Profile(
            "gemma2",
            "llamacpp+gemma2",
            (*LLAMACPP, *TEMPLATE, Rule(any_tool_turn), Rule(any_system)),
            llamacpp_error,
            found="llamacpp",
            model="gemma-2-9b-it",
            forms=("schema",),
        ),
        Profile(
            "mistral-v3",
            "vllm+mistral",
            (*COMMON, *TEMPLATE, Rule(user_behind_tool), Rule(bad_ids(r"[a-zA-Z0-9]{9}"))),
            vllm_error,
            found="vllm",
            model="Mistral-7B-Instruct-v0.3",
            forms=BOTH,
        ),
        Profile(
            "qwen3.5",
            "vllm",
            (*COMMON, Rule(no_user, mode="stream"), Rule(late_system, mode="stream")),
            vllm_error,
            found="vllm",
            model="Qwen3.5-32B",
            forms=BOTH,
        ),
        Profile(
            "llama3.1",
            "llamacpp",
            (*LLAMACPP, Rule(two_calls)),
            llamacpp_error,
            found="llamacpp",
            model="Llama-3.1-8B-Instruct",
            forms=BOTH,
        ),
    )
}
"""The endpoints, by name."""


@dataclass
class Seen:
    """What an endpoint was asked, and what it objected to."""

    bodies: list[dict[str, Any]] = field(default_factory=list)
    tasks: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
