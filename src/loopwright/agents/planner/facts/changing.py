"""What a change of facts does to a settled plan: its goal, its events, the days of its parts."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta

from loopwright.agents.planner.account.arguments import Within
from loopwright.agents.planner.account.calendar_file import has_word
from loopwright.agents.planner.contracts.plan import Appointment, PlanNode
from loopwright.agents.planner.contracts.state import GoalFacts, PlanningState
from loopwright.agents.planner.facts.change_reading import TERMS, FactChange, claims_in, events_named
from loopwright.agents.planner.facts.in_plan import outline_with_facts
from loopwright.agents.planner.facts.items import ANY_SESSION
from loopwright.agents.planner.facts.phrases import language_for, say
from loopwright.agents.planner.facts.time_left import fit, free, move_parts, share_out, space
from loopwright.agents.planner.outline_of_sketch import DAY_CODES
from loopwright.agents.planner.problem_tasks import SLOT
from loopwright.agents.planner.schedule.hours import DEFAULT_HOURS, parse_hours
from loopwright.agents.planner.schedule.problem import Window
from loopwright.agents.planner.schedule.problem_checks import load_zone
from loopwright.agents.planner.stated import (
    ABSENT,
    ASSIGNED,
    DAY_NAMES,
    HOURS_LATER,
    LEAST_HOURS,
    NAMED_HOURS,
    NOT_BEFORE,
    PEOPLE,
    PLACED,
    SESSIONS,
    SITTING,
    TOTAL,
    ruled_out,
    working_hours,
)
from loopwright.kernel.account import Claim
from loopwright.kernel.errors import InvalidInput

DAY = timedelta(days=1)
AHEAD = timedelta(days=400)
"""How far hours from a day on are reckoned where the plan has no last day."""


def apply_fact_change(state: PlanningState, change: FactChange, words: str, today: date) -> str:
    """Write the change into the goal and the roadmap; says what was done.

    Raises:
        InvalidInput: it cannot be carried out.
    """
    if change.move_days is not None:
        return _move_days(state, *change.move_days)
    if change.cancelled:
        return _cancel(state, change.cancelled)
    goal = state.goal
    minutes, days, rate = space(state, today), free(state, today), goal.hours_per_week
    between = change.days_between(goal)
    if between:
        goal.facts["days_off"] = sorted({*goal.facts.get("days_off", []), *(day.isoformat() for day in between)})
    told = [_drop(state, claim) if change.dropped else _apply(state, claim, words, today) for claim in change.claims]
    if state.roadmap is not None:
        outline, _ = outline_with_facts(state.roadmap, goal)  # type: ignore[arg-type]
        state.roadmap = state.roadmap.model_copy(update={"nodes": outline.nodes})
    if any(claim.check == "free" and not claim.arguments["of"] for claim in change.claims):
        share_out(state, days, today)
    fit(state, minutes, today, rate=rate)
    return "; ".join(text for text in told if text)


def apply_answer(state: PlanningState, words: str, today: date) -> bool:
    """Write what the user answers about terms into a goal without a plan; says whether it named any."""
    claims = [each for each in claims_in(words, today) if each.check in TERMS]
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
            goal.hours_per_week = float(told["amount"])
            goal.stated = sorted({*goal.stated, "hours_per_week"})
            goal.facts.pop("minutes_per_week", None)
            return f"changed the time to {goal.hours_per_week:g} hours a week"
        case "per_week":
            name, count = " ".join(told["of"]) or ANY_SESSION, int(told["amount"])
            known = [each for each in goal.facts.get(SESSIONS, []) if not _same(each[0], name)]
            if name == ANY_SESSION and not any(_same(each[0], name) for each in goal.facts.get(SESSIONS, [])):
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
        case "total":
            goal.facts[TOTAL] = told["hours"]
            return f"changed the time to {told['hours']:g} hours in all"
        case "on_day":
            return _move_event(state, claim, words, today)
        case "ends_by":
            _set_deadline(state, date.fromisoformat(told["date"]), today)
            return f"set the last day to {told['date']}"
        case "starts" if told["of"]:
            goal.facts[NOT_BEFORE] = [*goal.facts.get(NOT_BEFORE, []), [told["of"], told["date"]]]
            return f"{' '.join(told['of'])} not before {told['date']}"
        case "assigned":
            return _assign(state, told["who"], told["items"])
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
            return _apply_days(state, claim, today)


def _apply_days(state: PlanningState, claim: Claim, today: date) -> str:
    """Which days and hours there are."""
    goal, told = state.goal, claim.arguments
    match claim.check:
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
            hours = goal.facts.get(NAMED_HOURS, [])
            mine = [each for each in hours if _same(" ".join(told["of"]), " ".join(each[0]))]
            if mine:  # it keeps its times of the day, and they are on other days
                goal.facts[PLACED] = known
                goal.facts[NAMED_HOURS] = [[e[0], told["weekdays"], *e[2:]] if e in mine else e for e in hours]
            return f"put {' '.join(told['of'])} on {', '.join(DAY_NAMES[day] for day in told['weekdays'])}"
        case "within":
            return _hours(goal, claim, also=bool(told["also"]))
        case "free" if told["of"] and state.roadmap is not None and not _titled(state.roadmap.nodes, told["of"]):
            raise InvalidInput(say("not_named", language_for(goal), names=" ".join(told["of"])))
        case "free" if told["of"] or told["heals"]:
            goal.facts[ABSENT] = [*goal.facts.get(ABSENT, []), [told["of"], told["first"], told["last"]]]
            return f"no {' '.join(told['of'])} from {told['first']} to {told['last']}"
        case "free":
            begin, end = date.fromisoformat(told["first"]), date.fromisoformat(told["last"])
            days = [(begin + step * DAY).isoformat() for step in range(min(400, (end - begin).days + 1))]
            goal.facts["days_off"] = sorted({*goal.facts.get("days_off", []), *days})
            goal.stated = sorted({*goal.stated, "days_off"})
            return f"took {days[0]} to {days[-1]} as days off"
        case _:
            raise InvalidInput("This cannot be changed in a plan that is settled.", hint="Make a new plan for it.")


def _titled(nodes: Sequence[PlanNode], words: Sequence[str]) -> bool:
    return any(all(has_word(node.title, word) for word in words) for node in nodes)


def _assign(state: PlanningState, who: str, items: Sequence[Sequence[str]]) -> str:
    """Somebody does from now on what somebody else, or nobody by name, did."""
    goal = state.goal
    known_before = list(goal.facts.get(ASSIGNED, []))
    for item in items:
        known = [each for each in goal.facts.get(ASSIGNED, []) if not _same(" ".join(item), " ".join(each[1]))]
        before = [each for each in goal.facts.get(ASSIGNED, []) if each not in known]
        goal.facts[ASSIGNED] = [*known, *([who, each[1]] for each in before), *([] if before else [[who, list(item)]])]
        for node in state.roadmap.nodes if state.roadmap is not None else []:
            if node.status not in ("done", "dropped") and all(has_word(node.title, word) for word in item):
                for name in {str(each[0]) for each in before}:
                    node.title = node.title.replace(f" ({name})", "").replace(name, who)
    # Whoever does nothing any more has no hours in this plan either.
    doing = {str(each[0]) for each in goal.facts.get(ASSIGNED, [])}
    for name in {str(each[0]) for each in known_before} - doing:
        goal.facts[PEOPLE] = [each for each in goal.facts.get(PEOPLE, []) if each[0] != name]
        goal.facts[NAMED_HOURS] = [each for each in goal.facts.get(NAMED_HOURS, []) if list(each[0]) != [name]]
    return f"{who} does {', '.join(' '.join(item) for item in items)}"


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
    before = goal.hours or DEFAULT_HOURS
    goal.hours = ", ".join([*old, *(f"{DAY_NAMES[day]} {new[day]}" for day in wanted)])
    if within.begins is not None:
        _from_day_on(goal, before, within.begins)
    if also and goal.facts.get("days"):
        goal.facts["days"] = sorted({*goal.facts["days"], *days})
    goal.stated = sorted({*goal.stated, "hours"})
    return f"changed the hours to {goal.hours}"


def _from_day_on(goal: GoalFacts, before: str, first: date) -> None:
    """The hours of the week are those of before until a day, and those that the goal has now from then on."""
    after, zone = parse_hours(goal.hours), load_zone(goal.timezone)
    old = parse_hours(before)
    end = goal.deadline or first + AHEAD
    for step in range((end - (goal.today or first)).days + 1):
        day = (goal.today or first) + step * DAY
        open_now, others = (old, after) if day < first else (after, old)
        there = [_span(each, day) for each in others if each.weekday == day.weekday()]
        kept = [_span(each, day) for each in open_now if each.weekday == day.weekday()]
        for begin, over in _without(there, kept):
            goal.busy.append((begin.replace(tzinfo=zone).isoformat(), over.replace(tzinfo=zone).isoformat()))
    goal.facts[HOURS_LATER] = [first.isoformat(), goal.hours]
    goal.hours = ", ".join(f"{DAY_NAMES[each.weekday]} {each.start:%H:%M}–{each.end:%H:%M}" for each in (*old, *after))


def _span(window: Window, day: date) -> tuple[datetime, datetime]:
    over = datetime.combine(day + DAY * (window.end <= window.start), window.end)
    return datetime.combine(day, window.start), over


def _without(
    spans: Iterable[tuple[datetime, datetime]], kept: Sequence[tuple[datetime, datetime]]
) -> list[tuple[datetime, datetime]]:
    """What of the spans lies in none of the kept ones."""
    left = list(spans)
    for begin, over in kept:
        cut = [((a, min(b, begin)), (max(a, over), b)) for a, b in left]
        left = [span for pair in cut for span in pair if span[0] < span[1]]
    return left


# Events and last days: what belongs to them goes with them.


def _move_event(state: PlanningState, claim: Claim, words: str, today: date) -> str:
    goal, day = state.goal, date.fromisoformat(claim.arguments["date"])
    called = " ".join(claim.arguments["event"])
    named = events_named(called, goal) or events_named(words, goal) or goal.appointments
    if not named:
        title = called
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

    move_parts(state, moved)


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
