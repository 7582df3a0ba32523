"""The planner's account: what of the user's words holds in the calendar file, measured by code that did not make it."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from loopwright.agents.planner.account.binding import bind, subject_alone
from loopwright.agents.planner.account.calendar_file import CALENDAR, PlanCalendar, has_word, read_calendar
from loopwright.agents.planner.account.checks import CHECKS, look_at, named_in
from loopwright.agents.planner.account.neighbours import EVENT_KINDS, HAN_KINDS
from loopwright.agents.planner.facts.phrases import say
from loopwright.agents.planner.patterns import language_of
from loopwright.kernel.account import (
    AccountKit,
    Assumed,
    Claim,
    Declined,
    NothingThereYet,
    NotMeasurable,
    Reading,
    Statement,
)
from loopwright.kernel.account.reading import hard_tokens

if TYPE_CHECKING:
    from loopwright.kernel.run import AgentRun

__all__ = ["ACCOUNT", "CHECKS", "bind", "broken_limit", "not_so"]


async def read(run: "AgentRun", statements: Sequence[Statement]) -> Mapping[str, Reading]:
    """The claims of the statements that the rules read, and what no plan holds as refused; the others stay open.

    What only names its subject is assumed to be planned, where titles name it, or where it is the goal itself.
    """
    try:
        calendar = read_calendar(run.output_dir / CALENDAR)
    except (NothingThereYet, NotMeasurable):
        calendar = None
    claims = bind(statements, today_of(run))
    if calendar is not None:
        claims = {key: as_limit(run, key, each) for key, each in claims.items()}
        claims |= await _of_changes(run, statements)
    readings: dict[str, Reading] = {key: as_known(run, each, calendar) for key, each in claims.items()}
    for statement in statements:
        reason = not_held(run, statement) if statement.id not in readings else ""
        if reason:
            readings[statement.id] = Declined(reason)
    if calendar is None:
        return readings
    for statement in statements:
        words = subject_alone(statement, today_of(run)) if statement.id not in readings else ()
        found = calendar.doing(words) if words else ()
        if found:
            readings[statement.id] = Assumed(f"planned as what is {named_in(calendar, found)}")
        elif words and _is_goal(run, statement) and calendar.work:
            readings[statement.id] = Assumed(f"taken as the goal of {len(calendar.work)} entries; no title names it")
    return readings


def as_limit(run: "AgentRun", statement: str, claim: Claim) -> Claim:
    """Hours that a change of a plan gives are the most that there may be: its work is as much as it was."""
    told, message = claim.arguments, run.state.account.statements[statement].message
    rate = claim.check == "per_day" or (claim.check == "per_week" and told["unit"] == "hours")
    if not rate or told["relation"] != "about" or message in run.state.account.fresh:
        return claim
    return claim.model_copy(update={"arguments": told | {"relation": "at_most"}})


async def _of_changes(run: "AgentRun", statements: Sequence[Statement]) -> dict[str, Claim]:
    """The claims of what is changed in a settled plan: read as the change itself is, with its tasks and its events."""
    from loopwright.agents.planner.facts.change_reading import read_fact_change
    from loopwright.agents.planner.memory import load_planning
    from loopwright.agents.planner.workflow.asking import as_settled

    state = as_settled(await load_planning(run.services, run.state.session_id))
    found: dict[str, Claim] = {}
    for number in {each.message for each in statements} - run.state.account.fresh:
        text = run.state.said[number]
        change = read_fact_change(text, state, today_of(run))
        own = [each for each in statements if each.message == number]
        for task in change.tasks if change is not None and not change.question else ():
            for said in (task.said, *task.echoes):
                first = text.find(said)
                inside = [each for each in own if first <= each.parts[0][0] and each.parts[-1][1] <= first + len(said)]
                found |= {each.id: task.claim for each in inside if task.claim is not None}
        for claim in change.claims if change is not None and not change.question else ():
            if claim.check == "on_day":  # an event by its title, whatever it is called in the words
                found |= {
                    each.id: claim
                    for each in own
                    if each.id not in found and set(each.hard) & {*claim.arguments["said"]}
                }
    return found


def as_known(run: "AgentRun", claim: Claim, calendar: PlanCalendar | None) -> Claim:
    """A claim on an event by the words of an earlier message, or of the calendar: its day takes the old one's place.

    `the physiology exam` is what was called physiology; an event that is only called by its kind is the only one.
    """
    if claim.check != "on_day":
        return claim
    account = run.state.account
    before = [each.claim for each in (*account.earlier.values(), *account.statements.values())]
    known = {tuple(each.arguments["event"]) for each in before if each is not None and each.check == "on_day"}
    own = tuple(str(word) for word in claim.arguments["event"])
    names = [word for word in own if word.casefold() not in EVENT_KINDS and not HAN_KINDS.fullmatch(word)]
    there = {tuple(each.title.split()) for each in calendar.appointments} if calendar is not None else set()
    for events in (known, there):
        same = [each for each in events if not names or any(has_word(" ".join(each), word) for word in names)]
        if own in events or len(same) > 1:
            return claim
        if same:
            break
    else:
        return claim
    told = claim.arguments | {"event": list(same[0]), "words": [], "said": [*claim.arguments["said"], " ".join(own)]}
    return claim.model_copy(update={"arguments": told})


def not_held(run: "AgentRun", statement: Statement) -> str:
    """Why no plan holds a statement: it names an amount of money, people or things. Nothing where it names none."""
    if statement.kind in ("question", "context"):
        return ""
    tokens = hard_tokens(statement.text)
    amounts = [each.text for each in tokens if any(value.type in ("money", "count") for value in each.values)]
    language = language_of(run.state.said[statement.message])
    return say("not_held", language, names="”, “".join(amounts)) if amounts else ""


def _is_goal(run: "AgentRun", statement: Statement) -> bool:
    """Whether the statement is what a message that found no plan yet names first: the whole plan is made for it."""
    every = run.state.account.statements.values()
    same = [each for each in every if each.message == statement.message and each.kind in ("action", "thing", "name")]
    first = min(same, key=lambda each: each.parts, default=None)
    return statement.message in run.state.account.fresh and first is not None and first.id == statement.id


def not_so(run: "AgentRun", calendar: PlanCalendar, *, leave_out: Sequence[str] = ()) -> list[str]:
    """What the user has stated that a calendar does not keep, or that no check reads, each with what was found.

    Statements of the messages in `leave_out` are not looked at.
    """
    told = []
    for statement in run.state.account.open:
        if any(words and statement.text in words for words in leave_out):
            continue
        if statement.claim is None:
            if statement.hard and statement.kind not in ("question", "context"):
                told.append(f"“{statement.text}”: {not_held(run, statement) or 'no check reads this'}")
            continue
        try:
            holds, value, _ = look_at(calendar, statement.claim)
        except NotMeasurable as error:
            holds, value = False, str(error)
        if not holds:
            told.append(f"“{statement.text}”: {value}")
    return told


LIMITS = ("none_on", "only_on", "within", "free", "ends_by", "on_day", "per_day", "per_week")
LIMITING = frozenset((*LIMITS, "gap", "starts", "gone", "assigned"))


def broken_limit(calendar: PlanCalendar, claim: Claim) -> str:
    """What a calendar does against a limit that was stated; nothing where it keeps it, or only falls short of it."""
    if claim.check not in LIMITING or not calendar.work:
        return ""
    told = claim.arguments
    if told.get("also"):
        return ""
    if claim.check in ("per_day", "per_week"):
        if told["relation"] == "at_least" or told.get("unit") == "sessions":
            return ""
        claim = claim.model_copy(
            update={"arguments": told | {"relation": "at_most"} | ({"title": []} if "title" in told else {})}
        )
    if claim.check == "ends_by":
        claim = claim.model_copy(update={"arguments": told | {"title": [], "not_before": None, "of": []}})
    if claim.check == "on_day":  # "the anatomy exam" is the one that is called anatomy
        held = [each for each in calendar.entries if each.whole_day]
        words = [word for word in told["event"] if any(has_word(each.title, word) for each in held)]
        if not words:
            return ""
        claim = claim.model_copy(update={"arguments": told | {"event": words, "words": []}})
    try:
        holds, value, _ = look_at(calendar, claim)
    except NotMeasurable:
        return ""
    absent = claim.check in ("gap", "starts", "assigned") and value.startswith("not in any title")
    return "" if holds or absent else value


def today_of(run: "AgentRun") -> date:
    """The day on which the run was asked for, in the user's zone."""
    now = run.state.options.get("now")
    moment = datetime.fromisoformat(str(now)) if now else datetime.now(UTC)
    return moment.astimezone(ZoneInfo(str(run.state.options.get("timezone") or "UTC"))).date()


