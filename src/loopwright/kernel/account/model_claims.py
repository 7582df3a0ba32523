"""What a model is asked about a message: which words say one thing each, and which checks measure them."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from loopwright.kernel.account import AccountKit, Check, Claim, Statement
from loopwright.kernel.account.reading import read_values
from loopwright.kernel.account.reading.statements import CompletedReading, complete_reading
from loopwright.kernel.answer_form import answer_format, closed_schema
from loopwright.kernel.events import ModelResponse
from loopwright.kernel.messages import Message
from loopwright.kernel.ports import ModelRequest, Profile, RequestLabels
from loopwright.kernel.prompts import PromptRepository

# A model's reading of a message: which words say one thing each. It copies words, and judges nothing.
#
# A small model gets one question of the shape that was measured to work: instructions in the system message, the text
# alone in the user's, a list of quotes for an answer, no example that could be copied. A frontier model may put words
# together that lie apart. Values, kinds and what is left out are found by code in either case.

Complete = Callable[[ModelRequest], Awaitable[ModelResponse]]
"""How a request is answered: the kernel's way meters and journals it."""

LONGEST_TEXT = {"small": 2_000, "frontier": 20_000}
"""Characters of a message that a model is asked about; a longer one is read by the rules alone."""
ANSWER_OVERHEAD = 2
"""Tokens of the answer beside those of the copied words: quotation marks and commas."""
MOST_TOKENS_OF_QUOTES = 8_000


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
        max_tokens=min(MOST_TOKENS_OF_QUOTES, 100 + ANSWER_OVERHEAD * len(message)),
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


# Claims that a model chooses: which of the agent's checks measures a statement that the agent's rules do not read.
#
# A model may be wrong or may want to please. So a claim of its choice is taken only where each value in it was said by
# the user, and where no hard token of the statement is left out; and it earns `kept` only by a check that failed before
# the work. Only a frontier model is asked, once for each message: small ones choose wrongly too often (a third of 48
# parts, measured on goals), and one question for each statement would cost them more than the work.

MOST_CLAIMS = 40
MOST_TOKENS = 4_000
LONGEST_CLAIMED = 20_000
"""Characters of a message that a model is asked about."""


class _Chosen(BaseModel):
    model_config = ConfigDict(extra="forbid")

    statement: int
    check: str
    arguments: dict[str, Any]


class _Claims(BaseModel):
    model_config = ConfigDict(extra="forbid")

    claims: list[_Chosen] = Field(max_length=MOST_CLAIMS)


async def choose_claims(
    message: str, statements: Sequence[Statement], kit: AccountKit, complete: Complete, prompts: PromptRepository
) -> Mapping[str, Claim]:
    """What a model claims of statements, by their ids; what it makes up is left out.

    Args:
        message: the user's, from which the statements are.
        statements: those that have no claim.
        kit: the agent's checks.
        complete: answers the request; the kernel's way meters and journals it.
        prompts: the installation's.

    Raises:
        LoopwrightError: what `complete` raises.
    """
    if not statements or not kit.checks or len(message) > LONGEST_CLAIMED:
        return {}
    response = await complete(claims_request(message, statements, kit, prompts))
    text = response.text
    try:
        answer = _Claims.model_validate_json(text[text.find("{") : text.rfind("}") + 1])
    except ValidationError:
        return {}
    found: dict[str, Claim] = {}
    for each in answer.claims:
        if not 1 <= each.statement <= len(statements):
            continue
        statement, check = statements[each.statement - 1], kit.by_name.get(each.check)
        if check is not None and statement.id not in found and is_said(check, each.arguments, message):
            found[statement.id] = Claim(check=each.check, arguments=each.arguments, by="model")
    return found


def claims_request(
    message: str, statements: Sequence[Statement], kit: AccountKit, prompts: PromptRepository
) -> ModelRequest:
    """The request; its schema has one form for each check."""
    numbers = list(range(1, len(statements) + 1))
    forms = [
        {
            "type": "object",
            "properties": {
                "statement": {"type": "integer", "enum": numbers},
                "check": {"type": "string", "enum": [check.name]},
                "arguments": closed_schema(check.arguments.model_json_schema()),
            },
            "required": ["statement", "check", "arguments"],
            "additionalProperties": False,
        }
        for check in kit.checks
    ]
    schema = {
        "type": "object",
        "properties": {"claims": {"type": "array", "items": {"anyOf": forms}, "maxItems": MOST_CLAIMS}},
        "required": ["claims"],
        "additionalProperties": False,
    }
    told = "\n".join(f"{number}. {each.text}" for number, each in zip(numbers, statements, strict=True))
    checks = "\n".join(f"- {check.name}: {_purpose(check)}" for check in kit.checks)
    asked = f"Message:\n{message}\n\nStatements:\n{told}\n\nChecks:\n{checks}"
    return ModelRequest(
        messages=[Message.system(prompts.render("kernel/choose_checks")), Message.user(asked)],
        tier="fast",
        max_tokens=MOST_TOKENS,
        temperature=0,
        response_format={"type": "json_schema", "json_schema": {"name": "Claims", "schema": schema, "strict": True}},
        labels=RequestLabels(stage="claim"),
    )


def _purpose(check: Check) -> str:
    return " ".join((check.arguments.__doc__ or check.name).split())


def is_said(check: Check, arguments: Mapping[str, Any], message: str) -> bool:
    """Whether each number and each text in the arguments stands in the message; the check's own choices are no texts.

    A number may be said in another unit or as a word.
    """
    choices = set(_choices(closed_schema(check.arguments.model_json_schema())))
    values = [float(each.value) for each in read_values(message) if isinstance(each.value, int | float | Decimal)]
    said = message.casefold()
    for value in _leaves(arguments):
        if isinstance(value, bool) or value is None:
            continue
        if isinstance(value, int | float):
            if not any(abs(float(value) - each) <= 1e-6 * max(1.0, abs(each)) for each in values):
                return False
        elif value not in choices and str(value).casefold() not in said:
            return False
    return True


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        for each in value.values():
            yield from _leaves(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _leaves(each)
    else:
        yield value


def _choices(schema: Any) -> Iterator[str]:
    """The values that a schema lets choose from."""
    if isinstance(schema, Mapping):
        yield from (each for each in schema.get("enum") or () if isinstance(each, str))
        for each in schema.values():
            yield from _choices(each)
    elif isinstance(schema, list):
        for each in schema:
            yield from _choices(each)
