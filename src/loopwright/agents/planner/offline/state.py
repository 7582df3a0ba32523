"""What the playbook sees of a request: the planning state, and what was done since the stage was entered."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any

from loopwright.agents.planner.offline.goal import Goal, understand_goal
from loopwright.agents.planner.offline.hours import window_of
from loopwright.agents.planner.offline.language import language
from loopwright.agents.planner.schedule.hours import parse_hours
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.messages import Message

BLOCK = re.compile(r"<planning_state>\s*(\{.*\})\s*</planning_state>", re.DOTALL)
FAILED = re.compile(r'"ok"\s*:\s*false|\AError:')
MOST_ANSWERS = 12


class UnreadableRequest(ValueError):
    """The system prompt holds no planning state that could be read."""


@dataclass(frozen=True)
class View:
    """The planning state, the tools called since the stage was entered, and whether the last of them failed."""

    state: Mapping[str, Any]
    called: tuple[str, ...] = ()
    failure: str | None = None
    wish: str = ""

    @classmethod
    def of(cls, messages: Sequence[Message]) -> "View":
        """Read a request's messages.

        Raises:
            UnreadableRequest: there is no planning state.
        """
        system = "\n".join(message.content for message in messages if message.role == "system")
        match = BLOCK.search(system)
        if match is None:
            raise UnreadableRequest("it has no <planning_state> block")
        try:
            state = json.loads(match[1].replace("<\\/planning_state", "</planning_state"))
        except ValueError as error:
            raise UnreadableRequest("its planning state is no JSON") from error
        if not isinstance(state, dict):
            raise UnreadableRequest("its planning state is no object")
        called: list[str] = []
        wish, failure = "", None
        for message in messages:
            if message.role == "user":
                wish, called, failure = message.content, [], None
            elif message.role == "assistant" and not message.tool_calls:
                # A text without a call ends a stage: what was called before it belongs to an earlier one.
                called, failure = [], None
            for call in message.tool_calls:
                called.append(call.name)
            if message.role == "tool":
                failure = message.content if FAILED.search(message.content) else None
        return cls(state, tuple(called), failure, wish)

    def goal(self) -> Goal:
        """The goal in the state, its answers read too; what the user has set outright wins over the text.

        Raises:
            InvalidInput: the text holds no goal.
        """
        today = _day(self.state.get("today")) or date(2000, 1, 1)
        text = str(self.state.get("goal_text") or "")
        answers = self.state.get("answers")
        if isinstance(answers, Mapping):
            text += "".join(_answered(str(q), str(a)) for q, a in list(answers.items())[:MOST_ANSWERS])
        goal = understand_goal(text, today, str(self.state.get("zone") or "UTC"))
        start, deadline = _day(self.state.get("start")), _day(self.state.get("deadline"))
        if start is not None:
            goal = replace(goal, start=max(start, today))
        if deadline is not None:
            goal = replace(goal, deadline=max(deadline, goal.start))
        # What was understood of the goal's own words says less than they do: they limit the day as well.
        hours = None if "hours_per_week" in self._understood() else self.state.get("hours_per_week")
        if isinstance(hours, int | float) and not isinstance(hours, bool) and 0 < hours <= 168:
            goal = replace(goal, minutes_per_week=round(hours * 60), minutes_per_day=None, total_minutes=None)
        return _from_now(_with_hours(goal, str(self.state.get("hours") or "")), self.state.get("now"))

    def _understood(self) -> list[Any]:
        """Which of the terms are the playbook's own reading."""
        facts = self.state.get("facts")
        names = facts.get("understood") if isinstance(facts, Mapping) else None
        return names if isinstance(names, list) else []


def _with_hours(goal: Goal, words: str) -> Goal:
    """The goal on the days on which there are working hours."""
    if not words:
        return goal
    try:
        days = {window.weekday for window in parse_hours(words)}
    except InvalidInput:
        # The controller tells the user about hours that cannot be read; the goal's own days stand meanwhile.
        return goal
    allowed = tuple(sorted(days & set(goal.allowed_days) or days))
    return replace(goal, days=allowed, excluded_days=())


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
