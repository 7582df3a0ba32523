"""The planner without a language model: rules that answer every stage with its next tool call."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import Any

from loopwright.agents.planner.contracts.plan import KNOWN_SUBTYPES
from loopwright.agents.planner.offline.goal import Goal, understand_goal
from loopwright.agents.planner.offline.horizon import stretches
from loopwright.agents.planner.offline.language import language
from loopwright.agents.planner.offline.outline_making import hours_words, make_outline, window_of
from loopwright.agents.planner.offline.replanning import Change, understand_change
from loopwright.agents.planner.offline.scaling import capacity_of
from loopwright.agents.planner.offline.work import GENERIC, Family, families
from loopwright.agents.planner.schedule.hours import parse_hours
from loopwright.agents.planner.states import COLLECT_CONTEXT, DRAFT_OUTLINE
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.messages import Message
from loopwright.kernel.offline import OfflineReply, OfflineRequest
from loopwright.kits.dialogue import UnreadableRequest, read_state

# What the playbook sees of a request: the planning state, and what was done since the stage was entered.

BLOCK = re.compile(r"<planning_state>\s*(\{.*\})\s*</planning_state>", re.DOTALL)
FAILED = re.compile(r'"ok"\s*:\s*false|\AError:')
MOST_ANSWERS = 12
EARLIEST = time(5)
"""Nobody means to work before it who has not said so in words that leave no doubt."""


@dataclass(frozen=True)
class View:
    """The planning state, the tools called since the stage was entered, and whether the last of them failed."""

    state: Mapping[str, Any]
    called: tuple[str, ...] = ()
    failure: str | None = None
    words: str = ""

    @classmethod
    def of(cls, messages: Sequence[Message]) -> "View":
        """Read a request's messages.

        Raises:
            UnreadableRequest: there is no planning state.
        """
        told = [message.content for message in messages if message.role in ("system", "user")]
        match = next((found for text in reversed(told) if (found := BLOCK.search(text)) is not None), None)
        text = None if match is None else match[1].replace("<\\/planning_state", "</planning_state")
        state = read_state(text, "planning state")
        called: list[str] = []
        words, failure = "", None
        for message in messages:
            if message.role == "user" and BLOCK.search(message.content) is None:
                told_by_us = message.content.startswith("[task:")
                words, called, failure = words if told_by_us else message.content, [], None
            elif message.role == "assistant" and not message.tool_calls:
                # A text without a call ends a stage: what was called before it belongs to an earlier one.
                called, failure = [], None
            for call in message.tool_calls:
                called.append(call.name)
            if message.role == "tool":
                failure = message.content if FAILED.search(message.content) else None
        return cls(state, tuple(called), failure, words)

    def goal(self) -> Goal:
        """The goal in the state, its answers read too; what the user has set outright wins over the text.

        Raises:
            InvalidInput: the text holds no goal.
        """
        today = _day(self.state.get("today")) or date(2000, 1, 1)
        text = said = str(self.state.get("goal_text") or "")
        answers = self.state.get("answers")
        if isinstance(answers, Mapping):
            text += "".join(_answered(str(q), str(a)) for q, a in list(answers.items())[:MOST_ANSWERS])
        goal = understand_goal(text, today, str(self.state.get("zone") or "UTC"))
        start, deadline = _day(self.state.get("start")), _day(self.state.get("deadline"))
        goal = replace(goal, start=max(start or today, today))
        # Days, hours and the last day of the goal are those that the controller has read: it knows whose they are.
        # What the user answers to a question for the last day is read here.
        if deadline is None:
            named = understand_goal(said, today, goal.zone).deadline if said != text else goal.deadline
            goal = replace(goal, deadline=goal.deadline if goal.deadline != named else None)
        else:
            goal = replace(goal, deadline=max(deadline, goal.start))
        facts = self.state.get("facts")
        stated = facts if isinstance(facts, Mapping) else {}
        hours, per_day = self.state.get("hours_per_week"), stated.get("minutes_per_day")
        per_day = per_day if isinstance(per_day, int) and not isinstance(per_day, bool) else None
        weekly = _weekly(hours)
        if weekly is not None:
            goal = replace(goal, minutes_per_week=weekly, minutes_per_day=per_day, total_minutes=None)
        elif per_day is not None:
            goal = replace(goal, minutes_per_day=per_day)
        total = stated.get("total_hours")
        if isinstance(total, int | float) and not isinstance(total, bool) and total > 0:
            goal = replace(goal, total_minutes=round(total * 60), minutes_per_week=None)
        if stated.get("daily_of"):  # the minutes of one thing are no time for all of it
            goal = replace(
                goal, minutes_per_day=per_day, minutes_per_week=weekly, recurrence="none", times_per_week=None
            )
        goal = replace(goal, days=(), excluded_days=(), after=None, before=None, away=())
        if isinstance(stated.get("days_off"), list):
            days = sorted(day for text in stated["days_off"] if (day := _day(text)) is not None)
            goal = replace(goal, away=tuple(stretches(days)))
        days_named = stated.get("days")
        if isinstance(days_named, list) and days_named:
            goal = replace(goal, days=tuple(int(day) for day in days_named), excluded_days=())
        return _from_now(_with_hours(goal, str(self.state.get("hours") or "")), self.state.get("now"))


def _weekly(hours: object) -> int | None:
    """The minutes of the hours a week that the controller has read."""
    known = isinstance(hours, int | float) and not isinstance(hours, bool) and 0 < hours <= 168
    return round(hours * 60) if known and isinstance(hours, int | float) else None


def _with_hours(goal: Goal, words: str) -> Goal:
    """The goal on the days on which there are working hours, between the earliest and the latest of them."""
    if not words:
        return goal
    try:
        windows = parse_hours(words)
    except InvalidInput:
        # The controller tells the user about hours that cannot be read; the goal's own days stand meanwhile.
        return goal
    days = {window.weekday for window in windows}
    allowed = tuple(sorted(days & set(goal.allowed_days) or days))
    hours = {window.weekday: (window.start, window.end) for window in windows if window.weekday in allowed}
    return replace(goal, days=allowed, excluded_days=(), windows=hours)


def _from_now(goal: Goal, now: object) -> Goal:
    """The goal with a start on which work can still be done: late in the evening that is the next day."""
    try:
        moment = datetime.fromisoformat(str(now)) if now else None
    except ValueError as error:
        raise UnreadableRequest(f"its time {str(now)[:40]!r} is none") from error
    if moment is None or goal.start != moment.date() or goal.deadline == goal.start:
        return goal
    over = moment.time() >= window_of(goal, moment.weekday())[1]
    return replace(goal, start=goal.start + timedelta(days=1)) if over else goal


def _answered(question: str, answer: str) -> str:
    """An answer as a part of the goal's text, so that the same rules read it."""
    answer = answer.strip()[:200]
    if not answer:
        return ""
    if re.match(r"(?:by|until) (?:when|what)", question.lower()):
        return (
            f", by {re.sub(r'^(?:by|until) ', '', answer)}" if not answer.startswith(("in ", "no")) else f", {answer}"
        )
    if "hours a week" in question.lower() and re.fullmatch(language().number, answer.lower()):
        return f", {answer} hours a week"
    return f", {answer}"


