"""`schedule_generator`: when everything is done, or the proof that it does not fit and what would help."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import to_jsonable_python

from loopwright.agents.planner.contracts.state import PlanningState
from loopwright.agents.planner.ports import PlannerServices
from loopwright.agents.planner.publishing import only
from loopwright.agents.planner.scoring import schedule_score
from loopwright.agents.planner.states import INFEASIBLE
from loopwright.agents.planner.tools.executor import Done, PlannerTool
from loopwright.agents.planner.tools.questions import FactParameters, with_facts
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.tools import ToolContext

USUAL_SECONDS = 5.0
LONGER = 3.0
"""By how much the second search is longer, where the first one has settled nothing."""
SHOWN = 40
YEARS_AHEAD = timedelta(days=3 * 366)


class ScheduleGeneratorParameters(BaseModel):
    """Parameters of `schedule_generator`."""

    model_config = ConfigDict(extra="forbid", json_schema_extra=only("seconds", required=()))

    facts: FactParameters | None = Field(default=None, description="What the user has said about time since")
    seconds: float = Field(default=USUAL_SECONDS, ge=0.1, le=60, description="How long to look for better answers")
    confidence: float | None = Field(
        default=None, ge=0, le=1, description="How sure you are that these hours and dates are the user's"
    )


class ScheduleGenerator(PlannerTool[ScheduleGeneratorParameters]):
    """Solves, lets the independent checker look, and hands out nothing that it rejects."""

    name = "schedule_generator"
    parameters_model = ScheduleGeneratorParameters
    prerequisites = ("roadmap",)
    produces = ("schedule",)
    drafts = "schedule"
    timeout_seconds = 180.0

    async def work(
        self, params: ScheduleGeneratorParameters, state: PlanningState, ctx: ToolContext[PlannerServices]
    ) -> Done:
        """Schedule around the user's other plans."""
        goal = with_facts(state.goal, params.facts)
        taken = await taken_times(ctx, state.model_copy(update={"goal": goal}))
        known = state.model_copy(update={"goal": goal, "taken": taken})
        ctx.event_emitter.progress("Looking for a schedule")
        seed = ctx.settings.get("seed", 0)
        limits = [params.seconds]
        if "seconds" not in params.model_fields_set:  # a limit that was asked for holds
            limits.append(LONGER * params.seconds)
        done = await asyncio.to_thread(make_schedule, known, limits, seed if isinstance(seed, int) else 0)
        changes = {"goal": goal, "taken": taken, **done.changes}
        return Done(done.data, done.explanations, done.confidence, done.ok, changes, done.adaptations, done.signal)


async def taken_times(ctx: ToolContext[PlannerServices], state: PlanningState) -> list[tuple[str, str]]:
    """What other plans have scheduled from the plan's start on."""
    from loopwright.agents.planner.terms import read_terms

    terms = read_terms(state.goal)
    end = terms.deadline or terms.start + YEARS_AHEAD
    rows = await ctx.db.plans.tasks_between(terms.start, end, without_plan=state.plan_id or None)
    return [(row.starts_at.isoformat(), row.ends_at.isoformat()) for row in rows]


def make_schedule(state: PlanningState, limits: Sequence[float], seed: int) -> Done:
    """Solve the state's problem and check the answer.

    Args:
        state: the plan so far.
        limits: seconds of the first search, and of each one more where the searches before it have settled nothing: a
            busy machine may have had too little time, which says nothing about the plan.
        seed: of the search.

    Raises:
        InvalidInput: the problem cannot be meant.
    """
    # Imported here: the solver costs more than a second.
    from loopwright.agents.planner.problem_building import build_for, read_schedule
    from loopwright.agents.planner.schedule.checker import check_schedule
    from loopwright.agents.planner.schedule.problem_checks import check_problem
    from loopwright.agents.planner.schedule.solver import solve

    previous = state.schedule.blocks if state.schedule is not None else []
    built = build_for(state, previous=previous)
    check_problem(built.problem)
    answer = solve(built.problem, seconds=limits[0], seed=seed)
    for seconds in limits[1:]:
        if answer.status == "unknown":
            answer = solve(built.problem, seconds=seconds, seed=seed)
    if answer.status in ("infeasible", "unknown"):
        return _no_schedule(built.problem, answer)
    problems = check_schedule(built.problem, answer.blocks)
    if problems:
        raise InvalidInput(
            "The independent checker rejects the schedule: " + " ".join(each.text for each in problems[:3]),
            hint="It is not handed out. Call the tool again with more seconds.",
        )
    schedule = read_schedule(answer, built).model_copy(update={"appointments": state.goal.appointments})
    blocks = [
        {"title": block.title, "start": block.start.isoformat(), "end": block.end.isoformat()}
        for block in schedule.blocks
    ]
    data = {
        "status": schedule.status,
        "gap": schedule.gap,
        "block_count": len(blocks),
        "first_blocks": blocks[:SHOWN],
        "ends_at": max((block["end"] for block in blocks), default=None),
        "seconds": round(answer.seconds, 3),
    }
    changes: dict[str, Any] = {"schedule": schedule, "cause": None, "relaxations": [], "schedule_approved": False}
    changes["needs_new_schedule"] = False
    return Done(data, built.notes[:12], schedule_score(schedule), changes=changes)


def _no_schedule(problem: Any, answer: Any) -> Done:
    """The cause for a person, and ways out that were each tried; also where nothing was found in time, or proved."""
    from loopwright.agents.planner.schedule.relaxing import relax

    cause = answer.cause
    relaxations = answer.relaxations or (relax(problem, cause) if cause is not None else ())
    told: Mapping[str, Any] = to_jsonable_python(asdict(cause)) if cause is not None else {}
    ways = [to_jsonable_python(asdict(each)) for each in relaxations]
    text = str(told.get("text") or "There is no schedule for these tasks in this time.")
    return Done(
        {"status": answer.status, "cause": told, "relaxations": ways},
        (text, *(f"It would fit: {each['text']}" for each in ways[:3])),
        1.0,
        ok=False,
        changes={"schedule": None, "cause": dict(told) or {"text": text}, "relaxations": ways, "escalate_reason": text},
        signal=INFEASIBLE,
    )
