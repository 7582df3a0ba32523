"""Plain English goals as facts: what, how far, by when, how much time, on which days, and what is missing."""

import re
from dataclasses import dataclass, field, replace
from datetime import date, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from loopwright.agents.planner.account.binding import WORK_TIME
from loopwright.agents.planner.account.dates import IMPOSSIBLE, read_days
from loopwright.agents.planner.account.when import PERSON_CAN
from loopwright.agents.planner.intake import EXAMPLE, MOST_READ
from loopwright.agents.planner.offline.heads import head_of
from loopwright.agents.planner.offline.horizon import Horizon, country_of, public_holidays, read_horizon, stretches
from loopwright.agents.planner.offline.language import (
    TAKEN,
    Availability,
    Effort,
    Reading,
    language,
    number_of,
    read_availability,
    read_effort,
)
from loopwright.agents.planner.offline.work import Family, families, recognise
from loopwright.agents.planner.patterns import language_of
from loopwright.kernel.account.reading import hard_tokens
from loopwright.kernel.errors import InvalidInput

# What is to be reached: a level, a time, a sum, a number of things; and what it may cost.

NO_TIME = re.compile(rf"(?<![^\W\d_])(?:{IMPOSSIBLE})", re.I)
OWN = re.compile(r"\b(?:i|we|i'm|we're)\b", re.I)
"""The user speaks of their own time."""
SCALES = {"k": 1_000, "thousand": 1_000, "m": 1_000_000, "million": 1_000_000}


@dataclass(frozen=True)
class Money:
    """A sum; the currency is its ISO 4217 code."""

    amount: float
    currency: str

    def __str__(self) -> str:
        """`1,500 EUR`."""
        return f"{self.amount:,.0f} {self.currency}"


@dataclass
class Targets:
    """What the text wants reached. `facts` are numbers by what they count (`kg`, `words`, `books`)."""

    level: str | None = None
    target: str | None = None
    distance_km: float | None = None
    distance: str | None = None
    budget: Money | None = None
    sum: Money | None = None
    facts: dict[str, float] = field(default_factory=dict)


def read_targets(reading: Reading) -> Targets:
    """Find what is to be reached. Levels, times and budgets are taken; what may be the subject stays."""
    found = Targets()
    _read_budget(reading, found)
    _read_level(reading, found)
    _read_distance(reading, found)
    _read_counts(reading, found)
    return found


def _read_budget(reading: Reading, found: Targets) -> None:
    for name, pattern in [(n, p) for n in ("budgets", "money") for p in reading.language.patterns(n)]:
        match = pattern.search(reading.left)
        if match is None:
            continue
        amount = number_of(match["amount"], reading.language) * SCALES.get(match["scale"] or "", 1)
        reading.blank(match)
        if not amount < 1e12:
            reading.problems.append(f"“{reading.original(match)[:60]}” is no sum that I can plan with.")
            return
        money = Money(amount, reading.language.table("currencies")[match["sign"]])
        if name == "budgets":
            found.budget = money
        else:
            found.sum = money
        return


def _read_level(reading: Reading, found: Targets) -> None:
    targets = reading.language.table("targets")
    for name in ("cefr", "fluency"):
        match = reading.take(targets[name])
        if match is not None:
            level = match["level"]
            found.level = level.upper() if name == "cefr" else level
            return
    match = reading.take(targets["score"])
    if match is not None:
        found.level = match[0].strip()


def _read_distance(reading: Reading, found: Targets) -> None:
    distances = reading.language.table("distances")
    words = "|".join(re.escape(word) for word in sorted(distances, key=len, reverse=True))
    match = reading.find(rf"\b({words})\b")
    if match is None:
        return
    found.distance, found.distance_km = match[1].replace(" k", "k"), distances[match[1]]
    targets = reading.language.table("targets")
    time = reading.take(targets["race_time"]) or reading.take(targets["sub_number"])
    if time is not None:
        unit = "" if re.search(r"[a-z:]", time["time"]) else " hours"
        found.target = f"under {time['time'].strip()}{unit}"


