"""A change of a plan's facts in the user's words, read by the grammar that reads goals: English, German, Chinese."""

import re
from dataclasses import dataclass
from datetime import date, timedelta

from loopwright.agents.planner.account.arguments import Within
from loopwright.agents.planner.account.binding import bind
from loopwright.agents.planner.account.calendar_file import has_word
from loopwright.agents.planner.account.clauses import parts_of
from loopwright.agents.planner.account.dates import AWAY, FILLERS, read_days, read_weekdays
from loopwright.agents.planner.contracts.plan import Appointment, PlanNode
from loopwright.agents.planner.contracts.state import GoalFacts, PlanningState
from loopwright.agents.planner.facts.in_plan import EVENT_WORDS, GENERAL, outline_with_facts
from loopwright.agents.planner.outline_of_sketch import DAY_CODES
from loopwright.agents.planner.patterns import language_of
from loopwright.agents.planner.problem_tasks import SLOT, WINDOW
from loopwright.agents.planner.schedule.hours import DEFAULT_HOURS, parse_hours
from loopwright.agents.planner.stated import (
    ABSENT,
    DAY_NAMES,
    LEAST_HOURS,
    PLACED,
    SESSIONS,
    SITTING,
    TOTAL,
    ruled_out,
    working_hours,
)
from loopwright.agents.planner.terms import read_terms
from loopwright.kernel.account.kit import Claim
from loopwright.kernel.account.reading import read_statements
from loopwright.kernel.errors import InvalidInput

DAY = timedelta(days=1)
LEAST, QUARTER = 30, 15
COMES = re.compile(
    r"^\W*(?:(?:the|my|our|die|der|das|unsere?|meine?)\s+)?(?P<what>[^\W\d_][\w\s-]{2,40}?)\s+(?:(?:can|will|could|kann|können|"
    r"kommt|kommen)\s+)?(?:only|nur|erst|just)?\s*(?:come|comes|arrives?|deliver|delivers|be\s+here|is|are|kommt|kommen)?\s*"
    r"(?:only|nur|erst)?\s*(?:on|am)\s+(?:the\s+)?$",
    re.I,
)
"""Who or what comes on a day: it is an appointment of the plan."""
DONE = re.compile(
    r"^\W*(?P<what>.{2,60}?)\s+(?:is|are|was|were|has\s+been|have\s+been|ist|sind|wurden?)\s+(?:already|now|schon|bereits)\s+"
    r"[\w\s]{2,20}\W*$|^\W*(?:i|we|ich|wir)\s+(?:have\s+|habe\s+|haben\s+)?(?:already\s+)?(?:finished|done|completed)\s+"
    r"(?:with\s+)?(?P<more>.{2,60}?)\W*$|^已经(?P<han>.{2,20})了?$",
    re.I,
)
PART = re.compile(r"\b(?:part|section|phase|teil|abschnitt)\b|部分", re.I)
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
WHICH = "Which of them do you mean: {names}?"
TERMS = frozenset(("per_week", "per_day", "none_on", "only_on", "also_on", "within", "ends_by", "sitting", "total"))
READ = frozenset(
    ("per_week", "per_day", "none_on", "only_on", "also_on", "within", "free", "on_day", "ends_by", "starts", "sitting", "daily")
)


