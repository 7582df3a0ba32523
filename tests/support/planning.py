"""Goals planned from end to end in this process, with every question answered by its default."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loopwright.agents.planner.contracts.state import PlanningState
from loopwright.app.answering import answer_run, load_state
from loopwright.app.ending import last_line
from loopwright.app.loopwright import Loopwright
from loopwright.app.planner import change_run, plan_of, plan_run, present
from loopwright.app.starting import NewRun, create_run
from loopwright.kernel.gates import Gate, default_answers
from loopwright.kernel.ports import Claim
from tests.support.clock import NOW
from tests.support.house import settings_in


@dataclass
class Planned:
    """What became of a goal: the last line, the planning state, and what was asked on the way."""

    line: dict[str, Any]
    state: PlanningState
    gates: list[Gate] = field(default_factory=list)


async def plan_goal(folder: Path, goal: str, zone: str = "Europe/Berlin", *changes: str, **options: Any) -> Planned:
    """Plan a goal offline, then make the changes one after the other.

    Args:
        folder: an empty folder for everything that is written.
        goal: in plain English.
        zone: the user's.
        changes: what the user says once the plan is settled.
        options: what `plan_run` takes besides.
    """
    settings = settings_in(folder, now=options.pop("now", NOW))
    async with Loopwright.open(settings) as house:
        planned = await carried(house, plan_run(goal, now=present(house), zone=zone, **options))
        for change in changes:
            plan = await plan_of(house, planned.line["plan_id"])
            planned = await carried(house, change_run(plan, change, now=present(house)))
    return planned


async def carried(house: Loopwright, new: NewRun, most_gates: int = 12) -> Planned:
    """The run to its end, or to where it waits after so many answers."""
    record = await create_run(house, new)
    claim: Claim | None = None
    gates: list[Gate] = []
    while True:
        house.dispatcher.dispatch(record.run_id, claim, "started" if claim is None else "answered")
        await house.dispatcher.wait(record.run_id)
        state = await load_state(house, record.run_id)
        if state.open_gate is None or len(gates) == most_gates:
            break
        gates.append(state.open_gate)
        claim = await answer_run(
            house, record.run_id, default_answers(state.open_gate), gate_id=state.open_gate.gate_id
        )
    final = (await house.stores.journal.read(record.run_id))[-1]
    line = last_line(await house.stores.runs.get(record.run_id), state, final.payload)
    text = await house.stores.plans.load_state(record.session_id)
    return Planned(line, PlanningState.model_validate_json(text or "{}"), gates)
