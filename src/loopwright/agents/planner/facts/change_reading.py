"""A change of a plan's facts in the user's words, read by the grammar that reads goals: English, German, Chinese."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, timedelta

from loopwright.agents.planner.account.arguments import OnDay
from loopwright.agents.planner.account.binding import bind
from loopwright.agents.planner.account.calendar_file import has_word
from loopwright.agents.planner.account.clauses import parts_of
from loopwright.agents.planner.account.dates import (
    AWAY,
    read_days,
    read_weekdays,
)
from loopwright.agents.planner.account.neighbours import EVENT_KINDS, HAN_KINDS, things_of
from loopwright.agents.planner.account.task_change import Plan, TaskChange
from loopwright.agents.planner.account.task_changes import read_task_changes
from loopwright.agents.planner.account.task_phrases import MUST
from loopwright.agents.planner.account.when import claimed
from loopwright.agents.planner.contracts.plan import Appointment
from loopwright.agents.planner.contracts.state import GoalFacts, PlanningState
from loopwright.agents.planner.facts.in_plan import EVENT_WORDS
from loopwright.agents.planner.facts.phrases import phrases_for
from loopwright.agents.planner.facts.task_changing import plan_of
from loopwright.kernel.account import Claim
from loopwright.kernel.account.reading import hard_tokens, read_statements

DAY = timedelta(days=1)
UNDO = re.compile(
    r"^\W*(?:please\s+)?(?:undo|revert|take\s+back|roll\s+back)\b.{0,40}$|^\W*(?:mach\w*|nimm|nehmen).{0,40}(?:rückgängig|zurück)\W*$"
    r"|撤销|撤回|还原上",
    re.I,
)
MOVE = re.compile(r"\b(?:move|shift|put|swap|verschieb\w*|leg\w*|verleg\w*)\b|移到|改到|挪到|调到", re.I)
EVERYTHING = re.compile(r"\b(?:everything|all|alles|alle)\b|所有|全部|都", re.I)
CANCELLED = re.compile(
    r"\b(?:is|was|has\s+been|got|wird|wurde|ist)\b.*\b(?:cancell?ed|called\s+off|abgesagt|ausgefallen)\b|取消了", re.I
)
DROPPED = "no longer: "
"""What stands before the words of a fact that is to bind no more."""
TERMS = frozenset(("per_week", "per_day", "none_on", "only_on", "also_on", "within", "ends_by", "sitting", "total"))
READ = frozenset(
    (
        "per_week",
        "per_day",
        "none_on",
        "only_on",
        "also_on",
        "within",
        "free",
        "on_day",
        "ends_by",
        "starts",
        "sitting",
        "daily",
        "assigned",
    )
)


@dataclass(frozen=True)
class FactChange:
    """Claims of the user's words about a settled plan; `question` is set where it is not clear what they name."""

    claims: tuple[Claim, ...] = ()
    move_days: tuple[int, int] | None = None
    undo: bool = False
    cancelled: str = ""
    dropped: bool = False
    tasks: tuple[TaskChange, ...] = ()
    question: str = ""
    options: tuple[str, ...] = ()

    @property
    def said_since(self) -> date | None:
        """The day from which it holds, where one is named."""
        weekly = (each.arguments["since"] for each in self.claims if each.check == "per_week")
        return max((date.fromisoformat(text) for text in weekly if text), default=None)

    @property
    def since(self) -> date | None:
        """The Monday from which it can be planned: what was done of a week before it would count against its limit."""
        since = self.said_since
        return None if since is None else since + timedelta(days=-since.weekday() % 7)

    def days_between(self, goal: GoalFacts) -> tuple[date, ...]:
        """The days from the one that was named to that Monday, free where there is less time from then on."""
        said, monday = self.said_since, self.since
        hours = [each.arguments["amount"] for each in self.claims if each.arguments.get("unit") == "hours"]
        if said is None or monday is None or not hours or hours[-1] >= (goal.hours_per_week or 0):
            return ()
        return tuple(said + step * DAY for step in range((monday - said).days))


