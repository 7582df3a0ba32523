"""The tools that ask the user: context, preferences, other plans, approval."""

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from loopwright.agents.planner.contracts.state import GoalFacts, PlanningState
from loopwright.agents.planner.portfolio import Other, probe
from loopwright.agents.planner.ports import PlannerServices
from loopwright.agents.planner.publishing import only
from loopwright.agents.planner.states import APPROVED, CLARIFY, NO_RESPONSE, REJECTED, SUFFICIENT
from loopwright.agents.planner.terms import read_terms
from loopwright.agents.planner.tools.executor import Artifact, Done, PlannerTool, has
from loopwright.agents.planner.workflow.asking import CALL_TO_ACTION, wants_approval
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.gates import QuestionItem
from loopwright.kernel.tools import ToolContext

# What a model understood of the goal's terms; what the user set outright stays.

UNDERSTOOD = "understood"
SET = ("start", "deadline", "hours", "hours_per_week")


class FactParameters(BaseModel):
    """Time, as the goal tells of it."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra=only(
            "start", "deadline", "hours", "hours_per_week", "minutes_per_day", "days_off", required=()
        ),
    )

    start: date | None = None
    deadline: date | None = Field(default=None, description="The last day")
    hours: str | None = Field(default=None, description="Working hours, such as 'Mon–Fri 18:00–21:00, no Sundays'")
    hours_per_week: float | None = Field(default=None, gt=0, le=168)
    days: list[Annotated[int, Field(ge=0, le=6)]] | None = Field(default=None, description="Only these; 0 is Monday")
    days_off: list[date] | None = None
    minutes_per_day: int | None = Field(default=None, ge=1, le=1_440)
    mode: str | None = Field(default=None, description="push, relax, hybrid or manual")
    level: str | None = Field(default=None, description="What the user can do already")


def with_facts(goal: GoalFacts, facts: FactParameters | None) -> GoalFacts:
    """The goal with the facts that were open.

    Raises:
        InvalidInput: hours or dates that cannot be used.
    """
    if facts is None:
        return goal
    given: dict[str, Any] = facts.model_dump(mode="json", exclude_none=True)
    # What a model understood it may correct later; what the user set it may not.
    understood = set(goal.facts.get(UNDERSTOOD, ()))
    update = {name: given[name] for name in SET if name in given and (name in understood or not getattr(goal, name))}
    given = {name: value for name, value in given.items() if name not in SET}
    if update:
        given[UNDERSTOOD] = sorted(understood | update.keys())
    try:
        merged = GoalFacts.model_validate(goal.model_dump() | update | {"facts": goal.facts | given})
    except ValidationError as error:
        first = error.errors()[0]
        raise InvalidInput(f"The fact {first['loc']} cannot be used: {first['msg']}.") from error
    read_terms(merged)
    return merged


OPEN_FACTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("deadline", {"question": "Until when do you want to have reached it?", "type": "text", "default": "no deadline"}),
    ("hours_per_week", {"question": "How many hours a week can you give it?", "type": "text", "default": "5"}),
    ("hours", {"question": "On which days and at what hours?", "type": "text", "default": "weekdays 09:00–17:00"}),
)


class AskedQuestion(QuestionItem):
    """A question as a model writes it: with options it is a choice, without any the user writes."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        json_schema_extra=only("question", "options", "default", required=("question", "default")),
    )

    type: Literal["radio", "checkbox", "text"] = "text"

    @model_validator(mode="before")
    @classmethod
    def _options_make_a_choice(cls, data: Any) -> Any:
        if isinstance(data, dict) and data.get("options") and "type" not in data:
            return {**data, "type": "radio"}
        return data


class ContextElicitorParameters(BaseModel):
    """Parameters of `context_elicitor`."""

    model_config = ConfigDict(extra="forbid", json_schema_extra=only("questions"))

    questions: list[AskedQuestion] = Field(default_factory=list, max_length=8)
    facts: FactParameters | None = Field(default=None, description="What the goal or an answer says about time")
    enough: bool = Field(default=False, description="Nothing has to be asked; only take the facts in")


