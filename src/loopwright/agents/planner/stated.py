"""What a goal states outright, read by code: nobody has to be asked for it, and no model can lose it."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, time, timedelta
from typing import Any

from loopwright.agents.planner.account.arguments import LAST, Within
from loopwright.agents.planner.account.binding import bind, claim_of
from loopwright.agents.planner.account.calendar_file import has_word
from loopwright.agents.planner.account.clauses import parts_of
from loopwright.agents.planner.account.dates import (
    AWAY,
    IMPOSSIBLE,
    INJURED,
    LEADING_VERB,
    NOT,
    ONLY,
    SITUATION,
    Day,
    read_days,
)
from loopwright.agents.planner.account.days import clauses_of
from loopwright.agents.planner.account.when import PERSON
from loopwright.agents.planner.contracts.plan import Appointment
from loopwright.agents.planner.contracts.state import GoalFacts
from loopwright.agents.planner.terms import WEEK_HOURS
from loopwright.kernel.account import Claim
from loopwright.kernel.account.reading import read_statements

RULES = re.compile(rf"\b(?:{NOT}|{ONLY})\b", re.I)
HOLIDAYS = re.compile(
    r"\s+(?:and|or|und|oder)\s+(?:on\s+|an\s+)?(?:(?:public|bank)\s+)?(?:holidays|feiertagen?)\b", re.I
)
"""Days that no code here knows: what is said beside them counts all the same."""
ON = r"(?<!starting )(?<!beginning )(?:\bon(?:\s+the)?|\bam|\bist\s+am)\s*$"
CANNOT = re.compile(rf"(?<![a-zäöüß])(?:{INJURED}|{IMPOSSIBLE}|{AWAY})|\b{NOT}\b|不", re.I)
DAY_NAMES = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
Hours = tuple[time, time]
WHOLE: Hours = (time(), LAST)
NOON = time(12)
LATEST_END = time(20)
"""Behind a job that goes on longer there is no evening for work."""
WORKDAYS = range(5)
MOST_TITLE = 80
AFTER_LAST = timedelta(days=14)
"""How long work goes on behind the day before which something may not begin, where no last day is named."""
LONGEST_AWAY = 200
MOST_SECOND = 400
LIMITS = frozenset(("none_on", "only_on", "within", "per_week", "per_day"))
"""Days and hours: those of one thing or person are not read a second time as those of the whole plan."""
NOBODY = re.compile(
    r"\b(?:niemand|keiner|nobody|no one|closed|geschlossen|away|weg|verreist|urlaub|ferien|on (?:holiday|vacation))\b"
    r"|没有人|没人",
    re.I,
)
THEIRS = re.compile(
    rf"(?:^|[,;.]\s*|\band\s+|\bund\s+)(?!(?:Ich|Wir|I|We|It|Es|There)\b){PERSON}\s+[a-zäöüß]+(?:s|t)\b[^,;.]*?"
    r"\b(?:and|und)\s+(?P<limit>(?:only\s+|nur\s+)?(?:has|can|is|works|hat|kann|ist|arbeitet)\b[^,;.]*)"
)
"""What a sentence about somebody goes on with: "Joe mixes and has 3 hours a week"."""
SESSIONS = "sessions"
PLACED = "placed"
ORDER = "order"
DUE = "due"
ABSENT = "absent"
SITTING = "sitting"
DAILY = "daily"
TOTAL = "total_hours"
LEAST_HOURS = "least_hours_per_week"
LATER_HOURS = "hours_from"
ASSIGNED = "assigned"
PEOPLE = "people"
EACH = "each"
MINUTES_EACH = "minutes_each"
TASKS = "tasks"
HOURS_OF = "hours_of"
NOT_BEFORE = "not_before"
NAMED_HOURS = "named_hours"
DAILY_OF = "daily_of"
FIRST_BY = "first_by"
HOURS_BY = "hours_by"
HOURS_LATER = "hours_later"
LISTS = (
    SESSIONS, PLACED, ORDER, DUE, ABSENT, ASSIGNED, PEOPLE, EACH, MINUTES_EACH, TASKS, HOURS_OF, NOT_BEFORE,
    NAMED_HOURS, WEEK_HOURS, DAILY_OF, FIRST_BY, HOURS_BY,
)  # fmt: skip
"""Facts, by words of titles: how often what comes again, on which weekdays what is done, what comes before what, by
which day what is done, between which days nothing of a kind is, how many minutes a session has, that there is one every
day, how many hours there are in all, how many a week there are at least, and how many a
week from a day on, who does what, on which weekdays each of these people can, the steps of each of several
things and how long it takes, what else is to be done, how many hours one thing takes, before which day it is not begun,
at which times of the day it is done, for how many minutes one thing is done on every day,
by which day the first of several things, or so many hours of one thing, are over, and from
which day on there are other hours of the day."""


@dataclass
class Stated:
    """The facts of a goal. What it does not state is None or empty; hours of the day are as a clock shows them."""

    deadline: date | None = None
    start: date | None = None
    hours_per_week: float | None = None
    minutes_per_day: int | None = None
    open_hours: dict[int, Hours | None] = field(default_factory=dict)
    also: dict[int, Hours] = field(default_factory=dict)
    every_second: bool = False
    appointments: list[Appointment] = field(default_factory=list)
    days_off: list[str] = field(default_factory=list)
    sessions: list[tuple[str, int]] = field(default_factory=list)
    placed: list[tuple[list[str], list[int]]] = field(default_factory=list)
    order: list[tuple[list[str], list[str], int]] = field(default_factory=list)
    due: list[tuple[list[str], str]] = field(default_factory=list)
    absent: list[tuple[list[str], str, str]] = field(default_factory=list)
    sitting: int | None = None
    daily: bool = False
    total_hours: float | None = None
    least_hours: float | None = None
    later_hours: list[tuple[str, float]] = field(default_factory=list)
    assigned: list[tuple[str, list[str]]] = field(default_factory=list)
    people: list[tuple[str, list[int]]] = field(default_factory=list)
    each: list[tuple[str, int, list[list[str]]]] = field(default_factory=list)
    minutes_each: list[tuple[str, int]] = field(default_factory=list)
    tasks: list[list[str]] = field(default_factory=list)
    hours_of: list[tuple[list[str], float]] = field(default_factory=list)
    not_before: list[tuple[list[str], str]] = field(default_factory=list)
    named_hours: list[tuple[list[str], list[int], str, str]] = field(default_factory=list)
    week_hours: list[tuple[str, list[int], str, str, bool]] = field(default_factory=list)
    daily_of: list[tuple[list[str], int]] = field(default_factory=list)
    first_by: list[tuple[str, int, str]] = field(default_factory=list)
    hours_by: list[tuple[list[str], float, str]] = field(default_factory=list)

    @property
    def days(self) -> list[int]:
        """The days of the week that alone are there, where no hours of the day are stated."""
        only_days = self.open_hours and all(each in (None, WHOLE) for each in self.open_hours.values())
        return [day for day in range(7) if self.open_hours.get(day, WHOLE) is not None] if only_days else []

    @property
    def hours(self) -> str:
        """The working hours in words, where days or times of the day are stated."""
        if not self.open_hours or self.days:
            return ""
        days = (day for day in range(7) if self.open_hours.get(day, WHOLE) is not None)
        return ", ".join(f"{DAY_NAMES[day]} {working_hours(self.open_hours.get(day) or WHOLE)}" for day in days)

    @property
    def last_named(self) -> date:
        """The last day that is said of single things, some time behind one before which something may not begin."""
        days = [date.fromisoformat(day) for _, day in (*self.due, *self.not_before)]
        return max(days) + (AFTER_LAST if self.not_before else timedelta(0))

    def narrow(self, hours: Mapping[int, Hours | None]) -> None:
        """Leave of each day of the week only these hours; where nothing would be left the newer words count."""
        both = {day: _common(self.open_hours.get(day, WHOLE), hours.get(day, WHOLE)) for day in range(7)}
        self.open_hours = both if any(both.values()) else dict(hours)


def _common(one: Hours | None, other: Hours | None) -> Hours | None:
    if one is None or other is None:
        return None
    first, last = max(one[0], other[0]), min(one[1], other[1])
    return (first, last) if first < last else None


def _beside(taken: Within, day: int) -> Hours:
    """What a job leaves of a day: the time after it, or before it where that ends late."""
    if day not in taken.weekdays:
        return WHOLE
    return (taken.last, WHOLE[1]) if taken.last <= LATEST_END else (WHOLE[0], taken.first)


def working_hours(hours: Hours) -> str:
    """The hours of a day in which work is planned: not all night where only one end is stated."""
    first, last = hours
    if first == WHOLE[0]:
        first = time(9) if last > NOON else time(8) if last > time(9) else time(6) if last > time(6) else first
    if last == WHOLE[1]:
        last = time(17) if hours[0] == WHOLE[0] else time(22) if first < time(21) else last
    return f"{first:%H:%M}–{last:%H:%M}"


def read_stated(text: str, today: date) -> Stated:
    """The facts that a goal's words state, as its account reads them, and clause by clause what that leaves unread."""
    found = Stated()
    read = [each.model_copy(update={"id": f"s{number}"}) for number, each in enumerate(read_statements(text))]
    bound = bind(read, today)
    theirs = [each["limit"] for each in THEIRS.finditer(text)]
    others = {each.id for each in read if any(each.text in limit or limit in each.text for limit in theirs)}
    claims = list(_without_limits_of(others, bound))
    known = {claim.check for claim in claims}
    of_one = theirs + [each.text for each in read if each.id in bound and _is_of_one(bound[each.id])]
    for clause in clauses_of(text):
        more = (claim_of(part, today) for part in _parts(HOLIDAYS.sub("", clause)))
        told = SITUATION.search(clause) is not None  # "I have choir on Mondays" asks for no choir in the plan
        claims += [
            claim
            for claim in more
            if claim is not None
            and claim.check not in known
            and not ((told or claim.check == "none_on") and claim.arguments.get("of"))
            and not (_limits_only(claim) and any(text in clause for text in of_one))
        ]
        whole = claim_of(clause.strip(), today, opening=False)
        if whole is None or not (whole.check in ("gap", "free", "starts", "together") or _is_for_a_time(whole)):
            for day in read_days(clause, today):
                _take_day(found, clause, day, today)
    claims = [part for claim in claims for part in parts_of(claim)]
    for claim in claims:
        _take_claim(found, claim)
        if claim.check in ("none_on", "only_on") and not claim.arguments["of"]:
            found.days_off += ruled_out(claim, today)
    daily = [each.text for each in read if each.id in bound and _is_daily(bound[each.id])]
    for claim in bound.values():  # "dienstags und donnerstags je 90 Minuten": a session on each of these days
        parts = {part.check: part.arguments for part in parts_of(claim)}
        if parts.keys() == {"only_on", "sitting"} and not parts["only_on"]["of"]:
            _add(found.sessions, ("session", len(parts["only_on"]["weekdays"])))
    _free_of_the_habit(found, [clause for clause in clauses_of(text) if any(each in clause for each in daily)])
    if found.also:  # beside the days that were named, or the usual ones
        usual = found.open_hours or {day: WHOLE if day in WORKDAYS else None for day in range(7)}
        found.open_hours = {
            day: found.also.get(day) if usual.get(day, WHOLE) is None else usual.get(day, WHOLE) for day in range(7)
        }
    # The last day of one thing ends nothing else.
    due = {each[-1] for each in (*found.due, *found.first_by, *found.hours_by)}
    ends = [
        date.fromisoformat(each.arguments["date"])
        for each in claims
        if each.check == "ends_by" and each.arguments["date"] not in due
    ]
    found.deadline = max(ends) if ends else found.deadline
    if not ends and found.deadline is not None and found.deadline.isoformat() in due:
        found.deadline = None
    stated = [each for each in claims if each.check == "on_day"]
    if stated:  # the account's own reading names the event wherever in the sentence it stands
        found.appointments = []
        for each in stated:
            _add(found.appointments, _appointment(each, text))
    return found