def read_fact_change(words: str, state: PlanningState, today: date) -> FactChange | None:
    """The change of facts that the words ask for, where they ask for one."""
    if UNDO.search(words):
        return FactChange(undo=True)
    if words.startswith(DROPPED):
        gone = claims_in(words.removeprefix(DROPPED), today)
        return FactChange(claims=tuple(gone), dropped=True) if gone else None
    moved = _moved_days(words)
    if moved is not None:
        return FactChange(move_days=moved)
    named = events_named(words, state.goal)
    if CANCELLED.search(words) and named:
        if len(named) > 1:
            return _ask((each.title for each in named), state.goal)
        return FactChange(cancelled=named[0].title)
    tasks = task_changes(words, state, today)
    if tasks:
        return _with_tasks(words, tasks, state, today)
    return _terms_changed(words, state, today)


def _with_tasks(words: str, tasks: list[TaskChange], state: PlanningState, today: date) -> FactChange:
    """Changes of tasks with what else is said of the plan's terms; what is not clear is asked before any is made."""
    unclear = next((each for each in tasks if each.problem), None)
    if unclear is not None:
        question = phrases_for(state.goal).text(unclear.problem, names="; ".join(unclear.names))
        return FactChange(question=question, options=unclear.names if unclear.problem == "which_of" else ())
    rest = words
    for said in (text for each in tasks for text in (each.said, *each.echoes)):
        rest = rest.replace(said, " ", 1)
    rest = re.sub(r"^[\s,;.!，。；]*(?:(?:and|but|und|aber)\b)?[\s,;.!，。；]*", "", rest)
    more = _terms_changed(rest, state, today) if rest.strip() else None
    return replace(more, tasks=tuple(tasks)) if more is not None else FactChange(tasks=tuple(tasks))


def task_changes(words: str, state: PlanningState, today: date) -> list[TaskChange]:
    """The changes of single tasks that the words ask for; a title behind a colon is the answer to which is meant."""
    plan = plan_of(state)
    for work in plan.works:
        if words.endswith(f": {work.title}"):
            return read_task_changes(words.removesuffix(f": {work.title}"), Plan((work,), plan.whole), today)
    return read_task_changes(words, plan, today)


def _terms_changed(words: str, state: PlanningState, today: date) -> FactChange | None:
    """The change of events, days and hours that the words ask for."""
    named = events_named(words, state.goal)
    kinds = {word.casefold() for word in re.findall(r"[^\W\d_]+", words)} & EVENT_KINDS
    if kinds and not named and len(state.goal.appointments) > 1 and MOVE.search(words) and read_days(words, today):
        return _ask((each.title for each in state.goal.appointments), state.goal)
    claims = [each for each in claims_in(words, today) if each.check in READ]
    apart = next((each for each in claims if each.check == "ends_by" and not _ends_all(each, state)), None)
    if apart is not None:  # the last day of one thing, which no task is called after, is not that of the plan
        names = " ".join(apart.arguments["of"] or apart.arguments["title"])
        return FactChange(question=phrases_for(state.goal).text("not_named", names=names))
    moves = [each for each in claims if each.check == "on_day"]
    if not moves and len(named) >= 1 and (move := _event_moved(words, named, today)) is not None:
        claims, moves = [move], [move]
    if moves and state.goal.appointments:
        called = " ".join(moves[0].arguments["event"])
        fitting = events_named(called, state.goal) or (named if is_any_event(called) else [])
        if not fitting and not is_any_event(called):  # the day of something else moves no event
            return FactChange(question=phrases_for(state.goal).text("not_named", names=called))
        if len(fitting) > 1:
            return _ask((each.title for each in fitting), state.goal)
        if not fitting and len(state.goal.appointments) > 1:
            return _ask((each.title for each in state.goal.appointments), state.goal)
    if not claims and re.search(rf"(?<![^\W\d_])(?:{AWAY})", words, re.I) and read_days(words, today):
        return FactChange(question=phrases_for(state.goal).text("which_days"))
    return FactChange(claims=tuple(claims)) if claims else None