class ContextElicitor(PlannerTool[ContextElicitorParameters]):
    """Asks at most as many questions in a session as `probing_depth` says."""

    name = "context_elicitor"
    parameters_model = ContextElicitorParameters
    prerequisites = ("context",)
    produces = ("context",)

    async def work(
        self, params: ContextElicitorParameters, state: PlanningState, ctx: ToolContext[PlannerServices]
    ) -> Done:
        """Choose the questions; what was asked is not asked again."""
        goal = with_facts(state.goal, params.facts)
        policy = state.interaction_policy
        open_items = [QuestionItem(**item) for name, item in OPEN_FACTS if not getattr(goal, name)]
        requested: list[QuestionItem] = [] if params.enough else [*params.questions] or open_items
        fresh = [item for item in requested if item.question not in state.questions_asked]
        if policy.autonomy == "high":
            # Who wants to be left alone is only asked what has no default.
            fresh = [item for item in fresh if item.default is None and not item.options]
        left = max(0, policy.probing_depth - len(state.questions_asked))
        questions = fresh[:left]
        known = sum(1 for name, _ in OPEN_FACTS if getattr(goal, name))
        notes = [f"{len(fresh) - len(questions)} questions are left out: {left} may still be asked."]
        data = {
            "questions": [item.model_dump(mode="json", exclude_none=True) for item in questions],
            "outcome": CLARIFY if questions else SUFFICIENT,
            "assumed": [item.question for item in fresh[left:]],
        }
        changes = {"goal": goal, "pending_questions": data["questions"]}
        return Done(
            data,
            tuple(notes) if len(fresh) > len(questions) else (),
            0.5 + 0.5 * known / len(OPEN_FACTS),
            changes=changes,
            signal=CLARIFY if questions else None,
        )


# `preference_probe`: concise or conversational? Asked once, and only when nobody knows.

QUESTION = QuestionItem(
    question="Shall I keep it concise, or talk things through with you?",
    type="radio",
    options=["concise", "standard", "conversational", "coach"],
    context="It is asked once; you can change it at any time.",
    default="standard",
)


class PreferenceProbeParameters(BaseModel):
    """Parameters of `preference_probe`: none."""


class PreferenceProbe(PlannerTool[PreferenceProbeParameters]):
    """Finds the user's style out, takes the answer over, and remembers it: no later plan has to ask again."""

    name = "preference_probe"
    parameters_model = PreferenceProbeParameters

    async def work(
        self, params: PreferenceProbeParameters, state: PlanningState, ctx: ToolContext[PlannerServices]
    ) -> Done:
        """Ask, or read the answer that was given."""
        policy = state.interaction_policy
        answer = state.goal.answers.get(QUESTION.question, "").strip().casefold()
        if answer in (QUESTION.options or ()) and not state.policy_was_given:
            policy = policy.model_validate(policy.model_dump() | {"conversation_style": answer})
            remembered = await ctx.db.plan_memories.policy()
            await ctx.db.plan_memories.remember_policy(remembered | {"conversation_style": answer})
            changes = {"interaction_policy": policy, "policy_was_given": True, "style_asked": True}
            return Done({"conversation_style": answer, "questions": []}, changes=changes)
        if state.policy_was_given or state.style_asked or policy.probing_depth == 0:
            return Done({"conversation_style": policy.conversation_style, "questions": []})
        question = QUESTION.model_dump(mode="json", exclude_none=True)
        changes = {"style_asked": True, "pending_questions": [*state.pending_questions, question]}
        return Done({"questions": [question]}, changes=changes, signal=CLARIFY)


# `portfolio_probe`: what the plan does to the user's other plans.


class PortfolioProbeParameters(BaseModel):
    """Parameters of `portfolio_probe`: none."""


