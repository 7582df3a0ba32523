"""Replanning: what has happened to a settled plan is written into it, with a log entry, before it is scheduled anew."""

from calendar import day_name
from datetime import UTC, date, datetime, time
from typing import Any
from uuid import UUID

from loopwright.agents.planner.contracts.plan import AdaptationLogEntry, PlanNode
from loopwright.agents.planner.contracts.state import Contradiction, PlanningState
from loopwright.agents.planner.facts.change_reading import FactChange, read_fact_change
from loopwright.agents.planner.facts.changing import apply_fact_change, loosen
from loopwright.agents.planner.facts.contradictions import contradiction_of
from loopwright.agents.planner.facts.phrases import LANGUAGE, language_for, phrases_for, spoken
from loopwright.agents.planner.facts.task_changing import apply_task_changes
from loopwright.agents.planner.history import finished_tasks, kept_blocks
from loopwright.agents.planner.memory import load_planning
from loopwright.agents.planner.offline.replanning import Change, understand_change
from loopwright.agents.planner.problem_building import OCCURRENCE_TAG
from loopwright.agents.planner.problem_tasks import USUAL_MINUTES
from loopwright.agents.planner.schedule.hours import DEFAULT_HOURS, parse_hours
from loopwright.agents.planner.schedule.problem_checks import load_zone
from loopwright.agents.planner.states import ADAPT, ADAPTED, ANSWERED_WHY, CLARIFY, CLARIFY_CHANGE, RESTORED
from loopwright.agents.planner.terms import next_quarter
from loopwright.agents.planner.workflow.asking import LEAVE_IT, keep_settled, restored
from loopwright.agents.planner.workflow.escalating import ended
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import ActionResult

WEEKDAYS = range(7)
APART = "answer_apart"
DAY_NAMES = tuple(day_name)


async def adapt(run: AgentRun) -> ActionResult:
    """Understand the change by rules, apply it, and let the schedule follow; a question about the plan is answered."""
    before = await load_planning(run.services, run.state.session_id)
    # A change that was never approved, or that is corrected, begins with the plan as it was settled.
    state = restored(before)
    now = _moment(run)
    today = now.astimezone(load_zone(state.goal.timezone)).date()
    changes = before.changes if run.state.stage_entries.get(ADAPT, 1) > 1 and before.changes else [_words(run, state)]
    if run.state.stage_entries.get(CLARIFY_CHANGE) and len(changes) == 1:
        changes = _completed(run, state)
    state.goal.facts[LANGUAGE] = spoken(changes[-1], state.goal)
    settled = state.model_copy(deep=True)
    keep_settled(state)
    state.changes = changes
    actions: list[str] = []
    touched: list[UUID] = []
    for words in changes:
        read = read_fact_change(words, state, today)
        if read is not None and read.undo:
            return await _undo(run, state, settled)
        change = _change(words, read, state, today)
        if change.question is not None:
            settled.goal.facts["change"] = words
            return await _asked(run, settled, _question(change), change.question)
        if change.kind in ("why_here", "why_not_earlier"):
            return await _answer_why(run, state, change)
        try:
            if not actions:
                keep_history(state, change, _effective(change, now, state))
            if read is not None and read.tasks:
                action, nodes = apply_task_changes(state, read.tasks, today)
                actions, touched = [*actions, action], [*touched, *nodes]
            if read is not None and (read.claims or not read.tasks):
                actions.append(apply_fact_change(state, read, words, today))
            if read is None:
                action, nodes = apply_change(state, change, today)
                actions, touched = [*actions, action], [*touched, *nodes]
        except InvalidInput as error:
            settled.goal.facts["change"] = words
            return await _asked(run, settled, _impossible(error), error.message)
    against = contradiction_of(state.goal)
    if against is not None and contradiction_of(settled.goal) is None:
        settled.goal.facts |= {"change": " – ".join(changes), APART: True}
        return await _asked(run, settled, _either(against, state), against.text)
    loosen(state)
    entry = AdaptationLogEntry(
        timestamp=now,
        node_ids=touched,
        action="; ".join(actions),
        reason=" – ".join(changes),
        origin="user_feedback",
        strategy_applied="minimal disruption",
    )
    state.adaptation_log.append(entry)
    state.needs_new_schedule, state.schedule_approved = True, False
    return await ended(run, state, ActionResult(True, entry.action, ADAPTED))


def _change(words: str, read: FactChange | None, state: PlanningState, today: date) -> Change:
    """The change that the words ask for: one of facts, else of tasks."""
    if read is None:
        summary = {"tasks": tasks_of(state), "goal": state.goal.text, "ends": last_day(state)}
        if language_for(state.goal) == "en":
            return understand_change(words, summary, today, state.goal.timezone)
        return Change("unclear", words, question=phrases_for(state.goal).text("changes"))
    free, question = read.days_between(state.goal), read.question or None
    return Change("facts", words, question=question, days=free, candidates=read.options, since=read.since)


