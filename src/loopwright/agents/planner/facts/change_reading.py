"""A change of a plan's facts in the user's words, read by the grammar that reads goals: English, German, Chinese."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta

from loopwright.agents.planner.account.binding import bind
from loopwright.agents.planner.account.calendar_file import has_word
from loopwright.agents.planner.account.clauses import parts_of
from loopwright.agents.planner.account.dates import (
    AWAY,
    BEFORE,
    number_of,
    number_words,
    read_days,
    read_weekdays,
)
from loopwright.agents.planner.account.gone import DONE, LEFT_OUT, PART, done_of, left_out_of, named_in
from loopwright.agents.planner.account.neighbours import EVENT_KINDS, HAN_KINDS
from loopwright.agents.planner.contracts.plan import Appointment
from loopwright.agents.planner.contracts.state import GoalFacts, PlanningState
from loopwright.agents.planner.facts.in_plan import EVENT_WORDS
from loopwright.agents.planner.facts.phrases import phrases_for
from loopwright.kernel.account import Claim
from loopwright.kernel.account.reading import read_statements

DAY = timedelta(days=1)
ADDED = re.compile(
    r"^\W*(?:(?:i|we)\s+(?:also|additionally)\s+(?:need(?:\s+to)?|have\s+to|must|want(?:\s+to)?)|(?:ich|wir)\s+(?:brauche|brauchen|muss|müssen)"
    r"\s+(?:auch\s+noch|auch|noch|zusätzlich)|(?:我|我们)?还(?:需要|得|要))\s*(?P<what>[^,;，。]{2,80}?)\s*(?:[,;，]\s*(?P<rest>.+))?$",
    re.I,
)
"""What is to be done besides; how long and until when may stand behind it."""
TIME_TAKEN = re.compile(
    rf"(?P<n>\d+(?:[.,]\d+)?|{number_words()})\s*(?P<unit>hours?|h|stunden?|minutes?|min|minuten|小时|分钟)(?![a-z])",
    re.I,
)
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
class Added:
    """A task that is to be done besides, how long it takes where that was said, and its last day."""

    title: str
    minutes: int | None = None
    latest: date | None = None


@dataclass(frozen=True)
class FactChange:
    """Claims of the user's words about a settled plan; `question` is set where it is not clear what they name."""

    claims: tuple[Claim, ...] = ()
    move_days: tuple[int, int] | None = None
    undo: bool = False
    cancelled: str = ""
    dropped: bool = False
    done: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    added: "Added | None" = None
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
    done = (_done(words, state) or _left_out(words, state)) if not read_days(words, today) else None
    if done is not None:
        return done
    added = _added(words, today)
    if added is not None:
        return FactChange(added=added)
    kinds = {word.casefold() for word in re.findall(r"[^\W\d_]+", words)} & EVENT_KINDS
    if kinds and not named and len(state.goal.appointments) > 1 and MOVE.search(words) and read_days(words, today):
        return _ask((each.title for each in state.goal.appointments), state.goal)
    claims = [each for each in claims_in(words, today) if each.check in READ]
    moves = [each for each in claims if each.check == "on_day"]
    if not moves and len(named) >= 1 and (move := _event_moved(words, today)) is not None:
        claims, moves = [move], [move]
    if moves and state.goal.appointments:
        fitting = events_named(" ".join(moves[0].arguments["event"]), state.goal) or named
        if len(fitting) > 1:
            return _ask((each.title for each in fitting), state.goal)
        if not fitting and len(state.goal.appointments) > 1:
            return _ask((each.title for each in state.goal.appointments), state.goal)
    if not claims and re.search(rf"(?<![^\W\d_])(?:{AWAY})", words, re.I) and read_days(words, today):
        return FactChange(question=phrases_for(words).text("which_days"))
    return FactChange(claims=tuple(claims)) if claims else None


def claims_in(words: str, today: date) -> list[Claim]:
    """The claims that words make, each once."""
    statements = [each.model_copy(update={"id": f"s{number}"}) for number, each in enumerate(read_statements(words))]
    claims = [part for claim in bind(statements, today).values() for part in parts_of(claim)]
    return [each for number, each in enumerate(claims) if each not in claims[:number]]