class PortfolioProbe(PlannerTool[PortfolioProbeParameters]):
    """Conflicts, utilisation by week, and shifts that would end the conflicts."""

    name = "portfolio_probe"
    parameters_model = PortfolioProbeParameters
    prerequisites = ("schedule",)

    async def work(
        self, params: PortfolioProbeParameters, state: PlanningState, ctx: ToolContext[PlannerServices]
    ) -> Done:
        """Hold the schedule against everything else that is planned."""
        if state.schedule is None or not state.schedule.blocks:
            raise InvalidInput("There is no schedule to look at.", hint="Call schedule_generator first.")
        terms = read_terms(state.goal)
        blocks = state.schedule.blocks
        first, last = min(block.start for block in blocks), max(block.end for block in blocks)
        rows = await ctx.db.plans.tasks_between(first, last, without_plan=state.plan_id or None)
        others = [Other(row.plan_id, row.title, row.starts_at, row.ends_at) for row in rows]
        found = probe(blocks, others, terms.calendar)
        notes = [f"{len(found.conflicts)} conflicts with {len({other.plan_id for other in others})} other plans."]
        notes += [f"Week of {week}: {share:.0%} of the time is taken." for week, share in found.overfull]
        return Done(found.told(), tuple(notes), 1.0, changes={"portfolio": found.told()})


# `approval_handler`: what the user has to say yes to, as often as they like to be asked.

Step = Literal["rfc", "outline", "roadmap", "final"]
NEEDS: dict[Step, Artifact] = {"rfc": "pattern", "outline": "outline", "roadmap": "roadmap", "final": "schedule"}
NOT_NEEDED = "not_needed"


class ApprovalHandlerParameters(BaseModel):
    """Parameters of `approval_handler`."""

    step: Step
    feedback: str | None = Field(default=None, description="What the user has said, word for word")


class ApprovalHandler(PlannerTool[ApprovalHandlerParameters]):
    """Reads a yes or a no, or says what to ask; without the user's word nothing is approved."""

    name = "approval_handler"
    parameters_model = ApprovalHandlerParameters
    prerequisites = ("context",)
    produces = ("approval",)

    async def work(
        self, params: ApprovalHandlerParameters, state: PlanningState, ctx: ToolContext[PlannerServices]
    ) -> Done:
        """Decide by the policy's cadence and the user's words."""
        if not has(state, NEEDS[params.step]):
            raise InvalidInput(f"There is nothing to approve yet: no {NEEDS[params.step]}.")
        wanted = (
            state.pattern_rfc_required
            if params.step == "rfc"
            else wants_approval(state.interaction_policy, params.step)
        )
        feedback = (params.feedback or "").strip()
        if not wanted:
            return Done({"step": params.step, "outcome": NOT_NEEDED}, ("The user does not want to be asked here.",))
        if not feedback:
            title = state.pattern_rfc_text if params.step == "rfc" else f"Is this {params.step} right?"
            text = f"{title} {CALL_TO_ACTION}"
            data = {"step": params.step, "outcome": NO_RESPONSE, "call_to_action": text}
            return Done(data, (text,), changes={"planning_status": "needs_clarification", "response_text": text})
        if not is_yes(feedback):
            data = {"step": params.step, "outcome": REJECTED, "comment": feedback}
            return Done(data, (f"The user wants changes: {feedback[:300]}",))
        return Done(
            {"step": params.step, "outcome": APPROVED}, ("The user has approved it.",), changes=_approved(params.step)
        )


def is_yes(feedback: str) -> bool:
    """Whether it begins with a yes; "approve, but …" is none."""
    words = feedback.casefold().strip(" '\"")
    said = words.startswith(("approve", "yes", "ok", "looks good", "go ahead"))
    return said and not any(word in words for word in (" but ", " except", "not ", "change"))


def _approved(step: Step) -> dict[str, object]:
    match step:
        case "rfc":
            return {"pattern_rfc_decision": "approved"}
        case "outline":
            return {"outline_approved": True}
        case "roadmap":
            return {"roadmap_approved": True}
        case _:
            return {"schedule_approved": True, "planning_status": "complete"}