@dataclass(frozen=True)
class FactChange:
    """Claims of the user's words about a settled plan; `question` is set where it is not clear what they name."""

    claims: tuple[Claim, ...] = ()
    move_days: tuple[int, int] | None = None
    undo: bool = False
    cancelled: str = ""
    dropped: bool = False
    done: tuple[str, ...] = ()
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
        """The days from the one that was named to that Monday, where there is less time from then on: they stay free."""
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
        gone = _claims(words.removeprefix(DROPPED), today)
        return FactChange(claims=tuple(gone), dropped=True) if gone else None
    moved = _moved_days(words)
    if moved is not None:
        return FactChange(move_days=moved)
    named = _events_named(words, state.goal)
    if CANCELLED.search(words) and named:
        if len(named) > 1:
            return _ask(named)
        return FactChange(cancelled=named[0].title)
    done = _done(words, state) if not read_days(words, today) else None
    if done is not None:
        return done
    kinds = {word.casefold() for word in re.findall(r"[^\W\d_]+", words)} & KINDS
    if kinds and not named and len(state.goal.appointments) > 1 and MOVE.search(words) and read_days(words, today):
        return _ask(state.goal.appointments)
    comes = _comes(words, today)
    claims = [comes] if comes is not None else [each for each in _claims(words, today) if each.check in READ]
    moves = [each for each in claims if each.check == "on_day"]
    if not moves and len(named) >= 1 and (move := _event_moved(words, today)) is not None:
        claims, moves = [move], [move]
    if moves and state.goal.appointments:
        fitting = _events_named(" ".join(moves[0].arguments["event"]), state.goal) or named
        if len(fitting) > 1:
            return _ask(fitting)
        if not fitting and len(state.goal.appointments) > 1:
            return _ask(state.goal.appointments)
    if not claims and re.search(rf"(?<![^\W\d_])(?:{AWAY})", words, re.I) and read_days(words, today):
        return FactChange(question=WHICH_DAYS[language_of(words)])
    return FactChange(claims=tuple(claims)) if claims else None


WHICH_DAYS = {
    "en": "Which days do you mean? Give the first and the last one.",
    "de": "Welche Tage meinst du? Nenne den ersten und den letzten.",
    "zh": "您指的是哪几天？请说出第一天和最后一天。",
}


def _claims(words: str, today: date) -> list[Claim]:
    statements = [each.model_copy(update={"id": f"s{number}"}) for number, each in enumerate(read_statements(words))]
    claims = [part for claim in bind(statements, today).values() for part in parts_of(claim)]
    return [each for number, each in enumerate(claims) if each not in claims[:number]]


def _ask(events: list[Appointment]) -> FactChange:
    names = tuple(each.title for each in events)
    return FactChange(question=WHICH.format(names="; ".join(names)), options=names)


def _moved_days(words: str) -> tuple[int, int] | None:
    """`move everything on Thursdays to Friday`."""
    joined = re.search(r"\b(?:to|onto|auf|zu)\b|到|至", words, re.I)
    if joined is None or not MOVE.search(words) or not EVERYTHING.search(words):
        return None
    old, new = list(read_weekdays(words[: joined.start()])), list(read_weekdays(words[joined.end() :]))
    single = len(old) == len(new) == 1 and len(old[0][0]) == len(new[0][0]) == 1
    return (old[0][0][0], new[0][0][0]) if single else None


def _comes(words: str, today: date) -> Claim | None:
    days = [day for day in read_days(words, today) if day.grain == "day" and day.first >= today]
    match = COMES.match(words[: days[0].start]) if len(days) == 1 else None
    if match is None or re.search(r"\b(?:i|we|ich|wir)\b", match["what"], re.I):
        return None
    event = match["what"].split()
    return Claim(check="on_day", arguments={"words": [], "event": event, "date": days[0].first.isoformat()})


def _done(words: str, state: PlanningState) -> FactChange | None:
    """Tasks that are done already: those that the words name; where several kinds fit, the user is asked."""
    match = DONE.match(words)
    if match is None or state.roadmap is None:
        return None
    what = match["what"] or match["more"] or match["han"]
    wanted = [word for word in re.findall(r"[^\W\d_]{3,}", PART.sub(" ", what)) if word.lower() not in FILLERS]
    open_nodes = [n for n in state.roadmap.nodes if n.status not in ("done", "dropped") and n.node_type == "task"]
    found = [node for node in open_nodes if wanted and all(has_word(node.title, word) for word in wanted)]
    if not found:
        return None
    titles = tuple(dict.fromkeys(node.title for node in found))
    if len(titles) > 1 and PART.search(what) is None:
        return FactChange(question=WHICH.format(names="; ".join(titles[:6])), options=titles[:6])
    return FactChange(done=tuple(str(node.id) for node in found))