def _day(value: object) -> date | None:
    try:
        return date.fromisoformat(str(value)) if value else None
    except ValueError:
        # What is no date was set by nobody: the controller refuses it before it gets here.
        return None


# What the user says after a draft: other terms, and tasks that are to go or to come.

PROPOSED = re.compile(r"\bproposed:([a-z][a-z0-9_]{0,62})\b")
OPENING = re.compile(r"^\s*(?:please\s+)?(?:propose\s+)?changes?\s*:\s*", re.IGNORECASE)


def proposed_subtype(view: View, goal: Goal) -> dict[str, str]:
    """The subtype that the user names, with its rationale where it is a new one; nothing where none is named."""
    match = PROPOSED.search(str(view.state.get("goal_text") or "").lower())
    slug = match[1] if match else re.sub(r"\W+", "_", (goal.own_kind or "").lower()).strip("_")
    if slug in KNOWN_SUBTYPES:
        return {"subtype": slug}
    if not slug or view.state.get("rfc_decision") == "rejected":
        return {}
    name = slug.replace("_", " ")
    return {
        "subtype": f"proposed:{slug}",
        "rfc": f"The user proposes the subtype {name!r} for “{goal.title}”. The nearest known pattern is "
        f"{goal.pattern.replace('_', ' ')}; none of its known subtypes says what is special about it.",
    }


