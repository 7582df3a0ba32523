"""The tools for the run's own plan and for folding its conversation."""

from typing import Any, Literal

from pydantic import Field

from loopwright.agents.ide.flow.reasoning import without_reasoning
from loopwright.agents.ide.tools.tool import Arguments, IdeTool
from loopwright.kernel.events import Compacted, Event, Pinned
from loopwright.kernel.messages import Message
from loopwright.kernel.state import RunState
from loopwright.kernel.tools import ToolContext, ToolResult

# --------------------------------------------------------------------------------------------------------------------
# `planner`: the plan of the run, which survives every folding.
# --------------------------------------------------------------------------------------------------------------------

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
MOST = 24_000


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
        end = params.part * MOST
        more = f"\n\n… {len(text) - end:,} characters more, in part {params.part + 1}" if len(text) > end else ""
        return ToolResult(success=True, output=(text[end - MOST : end] + more) or "(empty)")


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