def _read_counts(reading: Reading, found: Targets) -> None:
    targets = reading.language.table("targets")
    change = reading.take(targets["weight_change"])
    if change is not None:
        amount = number_of(change["amount"], reading.language)
        unit = "kg" if change["unit"].startswith("k") else "lb" if change["unit"].startswith(("lb", "p")) else "stone"
        found.target, found.facts[unit] = f"{change['verb']} {amount:g} {unit}", amount
        kilos = amount * {"kg": 1.0, "lb": 0.4536, "stone": 6.35}[unit]
        if kilos > 60:
            reading.problems.append(f"{amount:g} {unit} is more than a plan without a doctor should promise.")
    span = reading.take(targets["weight_range"])
    if span is not None:
        found.target = f"from {span['from']} to {span['to']} {span['unit']}"
        found.facts["kg"] = abs(float(span["from"]) - float(span["to"]))
    lift = reading.find(targets["lift"])
    if lift is not None:
        found.target = f"{lift['lift']} {lift['amount']} {lift['unit']}"
    for name in ("words", "count"):
        match = reading.find(targets[name])
        if match is not None:
            amount = number_of(match["amount"], reading.language) * (1_000 if match["scale"] else 1)
            if amount < 1e9:
                found.facts[match["unit"]] = amount
                found.target = found.target or f"{amount:,.0f} {match['unit']}"


# What the goal is about: what is left of the text when all the rest is understood, in the user's own capitals.

MOST_SUBJECT = 80
MOST_HAVES = 8
LEAST_LETTERS = 3
LIMITING = ("negation", "limit", "date", "time", "weekday", "calendar")


@dataclass
class Subject:
    """`title` is the goal in the user's words, `subject` its object: `Learn Spanish`, `Spanish`."""

    title: str
    subject: str
    place: str | None = None
    must_haves: tuple[str, ...] = ()


def read_subject(reading: Reading) -> Subject:
    """Take musts and place, then trim what stands around the subject."""
    musts = _musts(reading)
    place = _place(reading)
    title, subject = _title_and_subject(reading)
    return Subject(title, subject, place, musts)


def _title_and_subject(reading: Reading) -> tuple[str, str]:
    """The first stretch of words that says something, and what its verb is about."""
    raw = reading.language.raw
    opener = re.match(raw["openers"], reading.left)
    position = opener.end() if opener else 0
    first = ("", "")
    while position < len(reading.left):
        cut = re.compile(raw["cut_words"]).search(reading.left, position)
        end = cut.start() if cut else len(reading.left)
        lead = re.match(raw["lead_words"], reading.left[position:end].lstrip())
        begin = position + len(reading.left[position:end]) - len(reading.left[position:end].lstrip())
        begin += lead.end() if lead else 0
        title = _trimmed(reading, begin, end)
        if sum(char.isalpha() for char in title) >= LEAST_LETTERS:
            inner = begin
            for _ in range(2):
                verb = re.match(raw["verbs"], reading.left[inner:end])
                inner += verb.end() if verb else 0
            found = title, _trimmed(reading, inner, end) if inner > begin else title
            if found[1]:
                return found
            first = first if first[0] else found
        position = max(end, cut.end() if cut else end)
    return first


def _trimmed(reading: Reading, start: int, end: int) -> str:
    """The words of a stretch without what dangles at its ends."""
    tail = re.search(reading.language.raw["tail_words"], reading.left[start:end])
    if tail is not None:
        end = start + tail.start()
    words = reading.text[start:end].strip(" ,.;:!?-–()\"'“”")
    head = re.split(r":\s|：", words)[0].strip()  # "Move grandma: sort her papers, sell the furniture"
    words = head if len(head.split()) > 1 and sum(map(str.isalpha, head)) >= LEAST_LETTERS else words
    if len(words) <= MOST_SUBJECT:
        return words
    return words[:MOST_SUBJECT].rsplit(" ", 1)[0] if " " in words[:MOST_SUBJECT] else words[:MOST_SUBJECT]


