"""What a calendar file keeps of stated facts, and what the run's account tells: shares no code with the product.

It reads `plan.ics` by its own lines and the account from the last line of the run; recurrence rules are unrolled by
python-dateutil. A fact is `kept`, `told` (the account names its words as not used, refused, asked or assumed, or the
run ended without a plan and says why), or `wrong`: not kept, and passed off as done.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any, Literal
from zoneinfo import ZoneInfo

from dateutil.rrule import rrulestr

Verdict = Literal["kept", "told", "wrong"]
Fact = Mapping[str, Any]
SLACK = 0.01


@dataclass(frozen=True)
class Entry:
    """An entry of the calendar; `whole` ones take a day and have no time."""

    title: str
    start: datetime
    end: datetime
    whole: bool

    @property
    def hours(self) -> float:
        return (self.end - self.start).total_seconds() / 3600

    @property
    def day(self) -> date:
        return self.start.date()


def read_entries(text: str, zone: str = "Europe/Berlin") -> list[Entry]:
    """The entries of a calendar's text that were not cancelled, each repetition by itself, by the wall clock."""
    lines = re.sub(r"\r?\n[ \t]", "", text).splitlines()
    found: list[Entry] = []
    fields: dict[str, tuple[str, str]] | None = None
    for line in lines:
        if line == "BEGIN:VEVENT":
            fields = {}
        elif line == "END:VEVENT" and fields is not None:
            found += _entries(fields, zone)
            fields = None
        elif fields is not None and ":" in line:
            head, _, value = line.partition(":")
            name, _, parameters = head.partition(";")
            if name == "EXDATE" and name in fields:  # it may stand several times, and have several values
                value = f"{fields[name][1]},{value}"
            fields[name] = (parameters, value) if name == "EXDATE" else fields.get(name, (parameters, value))
    return sorted(found, key=lambda entry: entry.start)


def _entries(fields: Mapping[str, tuple[str, str]], zone: str) -> Iterable[Entry]:
    if fields.get("STATUS", ("", ""))[1] == "CANCELLED":
        return
    title = re.sub(r"\\([,;\\])", r"\1", fields.get("SUMMARY", ("", ""))[1])
    start, whole = _moment(*fields["DTSTART"], zone)
    end, _ = _moment(*fields.get("DTEND", fields["DTSTART"]), zone)
    starts = [start]
    if "RRULE" in fields:
        parameters, values = fields.get("EXDATE", ("", ""))
        gone = {_moment(parameters, value, zone)[0] for value in values.split(",") if value}
        starts = [each for each in rrulestr(fields["RRULE"][1], dtstart=start) if each not in gone]
    for begin in starts:
        yield Entry(title, begin, begin + (end - start), whole)


def _moment(parameters: str, value: str, zone: str) -> tuple[datetime, bool]:
    moment = datetime.fromisoformat(value.rstrip("Z"))
    if len(value) == len("20270131"):
        return moment, True
    if value.endswith("Z"):
        moment = moment.replace(tzinfo=ZoneInfo("UTC")).astimezone(ZoneInfo(zone)).replace(tzinfo=None)
    return moment, False


def holds(fact: Fact, entries: list[Entry]) -> bool:
    """Whether a calendar keeps a fact; what no calendar can show (`told`) never does."""
    work = [each for each in entries if not each.whole]
    if fact.get("since"):
        work = [each for each in work if each.day >= _day(fact["since"])]
    if fact.get("through"):
        work = [each for each in work if each.day <= _day(fact["through"])]
    if fact.get("weeks"):  # by the number of the week: 1 is the one with the year's first Thursday
        work = [each for each in work if each.day.isocalendar().week % 2 == (fact["weeks"] == "odd")]
    check = CHECKS.get(fact["check"])
    return bool(work) and check is not None and check(fact, work, entries)


def verdict(fact: Fact, entries: list[Entry], line: Mapping[str, Any]) -> Verdict:
    """What became of a stated fact in a run that ended with this line."""
    if line.get("type") == "complete" and holds(fact, entries):
        return "kept"
    if line.get("type") != "complete" and len(str(line.get("message") or "")) > 20:
        return "told"
    return "told" if is_told(fact["words"], line) else "wrong"


def is_told(words: str, line: Mapping[str, Any]) -> bool:
    """Whether the ending names half of the words: one text of the account, or all of its texts that say no more."""
    account = line.get("account") or {}
    said = [each["text"] for name in ("not_used", "refused", "asked", "assumed") for each in account.get(name, ())]
    own, parts = set(_words(words)), [set(_words(text)) for text in said]
    within = set().union(*(part for part in parts if part <= own))
    return any(len(own & part) * 2 >= len(own) for part in [*parts, within])


