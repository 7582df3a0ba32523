"""A planning session in memory, in which tools are called as the runtime calls them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any

from loopwright.agents.planner.contracts.state import GoalFacts, PlanningState
from loopwright.agents.planner.tools import all_tools
from loopwright.kernel.tools import ToolContext, ToolResult

TODAY = date(2027, 1, 4)
TOOLS = {tool.name: tool for tool in all_tools()}


@dataclass
class Row:
    plan_id: str
    title: str
    starts_at: datetime
    ends_at: datetime


@dataclass
class MemoryPlans:
    states: dict[str, str] = field(default_factory=dict)
    saves: list[str] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)

    async def load_state(self, session_id: str) -> str | None:
        return self.states.get(session_id)

    async def save_state(self, session_id: str, state: str, key: str) -> bool:
        self.states[session_id] = state
        self.saves.append(key)
        return True

    async def tasks_between(self, start: datetime, end: datetime, *, without_plan: str | None = None) -> list[Row]:
        return [row for row in self.rows if row.starts_at < end and row.ends_at > start and row.plan_id != without_plan]


@dataclass
class Memories:
    kept: dict[str, Any] = field(default_factory=dict)

    async def policy(self) -> dict[str, Any]:
        return dict(self.kept)

    async def remember_policy(self, policy: Mapping[str, Any]) -> None:
        self.kept = dict(policy)


@dataclass
class Services:
    plans: MemoryPlans
    plan_memories: Memories


class Quiet:
    def progress(self, message: str, **data: Any) -> None: ...

    async def record(self, payload: Any) -> None: ...


@dataclass
class Session:
    tmp: Path
    settings: Mapping[str, Any] = field(default_factory=dict)
    plans: MemoryPlans = field(default_factory=MemoryPlans)
    memories: Memories = field(default_factory=Memories)
    calls: int = 0
    model: str = "one"

    @property
    def state(self) -> PlanningState:
        text = self.plans.states.get("s1")
        return PlanningState() if text is None else PlanningState.model_validate_json(text)

    def start(self, text: str, *, policy: dict[str, Any] | None = None, **goal: Any) -> "Session":
        state = PlanningState(
            plan_id="plan-s1",
            goal=GoalFacts(text=text, today=TODAY, **goal),
            interaction_policy=policy or {},
            policy_was_given=policy is not None,
        )
        self.put(state)
        return self

    def put(self, state: PlanningState) -> None:
        self.plans.states["s1"] = state.model_dump_json()

    def change(self, **fields: Any) -> None:
        self.put(self.state.model_copy(update=fields))

    async def call(self, name: str, **params: Any) -> ToolResult:
        tool = TOOLS[name]
        self.calls += 1
        ctx: ToolContext[Any] = ToolContext(
            session_id="s1",
            run_id="r1",
            call_id=f"c{self.calls}",
            output_dir=self.tmp,
            db=Services(self.plans, self.memories),
            settings=self.settings,
            event_emitter=Quiet(),
            model=self.model,
            llm_client=None,  # type: ignore[arg-type] # no tool of the planner asks the model itself
        )
        result = await tool.execute(tool.parameters_model.model_validate(params), ctx)
        body = json.loads(result.output)
        assert {"ok", "confidence", "explanations", "data"} <= body.keys()
        return result

    async def data(self, name: str, **params: Any) -> dict[str, Any]:
        result = await self.call(name, **params)
        assert result.success, result.output
        return dict(json.loads(result.output)["data"])


def website() -> dict[str, Any]:
    """An outline of three phases with a weekly cycle."""

    def task(name: str, parent: str, minutes: int, **more: Any) -> dict[str, Any]:
        return {
            "id": name,
            "parent_id": parent,
            "node_type": "task",
            "level": 3,
            "title": f"Do {name}",
            "estimated_minutes": minutes,
            **more,
        }

    return {
        "root_id": "g",
        "nodes": [
            {"id": "g", "node_type": "goal", "level": 1, "title": "Launch the website"},
            {"id": "p1", "parent_id": "g", "node_type": "phase", "level": 2, "title": "Design"},
            task("sketch", "p1", 120),
            task("colours", "p1", 90),
            {"id": "p2", "parent_id": "g", "node_type": "phase", "level": 2, "title": "Build"},
            task("pages", "p2", 300),
            task("review", "p2", 60, recurrence="weekly"),
            task("tests", "p2", 120),
            {"id": "p3", "parent_id": "g", "node_type": "phase", "level": 2, "title": "Launch"},
            task("deploy", "p3", 60),
        ],
    }