def _without_limits_of(others: Collection[str], bound: Mapping[str, Claim]) -> Iterator[Claim]:
    """The claims of statements, without the days and hours in those that speak of somebody else."""
    for key, claim in bound.items():
        for part in parts_of(claim):
            if key not in others or part.check not in LIMITS or part.arguments.get("of"):
                yield part


def _is_for_a_time(claim: Claim) -> bool:
    """Whether a claim names a day up to which, or from which, it holds: nothing is over then."""
    told = claim.arguments
    return claim.check in LIMITS and any(told.get(name) for name in ("begins", "ends", "until"))


def _limits_only(claim: Claim) -> bool:
    return all(part.check in LIMITS or part.check == "daily" for part in parts_of(claim))


def _is_of_one(claim: Claim) -> bool:
    return any(part.arguments.get("of") for part in parts_of(claim))


def _is_daily(claim: Claim) -> bool:
    parts = {part.check: part.arguments for part in parts_of(claim)}
    return "daily" in parts and not ("sitting" in parts and parts["sitting"]["of"])


def _free_of_the_habit(found: Stated, habits: Sequence[str]) -> None:
    """Where the whole plan is one habit, days without it are days off: "every day piano" – "no piano until May"."""
    for one in list(found.absent):
        words, first, last = one
        if words and any(all(has_word(habit, word) for word in words) for habit in habits):
            found.absent.remove(one)
            found.days_off += _days(date.fromisoformat(first), date.fromisoformat(last))


