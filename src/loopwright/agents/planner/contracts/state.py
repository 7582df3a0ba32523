"""The planning state of a session: the shared memory of tools, validators and approvals (spec 004, GraphState)."""

from collections.abc import Mapping
from datetime import date
from typing import Any, Literal

from pydantic import AwareDatetime, Field, ValidationError

from loopwright.agents.planner.contracts.plan import (
    AdaptationLogEntry,
    Appointment,
    Contract,
    PatternSpec,
    PlanOutline,
    Roadmap,
    Schedule,
    ScheduleBlock,
)
from loopwright.kernel.errors import InvalidInput

# An outline while it is put together part by part, by the small tools, until `done` makes the outline of it.


class SketchTask(Contract):
    """Work that is done once; `minutes` is how long it takes, `latest` the last day on which it may be done."""

    title: str
    minutes: int = Field(ge=1)
    latest: date | None = None


class SketchPart(Contract):
    """A part of the plan with its tasks, in the order in which they are done."""

    title: str
    tasks: list[SketchTask] = Field(default_factory=list)


class SketchSessions(Contract):
    """Work that comes again every week; how often `stated` work comes was said by the user."""

    title: str
    minutes: int = Field(ge=1)
    times_per_week: int = Field(ge=1, le=7)
    stated: bool = False


class Sketch(Contract):
    """All that was written so far.

    `asked` are the parts for which more tasks were asked for, `refused` the kinds of what was refused.
    `share` is how much of the time that there is the work may take: less after each try that found no schedule.
    """

    parts: list[SketchPart] = Field(default_factory=list)
    sessions: list[SketchSessions] = Field(default_factory=list)
    asked: list[str] = Field(default_factory=list)
    refused: list[str] = Field(default_factory=list)
    share: float = Field(default=1.0, gt=0, le=1)

    @property
    def once(self) -> int:
        """Minutes of all that is done once."""
        return sum(task.minutes for part in self.parts for task in part.tasks)

    @property
    def weekly(self) -> int:
        """Minutes of each week's sessions."""
        return sum(each.minutes * each.times_per_week for each in self.sessions)


# How the user wants to be worked with.


class InteractionPolicy(Contract):
    """The sliders of spec 004, 4. A session's own values win over the user's remembered ones, those over these."""

    conversation_style: Literal["concise", "standard", "conversational", "coach"] = "standard"
    talkativeness: float = Field(default=0.5, ge=0, le=1)
    autonomy: Literal["high", "medium", "low"] = "medium"
    brainstorming_preference: Literal["on_demand", "suggest_when_uncertain", "always_offer"] = "suggest_when_uncertain"
    approval_policy: Literal["single_final", "milestone_approvals", "strict_every_step"] = "milestone_approvals"
    probing_depth: int = Field(default=1, ge=0, le=3)
    tone: Literal["neutral", "friendly", "clinical"] = "friendly"


def effective_policy(session: Mapping[str, Any], remembered: Mapping[str, Any]) -> InteractionPolicy:
    """Field by field: what the session sets, else what is remembered of the user, else the default.

    Raises:
        InvalidInput: a field or value does not exist.
    """
    return read_policy({**remembered, **session})


def read_policy(data: Any, source: str = "The interaction policy") -> InteractionPolicy:
    """A policy out of data from outside; `source` begins the message when it is refused.

    Raises:
        InvalidInput: it is no object, or a field or value does not exist.
    """
    try:
        return InteractionPolicy.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "it"
        raise InvalidInput(
            f"{source} cannot be used: {where}: {first['msg']}.",
            hint=f"The fields are {', '.join(InteractionPolicy.model_fields)}.",
        ) from error


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


class Contradiction(Contract):
    """Two statements of the user's that cannot both hold.

    `ways` are statements that resolve it, the smallest change first. `safe` is the one that breaks no limit and keeps
    some of all that was said; where there is none, nobody but the user can choose. `asked` is how often it was put.
    """

    text: str
    ways: list[str] = Field(default_factory=list)
    safe: str | None = None
    asked: int = 0


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
    appointments: list[Appointment] = Field(default_factory=list)
    stated: list[str] = Field(default_factory=list)
    """Which of the terms are the user's own words: no default may go against them."""
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
    sketch: Sketch = Sketch()
    """The outline while it is written part by part."""
    plan_outline: PlanOutline | None = None
    flaws_told: str | None = None
    """The model's answer about which it was told what the grammar finds; that is told once."""
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
    contradiction: Contradiction | None = None
    """What the user is asked about before there is any draft."""
    resolved: str = ""
    """How a contradiction was resolved where nobody answered, in the user's language."""
    style_asked: bool = False
    """PreferenceProbe asks once."""
    replanned_at: AwareDatetime | None = None
    """The moment of the newest change: what was worked on before it stays, everything else is planned after it."""
    history: list[ScheduleBlock] = Field(default_factory=list)
    """The blocks that were worked on before the newest change."""
    before_change: list[ScheduleBlock] = Field(default_factory=list)
    """The schedule that the newest change has found, to tell what it moved."""
    settled: dict[str, Any] | None = None
    """The state as it was before the newest change, until that is settled: what a change that is given up leaves."""
    previous: dict[str, Any] | None = None
    """The plan as it was settled before the newest change that was approved: what an undo brings back."""
    changes: list[str] = Field(default_factory=list)
    """The user's words for the change that waits for a yes, and those with which they have corrected it since."""
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
