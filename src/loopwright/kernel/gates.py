"""Gates: the one mechanism by which a run waits for a human's yes.

An approval names the digest of what it approves and is used exactly once:
open → answered → reserved (the approved call is journalled as started) → consumed (its result is journalled).
"""

import hashlib
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import to_json

from loopwright.kernel.errors import InvalidInput

GateKind = Literal["questions", "patch", "run", "plan", "permission"]
GateStatus = Literal["open", "answered", "reserved", "consumed"]


class QuestionItem(BaseModel):
    """One question to the user (spec 000, `ask_user`).

    `default` is what `--yes` answers; without it the first option is taken, or the empty text.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

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

    `digest` identifies what would be approved; `call_id` is the tool call that waits, if one does.
    """

    model_config = ConfigDict(extra="forbid")

    gate_id: str
    kind: GateKind
    digest: str
    call_id: str | None = None
    title: str = ""
    questions: list[QuestionItem] = []
    details: dict[str, Any] = {}
    status: GateStatus = "open"
    answer: dict[str, Any] | None = None

    @property
    def approved(self) -> bool:
        """Whether the human said yes; an answered question counts as one."""
        return self.answer is not None and (self.kind == "questions" or self.answer.get("decision") == "approve")


def digest_of(*parts: Any) -> str:
    """SHA-256 (hex) over the JSON of the parts: the name of exactly this content."""
    return hashlib.sha256(to_json(parts)).hexdigest()


def read_answer(gate: Gate, payload: Any) -> dict[str, Any]:
    """Check a human's answer against its gate and bring it into the one stored shape.

    Questions: `{"answers": {text or 0-based index: answer}}`, where a bare object of answers is accepted too; the
    result is keyed by question text. Everything else: `{"decision": "approve" | "reject", "comment"?,
    "scope"?}`.

    Raises:
        InvalidInput: the answer does not fit the gate; the message lists what is wrong. A scope beyond this call fits
            only a permission whose details say what it `allows` then.
    """
    if not isinstance(payload, dict):
        raise InvalidInput("An answer must be a JSON object.", hint='For example {"answers": {"0": "Blue"}}.')
    if gate.kind == "questions":
        return _read_answers(gate, payload)
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

    model_config = ConfigDict(extra="forbid")

    decision: Literal["approve", "reject"]
    comment: str | None = None
    scope: Literal["once", "run", "always"] | None = None
    """How far a permission reaches: this call, this run, or all runs to come; nothing said is once."""


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
    return {"decision": "approve"}
