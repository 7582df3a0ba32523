"""The last todo of a strategic phase: stage the next phase, or end the job."""

from loopwright.agents.jobs.offline.drafting import next_phase
from loopwright.agents.jobs.offline.files import read_whole
from loopwright.agents.jobs.offline.plan import Plan
from loopwright.agents.jobs.offline.replay import Reading, Work, call, one
from loopwright.agents.jobs.offline.strategic.archive import read_phase
from loopwright.agents.jobs.offline.strategic.planning import PLAN
from loopwright.agents.jobs.offline.trade import Completion, Trade
from loopwright.agents.jobs.offline.view import Result, View
from loopwright.agents.jobs.offline.wording import wording

ENDING = "job_complete"
MOST_REFUSALS = 2
LITTLE = 0.1
"""The confidence of a job whose plan could not be carried out."""


def stage_next(view: View, trade: Trade) -> Work:
    """Write the todos of the next phase; where nothing is left, or nothing can be staged, end the job."""
    plan = Plan.parse((yield from read_whole(PLAN)) or "")
    draft = next_phase(view, trade, plan)
    text = wording(view.language)
    done = {todo.content for todo in (yield from read_phase(view))}
    if draft is not None and done >= {todo["content"] for todo in draft["todos"]}:
        # All of it was done a phase ago, and the plan does not show it: it would be staged again and again.
        yield from _end(Completion(text.say("stopped"), LITTLE, notes=text.say("plan_stands_still")))
    elif draft is not None and not _hopeless(view):
        written = yield from one(call("todo_write", **draft))
        if written.ok:
            return text.say("note_staged", phase=draft["phase"], todos=len(draft["todos"]))
        yield from _end(Completion(text.say("stopped"), LITTLE, notes=written.text[:2_000]))
    elif plan.goals and plan.reached:
        completion = yield from trade.close(view, plan)
        yield from _end(completion)
    else:
        why = view.refusals[-1] if view.refusals else text.say("nothing_planned")
        yield from _end(Completion(text.say("stopped"), LITTLE, notes=why[:2_000]))
    return text.say("note_ended")


def _hopeless(view: View) -> bool:
    """Whether staging was refused in a way that staging again cannot mend."""
    return len(view.refusals) >= MOST_REFUSALS or any(ENDING in refusal for refusal in view.refusals)


def _end(completion: Completion) -> Reading[Result]:
    return (
        yield from one(
            call(
                ENDING,
                summary=completion.summary,
                deliverables=list(completion.deliverables),
                confidence=completion.confidence,
                notes=completion.notes,
            )
        )
    )
