"""The planning state of a session: the shared memory of tools, validators and approvals (spec 004, GraphState)."""

from datetime import date
from typing import Any, Literal

from pydantic import AwareDatetime, Field

from loopwright.agents.planner.contracts.base import Contract
from loopwright.agents.planner.contracts.pattern import PatternSpec
from loopwright.agents.planner.contracts.plan import AdaptationLogEntry, PlanOutline, Roadmap, Schedule, ScheduleBlock
from loopwright.agents.planner.contracts.policy import InteractionPolicy


class TraceEntry(Contract):
    """One step, for observability (spec 004, 7)."""

    stage: str
    tool: str
    duration_ms: float = 0.0
    confidence: float | None = None
    cost_delta: float = 0.0
    violations: list[str] = Field(default_factory=list)
    adaptations: list[str] = Field(default_factory=list)


class Judgement(Contract):
    """How sure the controller is of a draft, and what it made of that; `key` is the model's answer that it judged."""

    key: str
    confidence: float
    self_score: float | None
    validator: float
    heuristics: float
    verdict: Literal["continue", "retry", "escalate"]
    signal: str | None
    reason: str = ""
    cost_delta: float = 0.0


class EndedWork(Contract):
    """What the controller's last work came to; `key` names the visit of the state in which it was done."""

    key: str
    success: bool
    output: str
    signal: str
    text: str = ""
    message: str = ""


class GoalFacts(Contract):
    """What is known of the goal: the user's words, and what was asked or set besides.

    `hours` is the working time in words ("Mon–Fri 18:00–21:00"); `busy` are taken times as pairs of ISO moments.
    """

    text: str = ""
    now: AwareDatetime | None = None
    """When the plan was asked for: nothing is planned before it. It is kept, so that the plan can be made again."""
    today: date | None = None
    """The day of `now` in the user's zone; what the goal's words are told from."""
    start: date | None = None
    deadline: date | None = None
    timezone: str = "UTC"
    hours: str = ""
    hours_per_week: float | None = Field(default=None, gt=0, le=168)
    blackouts: list[tuple[str, str]] = Field(default_factory=list)
    busy: list[tuple[str, str]] = Field(default_factory=list)
    answers: dict[str, str] = Field(default_factory=dict)
    facts: dict[str, Any] = Field(default_factory=dict)


class PlanningState(Contract):
    """Everything about the plan in the making; the journal tells how it came about."""

    plan_id: str = ""
    goal: GoalFacts = GoalFacts()
    interaction_policy: InteractionPolicy = InteractionPolicy()
    session_policy: dict[str, Any] = Field(default_factory=dict)
    """What the user has set of the policy in this session; it wins over what is remembered of them."""
    policy_was_given: bool = False
    """Whether the user chose the policy, now or earlier; else PreferenceProbe may ask once."""
    selected_pattern: PatternSpec | None = None
    pattern_rfc_required: bool = False
    pattern_rfc_text: str | None = None
    pattern_rfc_decision: Literal["approved", "rejected"] | None = None
    plan_outline: PlanOutline | None = None
    dependencies_resolved: bool = False
    """Whether DependencyResolver has seen this outline."""
    roadmap: Roadmap | None = None
    schedule: Schedule | None = None
    needs_new_schedule: bool = False
    """A change waits to be scheduled; until then the schedule is the earlier one, and little of it shall move."""
    outline_approved: bool = False
    roadmap_approved: bool = False
    schedule_approved: bool = False
    planning_status: Literal["complete", "needs_clarification", "needs_scheduling_escalation", "aborted"] | None = None
    escalate_reason: str | None = None
    response_text: str | None = None
    cause: dict[str, Any] | None = None
    """Why there is no schedule (`schedule.problem.Cause` as JSON)."""
    relaxations: list[dict[str, Any]] = Field(default_factory=list)
    chosen_relaxations: list[dict[str, Any]] = Field(default_factory=list)
    pending_questions: list[dict[str, Any]] = Field(default_factory=list)
    """Questions that wait for the user, as the kernel's `QuestionItem` has them."""
    style_asked: bool = False
    """PreferenceProbe asks once."""
    replanned_at: AwareDatetime | None = None
    """The moment of the newest change: what was worked on before it stays, everything else is planned after it."""
    history: list[ScheduleBlock] = Field(default_factory=list)
    """The blocks that were worked on before the newest change."""
    before_change: list[ScheduleBlock] = Field(default_factory=list)
    """The schedule that the newest change has found, to tell what it moved."""
    finished: list[str] = Field(default_factory=list)
    """The tasks of which nothing was left at the newest change."""
    taken: list[tuple[str, str]] = Field(default_factory=list)
    """Times of other plans that the schedule was made around, as pairs of ISO moments."""
    portfolio: dict[str, Any] | None = None
    """What PortfolioProbe found last."""
    ideas: list[str] = Field(default_factory=list)
    variants: list[dict[str, Any]] = Field(default_factory=list)
    questions_asked: list[str] = Field(default_factory=list)
    options_tried: list[dict[str, Any]] = Field(default_factory=list)
    validation: dict[str, Any] = Field(default_factory=dict)
    """The last report of each validator, by stage."""
    confidence: dict[str, float] = Field(default_factory=dict)
    """The composite confidence of each stage that was judged."""
    self_scores: dict[str, float | None] = Field(default_factory=dict)
    """How sure the model is of each of its drafts, by artifact."""
    judgements: dict[str, Judgement] = Field(default_factory=dict)
    """The last judgement of each draft, by artifact."""
    ended: EndedWork | None = None
    """How the last work of the controller itself has ended, for a process that takes over."""
    doubts: dict[str, int] = Field(default_factory=dict)
    """How often a draft was judged too doubtful to go on since the user spoke, by artifact."""
    doubted: str | None = None
    """The draft that the user is asked about because of its confidence."""
    accepted: list[str] = Field(default_factory=list)
    """Drafts with which the user wants to go on, doubtful as they are."""
    usd_traced: dict[str, float] = Field(default_factory=dict)
    """What a run had spent when its cost was last told, by run."""
    retries: dict[str, int] = Field(default_factory=dict)
    adaptation_log: list[AdaptationLogEntry] = Field(default_factory=list)
    planning_trace: list[TraceEntry] = Field(default_factory=list, max_length=2_000)
    refinement_round: int = Field(default=0, ge=0)
    tool_cache: dict[str, dict[str, Any]] = Field(default_factory=dict)
