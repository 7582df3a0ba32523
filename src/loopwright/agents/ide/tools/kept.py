"""The tools for what is kept beside the files: checkpoints, memories, the plan."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from loopwright.agents.ide.reasoning import without_reasoning
from loopwright.agents.ide.tools.tool import Arguments, IdeTool, NoArguments
from loopwright.agents.ide.tools.writing import MOST_DIFF, check_shown, shown
from loopwright.kernel.events import Compacted, Event, Pinned
from loopwright.kernel.messages import Message
from loopwright.kernel.state import RunState
from loopwright.kernel.tools import ToolContext, ToolResult

SHOWN_PATHS = 8
MOST_CHECKPOINTS = 10


class CheckpointList(IdeTool[NoArguments]):
    """Lists checkpoints, newest first."""

    name = "checkpoint_list"
    parameters_model = NoArguments

    async def execute(self, params: NoArguments, ctx: ToolContext[Any]) -> ToolResult:
        """List them."""
        lines = []
        for each in (await self.project(ctx).checkpoints.list())[:MOST_CHECKPOINTS]:
            paths = ", ".join(each.paths[:SHOWN_PATHS]) + (" …" if len(each.paths) > SHOWN_PATHS else "")
            own = " (this run)" if each.id == ctx.run_id else ""
            undone = ", undone" if each.undone else ""
            lines.append(f"{each.id}{own}: {each.kind} at {each.at:%Y-%m-%d %H:%M:%S} UTC{undone}: {paths}")
        return ToolResult(success=True, output="\n".join(lines) or "No run has changed anything yet.")


class CheckpointShowParameters(Arguments):
    """Parameters of `checkpoint_show`."""

    checkpoint_id: str = Field(min_length=1, max_length=80, description="From checkpoint_list")


class CheckpointShow(IdeTool[CheckpointShowParameters]):
    """Shows what a run has changed, as a difference."""

    name = "checkpoint_show"
    parameters_model = CheckpointShowParameters

    async def execute(self, params: CheckpointShowParameters, ctx: ToolContext[Any]) -> ToolResult:
        """Show it."""
        diff = await self.project(ctx).checkpoints.diff(params.checkpoint_id)
        return ToolResult(success=True, output=diff[:MOST_DIFF] or "It changed nothing.")


# `checkpoint_restore`: back to where the files were before a run began to change them.


class CheckpointRestoreParameters(Arguments):
    """Parameters of `checkpoint_restore`."""

    checkpoint_id: str = Field(min_length=1, max_length=80, description="From checkpoint_list")


class CheckpointRestore(IdeTool[CheckpointRestoreParameters]):
    """Undoes a run and all later ones; what others have changed since is never overwritten."""

    name = "checkpoint_restore"
    parameters_model = CheckpointRestoreParameters
    effect = "idempotent"
    category = "write"

    def preview(self, params: CheckpointRestoreParameters, folder: Path, services: Any) -> Mapping[str, Any]:
        """What would go back."""
        return shown(services.projects.at(folder).checkpoints.planned_restore(params.checkpoint_id))

    async def execute(self, params: CheckpointRestoreParameters, ctx: ToolContext[Any]) -> ToolResult:
        """Restore."""
        checkpoints = self.project(ctx).checkpoints
        if ctx.shown is not None:
            check_shown(ctx, await asyncio.to_thread(checkpoints.planned_restore, params.checkpoint_id))
        done = await checkpoints.restore(params.checkpoint_id)
        output = f"Restored: {', '.join(done.paths)}." if done.paths else "The files are like that already."
        return ToolResult(success=True, output=output, artifacts={"checkpoint": done.checkpoint, "paths": done.paths})


# The tools of the memories of a project.
#
# `index_add_memory`: something worth knowing beyond this run.


class IndexAddMemoryParameters(Arguments):
    """Parameters of `index_add_memory`."""

    content: str = Field(min_length=3, max_length=500, description="One fact or decision, in a sentence")
    tier: Literal["mid_term", "long_term"] = Field(description="A decision, or a fact of the project")
    category: str = Field(max_length=60, description="build, test, architecture, security, style …")


class IndexAddMemory(IdeTool[IndexAddMemoryParameters]):
    """Buffers an entry; it is written when the run has delivered."""

    name = "index_add_memory"
    parameters_model = IndexAddMemoryParameters
    effect = "idempotent"
    category = "write"

    async def execute(self, params: IndexAddMemoryParameters, ctx: ToolContext[Any]) -> ToolResult:
        """Buffer it."""
        memory = self.project(ctx).memory
        await asyncio.to_thread(
            memory.add_buffered, ctx.run_id, params.content, tier=params.tier, category=params.category
        )
        return ToolResult(success=True, output="It will be remembered when this run has delivered.")


# `index_delete_memory`: something that is no longer true.


class IndexDeleteMemoryParameters(Arguments):
    """Parameters of `index_delete_memory`."""

    memory_id: str = Field(min_length=3, max_length=80)
    reason: str = Field(min_length=3, max_length=300, description="Why it is not true any more")


class IndexDeleteMemory(IdeTool[IndexDeleteMemoryParameters]):
    """Deletes an entry that its protection lets go; project facts only the user may delete."""

    name = "index_delete_memory"
    parameters_model = IndexDeleteMemoryParameters
    effect = "idempotent"
    category = "write"

    async def execute(self, params: IndexDeleteMemoryParameters, ctx: ToolContext[Any]) -> ToolResult:
        """Delete it."""
        memory = self.project(ctx).memory
        gone = await asyncio.to_thread(memory.delete, params.memory_id, confirmed=True)
        return ToolResult(success=True, output=f"Forgotten: {gone.content}")


MOST_MEMORIES = 30


class IndexListMemoriesParameters(Arguments):
    """Parameters of `index_list_memories`."""

    query: str = Field(max_length=300, description="Words to look for; empty for all")


class IndexListMemories(IdeTool[IndexListMemoriesParameters]):
    """Lists memories."""

    name = "index_list_memories"
    parameters_model = IndexListMemoriesParameters

    async def execute(self, params: IndexListMemoriesParameters, ctx: ToolContext[Any]) -> ToolResult:
        """List them."""
        memory = self.project(ctx).memory
        found = await asyncio.to_thread(memory.list, params.query, None, MOST_MEMORIES)
        lines = [
            f"{each.memory_id} ({each.tier}, {each.category}, protection {each.protection}) {each.content}"
            for each in found
        ]
        return ToolResult(
            success=True,
            output="\n".join(lines) or "Nothing is remembered.",
            artifacts={"memories": [each.model_dump(mode="json") for each in found]},
        )


# The tools for the run's own plan and for folding its conversation.
#
# `planner`: the plan of the run, which survives every folding.

EMPTY = "(no plan)"
SIGNS = {"pending": " ", "in_progress": "~", "done": "x"}


class PlanStep(Arguments):
    """A step of the plan."""

    step: str = Field(min_length=1, max_length=300)
    status: Literal["pending", "in_progress", "done"]


class PlannerParameters(Arguments):
    """Parameters of `planner`."""

    steps: list[PlanStep] = Field(max_length=30)


class Planner(IdeTool[PlannerParameters]):
    """Writes the plan anew; it is pinned in the journal."""

    name = "planner"
    parameters_model = PlannerParameters
    effect = "idempotent"

    async def execute(self, params: PlannerParameters, ctx: ToolContext[Any]) -> ToolResult:
        """Pin it."""
        text = _text(params.steps)
        await ctx.event_emitter.record(Pinned(key="plan", text=text))
        return ToolResult(success=True, output=text, artifacts={"plan": [step.model_dump() for step in params.steps]})


def _text(plan: list[PlanStep]) -> str:
    lines = (f"{n}. [{SIGNS[step.status]}] {' '.join(step.step.split())}" for n, step in enumerate(plan, 1))
    return "\n".join(lines) or EMPTY


LONGEST = 2_000
LONGEST_PLAN = 24_000


class ConversationFoldParameters(Arguments):
    """Parameters of `conversation_fold`."""

    number: int = Field(ge=0, description="Which fold, from 1; 0 lists them")
    part: int = Field(ge=1, description="Which part of a long one, from 1")


class ConversationFold(IdeTool[ConversationFoldParameters]):
    """Lists the folds of this run, and reads one, out of the journal."""

    name = "conversation_fold"
    parameters_model = ConversationFoldParameters

    async def execute(self, params: ConversationFoldParameters, ctx: ToolContext[Any]) -> ToolResult:
        """List or read."""
        events = list(await ctx.db.journal.read(ctx.run_id))
        places = [place for place, event in enumerate(events) if event.type == Compacted.type]
        if params.number == 0:
            lines = [f"{n}. {_summary(events[place])}" for n, place in enumerate(places, 1)]
            return ToolResult(success=True, output="\n".join(lines) or "Nothing was folded in this run.")
        if params.number > len(places):
            return ToolResult.failure(f"There are {len(places)} folds.", "The number 0 lists them.")
        folded = _folded(events, places[params.number - 1])
        text = "\n\n".join(_shown(message) for message in folded)
        end = params.part * LONGEST_PLAN
        more = f"\n\n… {len(text) - end:,} characters more, in part {params.part + 1}" if len(text) > end else ""
        return ToolResult(success=True, output=(text[end - LONGEST_PLAN : end] + more) or "(empty)")


def _summary(event: Event) -> str:
    payload = Compacted.model_validate(event.payload)
    goals = payload.summary.get("goals", "").splitlines()
    return f"{payload.tokens_before:,} → {payload.tokens_after:,} tokens; {goals[0] if goals else payload.strategy}"


def _folded(events: list[Event], place: int) -> list[Message]:
    """The messages that were there before a fold and not after it."""
    before = RunState.fold(events[0].run_id, events[:place]).context.messages
    kept = Compacted.model_validate(events[place].payload).messages
    return [message for message in before if message not in kept]


def _shown(message: Message) -> str:
    calls = "".join(f"\n→ {call.name}({call.arguments[:300]})" for call in message.tool_calls)
    return f"[{message.role}] {without_reasoning(message.content)[:LONGEST]}{calls}"
