"""`ask_user`: structured questions to the user; the run waits at a gate until they are answered."""

import json

from pydantic import BaseModel, Field

from loopwright.agents.pages.ports import PagesServices
from loopwright.kernel.gates import QuestionItem
from loopwright.kernel.tools import BaseTool, GateRequest, ToolContext, ToolResult

NO_ANSWERS = "No answers were given. Go on with sensible defaults, and do not ask the same again."


class AskUserParameters(BaseModel):
    """Parameters of `ask_user`."""

    questions: list[QuestionItem] = Field(min_length=1, max_length=8, description="3 to 5 questions are best")


class AskUser(BaseTool[AskUserParameters, PagesServices]):
    """Asks; the answers come in through the gate."""

    name = "ask_user"
    parameters_model = AskUserParameters
    effect = "pure"

    def gate(self, params: AskUserParameters) -> GateRequest:
        """The questions themselves."""
        count = len(params.questions)
        title = params.questions[0].question if count == 1 else f"{count} questions about your app"
        return GateRequest("questions", title, questions=tuple(params.questions))

    async def execute(self, params: AskUserParameters, ctx: ToolContext[PagesServices]) -> ToolResult:
        """Hand the answers to the model; empty ones count as not given."""
        given = (ctx.answer or {}).get("answers") or {}
        answers = {question: answer for question, answer in given.items() if _says_something(answer)}
        output = json.dumps(answers, ensure_ascii=False) if answers else NO_ANSWERS
        return ToolResult(success=True, output=output, artifacts={"answers": answers})


def _says_something(answer: str | list[str]) -> bool:
    return any(text.strip() for text in ([answer] if isinstance(answer, str) else answer))