def _event_moved(words: str, today: date) -> Claim | None:
    """An event that is named, and one day: that is its new day."""
    days = [day for day in read_days(words, today) if day.grain == "day" and day.first > today]
    if len(days) != 1 or re.search(r"\b(?:until|before|by|bis|vor)\s*$", words[: days[0].start], re.I):
        return None
    return Claim(check="on_day", arguments={"words": [], "event": ["event"], "date": days[0].first.isoformat()})


def _events_named(words: str, goal: GoalFacts) -> list[Appointment]:
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
        if not score and len(goal.appointments) == 1 and said & KINDS:
            score = 1
        if score:
            found.append((score, each))
    best = max((score for score, _ in found), default=0)
    return [each for score, each in found if score == best]


KINDS = frozenset(
    re.findall(r"\w+", "exam test race wedding event appointment prüfung klausur termin hochzeit rennen lauf launch")
)
"""What one calls an event without its name."""


def apply_fact_change(state: PlanningState, change: FactChange, words: str, today: date) -> str:
    """Write the change into the goal and the roadmap; says what was done.

    Raises:
        InvalidInput: it cannot be carried out.
    """
    if change.move_days is not None:
        return _move_days(state, *change.move_days)
    if change.done:
        for node in state.roadmap.nodes if state.roadmap is not None else []:
            if str(node.id) in change.done:
                node.status, node.progress = "done", 1.0
        return f"marked {len(change.done)} tasks as done"
    if change.cancelled:
        return _cancel(state, change.cancelled)
    goal = state.goal
    between = change.days_between(goal)
    if between:
        goal.facts["days_off"] = sorted({*goal.facts.get("days_off", []), *(day.isoformat() for day in between)})
    told = [_drop(state, claim) if change.dropped else _apply(state, claim, words, today) for claim in change.claims]
    if state.roadmap is not None:
        outline, _ = outline_with_facts(state.roadmap, goal)  # type: ignore[arg-type]
        state.roadmap = state.roadmap.model_copy(update={"nodes": outline.nodes})
    read_terms(goal)
    return "; ".join(text for text in told if text)


def apply_answer(state: PlanningState, words: str, today: date) -> bool:
    """Write what the user answers about terms into a goal without a plan; says whether it named any."""
    claims = [each for each in _claims(words, today) if each.check in TERMS]
    try:
        for claim in claims:
            _apply(state, claim, words, today)
    except InvalidInput:
        return False
    return bool(claims)


