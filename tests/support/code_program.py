"""A program that carries one run in code mode as far as it goes, for tests that kill it.

python -m tests.support.code_program FOLDER    prints the run's status; LOOPWRIGHT_CRASH_AT says where it dies
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from loopwright.app.answering import answer_run, claim_for_resume
from loopwright.app.loopwright import Loopwright
from loopwright.app.settings import Settings
from loopwright.app.starting import NewRun, start_run
from loopwright.kernel.events import ModelResponse
from loopwright.kernel.policy import COMPLETE, StagePolicy, Transition
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import AgentSpec, Stage
from loopwright.kernel.testing import ScriptedModel, as_response
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult
from tests.support.agents import introduce

SCRIPT = """
for name in ["a", "b", "c"]:
    await note(name)
try:
    print(await pay("rent"))
except RuntimeError as error:
    print(error)
await asyncio.gather(note("d"), note("e"))
print("end")
"""


class Entry(BaseModel):
    """What is written."""

    text: str


class Note(BaseTool[Entry, Any]):
    """Writes a line into the session's ledger, which outlives every process."""

    name, parameters_model, effect = "note", Entry, "idempotent"
    description = "Write a note."

    async def execute(self, params: Entry, ctx: ToolContext[Any]) -> ToolResult:
        with (ctx.output_dir / "ledger").open("a") as ledger:
            ledger.write(f"{self.name} {params.text} {ctx.call_id}\n")
        return ToolResult(success=True, output=f"{self.name} {params.text}")


class Pay(Note):
    """Must never happen twice, and needs a yes."""

    name, effect = "pay", "once"
    description = "Pay."


class TwoAnswers(ScriptedModel):
    """The script first, and then the end: in every process the same."""

    async def complete(self, request: Any, on_delta: Any = None) -> ModelResponse:
        called = any(message.tool_calls for message in request.messages)
        return as_response("Done." if called else [("run_code", {"code": SCRIPT})])


async def entry(run: AgentRun) -> str:
    return "work"


async def system_prompt(run: AgentRun) -> str:
    return "You write scripts."


NAMES = frozenset({"note", "pay"})
CODER = AgentSpec(
    name="coder",
    title="Coder",
    description="Writes scripts.",
    prompts="tests.support",
    stages=(Stage("work", StagePolicy(NAMES, permission=frozenset({"pay"}), code=NAMES)),),
    transitions=(Transition("work", "text", COMPLETE),),
    tools=(Note(), Pay()),
    entry=entry,
    system_prompt=system_prompt,
)


async def carry_on(folder: Path) -> dict[str, Any]:
    """Start the run, answer it, or take it over from a process that died: whatever is due."""
    async with Loopwright.open(Settings(home=folder / "home", output_dir=folder / "out")) as app:
        app.model = TwoAnswers([])
        introduce(app, "coder", CODER, prompts=CODER.prompts)
        found = await app.stores.runs.find(limit=1)
        if not found:
            run_id = (await start_run(app, NewRun("Pay the rent.", agent="coder"))).run_id
        else:
            run_id = found[0].run_id
            waiting = found[0].status == "waiting_input"
            claim = await (
                answer_run(app, run_id, {"decision": "approve"}) if waiting else claim_for_resume(app, run_id)
            )
            app.dispatcher.dispatch(run_id, claim, "carried on")
        await app.dispatcher.wait(run_id)
        record = await app.stores.runs.get(run_id)
        events = [event.model_dump(mode="json") for event in await app.stores.journal.read(run_id)]
        return {"status": record.status, "events": events, "folder": str(folder / "out" / record.session_id)}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(carry_on(Path(sys.argv[1])))))  # noqa: T201
