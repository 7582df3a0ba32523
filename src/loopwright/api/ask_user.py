"""`ask_user`: an agent with `asks=True` puts questions to the user; its run waits at a gate for the answers."""

import json
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from loopwright.kernel.gates import QuestionItem
from loopwright.kernel.tools import BaseTool, GateRequest, ToolContext, ToolResult

ASK_USER = "ask_user"
NO_ANSWER = "The user gave no answer. Decide yourself, say what you assume, and do not ask the same again."


class Question(BaseModel):
    """A question as the model writes it."""

    model_config = ConfigDict(extra="forbid")

    question: str = Field(min_length=1, max_length=1_000)
    options: list[str] = Field(default=[], max_length=12, description="What there is to choose from")
    several: bool = Field(False, description="Whether more than one option may be chosen")

    def as_item(self) -> QuestionItem:
        """The question as gates have it."""
        if not self.options:
            return QuestionItem(question=self.question, type="text")
        kind = "checkbox" if self.several else "radio"
        return QuestionItem.model_validate({"question": self.question, "type": kind, "options": self.options})


class AskUserParameters(BaseModel):
    """Parameters of `ask_user`."""

    model_config = ConfigDict(extra="forbid")

    questions: list[Question] = Field(min_length=1, max_length=8)


class AskUser(BaseTool[AskUserParameters, Any]):
    """Asks; the answers are the call's result."""

    name = ASK_USER
    parameters_model = AskUserParameters
    effect = "idempotent"

    def gate(self, params: AskUserParameters) -> GateRequest:
        """The questions themselves."""
        items = tuple(question.as_item() for question in params.questions)
        title = items[0].question if len(items) == 1 else f"{len(items)} questions"
        return GateRequest("questions", title, questions=items)

    async def execute(self, params: AskUserParameters, ctx: ToolContext[Any]) -> ToolResult:
        """Hand the answers to the model; empty ones count as not given."""
        given = (ctx.answer or {}).get("answers") or {}
        answers = {question: answer for question, answer in given.items() if answer}
        text = json.dumps(answers, ensure_ascii=False) if answers else NO_ANSWER
        return ToolResult(success=True, output=text, artifacts={"value": answers})