def _apply(state: PlanningState, claim: Claim, words: str, today: date) -> str:
    goal, told = state.goal, claim.arguments
    match claim.check:
        case "per_week" if told["unit"] == "hours" and told["relation"] == "at_least":
            goal.facts[LEAST_HOURS] = float(told["amount"])
            return f"changed the time to at least {told['amount']:g} hours a week"
        case "per_week" if told["unit"] == "hours":
            _shortened(state, goal.hours_per_week, float(told["amount"]))
            goal.hours_per_week = float(told["amount"])
            goal.stated = sorted({*goal.stated, "hours_per_week"})
            goal.facts.pop("minutes_per_week", None)
            return f"changed the time to {goal.hours_per_week:g} hours a week"
        case "per_week":
            name, count = " ".join(told["of"]) or GENERAL, int(told["amount"])
            known = [each for each in goal.facts.get(SESSIONS, []) if not _same(each[0], name)]
            if name == GENERAL and not any(_same(each[0], name) for each in goal.facts.get(SESSIONS, [])):
                raise InvalidInput(
                    "The sessions of this plan are not counted, so I cannot make them more or fewer.",
                    hint="Say how many hours a week there are, or on which days.",
                )
            goal.facts[SESSIONS] = [*known, [name, count]]
            return f"changed {name} to {count} a week"
        case "per_day":
            goal.facts["minutes_per_day"] = round(60 * float(told["hours"]))
            goal.stated = sorted({*goal.stated, "minutes_per_day"})
            return f"changed the time to {goal.facts['minutes_per_day']} minutes a day"
        case "none_on" | "only_on" if not told["of"] and (told["since"] or told["until"]):
            off = ruled_out(claim, today)
            goal.facts["days_off"] = sorted({*goal.facts.get("days_off", []), *off})
            goal.stated = sorted({*goal.stated, "days_off"})
            return f"took {len(off)} days from {off[0]} to {off[-1]} as days off" if off else ""
        case "none_on" if not told["of"]:
            _set_days(goal, [day for day in _days_of(goal) if day not in told["weekdays"]])
            return f"took {', '.join(DAY_NAMES[day] for day in told['weekdays'])} out of the week"
        case "also_on":
            _set_days(goal, sorted({*_days_of(goal), *told["weekdays"]}))
            return f"added {', '.join(DAY_NAMES[day] for day in told['weekdays'])} to the days of the week"
        case "only_on" if not told["of"]:
            _set_days(goal, list(told["weekdays"]))
            return f"changed the days of the week to {', '.join(DAY_NAMES[day] for day in told['weekdays'])}"
        case "only_on":
            known = [each for each in goal.facts.get(PLACED, []) if not _same(" ".join(each[0]), " ".join(told["of"]))]
            goal.facts[PLACED] = [*known, [told["of"], told["weekdays"]]]
            return f"put {' '.join(told['of'])} on {', '.join(DAY_NAMES[day] for day in told['weekdays'])}"
        case "total":
            goal.facts[TOTAL] = told["hours"]
            return f"changed the time to {told['hours']:g} hours in all"
        case "within":
            return _hours(goal, claim, also=bool(told["also"]))
        case "free" if told["of"]:
            goal.facts[ABSENT] = [*goal.facts.get(ABSENT, []), [told["of"], told["first"], told["last"]]]
            return f"no {' '.join(told['of'])} from {told['first']} to {told['last']}"
        case "free":
            begin, end = date.fromisoformat(told["first"]), date.fromisoformat(told["last"])
            days = [(begin + step * DAY).isoformat() for step in range(min(400, (end - begin).days + 1))]
            goal.facts["days_off"] = sorted({*goal.facts.get("days_off", []), *days})
            goal.stated = sorted({*goal.stated, "days_off"})
            return f"took {days[0]} to {days[-1]} as days off"
        case "on_day":
            return _move_event(state, claim, words, today)
        case "ends_by":
            _set_deadline(state, date.fromisoformat(told["date"]), today)
            return f"set the last day to {told['date']}"
        case "starts":
            goal.start = date.fromisoformat(told["date"])
            return f"set the first day to {told['date']}"
        case "sitting":
            goal.facts[SITTING] = told["minutes"]
            for node in state.roadmap.nodes if state.roadmap is not None else []:
                if node.recurrence != "none" or node.metadata.get("rrule") or node.metadata.get(SLOT):
                    node.metadata["estimated_minutes"] = told["minutes"]
            return f"changed a session to {told['minutes']} minutes"
        case _:
            raise InvalidInput("This cannot be changed in a plan that is settled.", hint="Make a new plan for it.")


def _shortened(state: PlanningState, old: float | None, new: float) -> None:
    """With less time a week, what is open gets less of it, so that the rest of the plan is still there at its end."""
    if old is None or new >= old or state.goal.deadline is None:
        return
    nodes = state.roadmap.nodes if state.roadmap is not None else []
    for node in nodes:
        minutes = node.metadata.get("estimated_minutes")
        if isinstance(minutes, int) and node.status not in ("done", "dropped") and minutes > LEAST:
            node.metadata["estimated_minutes"] = max(LEAST, round(minutes * new / old / QUARTER) * QUARTER)


