"""The agent: one tool, which a human must allow."""

from pydantic import BaseModel

from harbour.store import Log
from loopwright import Agent
from loopwright.kernel.gates import GateKind
from loopwright.kernel.offline import OfflineReply, OfflineRequest
from loopwright.kernel.tools import BaseTool, GateRequest, ToolContext, ToolResult

PERMISSION: GateKind = "permission"


class Arrival(BaseModel):
    """A ship that has come in."""

    ship: str


class LogArrival(BaseTool[Arrival, Log]):
    """Writes an arrival down."""

    name, parameters_model, effect = "log_arrival", Arrival, "once"
    description = "Write down that a ship has come in."

    def gate(self, params: Arrival) -> GateRequest:
        """The harbour master decides."""
        return GateRequest(PERMISSION, f"May {params.ship} berth?", details={"ship": params.ship})

    async def execute(self, params: Arrival, ctx: ToolContext[Log]) -> ToolResult:
        """Write it down."""
        await ctx.db.add(params.ship)
        return ToolResult(success=True, output=f"{params.ship} lies at {ctx.db.berth}.")


SPEC = Agent("harbour", "You keep a harbour's log.", tools=[LogArrival()]).spec()


class Playbook:
    """Plays the agent without a model: the message is the ship's name."""

    name = "harbour"

    def answer(self, request: OfflineRequest) -> OfflineReply:
        """Log the ship, then say what became of it."""
        results = [message.content for message in request.messages if message.role == "tool"]
        if results:
            return OfflineReply(text=str(results[-1]))
        ship = next(message.content for message in request.messages if message.role == "user")
        return OfflineReply(tool_calls=[("log_arrival", {"ship": str(ship)})])


PLAYBOOK = Playbook()
