"""An agent in one file: it counts letters with a tool, because models miscount them."""

import asyncio

from pydantic import BaseModel

from loopwright.kernel.controller import COMPLETE, Transition
from loopwright.kernel.loop import run_agentic_loop
from loopwright.kernel.policy import StagePolicy
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import AgentSpec, Stage
from loopwright.kernel.testing import ScriptedModel, start_run
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult


class Word(BaseModel):
    """What the model has to give: the tool's JSON schema is made of this."""

    word: str
    letter: str


class CountLetters(BaseTool[Word, None]):
    """In a folder of its own the description would be `count_letters.md`, beside the module."""

    name, parameters_model, effect = "count_letters", Word, "pure"
    description = "Count how often a letter occurs in a word."

    async def execute(self, params: Word, ctx: ToolContext[None]) -> ToolResult:
        """Count."""
        return ToolResult(success=True, output=str(params.word.count(params.letter)))


async def first_stage(run: AgentRun) -> str:
    """Every run begins, and ends, in the one stage there is."""
    return "answer"


async def system_prompt(run: AgentRun) -> str:
    """An agent in a folder renders this from its `prompts/`."""
    return "You count letters, and you never guess."


letters = AgentSpec(
    name="letters",
    title="Letters",
    description="Counts letters.",
    prompts="letters",
    stages=(Stage("answer", StagePolicy(tools=frozenset({"count_letters"}))),),
    transitions=(Transition(source="answer", signal="text", target=COMPLETE),),
    tools=(CountLetters(),),
    entry=first_stage,
    system_prompt=system_prompt,
)


async def main() -> None:
    """Run it on a script in place of a model, and look into its journal."""
    model = ScriptedModel([[("count_letters", {"word": "strawberry", "letter": "r"})], "There are three."])
    run = start_run(letters, model, "How many r are in strawberry?")
    outcome = await run_agentic_loop(run)
    for event in await run.journal.read(run.state.run_id):
        if event.type == "tool_result":
            print(event.payload["name"], "→", event.payload["output"])
    print(outcome)


if __name__ == "__main__":
    asyncio.run(main())
