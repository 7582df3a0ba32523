"""How every tool of the planner runs: prerequisites first, then the memory of the session, then the work itself.

All tools answer with the JSON `{ok, confidence, explanations[], data}`. What a tool changes in the planning state is
data too: so it can be remembered, and done again without doing the work again.
"""

import time
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeVar

from pydantic import BaseModel
from pydantic_core import to_json, to_jsonable_python

from loopwright.agents.planner.contracts.plan import AdaptationLogEntry
from loopwright.agents.planner.contracts.state import PlanningState, TraceEntry
from loopwright.agents.planner.events import PlanningStep
from loopwright.agents.planner.memory import load_planning, save_planning
from loopwright.agents.planner.ports import PlannerServices
from loopwright.agents.planner.tools.telling import line_of
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.gates import digest_of
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult

ParametersT = TypeVar("ParametersT", bound=BaseModel)
Artifact = Literal["context", "pattern", "outline", "dependencies", "roadmap", "schedule", "approval"]
MADE_BY: dict[Artifact, str] = {
    "context": "Ask the user what they want to reach.",
    "pattern": "Call pattern_selector first.",
    "outline": "Call node_generator first.",
    "dependencies": "Call dependency_resolver first.",
    "roadmap": "Call roadmap_builder first.",
    "schedule": "Call schedule_generator first.",
    "approval": "The user has to approve first.",
}
MOST_REMEMBERED = 12
MOST_REMEMBERED_BYTES = 400_000
MOST_TRACED = 2_000


@dataclass(frozen=True)
class Done:
    """What a tool gave: its data, what it changes in the state, and what it asks of the controller.

    `changes` are fields of the planning state; `adaptations` are log entries about changed structure.
    """

    data: dict[str, Any]
    explanations: tuple[str, ...] = ()
    confidence: float = 1.0
    ok: bool = True
    changes: Mapping[str, Any] = field(default_factory=dict)
    adaptations: tuple[AdaptationLogEntry, ...] = ()
    signal: str | None = None


class PlannerTool(BaseTool[ParametersT, PlannerServices]):
    """A tool of the planner; subclasses write `work`.

    `reads` are the fields of the state that the work depends on, besides the parameters and the policy: they make the
    key under which it is remembered. An empty one is never remembered. `drafts` is the artifact that it makes; its
    parameter `confidence` is then how sure the model is of it.
    """

    effect = "idempotent"
    prerequisites: ClassVar[tuple[Artifact, ...]] = ()
    produces: ClassVar[tuple[Artifact, ...]] = ()
    reads: ClassVar[tuple[str, ...]] = ()
    drafts: ClassVar[Artifact | None] = None

    @abstractmethod
    async def work(self, params: ParametersT, state: PlanningState, ctx: ToolContext[PlannerServices]) -> Done:
        """Do the work without changing the state.

        Raises:
            InvalidInput: an expected failure; the model reads message and hint.
        """

    async def execute(self, params: ParametersT, ctx: ToolContext[PlannerServices]) -> ToolResult:
        """Check what must be there, answer from memory or do the work, save and trace."""
        state = await load_planning(ctx.db, ctx.session_id)
        missing = [artifact for artifact in self.prerequisites if not has(state, artifact)]
        if missing:
            return failed(f"{self.name} needs {' and '.join(missing)}.", MADE_BY[missing[0]])
        key = self._key(params, state, ctx)
        started = time.perf_counter()
        remembered = state.tool_cache.get(key) if key is not None else None
        if remembered is not None:
            done = Done(**{**remembered, "explanations": tuple(remembered["explanations"])})
        else:
            try:
                done = await self.work(params, state, ctx)
            except InvalidInput as error:
                return failed(error.message, error.hint)
        duration = round((time.perf_counter() - started) * 1_000, 1)
        step = PlanningStep(
            stage=ctx.stage,
            tool=self.name,
            duration_ms=duration,
            confidence=round(done.confidence, 4),
            violations=[str(rule) for rule in done.data.get("rules", [])][:50],
            adaptations=[entry.action for entry in done.adaptations],
        )
        after = self._after(state, params, done, key, step)
        await save_planning(ctx.db, ctx.session_id, after, ctx.idempotency_key)
        await ctx.event_emitter.record(step)
        return _result(self.name, done)

    def _key(self, params: ParametersT, state: PlanningState, ctx: ToolContext[PlannerServices]) -> str | None:
        """The digest of all that the result depends on: inputs, policy, model."""
        if not self.reads:
            return None
        inputs = {name: getattr(state, name) for name in self.reads}
        return digest_of(self.name, params, inputs, state.interaction_policy, ctx.model)

    def _after(
        self, state: PlanningState, params: ParametersT, done: Done, key: str | None, step: PlanningStep
    ) -> PlanningState:
        update = {name: to_jsonable_python(value) for name, value in done.changes.items()}
        cache = dict(state.tool_cache)
        if key is not None and key not in cache:
            entry = {
                "data": to_jsonable_python(done.data),
                "explanations": list(done.explanations),
                "confidence": done.confidence,
                "ok": done.ok,
                "changes": update,
                "signal": done.signal,
            }
            if len(to_json(entry)) <= MOST_REMEMBERED_BYTES:
                cache[key] = entry
            for oldest in list(cache)[:-MOST_REMEMBERED]:
                del cache[oldest]
        whole = state.model_dump(mode="json") | update
        whole["tool_cache"] = cache
        whole["planning_trace"] = [*state.planning_trace, TraceEntry(**step.model_dump())][-MOST_TRACED:]
        whole["adaptation_log"] = [*state.adaptation_log, *done.adaptations]
        if self.drafts is not None:
            whole["self_scores"] = state.self_scores | {self.drafts: getattr(params, "confidence", None)}
        return PlanningState.model_validate(whole)


def has(state: PlanningState, artifact: Artifact) -> bool:
    """Whether something that tools build on is there."""
    match artifact:
        case "context":
            return bool(state.goal.text.strip())
        case "pattern":
            return state.selected_pattern is not None
        case "outline":
            return state.plan_outline is not None
        case "dependencies":
            return state.dependencies_resolved
        case "roadmap":
            return state.roadmap is not None
        case "schedule":
            return state.schedule is not None
        case "approval":
            return state.schedule_approved


def failed(message: str, hint: str = "") -> ToolResult:
    """An expected failure in the form that all tools answer in."""
    body = {"ok": False, "confidence": 0.0, "explanations": [text for text in (message, hint) if text], "data": {}}
    return ToolResult(success=False, output=to_json(body | {"error": message}).decode(), error=message)


def _result(tool: str, done: Done) -> ToolResult:
    body = to_jsonable_python(
        {
            "ok": done.ok,
            "confidence": round(done.confidence, 4),
            "explanations": list(done.explanations),
            "data": done.data,
        }
    )
    told = line_of(tool, body["data"], done.explanations)
    return ToolResult(success=True, output=to_json(body).decode(), artifacts=body | {"told": told}, signal=done.signal)
