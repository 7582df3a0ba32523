"""Approvals and questions to the user, by the user's own policy."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from loopwright.agents.planner.contracts.state import InteractionPolicy, PlanningState
from loopwright.agents.planner.effort_words import effort_words
from loopwright.agents.planner.memory import load_planning, save_planning
from loopwright.agents.planner.states import GIVEN_UP, NO_RESPONSE
from loopwright.kernel.actions import GO_ON, answer_to
from loopwright.kernel.dispatch import context_of
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.events import Payload, TurnCeilingPassed, UserMessage
from loopwright.kernel.gates import QuestionItem, digest_of
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import ActionResult
from loopwright.kernel.tools import GateRequest, unasked

# A settled plan outlives a change that does not come about.

NOT_KEPT = {"settled", "previous", "changes", "tool_cache", "planning_trace"}


def keep_settled(state: PlanningState) -> None:
    """Remember the plan as it stands, before a change is written into it."""
    state.settled = state.model_dump(mode="json", exclude=NOT_KEPT)


def restored(state: PlanningState) -> PlanningState:
    """The plan as it stood before the change that was given up; a plan that was never settled stays as it is."""
    if state.settled is None:
        return state
    before = PlanningState.model_validate(state.settled)
    told = {"planning_status": state.planning_status, "response_text": state.response_text}
    return before.model_copy(update=told | {"planning_trace": state.planning_trace, "previous": state.previous})


def as_settled(state: PlanningState) -> PlanningState:
    """The plan that the user has said yes to, while a change of it waits for one."""
    return restored(state) if state.settled is not None else state


# How the controller uses the agent's tools: by the policy of its stage, with the checks and the trace of any call.


class DeferringEmitter:
    """Tells of a call together with what the controller makes of it: half of a decision is never stored."""

    def __init__(self, run: AgentRun) -> None:
        """Speak for this run."""
        self._run = run

    def progress(self, message: str, **data: Any) -> None:
        """Show it to whoever watches now."""
        self._run.sink(self._run.state.run_id, "progress", {"message": message, **data})

    async def record(self, payload: Payload) -> None:
        """Store it with the end of the step."""
        self._run.defer(payload)


async def use_tool(run: AgentRun, name: str, **parameters: Any) -> dict[str, Any]:
    """Call a tool of the agent and give its data; the same call in the same visit of the stage is written once.

    Most of these tools are the controller's alone: a model is not offered them.

    The tool saves the planning state: who holds an earlier one loads it again before saving.

    Raises:
        InvalidInput: the tool refuses, or there is none of this name.
    """
    stage = run.state.stage
    tool = run.toolbox.registry.get(name)
    if tool is None:
        raise InvalidInput(f"The planner has no tool {name}.")
    entries = run.state.stage_entries.get(stage, 1)
    call_id = f"{stage}:{entries}:{digest_of(name, parameters)[:16]}"
    context = replace(context_of(run, call_id, name), event_emitter=DeferringEmitter(run))
    result = unasked(name, await tool.execute(tool.parameters_model.model_validate(parameters), context))
    if not result.success or result.artifacts is None:
        raise InvalidInput(result.error or f"{name} gave nothing.")
    data: dict[str, Any] = result.artifacts["data"]
    return data


# A turn has passed a ceiling: the user hears in short how things stand, and says whether it goes on (spec 004, 7).

CONTINUE, STOP = "Go on", "Stop with what there is"
UNITS = {"usd": "USD", "seconds": "seconds of work"}
SETTINGS = {"usd": "LOOPWRIGHT_SOFT_USD_PER_TURN", "seconds": "LOOPWRIGHT_WALL_TIME_SEC"}
"""Where the ceilings are raised for good; a slow local model needs a higher one."""


async def pause(run: AgentRun) -> ActionResult | GateRequest:
    """Ask whether to go on; the next turn has a ceiling of its own. Words of the user's own go to the model."""
    ceiling = run.state.ceiling
    if ceiling is None:
        raise InvalidInput("No ceiling was passed, so there is nothing to ask.")
    state = await load_planning(run.services, run.state.session_id)
    told = await use_tool(run, "summarizer", text=standing(state, ceiling))
    request = _request(ceiling, str(told["text"]))
    answer = answer_to(run, request)
    if answer is None:
        return request
    said = str(next(iter(answer["answers"].values()), "")).strip()
    if said == STOP:
        state = await load_planning(run.services, run.state.session_id)
        state.planning_status, state.response_text = "aborted", f"You stopped it. {told['text']}"
        await save_planning(run.services, run.state.session_id, restored(state), f"{run.key}:stopped")
        return ActionResult(False, "The user has stopped it.", GIVEN_UP, text=state.response_text)
    if said and said != CONTINUE:
        run.defer(UserMessage(text=said, composed=True))
    return ActionResult(True, "The user lets it go on.", GO_ON)