def _musts(reading: Reading) -> tuple[str, ...]:
    found: list[str] = []
    for pattern in reading.language.patterns("must_haves"):
        for match in list(pattern.finditer(reading.left))[:MOST_HAVES]:
            words = reading.original(match, "what")
            if re.search(WORK_TIME, words, re.I) or any(token.kind in LIMITING for token in hard_tokens(words)):
                continue  # a limit is no work: as a task it would only be quoted
            found.append(words)
            reading.blank(match)
    return tuple(dict.fromkeys(found))[:MOST_HAVES]


def _place(reading: Reading) -> str | None:
    for words, place in reading.language.table("home").items():
        if reading.take(rf"\b{re.escape(words)}\b") is not None:
            return str(place)
    for match in re.finditer(reading.language.raw["place"], reading.text):
        start, end = match.span("what")
        if TAKEN not in reading.left[start:end] and not re.fullmatch(r"[A-C][12]", match["name"]):
            return match["name"]
    return None


# What is worth asking before a plan is made, with why, and with what is assumed when nobody answers.


@dataclass(frozen=True)
class Question:
    """A question. `fact` names what it finds out; `default` is what the plan assumes without an answer."""

    id: str
    fact: str
    question: str
    why: str
    default: str


def questions_for(family: Family, known: set[str], *, unknown: bool = False) -> tuple[Question, ...]:
    """The open questions, the one that changes the plan most first; of an `unknown` goal that is what it means."""
    meaning = Question(
        id="meaning",
        fact="meaning",
        question="What will be there, or what will you be able to do, when the goal is reached?",
        why="I know no goals of this kind; a few more words make a plan of it that is worth having.",
        default="",
    )
    size = [
        Question(
            id="deadline",
            fact="deadline",
            question="By when do you want to be there?",
            why="The date decides how much fits in, and in which order.",
            default=f"{family.weeks} weeks from the start",
        ),
        Question(
            id="hours",
            fact="hours",
            question="How many hours a week can you really give to it?",
            why="A plan that fills more hours than you have fails in its second week.",
            default=f"{family.hours_per_week:g} hours a week",
        ),
    ]
    own = [
        Question(raw["id"], raw.get("fact", raw["id"]), raw["question"], raw["why"], raw["default"])
        for raw in family.questions
    ]
    days = Question(
        id="days",
        fact="days",
        question="Are there days or times of day that are ruled out?",
        why="What is planned on days you do not have moves everything behind it.",
        default="any day",
    )
    return tuple(
        question for question in [*([meaning] if unknown else []), *size, *own, days] if question.fact not in known
    )


OF_THE_HEAD = ("strategic_transformation", "progressive_accumulation_arc", "recurring_cycle")
"""Patterns for which only the goal itself can speak: who practises a part for a play puts on a play."""
DAY_LEAD = r"\s*\b(?:am|im|vom|zum|ab|seit|in)\s*$"
SAYS_WHEN = r"^(?:ist|sind|findet)\s+|\s+(?:ist|sind|findet(?:\s+statt)?|statt)$"
LEAST_WORD = 2
UNKNOWN = 0.4
"""Below it neither a family nor a pattern knows the words."""


