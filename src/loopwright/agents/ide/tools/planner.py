"""`planner`: the plan of the run, which survives every folding."""

from typing import Any, Literal

from pydantic import BaseModel, Field

from loopwright.agents.ide.tools.tool import IdeTool
from loopwright.kernel.events import Pinned
from loopwright.kernel.tools import ToolContext, ToolResult

EMPTY = "(no plan)"


class PlanStep(BaseModel):
    """A step of the plan."""

    step: str = Field(min_length=1, max_length=300)
    status: Literal["pending", "in_progress", "done"] = "pending"


class PlannerParameters(BaseModel):
    """Parameters of `planner`."""

    action: Literal["get", "set", "update", "clear"]
    steps: list[PlanStep] = Field(default_factory=list, max_length=30, description="For set: all steps")
    number: int | None = Field(None, ge=1, description="For update: which step, from 1")
    status: Literal["pending", "in_progress", "done"] | None = Field(None, description="For update")


class Planner(IdeTool[PlannerParameters]):
    """Gets, sets and updates the plan; it is pinned in the journal."""

    name = "planner"
    parameters_model = PlannerParameters
    effect = "idempotent"

    async def execute(self, params: PlannerParameters, ctx: ToolContext[Any]) -> ToolResult:
        """Do it."""
        plan = await self._plan(ctx)
        if params.action == "get":
            return ToolResult(success=True, output=_text(plan), artifacts=_artifacts(plan))
        if params.action == "set":
            if not params.steps:
                return ToolResult.failure("set needs the steps.", "Give them as `steps`.")
            plan = params.steps
        elif params.action == "clear":
            plan = []
        else:
            if params.number is None or params.status is None or params.number > len(plan):
                return ToolResult.failure(f"update needs number (1 to {len(plan)}) and status.", "Get the plan first.")
            plan = [
                s.model_copy(update={"status": params.status}) if n == params.number else s
                for n, s in enumerate(plan, 1)
            ]
        await ctx.event_emitter.record(Pinned(key="plan", text=_text(plan)))
        return ToolResult(success=True, output=_text(plan), artifacts=_artifacts(plan))

    async def _plan(self, ctx: ToolContext[Any]) -> list[PlanStep]:
        """The newest plan of the run's journal, read out of its text."""
        events = await ctx.db.journal.read(ctx.run_id)
        texts = (e.payload["text"] for e in reversed(events) if e.type == Pinned.type and e.payload["key"] == "plan")
        return _read(next(texts, EMPTY))


MARKS: dict[str, Literal["pending", "in_progress", "done"]] = {" ": "pending", "~": "in_progress", "x": "done"}
SIGNS = {status: mark for mark, status in MARKS.items()}


def _text(plan: list[PlanStep]) -> str:
    lines = (f"{n}. [{SIGNS[step.status]}] {' '.join(step.step.split())}" for n, step in enumerate(plan, 1))
    return "\n".join(lines) or EMPTY


def _read(text: str) -> list[PlanStep]:
    found = []
    for line in text.splitlines():
        number, _, rest = line.partition(". [")
        if number.isdigit() and rest[:1] in MARKS:
            found.append(PlanStep(step=rest[3:], status=MARKS[rest[0]]))
    return found


def _artifacts(plan: list[PlanStep]) -> dict[str, Any]:
    return {"plan": [step.model_dump() for step in plan]}
