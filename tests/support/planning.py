"""Goals planned from end to end in this process, with every question answered by its default."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loopwright.agents.planner.contracts.state import PlanningState
from loopwright.agents.planner.services import planner_stores
from loopwright.agents.planner.usecases import change_run, plan_of, plan_run, present
from loopwright.app.answering import answer_run, load_state
from loopwright.app.loopwright import Loopwright
from loopwright.app.starting import NewRun, create_run
from loopwright.app.watching import last_line
from loopwright.kernel.gates import Gate, default_answers
from loopwright.kernel.ports import RunClaim
from tests.support.application import settings_in
from tests.support.clock import NOW


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
    async with Loopwright.open(settings) as application:
        planned = await carried(application, plan_run(goal, now=present(application), zone=zone, **options))
        for change in changes:
            plan = await plan_of(application, planned.line["plan_id"])
            planned = await carried(application, change_run(plan, change, now=present(application)))
    return planned


async def carried(application: Loopwright, new: NewRun, most_gates: int = 12, chosen: str = "") -> Planned:
    """The run to its end, or to where it waits after so many answers.

    Args:
        application: an opened installation.
        new: the run to create.
        most_gates: so many are answered.
        chosen: words of the option that the user takes where a question offers it; every other answer is the default.
    """
    record = await create_run(application, new)
    claim: RunClaim | None = None
    gates: list[Gate] = []
    while True:
        application.dispatcher.dispatch(record.run_id, claim, "started" if claim is None else "answered")
        await application.dispatcher.wait(record.run_id)
        state = await load_state(application, record.run_id)
        if state.open_gate is None or len(gates) == most_gates:
            break
        gates.append(state.open_gate)
        answer = _answer(state.open_gate, chosen)
        claim = await answer_run(application, record.run_id, answer, gate_id=state.open_gate.gate_id)
    final = (await application.stores.journal.read(record.run_id))[-1]
    line = last_line(await application.stores.runs.get(record.run_id), state, final.payload)
    text = await (await planner_stores(application)).plans.load_state(record.session_id)
    return Planned(line, PlanningState.model_validate_json(text or "{}"), gates)


def _answer(gate: Gate, chosen: str) -> dict[str, Any]:
    answer = default_answers(gate)
    for question in gate.questions if chosen else ():
        for option in question.options or ():
            if chosen in option:
                answer["answers"][question.question] = option
    return answer