def roadmap_choice(view: View) -> str:
    """How the user wants the work laid out, where they say so; else as the outline has it."""
    said = " ".join(str(view.state.get(name) or "") for name in ("goal_text", "answers")).lower()
    for option, template in language().raw["roadmap_choices"]:
        if language().pattern(template).search(said):
            return str(option)
    return "as_written"


def change_of(view: View, goal: Goal, tasks: list[dict[str, Any]]) -> Change | None:
    """The change that the user's last message asks for; the goal itself and a yes are none."""
    text = OPENING.sub("", view.words)
    said = str(view.state.get("goal_text") or "")
    if not text.strip() or text.strip() == said.strip() or said.strip() in text:
        return None
    change = understand_change(text, {"tasks": tasks}, goal.start, goal.zone)
    return None if change.kind == "unclear" else change


def revised_goal(view: View) -> Goal:
    """The goal with the terms that the user's last message changes.

    Raises:
        InvalidInput: the text holds no goal.
    """
    goal = view.goal()
    change = change_of(view, goal, [])
    if change is None:
        return goal
    if change.kind == "capacity":
        return replace(
            goal, minutes_per_week=change.minutes_per_week, minutes_per_day=change.minutes_per_day, total_minutes=None
        )
    if change.kind == "deadline" and change.until is not None:
        return replace(goal, deadline=max(change.until, goal.start))
    if change.kind == "days":
        excluded = tuple(sorted({*goal.excluded_days, *change.excluded_weekdays}))
        return replace(goal, days=change.weekdays or goal.days, excluded_days=excluded)
    return goal


def revised_outline(view: View, outline: dict[str, Any]) -> dict[str, Any]:
    """The outline without the tasks that the user does not want, and with those that they add."""
    tasks = [node for node in outline["nodes"] if node["type"] == "task"]
    change = change_of(view, view.goal(), tasks)
    if change is None:
        return outline
    nodes = list(outline["nodes"])
    if change.kind == "skip":
        nodes = _without(nodes, set(change.node_ids))
    elif change.kind == "add" and change.title:
        holder = tasks[-1]["parent"]
        level = tasks[-1]["level"]
        nodes.append(
            {
                "id": "added",
                "level": level,
                "type": "task",
                "title": change.title[:1].upper() + change.title[1:],
                "parent": holder,
                "estimated_minutes": change.minutes or 60,
                "priority": 2,
                "tags": ["user"],
            }
        )
    effort = sum(node.get("estimated_minutes", 0) * node.get("occurrences", 1) for node in nodes)
    return {**outline, "nodes": nodes, "effort_minutes": effort}


def _without(nodes: list[dict[str, Any]], gone: set[str]) -> list[dict[str, Any]]:
    """Without these tasks; a part keeps its last task, and nothing waits for what is gone."""
    for key in sorted(gone):
        parent = next((node["parent"] for node in nodes if node["id"] == key), None)
        if sum(1 for node in nodes if node["parent"] == parent) < 2:
            continue
        nodes = [
            {**node, "dependencies": [link for link in node.get("dependencies", []) if link["node"] != key]}
            for node in nodes
            if node["id"] != key
        ]
    return nodes


# What the playbook does in each stage: the next tool with its arguments, or the closing words.

MOST_DAYS_OFF = 366
Move = Callable[[View], OfflineReply]


def call(name: str, **arguments: Any) -> OfflineReply:
    """One tool call."""
    return OfflineReply(tool_calls=((name, arguments),))


def facts_of_goal(goal: Goal) -> dict[str, Any]:
    """What the goal says about time, as the tools take it."""
    capacity = capacity_of(goal)
    facts: dict[str, Any] = {
        "start": goal.start.isoformat(),
        "hours": hours_words(goal),
        "hours_per_week": capacity.minutes_per_week / 60,
    }
    if goal.deadline is not None:
        facts["deadline"] = goal.deadline.isoformat()
    if capacity.minutes_per_day is not None:
        facts["minutes_per_day"] = capacity.minutes_per_day
    if language().pattern(language().raw["relaxed"]).search(goal.text.lower()):
        facts["mode"] = "relax"
    if goal.level is not None:
        facts["level"] = goal.level
    days = [
        (start + timedelta(days=step)).isoformat()
        for start, end in goal.away
        for step in range(min(MOST_DAYS_OFF, (end - start).days + 1))
    ]
    if days:
        facts["days_off"] = days
    return facts


