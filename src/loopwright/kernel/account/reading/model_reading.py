"""A model's reading of a message: which words say one thing each. It copies words, and judges nothing.

A small model gets one question of the shape that was measured to work: instructions in the system message, the text
alone in the user's, a list of quotes for an answer, no example that could be copied. A frontier model may put words
together that lie apart. Values, kinds and what is left out are found by code in either case.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from loopwright.kernel.account.reading.completing import CompletedReading, complete_reading
from loopwright.kernel.answer_form import answer_format
from loopwright.kernel.events import ModelResponse
from loopwright.kernel.messages import Message
from loopwright.kernel.ports import ModelRequest, Profile, RequestLabels
from loopwright.kernel.prompts import PromptRepository

Complete = Callable[[ModelRequest], Awaitable[ModelResponse]]
"""How a request is answered: the kernel's way meters and journals it."""

LONGEST_TEXT = {"small": 2_000, "frontier": 20_000}
"""Characters of a message that a model is asked about; a longer one is read by the rules alone."""
ANSWER_OVERHEAD = 2
"""Tokens of the answer beside those of the copied words: quotation marks and commas."""
MOST_TOKENS = 8_000


class Quotes(BaseModel):
    """What a small model answers: the text's words, part by part."""

    model_config = ConfigDict(extra="forbid")

    quotes: list[Annotated[str, Field(min_length=1, max_length=200)]] = Field(max_length=40)


class Statements(BaseModel):
    """What a frontier model answers: for each statement the quotes that make it, several where its words lie apart."""

    model_config = ConfigDict(extra="forbid")

    statements: list[Annotated[list[Annotated[str, Field(min_length=1, max_length=500)]], Field(max_length=6)]] = Field(
        max_length=150
    )


@dataclass(frozen=True)
class Proposal:
    """The quotes that a model proposed, each a list of its parts; `trouble` says why there are none."""

    quotes: tuple[tuple[str, ...], ...] = ()
    trouble: str = ""


async def read_with_model(
    message: str, complete: Complete, prompts: PromptRepository, profile: Profile, number: int = 0
) -> CompletedReading:
    """The statements of a message as a model cuts it, checked and completed by the rules; without a model the rules'.

    Raises:
        LoopwrightError: what `complete` raises.
    """
    proposal = await propose_quotes(message, complete, prompts, profile)
    completed = complete_reading(message, proposal.quotes, number)
    if proposal.trouble:
        return CompletedReading(completed.statements, [*completed.refused, ("", proposal.trouble)])
    return completed


async def propose_quotes(message: str, complete: Complete, prompts: PromptRepository, profile: Profile) -> Proposal:
    """Ask a model, in one call, which words of a message say one thing each.

    Raises:
        LoopwrightError: what `complete` raises.
    """
    if not message.strip() or len(message) > LONGEST_TEXT[profile]:
        return Proposal(trouble="the message is too long to ask a model about" if message.strip() else "")
    response = await complete(request_for(message, prompts, profile))
    if response.finish_reason == "length":
        return Proposal(trouble="the model's answer was cut by its length")
    try:
        return Proposal(_quotes(response.text, profile))
    except ValidationError as error:
        return Proposal(trouble=f"the model's answer has another form: {error.errors(include_url=False)[0]['msg']}")


def request_for(message: str, prompts: PromptRepository, profile: Profile) -> ModelRequest:
    """The request: it costs about the message's own tokens again for its answer."""
    small = profile == "small"
    system = prompts.render("kernel/quote_parts") if small else prompts.render("kernel/quote_statements")
    form = answer_format(Quotes if small else Statements)
    return ModelRequest(
        messages=[Message.system(system), Message.user(message)],
        tier="fast",
        max_tokens=min(MOST_TOKENS, 100 + ANSWER_OVERHEAD * len(message)),
        temperature=0,
        response_format=form,
        grammar=form["json_schema"]["schema"],
        labels=RequestLabels(stage="read"),
    )


def _quotes(text: str, profile: Profile) -> tuple[tuple[str, ...], ...]:
    body = text[text.find("{") : text.rfind("}") + 1]
    if profile == "small":
        return _once([[quote] for quote in Quotes.model_validate_json(body).quotes])
    return _once(Statements.model_validate_json(body).statements)


def _once(quotes: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """The quotes without repetitions: a small model says some twice."""
    return tuple(dict.fromkeys(tuple(quote) for quote in quotes if quote))