def _drop(state: PlanningState, claim: Claim) -> str:
    """A fact binds no more; what the plan has because of it may stay or go as the other facts have it."""
    goal, told = state.goal, claim.arguments
    match claim.check:
        case "none_on" | "only_on":
            goal.facts.pop("days", None)
        case "per_week" if told["unit"] == "hours":
            goal.hours_per_week = None
        case "per_day":
            goal.facts.pop("minutes_per_day", None)
        case "within":
            goal.hours = ""
        case "free" if told["of"]:
            gone = [told["of"], told["first"], told["last"]]
            goal.facts[ABSENT] = [each for each in goal.facts.get(ABSENT, []) if each != gone]
            for node in state.roadmap.nodes if state.roadmap is not None else []:
                node.metadata.pop("absent", None)
        case "free":
            off = goal.facts.get("days_off", [])
            goal.facts["days_off"] = [day for day in off if not told["first"] <= day <= told["last"]]
        case "on_day":
            return _cancel(state, " ".join(told["event"]))
        case "ends_by":
            goal.deadline = None
        case "starts":
            goal.start = None
        case _:
            raise InvalidInput("This fact shaped the outline itself.", hint="Make a new plan without it.")
    return f"dropped the limit “{claim.check}”"


def _same(one: str, other: str) -> bool:
    return one == other or all(has_word(other, word) for word in str(one).split())


def _days_of(goal: GoalFacts) -> list[int]:
    days = goal.facts.get("days")
    if isinstance(days, list) and days:
        return [int(day) for day in days]
    return sorted({window.weekday for window in parse_hours(goal.hours or DEFAULT_HOURS)})


def _set_days(goal: GoalFacts, days: list[int]) -> None:
    if not days:
        raise InvalidInput("No day of the week would be left.", hint="Leave at least one day.")
    known = {window.weekday for window in parse_hours(goal.hours)} if goal.hours else set(range(7))
    for day in sorted(set(days) - known):  # a day that had no hours gets those of the others
        first = parse_hours(goal.hours)[0]
        goal.hours += f", {DAY_NAMES[day]} {first.start:%H:%M}–{first.end:%H:%M}"
    goal.facts["days"] = sorted(days)
    goal.stated = sorted({*goal.stated, "hours"})


def _hours(goal: GoalFacts, claim: Claim, *, also: bool) -> str:
    within = Within.model_validate(claim.arguments)
    days = list(within.weekdays) or list(range(7))
    new = {day: working_hours((within.first, within.last)) for day in days}
    windows = [each for each in parse_hours(goal.hours or DEFAULT_HOURS) if also]
    there = goal.facts.get("days") or range(7)
    kept = [each for each in windows if each.weekday not in new or (within.weekdays and each.weekday in there)]
    old = [f"{DAY_NAMES[each.weekday]} {each.start:%H:%M}–{each.end:%H:%M}" for each in kept]
    wanted = days if also else [day for day in days if day in _days_of(goal)] or days
    goal.hours = ", ".join([*old, *(f"{DAY_NAMES[day]} {new[day]}" for day in wanted)])
    if also and goal.facts.get("days"):
        goal.facts["days"] = sorted({*goal.facts["days"], *days})
    goal.stated = sorted({*goal.stated, "hours"})
    return f"changed the hours to {goal.hours}"


# --------------------------------------------------------------------------------------------------------------------
# Events and last days: what belongs to them goes with them.
# --------------------------------------------------------------------------------------------------------------------


def _move_event(state: PlanningState, claim: Claim, words: str, today: date) -> str:
    goal, day = state.goal, date.fromisoformat(claim.arguments["date"])
    named = _events_named(" ".join(claim.arguments["event"]), goal) or _events_named(words, goal) or goal.appointments
    if not named:
        title = " ".join(claim.arguments["event"])
        goal.appointments = [*goal.appointments, Appointment(title=title[:1].upper() + title[1:], date=day)]
        return f"put {title} on {day}"
    event = named[0]
    last = max(each.date for each in goal.appointments)
    goal.appointments = [
        each.model_copy(update={"date": day}) if each.title == event.title else each for each in goal.appointments
    ]
    if state.schedule is not None:
        state.schedule = state.schedule.model_copy(update={"appointments": goal.appointments})
    if event.date == last and goal.deadline is not None and goal.deadline < last:
        _set_deadline(state, max(each.date for each in goal.appointments) - DAY, today)
    _move_bounds(state, event.title, event.date, day)
    return f"moved {event.title} from {event.date} to {day}"