def standing(state: PlanningState, ceiling: TurnCeilingPassed) -> str:
    """What the turn has cost, and what there is by now."""
    unit = UNITS[ceiling.ceiling]
    sentences = [f"This took {ceiling.spent:g} {unit}, and {ceiling.limit:g} may pass before you are asked."]
    outline = state.roadmap or state.plan_outline
    if outline is None:
        sentences.append("There is no outline yet.")
    else:
        made = "roadmap" if state.roadmap is not None else "outline"
        sentences.append(f"There is a draft of the {made} with {len(outline.nodes)} parts.")
    if state.schedule is not None:
        sentences.append(f"There is a schedule of {len(state.schedule.blocks)} blocks that you have not approved.")
    return " ".join(sentences)


def _request(ceiling: TurnCeilingPassed, text: str) -> GateRequest:
    question = QuestionItem(
        question="Shall it go on?", type="radio", options=[CONTINUE, STOP], context=text[:1_000], default=CONTINUE
    )
    line = {"planning_status": "needs_clarification", "response_text": f"{text} {question.question}"}
    told = ceiling.model_dump(mode="json") | {"setting": SETTINGS[ceiling.ceiling]}
    details = {"step": "ceiling", "ceiling": told, "last_line": line}
    return GateRequest("questions", "It takes longer than usual.", questions=(question,), details=details)


# What is put beside an approval for a user who likes it: other ways to do it, and ideas.

A_CHOICE = 2
"""Fewer ways than this are nothing to choose from."""


async def offered_variants(run: AgentRun, state: PlanningState) -> list[dict[str, Any]]:
    """The ways that were weighed, as many as the user's policy lets them read."""
    if len({option.get("option") for option in state.options_tried}) < A_CHOICE:
        return []
    data = await use_tool(run, "option_crafter")
    return list(data["variants"])


async def offered_ideas(run: AgentRun, state: PlanningState, confidence: float | None = None) -> list[str]:
    """Ideas, where the user likes them; those that were had before, so that a question stays the same till answered.

    Without a `confidence` of its own it is the lowest of the plan's drafts that says whether ideas are needed.
    """
    if state.ideas:
        return state.ideas
    data = await use_tool(run, "brainstormer", confidence=confidence)
    return list(data["ideas"])


STEPS = {
    "single_final": frozenset({"final"}),
    "milestone_approvals": frozenset({"outline", "final"}),
    "strict_every_step": frozenset({"outline", "roadmap", "final"}),
}
"""Which steps the user wants to be asked about, by `approval_policy`."""
LEAVE_IT = "Leave it"
"""The answer that ends the planning."""
CALL_TO_ACTION = "Reply 'approve' or 'propose changes: …'."


def wants_approval(policy: InteractionPolicy, step: str) -> bool:
    """Whether the user wants to be asked about this step; who leaves little to the agent chooses the way as well."""
    return step in STEPS[policy.approval_policy] or (step == "roadmap" and policy.autonomy == "low")


def approval_request(
    step: str, title: str, details: dict[str, Any], status: str = "needs_clarification"
) -> GateRequest:
    """The question about one step of the plan; the line of a run that waits says how the planning stands."""
    line = {"planning_status": status, "response_text": f"{title} {CALL_TO_ACTION}"}
    return GateRequest("plan", title, details={"step": step, **details, "last_line": line})


@dataclass(frozen=True)
class Approval:
    """What ApprovalHandler made of the user's words; `outcome` is `approved`, `rejected` or `not_needed`."""

    outcome: str
    comment: str = ""


async def approval_of(run: AgentRun, step: str, title: str, details: dict[str, Any]) -> Approval | GateRequest:
    """What the user says to a step of the plan, or the question to put to them; ApprovalHandler decides which."""
    request = approval_request(step, title, details)
    answer = answer_to(run, request)
    told = await use_tool(run, "approval_handler", step=step, feedback=_words(answer))
    if told["outcome"] == NO_RESPONSE:
        return request
    return Approval(told["outcome"], str((answer or {}).get("comment") or ""))


def _words(answer: Mapping[str, Any] | None) -> str | None:
    """The answer to a gate in the words of the call to action."""
    if answer is None:
        return None
    return "approve" if answer["decision"] == "approve" else f"propose changes: {answer.get('comment') or ''}"


def outline_lines(state: PlanningState) -> list[str]:
    """The outline as an indented list, for the gate that asks about it."""
    outline = state.roadmap or state.plan_outline
    if outline is None:
        return []
    children: dict[Any, list[Any]] = {}
    for node in outline.nodes:
        children.setdefault(node.parent_id, []).append(node)
    lines: list[str] = []

    def walk(node: Any, depth: int) -> None:
        effort = f" ({words})" if (words := effort_words(node)) else ""
        lines.append(f"{'  ' * depth}- {node.title}{effort}")
        for child in children.get(node.id, []):
            walk(child, depth + 1)

    for root in (node for node in outline.nodes if node.id == outline.root_id):
        walk(root, 0)
    return lines[:200]