async def fresh(run: "AgentRun") -> bool:
    """Whether there is no plan yet."""
    return not (run.output_dir / CALENDAR).exists()


NAMING = ("title", "of", "before", "after")
"""Arguments that name work by words of its title."""


def replaces(new: Claim, old: Claim) -> bool:
    """Whether what was said earlier of a thing is over: it is gone, takes other hours, or comes in the other order."""

    def alike(one: Sequence[str], other: Sequence[str]) -> bool:
        return bool(one) and all(has_word(" ".join(other), word) for word in one)

    told, was = new.arguments, old.arguments
    match new.check:
        case "gone":
            items = was.get("items") or ()
            return any(alike(told["of"], each) for each in (*(was.get(name) or () for name in NAMING), *items))
        case "total":
            return old.check == "total" and alike(was["of"], told["of"])
        case "gap" if old.check == "gap" and told["day"]:
            return bool(was["day"]) and alike(told["before"], was["before"])
        case "gap" if old.check == "gap":
            return alike(told["before"], was["after"]) and alike(told["after"], was["before"])
        case "assigned" if old.check == "assigned" and told["who"] != was["who"]:
            return any(alike(item, other) for item in told["items"] for other in was["items"])
    return False


ACCOUNT = AccountKit(checks=CHECKS, read=read, fresh=fresh, replaces=replaces)
