"""main_plan.md: written once, then kept up to date with what each phase has done."""

from loopwright.agents.jobs.offline.files import read_whole, write
from loopwright.agents.jobs.offline.plan import Goal, Plan
from loopwright.agents.jobs.offline.replay import Reading, Work
from loopwright.agents.jobs.offline.strategic.archive import read_phase
from loopwright.agents.jobs.offline.trade import Trade
from loopwright.agents.jobs.offline.view import View
from loopwright.agents.jobs.offline.wording import wording

PLAN = "main_plan.md"
INSTRUCTIONS = "instructions.md"


def write_plan(view: View, trade: Trade) -> Work:
    """Read the instructions and write the goals down."""
    instructions = yield from read_whole(INSTRUCTIONS)
    plan = _new_plan(view, trade, instructions or "")
    yield from write(PLAN, plan.render())
    return wording(view.language).say("note_plan", goals=len(plan.goals), file=PLAN)


def divide_plan(view: View, trade: Trade) -> Work:
    """Give the goals their steps, as far as they are known."""
    instructions = yield from read_whole(INSTRUCTIONS)
    plan = Plan.parse((yield from read_whole(PLAN)) or "")
    plan = yield from _divided(view, trade, plan, instructions or "")
    yield from write(PLAN, plan.render())
    return _note(view, plan)


def update_plan(view: View, trade: Trade) -> Work:
    """Tick what the last phase did, and divide what can be divided by now."""
    text = yield from read_whole(PLAN)
    plan = Plan.parse(text or "")
    instructions = yield from read_whole(INSTRUCTIONS)
    if not plan.goals:  # the plan is gone, or was written by somebody who plans in another way
        plan = _new_plan(view, trade, instructions or "")
    phase = yield from read_phase(view)
    plan = plan.ticked([todo.content for todo in phase])
    plan = yield from _divided(view, trade, plan, instructions or "")
    yield from write(PLAN, plan.render())
    return _note(view, plan)


def _new_plan(view: View, trade: Trade, instructions: str) -> Plan:
    titles = trade.goals(view, instructions)
    goals = tuple(Goal(f"G{number}", title) for number, title in enumerate(titles, 1))
    return Plan(wording(view.language).say("plan_title", job=view.job_type), goals)


def _divided(view: View, trade: Trade, plan: Plan, instructions: str) -> Reading[Plan]:
    for goal in plan.goals:
        if goal.steps or goal.closed:
            continue
        division = trade.divide(view, plan, goal.id, instructions)
        if division is None:
            break
        plan = plan.extended(goal.id, (yield from division))
    return plan


def _note(view: View, plan: Plan) -> str:
    steps = [step for goal in plan.goals for step in goal.steps]
    return wording(view.language).say(
        "note_steps",
        reached=sum(goal.reached for goal in plan.goals),
        goals=len(plan.goals),
        done=sum(step.done for step in steps),
        steps=len(steps),
    )