def _ends_all(claim: Claim, state: PlanningState) -> bool:
    """Whether a last day is that of the whole plan: nothing is named, or what the plan is for."""
    said = " ".join({*claim.arguments["of"], *claim.arguments["title"]})
    return plan_of(state).is_whole(MUST.sub(" ", said))


def claims_in(words: str, today: date) -> list[Claim]:
    """The claims that words make, each once."""
    statements = [each.model_copy(update={"id": f"s{number}"}) for number, each in enumerate(read_statements(words))]
    claims = [part for claim in bind(statements, today).values() for part in parts_of(claim)]
    return [each for number, each in enumerate(claims) if each not in claims[:number]]


def _ask(names: Iterable[str], goal: GoalFacts) -> FactChange:
    options = tuple(names)
    return FactChange(question=phrases_for(goal).text("which_of", names="; ".join(options)), options=options)


def _moved_days(words: str) -> tuple[int, int] | None:
    """`move everything on Thursdays to Friday`."""
    joined = re.search(r"\b(?:to|onto|auf|zu)\b|到|至", words, re.I)
    if joined is None or not MOVE.search(words) or not EVERYTHING.search(words):
        return None
    old, new = list(read_weekdays(words[: joined.start()])), list(read_weekdays(words[joined.end() :]))
    single = len(old) == len(new) == 1 and len(old[0][0]) == len(new[0][0]) == 1
    return (old[0][0][0], new[0][0][0]) if single else None


def _event_moved(words: str, named: list[Appointment], today: date) -> Claim | None:
    """An event that is named, and one day: that is its new day."""
    days = [day for day in read_days(words, today) if day.grain == "day" and day.first > today]
    if len(days) != 1 or re.search(r"\b(?:until|before|by|bis|vor)\s*$", words[: days[0].start], re.I):
        return None
    first = max((each.end() for each in CLAUSE_ENDS.finditer(words[: days[0].start])), default=0)
    after = CLAUSE_ENDS.search(words, days[0].end)
    own = words[first : after.start() if after is not None else len(words)]
    told = any(has_word(own, word) for each in named for word in each.title.split()) or ITS.search(own)
    if first and not told:
        return None  # the day of something else: "a call on May 3. The launch stays"
    said = (words[days[0].start : days[0].end], *(token.text for token in hard_tokens(words)))
    event = tuple(named[0].title.split()) if len(named) == 1 else ("event",)
    return claimed("on_day", OnDay(event=event, date=days[0].first, said=said))


ITS = re.compile(r"\b(?:it|that|es|er|sie|new|neuer?)\b|它|新", re.I)
CLAUSE_ENDS = re.compile(r"[.;!?。；！？](?=\s|$)|[。；！？]")


def is_any_event(called: str) -> bool:
    """Whether an event is called only by its kind, or not at all."""
    words = [word.casefold() for word in things_of(called)]
    return all(word in EVENT_WORDS or word in EVENT_KINDS or HAN_KINDS.fullmatch(word) for word in words)


def events_named(words: str, goal: GoalFacts) -> list[Appointment]:
    """The appointments of which the words name a part, or what kind they are; the best fitting ones only."""
    said = {word.casefold() for word in re.findall(r"[^\W\d_]+|\d+\w*", words)}
    found = []
    for each in goal.appointments:
        own = re.findall(r"[^\W\d_]+|\d+\w*", each.title)
        score = sum(
            2 if word.casefold() not in EVENT_WORDS else 1
            for word in own
            if has_word(words, word) or any(word.casefold().endswith(one) for one in said if len(one) > 4)
        )
        kind = said & EVENT_KINDS or HAN_KINDS.search(words)
        if not score and len(goal.appointments) == 1 and kind:
            score = 1
        if score:
            found.append((score, each))
    best = max((score for score, _ in found), default=0)
    return [each for score, each in found if score == best]