def _appointment(claim: Claim, text: str) -> Appointment:
    """The event of a claim, by its words as they stand in the text."""
    words = [str(word) for word in claim.arguments["event"]]
    places = [match.span() for word in words if (match := re.search(re.escape(word), text))]
    title = text[min(first for first, _ in places) : max(last for _, last in places)] if places else " ".join(words)
    title = title if len(title) <= MOST_TITLE and not re.search(r"[,;.]", title) else " ".join(words)
    return Appointment(title=title, date=date.fromisoformat(claim.arguments["date"]))


def _take_named(found: Stated, claim: Claim) -> bool:
    """What a claim says of one thing, or of some weeks; says whether it says that."""
    told: dict[str, Any] = claim.arguments
    match claim.check:
        case "each_of" if told["by"]:
            _add(found.first_by, (told["item"], told["count"], told["by"]))
        case "total" if told["by"]:
            _add(found.hours_by, (told["of"], told["hours"], told["by"]))
        case "each_of":
            _add(found.each, (told["item"], told["count"], [list(step) for step in told["steps"]]))
            if told["minutes"]:
                _add(found.minutes_each, (told["item"], told["minutes"]))
        case "task":
            _add(found.tasks, told["of"])
        case "total" if told["of"]:
            _add(found.hours_of, (told["of"], told["hours"]))
        case "within" if (
            told["weeks"] or told["of"] or told["begins"] or told["ends"] or len(told["weekdays"]) == len(DAY_NAMES)
        ):
            within = Within.model_validate(told)
            bounds = within.first.isoformat("minutes"), within.last.isoformat("minutes")
            during = f"{told['begins'] or date.min}/{told['ends'] or date.max}"
            if not told["of"]:
                _add(found.week_hours, (told["weeks"] or during, told["weekdays"], *bounds, told["outside"]))
            else:
                _add(found.named_hours, (told["of"], told["weekdays"], *bounds))
        case "starts" if told["of"]:
            _add(found.not_before, (told["of"], told["date"]))
        case "sitting" if told["of"]:
            _add(found.daily_of, (told["of"], told["minutes"]))
        case "daily" if any(words == told["of"] for words, _ in found.daily_of):
            pass
        case "assigned":
            for item in told["items"]:
                _add(found.assigned, (told["who"], list(item)))
        case _:
            return False
    return True