def family_for(view: View, goal: Goal) -> Family:
    """The goal's family; where another pattern was decided on, the general family of that pattern."""
    pattern = view.state.get("pattern")
    decided = pattern.get("pattern_type") if isinstance(pattern, Mapping) else None
    family = families()[goal.family]
    return family if decided in (None, family.pattern) or decided not in GENERIC else families()[GENERIC[decided]]


def collect_context(view: View) -> OfflineReply:
    """Ask for the style where that is liked, then for what is missing; the pattern ends the stage."""
    goal = revised_goal(view)
    facts = facts_of_goal(goal)
    policy = view.state.get("policy")
    curious = isinstance(policy, Mapping) and int(policy.get("probing_depth") or 0) >= 2
    known = bool(view.state.get("policy_was_given")) or "preference_probe" in view.called
    if curious and not known:
        return call("preference_probe")
    if "context_elicitor" not in view.called:
        questions = [
            {"question": item.question, "type": "text", "context": item.why, "default": item.default}
            for item in goal.questions[:8]
        ]
        return call("context_elicitor", questions=questions, facts=facts, enough=not questions)
    proposal = proposed_subtype(view, goal)
    subtype = {"subtype": goal.subtype} if goal.subtype and not proposal else proposal
    return call("pattern_selector", pattern_type=goal.pattern, facts=facts, **subtype)


def draft_outline(view: View) -> OfflineReply:
    """Write the outline; on a second visit have the fixes of the grammar applied first."""
    goal = revised_goal(view)
    again = bool(view.state.get("has_outline")) and bool(view.state.get("violations"))
    if again and "grammar_validator" not in view.called:
        return call("grammar_validator", artifact="outline", apply_fixes=True)
    if again:
        return OfflineReply(text="The grammar's fixes are applied.")
    family = family_for(view, goal)
    outline = revised_outline(view, make_outline(goal, family))
    way = _way(view, family)
    handed_in = ("node_generator", {"outline": outline, "confidence": max(goal.confidence, 0.7)})
    return OfflineReply(tool_calls=(handed_in,) if way is None else (("choose_way", {"way": way}), handed_in))


def _way(view: View, family: Family) -> str | None:
    """What the user asks for; phases that do not follow each other have nothing to overlap."""
    asked = roadmap_choice(view)
    ordered = any(part.get("after") for part in family.parts)
    return None if asked == "as_written" or (asked == "overlapping" and not ordered) else asked


STAGES: Mapping[str, Move] = {COLLECT_CONTEXT: collect_context, DRAFT_OUTLINE: draft_outline}
"""The rules of each state in which a model works."""


class PlannerPlaybook:
    """Stateless: everything is read from the request, so the same request always gets the same answer.

    It never loops: each tool is called once in a visit of a stage, and after a failure the stage ends with words.
    """

    name = "planner"

    def answer(self, request: OfflineRequest) -> OfflineReply:
        """Answer one request; what cannot be answered by rules is said in words, without a call."""
        try:
            view = View.of(request.messages)
            move = STAGES.get(str(view.state.get("stage")))
            if move is None:
                return OfflineReply(text=f"The offline model has no rules for {view.state.get('stage')}.")
            if view.failure is not None:
                return OfflineReply(text=f"That did not work, and my rules have nothing better: {view.failure[:600]}")
            reply = move(view)
        except UnreadableRequest as error:
            return OfflineReply(text=f"The offline model works by rules and cannot read this request: {error}.")
        except InvalidInput as error:
            return OfflineReply(text=f"{error.message} {error.hint}".strip())
        missing = sorted({name for name, _ in reply.tool_calls if name not in request.tools})
        if missing:
            return OfflineReply(text=f"To go on I would need tools that are not available here: {', '.join(missing)}.")
        return reply


PLAYBOOK = PlannerPlaybook()