async def _asked(run: AgentRun, settled: PlanningState, question: dict[str, Any], told: str) -> ActionResult:
    """Put a question about the change; the plan is as it was settled until then."""
    settled.pending_questions = [question]
    settled.goal.facts["asked"] = question["question"]
    return await ended(run, settled, ActionResult(True, told, CLARIFY))


def _words(run: AgentRun, state: PlanningState) -> str:
    """What the user has said; the answer to a question completes what was said first."""
    newest = run.state.context.newest_user
    if run.state.stage_entries.get(CLARIFY_CHANGE):
        return f"{state.goal.facts.get('change', '')}: {state.goal.answers.get(state.goal.facts.get('asked', ''), '')}"
    return newest.content if newest is not None else ""


def _completed(run: AgentRun, state: PlanningState) -> list[str]:
    """The change with the answer to what was asked about it; what resolves a contradiction is a change by itself."""
    facts = state.goal.facts
    if facts.get(APART):
        return [str(facts["change"]), state.goal.answers.get(str(facts["asked"]), "")]
    return [_words(run, state)]


def _either(found: Contradiction, state: PlanningState) -> dict[str, Any]:
    """Which of two statements may change; nobody but the user can take back what is settled."""
    say = phrases_for(state.goal)
    question = f"{found.text} {say.text('which')}"
    return {"question": question[:900], "type": "radio", "options": [*found.ways, LEAVE_IT], "default": LEAVE_IT}


def _effective(change: Change, now: datetime, state: PlanningState) -> datetime:
    """When a change takes effect: what lies before the day from which it holds stays as it is."""
    if change.since is None or change.since <= now.date():
        return now
    return datetime.combine(change.since, time(), load_zone(state.goal.timezone)).astimezone(UTC)


async def _undo(run: AgentRun, state: PlanningState, settled: PlanningState) -> ActionResult:
    """Bring the plan back as it was before its last change, block for block; without one there is nothing to undo."""
    if state.previous is None:
        text = "There is no change that could be undone: the plan is as it was made."
        return await ended(run, settled, ActionResult(True, text, ANSWERED_WHY, text=text))
    before = PlanningState.model_validate(state.previous)
    log = AdaptationLogEntry(
        timestamp=_moment(run), node_ids=[], action="took back the last change", reason=state.changes[0],
        origin="user_feedback",
    )  # fmt: skip
    update: dict[str, Any] = {"settled": state.settled, "changes": state.changes, "previous": None}
    update |= {"adaptation_log": [*state.adaptation_log, log], "planning_trace": state.planning_trace}
    return await ended(run, before.model_copy(update=update), ActionResult(True, log.action, RESTORED))


def _impossible(error: InvalidInput) -> dict[str, Any]:
    question = f"{error.message} {error.hint}".strip()
    return {"question": question[:900], "type": "radio", "options": [LEAVE_IT], "default": LEAVE_IT}


def _moment(run: AgentRun) -> datetime:
    """When the change was asked for, as the run's options have it."""
    try:
        return datetime.fromisoformat(str(run.state.options.get("now") or datetime.now(UTC))).astimezone(UTC)
    except ValueError as error:
        raise InvalidInput("The option now is no time.", hint="Write it as 2027-01-31T18:00+01:00.") from error


def keep_history(state: PlanningState, change: Change, now: datetime) -> None:
    """What was begun before the moment stays as it was, but for the days that were lost."""
    blocks = state.schedule.blocks if state.schedule is not None else []
    state.replanned_at, state.before_change = next_quarter(now), list(blocks)
    state.history = kept_blocks(blocks, now, change.days if change.kind in ("lost_days", "facts") else ())
    finished = finished_tasks(blocks, state.history, OCCURRENCE_TAG)
    more = set(change.node_ids) if change.kind == "duration" and not change.over else set()
    state.finished = [name for name in finished if name not in more]


def last_day(state: PlanningState) -> str | None:
    """The deadline, else the day of the last block, as an ISO date."""
    if state.goal.deadline is not None:
        return state.goal.deadline.isoformat()
    blocks = state.schedule.blocks if state.schedule is not None else []
    return max((block.end.date().isoformat() for block in blocks), default=None)


def tasks_of(state: PlanningState) -> list[dict[str, Any]]:
    """The scheduled tasks in the order in which people see them, each once."""
    blocks = sorted(state.schedule.blocks if state.schedule is not None else [], key=lambda block: block.start)
    seen: dict[UUID, dict[str, Any]] = {}
    for block in blocks:
        seen.setdefault(
            block.plan_node_id, {"id": str(block.plan_node_id), "title": block.title, "start": block.start.isoformat()}
        )
    return list(seen.values())