def _take_claim(found: Stated, claim: Claim) -> None:
    told: dict[str, Any] = claim.arguments
    if _take_named(found, claim):
        return
    match claim.check:
        case "per_week" if told["unit"] == "hours" and told["relation"] == "at_least" and not told["since"]:
            found.least_hours = told["amount"]
        case "per_week" if told["unit"] == "hours" and not told["since"]:
            found.hours_per_week = told["amount"]
        case "per_week" if told["unit"] == "sessions" and told["amount"] in range(1, 8):
            _add(found.sessions, (" ".join(told["of"]) or "session", int(told["amount"])))
        case "per_day" if told["since"]:
            pass  # no schedule has other lengths of days later on: what is said of them is told as not kept
        case "per_day" if told["relation"] != "at_least":
            found.minutes_per_day = round(60 * told["hours"])
        case "none_on" | "only_on" if told["person"]:
            can = [day for day in range(7) if (day in told["weekdays"]) == (claim.check == "only_on")]
            _add(found.people, (told["of"][0], can))
        case "none_on" | "only_on" if told["since"] or told["until"]:
            pass  # days of a part of the time are days off
        case "none_on":
            found.narrow(dict.fromkeys(told["weekdays"]))
        case "only_on" if not told["of"]:
            found.narrow({day: WHOLE if day in told["weekdays"] else None for day in range(7)})
            found.every_second = found.every_second or told["every"] is not None
        case "gap" if told["day"]:
            last = date.fromisoformat(told["day"]) - timedelta(days=told["days"])
            _add(found.due, (told["before"], last.isoformat()))
        case "gap":
            _add(found.order, (told["before"], told["after"], told["days"]))
        case "only_on":
            _add(found.placed, (told["of"], told["weekdays"]))
        case "also_on":
            found.also |= dict.fromkeys(told["weekdays"], WHOLE)
        case "within" if told["also"]:
            within = Within.model_validate(told)
            found.also |= {day: hours for day in range(7) if (hours := within.on(day)) is not None}
        case "within":
            within = Within.model_validate(told)
            found.narrow({day: _beside(within, day) if within.outside else within.on(day) for day in range(7)})
        case "per_week" if told["unit"] == "hours" and told["since"]:
            _add(found.later_hours, (told["since"], told["amount"]))
        case "sitting":
            found.sitting = told["minutes"]
        case "daily":
            found.daily = True
        case "total":
            found.total_hours = told["hours"]
        case "free" if told["heals"]:
            _add(found.absent, (told["of"], told["first"], told["last"]))
            _add(found.absent, ([], told["first"], told["last"]))
        case "free" if told["of"]:
            _add(found.absent, (told["of"], told["first"], told["last"]))
        case "free":
            found.days_off += _days(date.fromisoformat(told["first"]), date.fromisoformat(told["last"]))
        case "starts":
            found.start = date.fromisoformat(told["date"])


