"""The next phase out of the plan: as many of the open steps as a phase has room for."""

from typing import Any

from loopwright.agents.jobs.offline.plan import Goal, Plan, Step
from loopwright.agents.jobs.offline.trade import ROOM, Trade
from loopwright.agents.jobs.offline.view import View
from loopwright.agents.jobs.offline.wording import wording


def next_phase(view: View, trade: Trade, plan: Plan) -> dict[str, Any] | None:
    """The arguments of `todo_write`, or None where the plan has no open step.

    A phase keeps to one goal where that gives it enough todos, and to the limits of the job's config; where the plan
    has too little left, looking over the results fills it up.
    """
    steps = plan.open_steps()
    if not steps:
        return None
    least, most = view.limit("min_todos", 5), view.limit("max_todos", 20)
    chosen: list[tuple[Goal, Step]] = []
    room = ROOM
    for goal, step in steps[:most]:
        weight = trade.weight(view, step.content)
        enough = len(chosen) >= least
        if enough and (weight > room or goal.id != chosen[-1][0].id):
            break
        chosen.append((goal, step))
        room -= weight
    todos = [_todo(number, trade, view, goal, step) for number, (goal, step) in enumerate(chosen, 1)]
    text = wording(view.language)
    for number in range(len(todos) + 1, least + 1):
        content = text.step("look_over", number=number, goal=chosen[-1][0].id)
        todos.append({"id": number, "content": content, "serves": chosen[-1][0].id})
    first, last = chosen[0][0], chosen[-1][0]
    title = f"{first.id}: {first.title}" if first.id == last.id else f"{first.id}–{last.id}: {first.title}"
    return {
        "phase": title[:300],
        "description": text.say("phase_description", steps=len(chosen), left=len(steps) - len(chosen)),
        "todos": todos,
    }


def _todo(number: int, trade: Trade, view: View, goal: Goal, step: Step) -> dict[str, Any]:
    todo: dict[str, Any] = {"id": number, "content": step.content, "serves": goal.id}
    witness = trade.witness(view, step.content)
    return {**todo, "witness": dict(witness)} if witness else todo