def _ask(names: Iterable[str], goal: GoalFacts) -> FactChange:
    options = tuple(names)
    return FactChange(question=phrases_for(goal.text).text("which_of", names="; ".join(options)), options=options)


def _moved_days(words: str) -> tuple[int, int] | None:
    """`move everything on Thursdays to Friday`."""
    joined = re.search(r"\b(?:to|onto|auf|zu)\b|到|至", words, re.I)
    if joined is None or not MOVE.search(words) or not EVERYTHING.search(words):
        return None
    old, new = list(read_weekdays(words[: joined.start()])), list(read_weekdays(words[joined.end() :]))
    single = len(old) == len(new) == 1 and len(old[0][0]) == len(new[0][0]) == 1
    return (old[0][0][0], new[0][0][0]) if single else None


def _done(words: str, state: PlanningState) -> FactChange | None:
    """Tasks that are done already: those that the words name; where several kinds fit, the user is asked."""
    match = DONE.match(words)
    if match is None or state.roadmap is None:
        return None
    what = done_of(match)
    wanted = named_in(what)
    open_nodes = [n for n in state.roadmap.nodes if n.status not in ("done", "dropped") and n.node_type == "task"]
    found = [node for node in open_nodes if wanted and all(has_word(node.title, word) for word in wanted)]
    if not found:
        return None
    titles = tuple(dict.fromkeys(node.title for node in found))
    if PART.search(what) is not None:  # "the writing part" is not the writing of question cards
        found = [node for node in found if all(word.casefold() in node.title.casefold() for word in wanted)]
        if not found:
            return FactChange(question=phrases_for(state.goal.text).text("not_named", names=" ".join(wanted)))
    elif len(titles) > 1:
        return _ask(titles[:6], state.goal)
    return FactChange(done=tuple(str(node.id) for node in found))


def _left_out(words: str, state: PlanningState) -> FactChange | None:
    """Tasks that are not to be done any more: all that have the words and numbers of what is named."""
    match = LEFT_OUT.match(words)
    if match is None or state.roadmap is None:
        return None
    wanted = named_in(left_out_of(match))
    open_nodes = [n for n in state.roadmap.nodes if n.status not in ("done", "dropped") and n.node_type == "task"]
    found = [node for node in open_nodes if wanted and all(has_word(node.title, word) for word in wanted)]
    titles = tuple(dict.fromkeys(node.title for node in found))
    if match["who"] and len(titles) > 1:  # which of what somebody does is not known
        return _ask(titles[:6], state.goal)
    return FactChange(left_out=tuple(str(node.id) for node in found)) if found else None


def _added(words: str, today: date) -> Added | None:
    """A task that the words add, with its length and its last day."""
    match = ADDED.match(words)
    if match is None or read_days(match["what"], today) or any(True for _ in read_weekdays(match["what"])):
        return None
    rest = match["rest"] or ""
    if TIME_TAKEN.match(match["what"]) or re.search(
        r"\b(?:more\s+time|longer|mehr\s+zeit)\b|更多时间", match["what"], re.I
    ):
        return None
    taken, days = TIME_TAKEN.search(rest), read_days(rest, today)
    minutes = None
    if taken is not None:
        minutes = round(number_of(taken["n"]) * (1 if taken["unit"].lower().startswith(("m", "分")) else 60))
    latest = None
    if len(days) == 1:
        strict = re.search(rf"\b{BEFORE}\s*$", rest[: days[0].start], re.I) or rest[days[0].end :].startswith(
            ("之前", "前")
        )
        latest = days[0].first - DAY if strict else days[0].last
    title = re.sub(r"^(?:an?|the|eine?n?|den|die|das)\s+", "", match["what"], flags=re.I)
    return Added(title[:1].upper() + title[1:], minutes, latest)


def _event_moved(words: str, today: date) -> Claim | None:
    """An event that is named, and one day: that is its new day."""
    days = [day for day in read_days(words, today) if day.grain == "day" and day.first > today]
    if len(days) != 1 or re.search(r"\b(?:until|before|by|bis|vor)\s*$", words[: days[0].start], re.I):
        return None
    return Claim(check="on_day", arguments={"words": [], "event": ["event"], "date": days[0].first.isoformat()})


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