@dataclass(frozen=True)
class Goal:
    """A goal as understood. What the text does not say is None or empty; `questions` are worth asking about it.

    `problems` are things that cannot be, told for the user; `notes` how something was read; `confidence` 0 to 1 how
    sure the family is. `windows` are the stated hours of days
    of the week. `own_kind` is what the user calls this kind of plan. `deadline` is the last day of work.
    """

    text: str
    title: str
    subject: str
    family: str
    pattern: str
    subtype: str | None
    start: date
    zone: str
    deadline: date | None = None
    level: str | None = None
    target: str | None = None
    distance: str | None = None
    minutes_per_week: int | None = None
    minutes_per_day: int | None = None
    session_minutes: int | None = None
    total_minutes: int | None = None
    times_per_week: float | None = None
    recurrence: str = "none"
    days: tuple[int, ...] = ()
    excluded_days: tuple[int, ...] = ()
    day_parts: tuple[str, ...] = ()
    after: time | None = None
    before: time | None = None
    windows: dict[int, tuple[time, time]] = field(default_factory=dict)
    away: tuple[tuple[date, date], ...] = ()
    budget: Money | None = None
    sum: Money | None = None
    place: str | None = None
    must_haves: tuple[str, ...] = ()
    facts: dict[str, float] = field(default_factory=dict)
    confidence: float = 0.0
    own_kind: str | None = None
    questions: tuple[Question, ...] = ()
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def allowed_days(self) -> tuple[int, ...]:
        """The weekdays on which work may be done, 0 is Monday."""
        days = self.days or tuple(range(7))
        return tuple(day for day in days if day not in self.excluded_days) or tuple(range(7))

    @property
    def weeks(self) -> float | None:
        """From the start to the deadline, both days included, in weeks."""
        return None if self.deadline is None else ((self.deadline - self.start).days + 1) / 7


def understand_goal(text: str, today: date, zone: ZoneInfo | str) -> Goal:
    """What the text asks for, by rules.

    Raises:
        InvalidInput: there is nothing in the text that could be a goal.
    """
    if not any(char.isalpha() for char in text[:MOST_READ]):
        raise InvalidInput("There are no words in this goal.", hint=EXAMPLE)
    country = country_of(str(zone))
    reading = Reading.of(text, language(), month_first=country == "US")
    whole = reading.left
    targets = read_targets(reading)
    effort = read_effort(reading)
    horizon = read_horizon(reading, today)
    for clause in list(re.finditer(r"(?<=[,;.!?，；。])[^,;.!?，；。]+", reading.left)):
        impossible = NO_TIME.search(clause.group()) and not OWN.search(clause.group())
        if impossible or PERSON_CAN.match(reading.text[clause.start() : clause.end()]):
            reading.blank(clause)  # what cannot be, and the days of others, name no time for the user's work
    availability = read_availability(reading)
    own_kind = reading.take(language().raw["own_kind"])
    wants_holidays = reading.take(language().raw["no_holidays"]) is not None
    spoken = language_of(text)
    aside = max(0, whole.find(head_of(whole)))  # what stands before the head tells when or why
    reading.left = " " * aside + reading.left[aside:]
    subject = read_subject(reading) if spoken == "en" else _as_said(read_subject(reading), text, today)
    cue = _pattern_cue(reading, whole, horizon, effort)
    family, confidence = recognise(whole, cue, spoken)
    if wants_holidays:
        last = horizon.deadline or horizon.start + timedelta(weeks=family.weeks)
        horizon.away = (*horizon.away, *_holidays(reading, country, horizon.start, last))
    known = _known(horizon, effort, targets, subject.place, availability, whole)
    goal = Goal(
        text=reading.text,
        title=subject.title or family.title,
        subject=subject.subject or family.subject,
        family=family.key,
        pattern=family.pattern,
        subtype=family.subtype,
        zone=str(zone),
        start=horizon.start,
        confidence=confidence,
        own_kind=reading.original(own_kind, "name") if own_kind else None,
        place=subject.place,
        must_haves=subject.must_haves,
        questions=questions_for(family, known, unknown=confidence < UNKNOWN),
        problems=tuple(reading.problems),
        notes=tuple(reading.notes),
    )
    return replace(goal, **_facts(horizon, effort, availability, targets))