def _words(text: str) -> list[str]:
    return re.findall(r"[a-zäöüß]+|\d+|[\u4e00-\u9fff]", text.casefold())


def _day(text: str) -> date:
    return date.fromisoformat(text)


def _named(title: Iterable[str], entries: Iterable[Entry]) -> list[Entry]:
    return [each for each in entries if all(_has(each.title.casefold(), _root(word)) for word in title)]


def _has(title: str, root: str) -> bool:
    """Whether a word of the title begins with the root; a long one may be the second part of a German word."""
    if root.isascii() and root[-1:].isdigit():
        return re.search(rf"\b{re.escape(root)}\b", title) is not None
    inside = not root.isascii() or len(root) > 5
    return root in title if inside else re.search(rf"\b{re.escape(root)}", title) is not None


def _root(word: str) -> str:
    return re.sub(r"(?:ing|s)$", "", word.casefold()) if word.isascii() and len(word) > 3 else word.casefold()


def _weeks(work: Iterable[Entry]) -> dict[date, list[Entry]]:
    weeks: dict[date, list[Entry]] = defaultdict(list)
    for each in work:
        weeks[each.day - timedelta(days=each.day.weekday())].append(each)
    return weeks


def _inner(weeks: Mapping[date, list[Entry]]) -> list[list[Entry]]:
    mondays = sorted(weeks)
    span = [mondays[0] + timedelta(days=7 * n) for n in range((mondays[-1] - mondays[0]).days // 7 + 1)]
    return [weeks.get(monday, []) for monday in span[1:-1]] or [weeks[monday] for monday in mondays]


def _event(fact: Fact, work: list[Entry], entries: list[Entry]) -> bool:
    found = _named(fact["title"].split(), [each for each in entries if each.whole])
    late = [each for each in _named(fact["title"].split(), work) if each.day >= _day(fact["date"])]
    return bool(found) and all(each.day == _day(fact["date"]) for each in found) and not late


def _over_by(fact: Fact, work: list[Entry], entries: list[Entry]) -> bool:
    last = max(each.day for each in work)
    return last <= _day(fact["date"]) and (not fact.get("not_before") or last >= _day(fact["not_before"]))


def _week_hours(fact: Fact, work: list[Entry], entries: list[Entry]) -> bool:
    sums = [sum(each.hours for each in held) for held in _weeks(work).values()]
    inner = [sum(each.hours for each in held) for held in _inner(_weeks(work))]
    most = fact.get("most") is None or max(sums) <= fact["most"] + SLACK
    return most and (fact.get("least") is None or min(inner) >= fact["least"] - SLACK)


def _day_hours(fact: Fact, work: list[Entry], entries: list[Entry]) -> bool:
    days: dict[date, float] = defaultdict(float)
    for each in work:
        days[each.day] += each.hours
    return bool(max(days.values()) <= fact["most"] + SLACK)


def _sessions(fact: Fact, work: list[Entry], entries: list[Entry]) -> bool:
    held = _named(fact["title"], work) if fact["title"] else work
    return bool(held) and all(len({each.day for each in week}) == fact["count"] for week in _inner(_weeks(held)))


def _order(fact: Fact, work: list[Entry], entries: list[Entry]) -> bool:
    first = _named(fact["first"], work)
    then = [each for each in _named(fact["then"], work) if each not in first]
    if not first or not then:
        return False
    gap = min(each.start for each in then) - max(each.end for each in first)
    return gap >= timedelta(days=fact.get("days", 0))


def _each(fact: Fact, work: list[Entry], entries: list[Entry]) -> bool:
    """Each numbered thing has both of its steps, in their order."""
    pairs = [[fact["item"], str(number)] for number in range(1, fact["count"] + 1)]
    return all(
        _order({"first": [*pair, *fact["first"]], "then": [*pair, *fact["then"]]}, work, entries) for pair in pairs
    )


def _within(fact: Fact, work: list[Entry], entries: list[Entry]) -> bool:
    begin, end = (time.fromisoformat(fact[name]) for name in ("start", "end"))
    held = _named(fact["title"], work) if fact.get("title") else work
    meant = [each for each in held if each.start.weekday() in fact.get("days", range(7))]
    if not held or (fact.get("only") and meant != held):
        return False
    if fact.get("until"):
        meant = [each for each in meant if each.day <= _day(fact["until"])]
    return all(begin <= each.start.time() and each.end <= datetime.combine(each.day, end) for each in meant)


def _assigned(fact: Fact, work: list[Entry], entries: list[Entry]) -> bool:
    """Each of the items is there, and whoever does it stands in all of its titles."""
    held = [_named(item, work) for item in fact["items"]]
    return all(each and each == _named([fact["who"]], each) for each in held)


def _free(fact: Fact, work: list[Entry], entries: list[Entry]) -> bool:
    """Nothing lies on the days; what no entry is named after is kept by none."""
    held = _named(fact["title"], work) if fact.get("title") else work
    return bool(held) and not any(_day(fact["first"]) <= each.day <= _day(fact["last"]) for each in held)


def _none_before(fact: Fact, work: list[Entry], entries: list[Entry]) -> bool:
    held = _named(fact["title"], work)
    return bool(held) and all(each.day >= _day(fact["date"]) for each in held)


def _every_day(fact: Fact, work: list[Entry], entries: list[Entry]) -> bool:
    days: dict[date, float] = defaultdict(float)
    for each in work:
        days[each.day] += each.hours * 60
    span = (max(days) - min(days)).days + 1
    return len(days) == span and all(abs(minutes - fact["minutes"]) <= 15 for minutes in days.values())


def _sitting(fact: Fact, work: list[Entry], entries: list[Entry]) -> bool:
    return all(abs(each.hours * 60 - fact["minutes"]) <= 10 for each in work)


CHECKS: dict[str, Callable[[Fact, list[Entry], list[Entry]], bool]] = {
    "event": _event,
    "over_by": _over_by,
    "starts": lambda fact, work, _: min(each.day for each in work) >= _day(fact["date"]),
    "week_hours": _week_hours,
    "day_hours": _day_hours,
    "week_sessions": _sessions,
    "none_on": lambda fact, work, _: not any(each.day.weekday() in fact["days"] for each in work),
    "only_on": lambda fact, work, _: all(each.day.weekday() in fact["days"] for each in work),
    "some_on": lambda fact, work, _: set(fact["days"]) <= {each.day.weekday() for each in work},
    "title_only_on": lambda fact, work, _: (
        bool(_named(fact["title"], work))
        and all(each.day.weekday() in fact["days"] for each in _named(fact["title"], work))
    ),
    "none_before": _none_before,
    "title_none_between": _free,
    "title_over_by": lambda fact, work, _: (
        bool(_named(fact["title"], work))
        and all(each.day <= _day(fact["date"]) for each in _named(fact["title"], work))
    ),
    "order": _order,
    "within": _within,
    "assigned": _assigned,
    "free": _free,
    "every_day": _every_day,
    "sitting": _sitting,
    "total": lambda fact, work, _: abs(sum(each.hours for each in work) - fact["hours"]) <= 0.1 * fact["hours"],
    "title_total": lambda fact, work, _: (
        abs(sum(each.hours for each in _named(fact["title"], work)) - fact["hours"]) <= 0.1 * fact["hours"]
    ),
    "titled": lambda fact, work, _: bool(_named(fact["title"], work)),
    "each": _each,
    "gone": lambda fact, work, _: not _named(fact["title"], work),
}
"""Each kind of fact: whether the work, or all entries, keep it."""


def quality(entries: list[Entry], facts: Collection[Fact] = ()) -> dict[str, float]:
    """How a plan reads, each a share of 0 to 1 but the last.

    Days with more than two sessions of one kind, blocks under half an hour, how evenly the weeks are filled (mean by
    peak), stated events on their day, weeks with a day without work (none is asked of who works every day), days of
    work in a week. What a plan does not have is left out.
    """
    work = [each for each in entries if not each.whole]
    if not work:
        return {}
    days: dict[date, list[Entry]] = defaultdict(list)
    for each in work:
        days[each.day].append(each)
    heads = [[each.title.split(":")[0].split("(")[0] for each in held] for held in days.values()]
    crowded = sum(any(titles.count(title) > 2 for title in titles) for titles in heads)
    sums = [sum(each.hours for each in held) for held in _inner(_weeks(work))]
    found = {
        "days_with_three_alike": crowded / len(days),
        "fragments": sum(each.hours < 0.5 - SLACK for each in work) / len(work),
        "evenness": sum(sums) / len(sums) / max(sums) if max(sums) else 0.0,
    }
    events = [holds(fact, entries) for fact in facts if fact["check"] == "event"]
    if events:
        found["events_on_date"] = sum(events) / len(events)
    if not any(fact["check"] == "every_day" for fact in facts):
        weeks = _weeks(work).values()
        found["weeks_with_rest"] = sum(len({each.day for each in held}) < 7 for held in weeks) / len(weeks)
    return found | {"days_a_week": len(days) / max(1, len(_weeks(work)))}
