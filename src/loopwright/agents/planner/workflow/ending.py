"""How the controller's own work ends: what it changed is saved together with what it came to.

A process may die after the state was saved and before the journal knows of it. The work is then done again, and must
neither count a retry twice nor ask what was answered: it finds its own end instead.
"""

from functools import wraps

from loopwright.agents.planner.contracts.state import EndedWork, PlanningState
from loopwright.agents.planner.memory import load_planning, save_planning
from loopwright.kernel.events import UserMessage
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import Action, ActionResult
from loopwright.kernel.tools import GateRequest


def once(action: Action) -> Action:
    """The action, whose end is taken from the planning state where it has ended already in this visit of its state."""

    @wraps(action)
    async def acted(run: AgentRun) -> ActionResult | GateRequest:
        done = (await load_planning(run.services, run.state.session_id)).ended
        return _told(run, done) if done is not None and done.key == _visit(run) else await action(run)

    return acted


async def ended(run: AgentRun, state: PlanningState, result: ActionResult, message: str = "") -> ActionResult:
    """Save the state with the result; `message` is what the model hears as the user's words."""
    state.ended = EndedWork(
        key=_visit(run),
        success=result.success,
        output=result.output,
        signal=result.signal,
        text=result.text,
        message=message,
    )
    await save_planning(run.services, run.state.session_id, state, f"{state.ended.key}:ended")
    return _told(run, state.ended)


def _told(run: AgentRun, done: EndedWork) -> ActionResult:
    if done.message:
        run.defer(UserMessage(text=done.message))
    return ActionResult(done.success, done.output, done.signal, text=done.text)


def _visit(run: AgentRun) -> str:
    state = run.state
    return f"{state.run_id}:{state.stage}:{state.stage_entries.get(state.stage, 1)}:{state.refusals}"