def _move_bounds(state: PlanningState, title: str, old: date, new: date) -> None:
    """Last days of single tasks for an event go with it."""
    for node in state.roadmap.nodes if state.roadmap is not None else []:
        latest = str(node.metadata.get("latest") or "")[:10]
        if latest and node.title.endswith(f"– {title}") and date.fromisoformat(latest) < old:
            node.metadata["latest"] = (date.fromisoformat(latest) + (new - old)).isoformat()


def _cancel(state: PlanningState, title: str) -> str:
    goal = state.goal
    goal.appointments = [each for each in goal.appointments if each.title != title]
    for node in state.roadmap.nodes if state.roadmap is not None else []:
        own = node.title.endswith(f"– {title}") or node.title == f"Prepare: {title}"
        if own and node.status not in ("done", "dropped"):
            node.status = "dropped"
    return f"{title} does not take place: what was only for it is left out"


def _set_deadline(state: PlanningState, day: date, today: date) -> None:
    """Another last day: the days of the parts that lie ahead are stretched or pressed with it."""
    goal, old = state.goal, state.goal.deadline
    if day < today:
        raise InvalidInput(f"{day} lies in the past.", hint="Give a day that is still to come.")
    goal.deadline = day
    goal.stated = sorted({*goal.stated, "deadline"})
    if old is None or old <= today:
        return
    factor = max(1, (day - today).days) / (old - today).days

    def moved(text: str) -> str:
        known = date.fromisoformat(text[:10])
        return text if known <= today else (today + timedelta(days=round((known - today).days * factor))).isoformat()

    for node in state.roadmap.nodes if state.roadmap is not None else []:
        window = node.metadata.get(WINDOW)
        if isinstance(window, dict):
            node.metadata[WINDOW] = {name: moved(str(value)) for name, value in window.items()}
        if node.metadata.get("earliest") and not node.metadata.get(SLOT):
            node.metadata["earliest"] = moved(str(node.metadata["earliest"]))


def loosen(state: PlanningState) -> None:
    """A session whose day is lost may be done on another one before the last day."""
    goal = state.goal
    days_off = set(goal.facts.get("days_off", []))
    days = set(goal.facts.get("days") or range(7))
    for node in state.roadmap.nodes if state.roadmap is not None else []:
        day = str(node.metadata.get("earliest") or "")[:10]
        if node.metadata.get(SLOT) and day and (day in days_off or date.fromisoformat(day).weekday() not in days):
            node.metadata["latest"] = goal.deadline.isoformat() if goal.deadline is not None else None


def _move_days(state: PlanningState, old: int, new: int) -> str:
    """All that lies on one day of the week lies on another one from now on."""
    goal = state.goal
    days = [day for day in _days_of(goal) if day != old]
    _set_days(goal, sorted({*days, new}))
    for node in state.roadmap.nodes if state.roadmap is not None else []:
        _retimed(node, old, new)
    return f"moved what lies on {DAY_NAMES[old]} to {DAY_NAMES[new]}"


def _retimed(node: PlanNode, old: int, new: int) -> None:
    rule = str(node.metadata.get("rrule") or "")
    if DAY_CODES[old] in rule:
        head, _, tail = rule.partition("BYDAY=")
        codes, _, rest = tail.partition(";")
        changed = {DAY_CODES[new] if code == DAY_CODES[old] else code for code in codes.split(",")}
        ordered = ",".join(code for code in DAY_CODES if code in changed)
        node.metadata["rrule"] = f"{head}BYDAY={ordered}" + (f";{rest}" if rest else "")
    if node.metadata.get(SLOT):
        day = date.fromisoformat(str(node.metadata["earliest"])[:10])
        if day.weekday() == old:
            moved = (day + timedelta(days=new - old)).isoformat()
            node.metadata["earliest"] = node.metadata["latest"] = moved
