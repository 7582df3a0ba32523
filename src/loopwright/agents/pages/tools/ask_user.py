"""`ask_user`: structured questions to the user; the run waits at a gate until they are answered."""

import json
from collections.abc import Mapping

from pydantic import BaseModel, Field

from loopwright.agents.pages.interview.guard import tell
from loopwright.agents.pages.interview.record import InterviewRecord
from loopwright.agents.pages.ports import PagesServices
from loopwright.kernel.gates import QuestionItem
from loopwright.kernel.tools import BaseTool, GateRequest, ToolContext, ToolResult

NO_ANSWERS = "No answers were given. Go on with sensible defaults, and do not ask the same again."
CHANGED = "The user has changed earlier answers; redo only what they change:"

Answers = Mapping[str, str | list[str]]


class AskUserParameters(BaseModel):
    """Parameters of `ask_user`."""

    questions: list[QuestionItem] = Field(min_length=1, max_length=8, description="3 to 5 questions are best")


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