def apply_change(state: PlanningState, change: Change, today: date) -> tuple[str, list[UUID]]:
    """Write a change into the state; tells what was done, and to which nodes.

    Raises:
        InvalidInput: the plan has no roadmap, or the change cannot be carried out.
    """
    if state.roadmap is None:
        raise InvalidInput("There is no plan to change.", hint="Make one first: loopwright plan GOAL")
    goal, nodes = state.goal, {str(node.id): node for node in state.roadmap.nodes}
    touched = [UUID(name) for name in change.node_ids if name in nodes]
    match change.kind:
        case "lost_days":
            days = [day.isoformat() for day in change.days]
            goal.facts["days_off"] = sorted({*goal.facts.get("days_off", []), *days})
            return f"took {', '.join(days)} as days off", touched
        case "duration":
            before = [_minutes(nodes[name]) for name in map(str, touched)]
            after = [_set_minutes(nodes[name], change) for name in map(str, touched)]
            told = ", ".join(f"{old} to {new}" for old, new in zip(before, after, strict=True))
            return f"changed how long {_titles(nodes, touched)} takes: from {told} minutes", touched
        case "capacity":
            goal.stated = sorted({*goal.stated, "hours_per_week" if change.minutes_per_week else "minutes_per_day"})
            if change.minutes_per_week is not None:
                goal.hours_per_week = change.minutes_per_week / 60
            if change.minutes_per_day is not None:
                goal.facts["minutes_per_day"] = change.minutes_per_day
            day = f", {change.minutes_per_day} minutes a day" if change.minutes_per_day is not None else ""
            return f"changed the time to {goal.hours_per_week or 0:g} hours a week{day}", touched
        case "skip":
            for name in map(str, touched):
                nodes[name].status = "dropped"
            return f"left out {_titles(nodes, touched)}", touched
        case "done":
            for name in map(str, touched):
                nodes[name].status, nodes[name].progress = "done", 1.0
            return f"marked as done: {_titles(nodes, touched)}", touched
        case "move":
            for name in map(str, touched):
                nodes[name].metadata["earliest"] = (change.until or today).isoformat()
            return f"moved {_titles(nodes, touched)} to {change.until} or later", touched
        case "deadline":
            goal.deadline = change.until
            goal.stated = sorted({*goal.stated, "deadline"})
            return f"set the deadline to {change.until}", touched
        case "days":
            goal.facts["days"] = _weekdays(goal.facts.get("days"), change)
            left = ", ".join(DAY_NAMES[day] for day in goal.facts["days"])
            return f"changed the days of the week to {left}", touched
        case "hours":
            goal.hours = _hours(goal.hours, change)
            return f"changed the hours to {goal.hours}", touched
        case "add":
            return f"added {change.title}", [_add(state, change)]
        case _:
            raise InvalidInput(f"A change of kind {change.kind!r} cannot be carried out.")


def _minutes(node: PlanNode) -> int:
    return int(node.metadata.get("estimated_minutes", USUAL_MINUTES))


def _set_minutes(node: PlanNode, change: Change) -> int:
    before = _minutes(node)
    after = round(before * change.factor) if change.factor is not None else change.minutes
    if change.more_minutes is not None:
        after = before + change.more_minutes
    node.metadata["estimated_minutes"] = max(1, after or before)
    node.origin = "user_feedback"
    return int(node.metadata["estimated_minutes"])


def _weekdays(known: Any, change: Change) -> list[int]:
    days = set(change.weekdays or (known if isinstance(known, list) and known else WEEKDAYS))
    left = sorted(days - set(change.excluded_weekdays))
    if not left:
        raise InvalidInput("No day of the week would be left.", hint="Leave at least one day.")
    return left


def _hours(words: str, change: Change) -> str:
    """The working hours with another beginning or end on each of their days."""
    days = sorted({window.weekday for window in parse_hours(words or DEFAULT_HOURS)})
    dawn = time(6) if change.before is None or change.before > time(6) else time()
    first = (change.after or dawn).isoformat("minutes")
    last = (change.before or time(22 if (change.after or time()) < time(21) else 23, 45)).isoformat("minutes")
    return ", ".join(f"{DAY_NAMES[day][:3]} {first}–{last}" for day in days)


def _add(state: PlanningState, change: Change) -> UUID:
    """A new task under the goal, with an id that is the same whenever this is done again."""
    from uuid import uuid5

    roadmap = state.roadmap
    if roadmap is None:
        raise InvalidInput("There is no plan to add to.")
    node = PlanNode(
        id=uuid5(roadmap.root_id, f"{change.title}:{len(roadmap.nodes)}"),
        parent_id=roadmap.root_id,
        node_type="task",
        level=2,
        title=(change.title or "New task")[:160],
        origin="user_feedback",
        metadata={"estimated_minutes": change.minutes or 60},
    )
    roadmap.nodes.append(node)
    return node.id


def _titles(nodes: dict[str, PlanNode], touched: list[UUID]) -> str:
    return ", ".join(nodes[str(name)].title for name in touched)


def _question(change: Change) -> dict[str, Any]:
    if change.candidates:
        options = [*change.candidates, LEAVE_IT]
        return {"question": change.question, "type": "radio", "options": options, "default": LEAVE_IT}
    return {"question": change.question, "type": "text", "default": LEAVE_IT}


async def _answer_why(run: AgentRun, state: PlanningState, change: Change) -> ActionResult:
    from loopwright.agents.planner.explaining import explain

    title = next((task["title"] for task in tasks_of(state) if task["id"] in change.node_ids), "")
    text = "\n".join(explain(state, title)["reasons"])
    return ActionResult(True, text, ANSWERED_WHY, text=text)