def ruled_out(claim: Claim, today: date) -> list[str]:
    """The days on which a rule for a part of the time leaves no work; none where it holds throughout."""
    told = claim.arguments
    if not told["since"] and not told["until"]:
        return []
    first = date.fromisoformat(told["since"]) if told["since"] else today
    last = date.fromisoformat(told["until"]) if told["until"] else first + timedelta(days=MOST_SECOND)
    days = (first + timedelta(days=step) for step in range((last - first).days + 1))
    return [day.isoformat() for day in days if (day.weekday() in told["weekdays"]) == (claim.check == "none_on")]


def _add(known: list[Any], one: Any) -> None:
    if one not in known:
        known.append(one)


def _parts(clause: str) -> Iterator[str]:
    """The clause, and an amount at its end that stands without a comma (`learn guitar 10 hours a week`)."""
    yield clause
    amount = re.search(
        r"(?:(?:at\s+most|up\s+to|only|for)\s+)?\d[\d.,]*\s*(?:hours?|h|hrs|minutes?|min)\b.*$", clause, re.I
    )
    if amount is not None and amount.start():
        yield amount.group()


def _take_day(found: Stated, clause: str, day: Day, today: date) -> None:
    before, said = clause[: day.start], clause[day.start : day.end]
    bound = day.bound_in(clause)
    if bound is not None:
        if CANNOT.search(clause) or NOBODY.search(clause[day.end :]):
            return  # until when something cannot be, or nobody is there, is no last day
        if SITUATION.search(before) and bound.goes_on:
            return
        found.deadline = bound.last
    elif re.match(r"(?:in|within|over|innerhalb|for|für)\s", said, re.I) and day.grain == "day":
        found.deadline = day.last
    elif day.grain == "day" and day.first > today and re.search(ON, before, re.I) and not RULES.search(before):
        title = event_title(before)
        if title:
            found.appointments.append(Appointment(title=title[:160], date=day.first))


