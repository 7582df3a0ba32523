"""A message read by a model: one bounded call, its answer checked and completed by the rules."""

import json

import pytest

from loopwright.kernel.account.model_claims import LONGEST_TEXT, propose_quotes, read_with_model
from loopwright.kernel.events import ModelResponse
from loopwright.kernel.ports import ModelRequest, Profile
from loopwright.kernel.prompts import PromptRepository

MESSAGE = "A plan for Lena: 4 runs a week, not on Mondays, sung by goldfish"
PROMPTS = PromptRepository({})


class Model:
    """Answers each request with the same text."""

    def __init__(self, answer: object, finish: str = "stop") -> None:
        self.text = answer if isinstance(answer, str) else json.dumps(answer)
        self.finish = finish
        self.requests: list[ModelRequest] = []

    async def complete(self, request: ModelRequest) -> ModelResponse:
        """Answer."""
        self.requests.append(request)
        return ModelResponse(text=self.text, finish_reason=self.finish)


async def test_a_small_model_is_asked_once_with_the_text_alone() -> None:
    """Instructions stand in the system message, the text alone in the user's; everything is bounded."""
    model = Model({"quotes": ["A plan for Lena", "4 runs a week"]})
    await propose_quotes(MESSAGE, model.complete, PROMPTS, "small")
    (request,) = model.requests
    assert [message.role for message in request.messages] == ["system", "user"]
    assert request.messages[1].content == MESSAGE
    schema = request.grammar
    assert schema is not None
    quotes = schema["properties"]["quotes"]
    assert quotes["maxItems"] <= 40
    assert quotes["items"]["maxLength"] <= 200
    assert request.max_tokens < 400


@pytest.mark.parametrize(
    ("profile", "answer"),
    [
        ("small", {"quotes": ["A plan for Lena", "not on Mondays", "not on Mondays"]}),
        ("frontier", {"statements": [["A plan for Lena"], ["not on Mondays"], ["not on Mondays"]]}),
    ],
)
async def test_what_it_leaves_out_is_completed(profile: Profile, answer: object) -> None:
    """Its quotes are taken once each, and the words that it forgot come from the rules."""
    found = await read_with_model(MESSAGE, Model(answer).complete, PROMPTS, profile)
    assert [statement.text for statement in found.statements] == [
        "A plan for Lena",
        "4 runs a week",
        "not on Mondays",
        "sung by goldfish",
    ]
    assert found.refused == []


async def test_parts_that_lie_apart_are_one_statement() -> None:
    """A frontier model gives an item of a list its head."""
    model = Model({"statements": [["Members borrow drills"], ["Members borrow", "ladders"]]})
    found = await read_with_model("Members borrow drills and ladders", model.complete, PROMPTS, "frontier")
    assert [statement.text for statement in found.statements] == ["Members borrow drills", "Members borrow ladders"]


@pytest.mark.parametrize(
    ("answer", "finish", "trouble"),
    [
        ({"quotes": ["A plan for Lena"]}, "length", "cut by its length"),
        ("All done!", "stop", "another form"),
        ({"quotes": [{"quote": "4 runs"}]}, "stop", "another form"),
    ],
)
async def test_an_answer_that_cannot_be_used_is_told(answer: object, finish: str, trouble: str) -> None:
    """Then the rules read alone, and the reason is kept."""
    found = await read_with_model(MESSAGE, Model(answer, finish).complete, PROMPTS, "small")
    assert trouble in found.refused[-1][1]
    assert any("4 runs a week" in statement.hard for statement in found.statements)


async def test_what_the_model_made_up_is_refused() -> None:
    """Its own work, its instructions, and other numbers are not in the message."""
    model = Model({"quotes": ["all statements are kept", "Copy the parts word for word", "5 runs a week"]})
    found = await read_with_model(MESSAGE, model.complete, PROMPTS, "small")
    assert [reason for _, reason in found.refused] == ["not in the message"] * 3


async def test_a_long_message_costs_no_call() -> None:
    """A text that no small model could copy is read by the rules alone."""
    model = Model({"quotes": []})
    found = await read_with_model("3 pages. " * LONGEST_TEXT["small"], model.complete, PROMPTS, "small")
    assert model.requests == []
    assert "too long" in found.refused[-1][1]