def _as_said(found: Subject, text: str, today: date) -> Subject:
    """The subject in words of another language than the tables': the head of the goal without its days."""
    head = head_of(text[:MOST_READ])
    for day in reversed(read_days(head, today)):
        bound = day.bound_in(head)
        start, end = (bound.start, bound.end) if bound is not None else (day.start, day.end)
        head = f"{re.sub(DAY_LEAD, '', head[:start])} {head[end:]}" if head[:start].strip() else head[end:]
    title = re.sub(SAYS_WHEN, "", " ".join(head.split()), flags=re.I).strip(" ,.;:!?-–")[:MOST_SUBJECT]
    if sum(map(str.isalpha, title)) < LEAST_WORD:
        return found
    return replace(
        found, title=title[:1].upper() + title[1:], subject=found.subject if found.subject in title else title
    )


def _holidays(reading: Reading, country: str | None, first: date, last: date) -> list[tuple[date, date]]:
    """The public holidays of the user's country, told in a note."""
    found = public_holidays(country, first, last) if country is not None else {}
    if country is None:
        reading.problems.append("Your time zone names no country, so I know no public holidays; name the days.")
    elif found:
        names = ", ".join(f"{name} ({day.day} {day:%b %Y})" for day, name in list(found.items())[:6])
        more = f" and {len(found) - 6} more" if len(found) > 6 else ""
        reading.notes.append(f"Public holidays that stay free ({country}): {names}{more}.")
    else:
        reading.notes.append(f"I know no public holiday of {country} from {first} to {last}.")
    return list(stretches(list(found)))


def _facts(horizon: Horizon, effort: Effort, availability: Availability, targets: Targets) -> dict[str, Any]:
    return {
        "deadline": horizon.deadline,
        "away": horizon.away,
        "level": targets.level,
        "target": targets.target,
        "distance": targets.distance,
        "budget": targets.budget,
        "sum": targets.sum,
        "facts": targets.facts,
        "minutes_per_week": effort.minutes_per_week,
        "minutes_per_day": effort.minutes_per_day,
        "session_minutes": effort.session_minutes,
        "total_minutes": effort.total_minutes,
        "times_per_week": effort.times_per_week,
        "recurrence": effort.recurrence,
        "days": availability.days or effort.days,
        "excluded_days": availability.excluded,
        "day_parts": availability.day_parts,
        "after": availability.after,
        "before": availability.before,
    }


def _pattern_cue(reading: Reading, whole: str, horizon: Horizon, effort: Effort) -> str | None:
    """The pattern that the words alone speak for, where no family knows the goal."""
    head = head_of(whole)
    for pattern, template in reading.language.raw["pattern_cues"]:
        said = head if pattern in OF_THE_HEAD else whole
        if reading.language.pattern(template).search(said):
            return str(pattern)
    if horizon.deadline is not None:
        return "milestone_project"
    return "recurring_cycle" if effort.recurrence != "none" else None


def _known(
    horizon: Horizon, effort: Effort, targets: Targets, place: str | None, availability: Availability, text: str
) -> set[str]:
    """Which facts need not be asked for."""
    facts = {
        "deadline": horizon.deadline is not None,
        "hours": effort.minutes_per_week is not None or effort.total_minutes is not None,
        "level": targets.level is not None,
        "target": targets.target is not None or targets.sum is not None or bool(targets.facts),
        "distance": targets.distance is not None,
        "budget": targets.budget is not None or targets.sum is not None,
        "place": place is not None,
        "days": bool(availability.days or availability.excluded or effort.days),
        "experience": any(word in text for word in ("beginner", "from scratch", "never ", "intermediate", "advanced")),
    }
    return {name for name, known in facts.items() if known}


def family_of(goal: Goal) -> Family:
    """The family of a goal."""
    return families()[goal.family]


def horizon_of(goal: Goal) -> tuple[date, date]:
    """First and last day of the plan; without a deadline the family's usual length."""
    if goal.deadline is not None:
        return goal.start, goal.deadline
    return goal.start, goal.start + timedelta(weeks=family_of(goal).weeks) - timedelta(days=1)
