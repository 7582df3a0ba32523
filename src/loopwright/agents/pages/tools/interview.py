"""The tools for the brief: analysed, and asked about."""

import json
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from loopwright.agents.pages.brief.sitemap import HOME
from loopwright.agents.pages.contracts import SLUG_PATTERN
from loopwright.agents.pages.interview.guard import tell
from loopwright.agents.pages.interview.plan import InterviewRecord
from loopwright.agents.pages.ports import PagesServices
from loopwright.kernel.gates import QuestionItem
from loopwright.kernel.tools import BaseTool, GateRequest, ToolContext, ToolResult

# Parameter types that several tools share.


class Parameters(BaseModel):
    """Parameters of a tool; what is not among them is refused.

    A model fills every parameter that it is told of, so only those that are always needed are published: what the
    controller's own steps and the offline model may add besides is typed as `SkipJsonSchema`.
    """

    model_config = ConfigDict(extra="forbid")


_MEANS_HOME = ("home", "homepage", "home-page")


def _home(value: object) -> object:
    return HOME if value in _MEANS_HOME else value


Slug = Annotated[
    str,
    Field(pattern=rf"^{SLUG_PATTERN}$"),
    BeforeValidator(_home),
]


def at_most(characters: int) -> AfterValidator:
    """A bound for a text that the schema does not show."""

    def check(text: str | None) -> str | None:
        if text is not None and len(text) > characters:
            raise ValueError(f"the text has {len(text):,} characters; at most {characters:,} are taken")
        return text

    return AfterValidator(check)


NO_ANSWERS = "No answers were given. Go on with sensible defaults, and do not ask the same again."
CHANGED = "The user has changed earlier answers; redo only what they change:"

Answers = Mapping[str, str | list[str]]

ASKED: Mapping[str, Any] = {
    "type": "array",
    "maxItems": 5,
    "items": {
        "type": "object",
        "properties": {
            "question": {"type": "string"},
            "options": {"type": "array", "items": {"type": "string"}},
            "several": {"type": "boolean"},
            "decides": {"type": "string"},
        },
        "required": ["question", "options", "several", "decides"],
        "additionalProperties": False,
    },
}
"""A question as the model writes it: its widget follows from its options, and the first one is the default."""


def _as_items(questions: Any) -> Any:
    """The questions in the kernel's form; what has it already stays as it is."""
    return [_as_item(each) for each in questions] if isinstance(questions, list) else questions


def _as_item(asked: Any) -> Any:
    if not isinstance(asked, dict) or not {"several", "decides"} & asked.keys():
        return asked
    options = asked.get("options") or None
    kind = "text" if options is None else "checkbox" if asked.get("several") else "radio"
    decides = str(asked.get("decides") or "").strip()
    return {
        "question": asked.get("question"),
        "type": kind,
        "options": options,
        "context": f"Decides: {decides}" if decides else None,
    }


class AskUserParameters(Parameters):
    """Parameters of `ask_user`."""

    questions: Annotated[list[QuestionItem], BeforeValidator(_as_items), WithJsonSchema(ASKED)] = Field(
        min_length=1, max_length=8
    )


class AskUser(BaseTool[AskUserParameters, PagesServices]):
    """Asks; the answers come in through the gate, and the session remembers them, with what was assumed instead."""

    name = "ask_user"
    parameters_model = AskUserParameters
    effect = "idempotent"

    def gate(self, params: AskUserParameters) -> GateRequest:
        """The questions themselves."""
        count = len(params.questions)
        title = params.questions[0].question if count == 1 else f"{count} questions about your app"
        return GateRequest("questions", title, questions=tuple(params.questions))

    async def execute(self, params: AskUserParameters, ctx: ToolContext[PagesServices]) -> ToolResult:
        """Hand the answers to the model; empty ones count as not given, and their defaults as assumed."""
        session = await ctx.db.sessions.get(ctx.session_id)
        record = InterviewRecord.of(session.metadata)
        struck = record.struck.get(ctx.call_id, {})
        given = (ctx.answer or {}).get("answers") or {}
        answers = {question: answer for question, answer in given.items() if _says_something(answer)}
        asked = [item for item in params.questions if item.question not in struck]
        assumed = {item.question: item.default for item in asked if item.default and item.question not in answers}
        kept = record.with_answers(answers, run_id=ctx.run_id).with_answers(assumed, assumed=True, run_id=ctx.run_id)
        await ctx.db.sessions.update(ctx.session_id, metadata=kept.to_metadata())
        lines = [json.dumps(answers, ensure_ascii=False) if answers else NO_ANSWERS]
        if assumed:
            lines += ["Left open by the user, assumed:", *_listed(assumed)]
        if record.changed:
            lines += [CHANGED, *_listed(record.changed)]
        if struck:
            lines.append(tell(struck))
        artifacts = {"answers": answers, "assumed": assumed, "struck": struck}
        return ToolResult(success=True, output="\n".join(lines), artifacts=artifacts)


def _listed(answers: Answers) -> list[str]:
    return [f"- {question} → {', '.join(a) if isinstance(a, list) else a}" for question, a in answers.items()]


def _says_something(answer: str | list[str]) -> bool:
    return any(text.strip() for text in ([answer] if isinstance(answer, str) else answer))
