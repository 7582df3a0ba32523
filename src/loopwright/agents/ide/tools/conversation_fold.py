"""`conversation_fold`: what was folded away of the conversation can be read again."""

from typing import Any, Literal

from pydantic import BaseModel, Field

from loopwright.agents.ide.flow.reasoning import without_reasoning
from loopwright.agents.ide.tools.tool import IdeTool
from loopwright.kernel.events import Compacted, Event
from loopwright.kernel.messages import Message
from loopwright.kernel.state import RunState
from loopwright.kernel.tools import ToolContext, ToolResult

LONGEST = 2_000
MOST = 24_000


class ConversationFoldParameters(BaseModel):
    """Parameters of `conversation_fold`."""

    action: Literal["list", "read"]
    number: int | None = Field(None, ge=1, description="For read: which fold, from 1")
    offset: int = Field(0, ge=0, description="For read: where to go on in a long one, in characters")


class ConversationFold(IdeTool[ConversationFoldParameters]):
    """Lists the folds of this run, and reads one, out of the journal."""

    name = "conversation_fold"
    parameters_model = ConversationFoldParameters

    async def execute(self, params: ConversationFoldParameters, ctx: ToolContext[Any]) -> ToolResult:
        """List or read."""
        events = list(await ctx.db.journal.read(ctx.run_id))
        places = [place for place, event in enumerate(events) if event.type == Compacted.type]
        if params.action == "list":
            lines = [f"{n}. {_summary(events[place])}" for n, place in enumerate(places, 1)]
            return ToolResult(success=True, output="\n".join(lines) or "Nothing was folded in this run.")
        if params.number is None or params.number > len(places):
            return ToolResult.failure(f"There are {len(places)} folds.", "Give `number`; list shows them.")
        folded = _folded(events, places[params.number - 1])
        text = "\n\n".join(_shown(message) for message in folded)
        end = params.offset + MOST
        more = f"\n\n… {len(text) - end:,} characters more; go on with offset {end}" if len(text) > end else ""
        return ToolResult(success=True, output=(text[params.offset : end] + more) or "(empty)")


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
