"""An agent whose tools run in the user's editor, for tests of client tools over the API."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from loopwright.app.loopwright import Loopwright
from loopwright.kernel.client_tools import client_tool
from loopwright.kernel.compaction import AU2
from loopwright.kernel.gates import QuestionItem
from loopwright.kernel.policy import COMPLETE, StagePolicy, Transition
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import AgentSpec, Stage
from loopwright.kernel.tools import BaseTool, GateRequest, ToolContext, ToolResult
from tests.support.agents import introduce


class Where(BaseModel):
    """Which file is meant."""

    model_config = ConfigDict(extra="forbid")

    file: str = Field(description="The file's name")


class Selection(BaseModel):
    """What the user has marked."""

    model_config = ConfigDict(extra="forbid")

    text: str
    line: int = Field(ge=1)


class NoQuestion(BaseModel):
    """It asks one question, always the same."""


class AskColour(BaseTool[NoQuestion, Any]):
    """A question to the person, beside the tools of their client."""

    name, parameters_model, effect = "ask_colour", NoQuestion, "pure"
    description = "Ask for the colour."

    def gate(self, params: NoQuestion) -> GateRequest:
        question = QuestionItem(question="Which colour?", type="radio", options=["Blue", "Red"])
        return GateRequest("questions", "A question", questions=(question,))

    async def execute(self, params: NoQuestion, ctx: ToolContext[Any]) -> ToolResult:
        return ToolResult(success=True, output=str((ctx.answer or {})["answers"]["Which colour?"]))


TOOLS = (
    client_tool("get_selection", "What the user has marked in a file.", Where, result=Selection, timeout_seconds=60),
    client_tool("open_file", "Open a file in the user's editor.", Where, timeout_seconds=60),
    AskColour(),
)


async def entry(run: AgentRun) -> str:
    return "work"


async def system_prompt(run: AgentRun) -> str:
    return "You help in an editor."


EDITOR = AgentSpec(
    name="editor",
    title="Editor",
    description="Helps in an editor.",
    prompts="tests.support",
    stages=(Stage("work", StagePolicy(frozenset(tool.name for tool in TOOLS))),),
    transitions=(Transition("work", "text", COMPLETE),),
    tools=TOOLS,
    entry=entry,
    system_prompt=system_prompt,
    compaction=AU2(max_messages=10_000, max_tokens=10_000_000),
)


def add_editor(app: Loopwright, spec: AgentSpec = EDITOR) -> None:
    """Let this installation know the agent."""
    introduce(app, spec.name, spec, prompts=spec.prompts)