def event_title(before: str) -> str:
    """What takes place, out of the words before its day: `pass the bar exam on` is the bar exam."""
    words = " ".join(re.sub(ON, "", before, flags=re.I).split())
    words = re.sub(r"^(?:ich\s+)?(?:lerne|übe|trainiere)\s+(?:für|auf)\s+", "", words, flags=re.I)
    match = LEADING_VERB.match(words)
    words = match["rest"] if match is not None else words
    words = re.sub(r"^(?:(?:my|our|the|a|an|der|die|das|mein|meine)\s+)+", "", words, flags=re.I)
    words = re.sub(r"^(?:ready|fit)\s+for\s+(?:(?:my|our|the|a|an)\s+)?", "", words, flags=re.I)
    return re.sub(r"\s+(?:is|was|are|takes\s+place|will\s+be)$", "", words, flags=re.I).strip(" -–:")


def _days(first: date, last: date) -> list[str]:
    count = min(LONGEST_AWAY, (last - first).days + 1)
    return [(first + timedelta(days=step)).isoformat() for step in range(count)]


def _weeks_off(first: date, last: date | None) -> list[str]:
    """The days of every second week from the first day on."""
    count = min(MOST_SECOND, (last - first).days + 1) if last is not None else MOST_SECOND
    monday = first - timedelta(days=first.weekday())
    days = (first + timedelta(days=step) for step in range(count))
    return [day.isoformat() for day in days if (day - monday).days // 7 % 2]


def with_stated(goal: GoalFacts, today: date) -> GoalFacts:
    """The goal with what its words state; what the user has set by options stays.

    An appointment ends the work for it: the deadline is the day before the last one, if none is stated.
    """
    found = read_stated(goal.text, today)
    facts: dict[str, Any] = dict(goal.facts)
    update: dict[str, Any] = {}
    options = [name for name in ("start", "deadline", "hours", "hours_per_week") if getattr(goal, name)]
    read: dict[str, Any] = {
        "deadline": found.deadline,
        "start": found.start,
        "hours": found.hours,
        "hours_per_week": found.hours_per_week,
    }
    if found.hours_per_week and found.later_hours:  # one rate holds for the whole plan: the least breaks none
        read["hours_per_week"] = min(found.hours_per_week, *(hours for _, hours in found.later_hours))
    update |= {name: value for name, value in read.items() if value and name not in options}
    if found.appointments:
        update["appointments"] = [*goal.appointments, *found.appointments]
        last = max(each.date for each in found.appointments) - timedelta(days=1)
        if (goal.deadline or found.deadline) is None and last > today:
            update["deadline"] = last
    if not goal.deadline and not update.get("deadline") and found.due + found.not_before:
        update["deadline"] = found.last_named
    told = {
        "days": found.days,
        SITTING: found.sitting,
        DAILY: found.daily,
        TOTAL: found.total_hours,
        LEAST_HOURS: found.least_hours,
        LATER_HOURS: [list(each) for each in found.later_hours],
        **{name: [list(each) for each in getattr(found, name)] for name in LISTS},
    }
    facts |= {name: value for name, value in told.items() if value}
    if found.minutes_per_day is not None:
        facts["minutes_per_day"] = found.minutes_per_day
    if found.every_second:
        found.days_off += _weeks_off(found.start or goal.start or today, update.get("deadline") or goal.deadline)
    if found.days_off:
        facts["days_off"] = sorted({*facts.get("days_off", []), *found.days_off})
    stated = {*goal.stated, *options, *update, *(facts.keys() - goal.facts.keys())}
    return goal.model_copy(update=update | {"facts": facts, "stated": sorted(stated)})
