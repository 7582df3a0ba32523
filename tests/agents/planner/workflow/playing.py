"""Whole plans in memory: a scripted model, the planner's own table, and answers to what it asks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

from loopwright.agents.planner.contracts.state import PlanningState
from loopwright.agents.planner.spec import AGENT
from loopwright.kernel.budget import BudgetLimits
from loopwright.kernel.events import GateAnswered, ModelResponse
from loopwright.kernel.gates import Gate, Outcome, Waiting, default_answers, read_answer
from loopwright.kernel.loop import run_agentic_loop
from loopwright.kernel.run import AgentRun
from loopwright.kernel.testing import MemoryJournal, ScriptedModel, resume_run, start_run
from loopwright.kernel.testing.runs import as_response
from tests.agents.planner.tools.session import Memories, MemoryPlans, website

TODAY = date(2027, 1, 4)
QUIET = {"probing_depth": 0, "approval_policy": "single_final", "brainstorming_preference": "on_demand"}
"""A policy that asks nothing but the last question."""


@dataclass
class SettledPlans(MemoryPlans):
    """Keeps settled plans too."""

    settled: list[Mapping[str, Any]] = field(default_factory=list)

    async def settle_plan(self, plan: Mapping[str, Any], nodes: Sequence[Any], tasks: Sequence[Any]) -> None:
        self.settled.append(plan)


@dataclass
class Rooms:
    """What the planner needs of the stores, in memory."""

    plans: SettledPlans = field(default_factory=SettledPlans)
    plan_memories: Memories = field(default_factory=Memories)


def costing(usd: float, reply: Any, number: int = 0) -> ModelResponse:
    """A scripted answer at a price."""
    return as_response(reply, number).model_copy(update={"cost_usd": usd})


def context(**facts: Any) -> list[Any]:
    """The model's answer while it finds out what is wanted."""
    return [[("pattern_selector", {"pattern_type": "milestone_project", "facts": facts or None})]]


def outline(confidence: float | None = 0.9, nodes: dict[str, Any] | None = None) -> list[Any]:
    """The model's answer while it drafts the outline; roadmap and schedule are the controller's."""
    return [[("node_generator", {"outline": nodes or website(), "confidence": confidence})]]


@dataclass
class Play:
    """One plan in the making."""

    tmp: Path
    script: Sequence[Any]
    policy: dict[str, Any] = field(default_factory=lambda: dict(QUIET))
    limits: dict[str, Any] = field(default_factory=dict)
    budget: dict[str, Any] = field(default_factory=dict)
    rooms: Rooms = field(default_factory=Rooms)
    journal: MemoryJournal = field(default_factory=MemoryJournal)
    clock: Callable[[], Any] | None = None
    spent_in_session: float = 0.0
    settings: dict[str, Any] = field(default_factory=dict)
    small: bool = False
    run: AgentRun | None = None

    def __post_init__(self) -> None:
        # A busy machine is no reason to ask the user; who tests the ceiling sets it.
        caps = replace(AGENT.limits.budget or BudgetLimits(), **self.budget)
        limits = replace(AGENT.limits, **({"turn_seconds": None, "budget": caps} | self.limits))
        self.model = ScriptedModel(self.script, kind="small" if self.small else "frontier")
        self.spec = replace(AGENT, limits=limits)

    async def begin(self, goal: str = "launch my website") -> Outcome:
        """Start the plan and carry it to its first question or its end."""
        options: dict[str, Any] = {
            "timezone": "UTC",
            "now": "2027-01-04T08:00:00+00:00",
            "deadline": "2027-02-26",
            **({"policy": self.policy} if self.policy else {}),
            **self.settings,
        }
        self.run = start_run(
            self.spec,
            self.model,
            goal,
            journal=self.journal,
            services=self.rooms,
            output_dir=self.tmp,
            options=options,
        )
        return await self._go_on("started")

    async def answer(self, payload: Any = None) -> Outcome:
        """Answer the open question, by default with its default, and go on in new hands."""
        gate = self.gate
        said = read_answer(gate, payload if payload is not None else default_answers(gate))
        assert self.run is not None
        self.run = resume_run(self.run, payloads=[GateAnswered(gate_id=gate.gate_id, answer=said)])
        return await self._go_on("answered")

    async def answer_all(self, outcome: Outcome) -> Outcome:
        """Take the default of every question until the run is over."""
        while isinstance(outcome, Waiting):
            outcome = await self.answer()
        return outcome

    async def _go_on(self, reason: str) -> Outcome:
        assert self.run is not None
        if self.clock is not None:
            self.run.clock = self.clock
        self.run.budget.spent_in_session = self.spent_in_session
        await self.run.enter(reason)
        return await run_agentic_loop(self.run)

    @property
    def gate(self) -> Gate:
        """The question that waits."""
        assert self.run is not None
        assert self.run.state.open_gate is not None
        return self.run.state.open_gate

    @property
    def state(self) -> PlanningState:
        """The planning state."""
        return PlanningState.model_validate_json(self.rooms.plans.states["session"])

    @property
    def way(self) -> list[str]:
        """The states that the plan has gone through."""
        return [payload["to"] for payload in self.stored("stage_changed")]

    def stored(self, kind: str) -> list[dict[str, Any]]:
        """The payloads of one type of events in the journal."""
        assert self.run is not None
        return [event.payload for event in self.journal.events[self.run.state.run_id] if event.type == kind]
