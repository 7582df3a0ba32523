"""Gates, by which a run waits for a human or a client, and the four outcomes of a step, one of which is to wait."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import to_json

from loopwright.kernel.errors import InvalidInput

# Gates: the one mechanism by which a run waits for a human's yes, or for what a client does.
#
# An approval names the digest of what it approves and is used exactly once: open → answered → reserved (the approved
# call is journalled as started) → consumed (its result is journalled).

GateKind = Literal["questions", "patch", "run", "plan", "permission", "client"]
GateStatus = Literal["open", "answered", "reserved", "consumed"]


class QuestionItem(BaseModel):
    """One question to the user (spec 000, `ask_user`).

    `default` is what `--yes` answers; without it the first option is taken, or the empty text.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    question: str = Field(min_length=1, max_length=1_000, description="The question text")
    type: Literal["radio", "checkbox", "text"] = Field(description="Widget type")
    options: list[str] | None = Field(default=None, description="For radio and checkbox")
    context: str | None = Field(default=None, description="Why this question matters")
    default: str | list[str] | None = Field(default=None, description="The answer taken when the user leaves it to you")

    @model_validator(mode="after")
    def _options_fit_type(self) -> "QuestionItem":
        if self.type in ("radio", "checkbox") and not self.options:
            raise ValueError(f"a {self.type} question needs options")
        if isinstance(self.default, list) and self.type != "checkbox":
            raise ValueError(f"the default of a {self.type} question is one string")
        return self

    def default_answer(self) -> str | list[str]:
        """The answer when the user leaves the choice to the agent."""
        if self.default is not None:
            return [self.default] if self.type == "checkbox" and isinstance(self.default, str) else self.default
        if self.type == "checkbox":
            return [(self.options or [""])[0]]
        return (self.options or [""])[0]


class Gate(BaseModel):
    """A question that is stored in the journal until a human answers it.

    `digest` identifies what would be approved; `call_id` is the tool call that waits, if one does. A gate that was
    `asked_by_call` was opened by the call while it ran: the call is made again with the answer, whatever that is.
    """

    model_config = ConfigDict(extra="forbid", defer_build=True)

    gate_id: str
    kind: GateKind
    digest: str
    call_id: str | None = None
    title: str = ""
    questions: list[QuestionItem] = []
    details: dict[str, Any] = {}
    asked_by_call: bool = False
    status: GateStatus = "open"
    answer: dict[str, Any] | None = None

    @property
    def approved(self) -> bool:
        """Whether the human said yes; an answered question counts as one, and so does whatever a client answers."""
        if self.answer is None:
            return False
        return self.kind in ("questions", "client") or self.answer.get("decision") == "approve"

    @property
    def asks_human(self) -> bool:
        """Whether it is a person who is asked, so that the answer begins a turn; a client tool's call is none."""
        return self.kind != "client"

    def own_words(self, answer: Mapping[str, Any]) -> list[str]:
        """What of an answer the user has put into words: no default, and no option that was offered.

        The options that a gate names as `statements` in its details say what the user wants, as their own words would.
        """
        if self.kind != "questions":
            return [answer["comment"]] if answer.get("comment") else []
        given = answer.get("answers") or {}
        own, statements = [], self.details.get("statements") or ()
        for item in self.questions:
            words = given.get(item.question)
            offered = [option for option in item.options or () if option not in statements]
            if isinstance(words, str) and words.strip() and words not in (item.default, *offered):
                own.append(words)
        return own


def digest_of(*parts: Any) -> str:
    """SHA-256 (hex) over the JSON of the parts: the name of exactly this content."""
    return hashlib.sha256(to_json(parts)).hexdigest()


def read_answer(gate: Gate, payload: Any) -> dict[str, Any]:
    """Check a human's answer against its gate and bring it into the one stored shape.

    Questions: `{"answers": {text or 0-based index: answer}}`, where a bare object of answers is accepted too; the
    result is keyed by question text. Calls of client tools: `{"result": any JSON}` or `{"error": why}`, with a
    `client` that may name itself. Everything else: `{"decision": "approve" | "reject", "comment"?, "scope"?}`.

    Raises:
        InvalidInput: the answer does not fit the gate; the message lists what is wrong. A scope beyond this call fits
            only a permission whose details say what it `allows` then.
    """
    if not isinstance(payload, dict):
        raise InvalidInput("An answer must be a JSON object.", hint='For example {"answers": {"0": "Blue"}}.')
    if gate.kind == "questions":
        return _read_answers(gate, payload)
    if gate.kind == "client":
        return _read_client_answer(gate, payload)
    try:
        decision = Decision.model_validate(payload)
    except ValidationError as error:
        raise InvalidInput(
            f"Gate {gate.gate_id} ({gate.kind}) needs a decision: {error.errors()[0]['msg']}.",
            hint='Send {"decision": "approve"} or {"decision": "reject", "comment": "why"}.',
        ) from error
    if decision.scope in ("run", "always") and not gate.details.get("allows"):
        raise InvalidInput(
            f"A yes to {gate.title!r} holds for this call alone.", hint="Approve it without a scope, or with `once`."
        )
    return decision.model_dump(exclude_none=True)


class Decision(BaseModel):
    """The answer to every gate that is not a set of questions."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    decision: Literal["approve", "reject"]
    comment: str | None = None
    scope: Literal["once", "run", "always"] | None = None
    """How far a permission reaches: this call, this run, or all runs to come; nothing said is once."""


class ClientAnswer(BaseModel):
    """What a client answers to the call of a tool that runs there: a result, or why there is none."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    result: Any = None
    error: str | None = Field(default=None, min_length=1, max_length=2_000)
    client: str | None = Field(default=None, max_length=200)


def _read_client_answer(gate: Gate, payload: dict[str, Any]) -> dict[str, Any]:
    if payload.get("decision") == "reject":  # surfaces that know only yes and no can refuse
        return {"error": payload.get("comment") or "the user did not allow it"}
    try:
        answer = ClientAnswer.model_validate(payload)
    except ValidationError as error:
        raise InvalidInput(
            f"Gate {gate.gate_id} waits for a client: {error.errors()[0]['msg']}.", hint=CLIENT_HINT
        ) from error
    if ("result" in answer.model_fields_set) == (answer.error is not None):
        raise InvalidInput(f"Gate {gate.gate_id} waits for either a result or an error.", hint=CLIENT_HINT)
    return answer.model_dump(exclude_unset=True)


CLIENT_HINT = 'Send {"result": …} or {"error": "why there is none"}.'


def _read_answers(gate: Gate, payload: dict[str, Any]) -> dict[str, Any]:
    given = payload.get("answers", payload)
    if not isinstance(given, dict):
        raise InvalidInput('"answers" must be an object from question (text or index) to answer.')
    by_key = {str(i): q for i, q in enumerate(gate.questions)} | {q.question: q for q in gate.questions}
    unknown = [key for key in given if key not in by_key]
    if unknown:
        raise InvalidInput(
            f"Gate {gate.gate_id} has no question {unknown[0]!r}.",
            hint="The questions are: " + "; ".join(f"{i} = {q.question}" for i, q in enumerate(gate.questions)),
        )
    if len({by_key[key].question for key in given}) < len(given):
        raise InvalidInput("A question is answered twice, by its index and by its text.", hint="Send one of the two.")
    answers = {by_key[key].question: _check_value(by_key[key], value) for key, value in given.items()}
    return {"answers": answers}


def _check_value(question: QuestionItem, value: Any) -> str | list[str]:
    if question.type == "checkbox":
        values = value if isinstance(value, list) else [value]
        if not all(isinstance(v, str) for v in values):
            raise InvalidInput(f"The answer to {question.question!r} must be a list of strings.")
        return [str(v) for v in values]
    if not isinstance(value, str):
        raise InvalidInput(f"The answer to {question.question!r} must be a string.")
    return value


def default_answers(gate: Gate) -> dict[str, Any]:
    """What `--yes` answers: the agent's own defaults, or an approval."""
    if gate.kind == "questions":
        return {"answers": {q.question: q.default_answer() for q in gate.questions}}
    if gate.kind == "client":
        return {"error": f"{gate.details['tool']} is not available here"}
    return {"decision": "approve"}


# What a step says about the run: exactly one of four.


@dataclass(frozen=True)
class RunAgain:
    """The run goes on with another step."""


@dataclass(frozen=True)
class Waiting:
    """A human has to answer this gate; the run holds no task and no memory meanwhile."""

    gate: Gate


@dataclass(frozen=True)
class Finished:
    """The run has done its work; `text` is the last thing the user reads."""

    text: str


@dataclass(frozen=True)
class Failed:
    """The run cannot go on; `message` says what happened and `hint` what to do next."""

    code: str
    message: str
    hint: str = ""


@dataclass(frozen=True)
class Cancelled:
    """The user stopped the run."""


Outcome = RunAgain | Waiting | Finished | Failed | Cancelled
