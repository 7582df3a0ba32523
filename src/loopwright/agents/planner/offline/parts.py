"""A family's phases and cycles laid out over the days that there are."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Any


@dataclass
class Part:
    """A phase or a cycle. `share` is its part of all effort, `begin` and `end` its place in the horizon, 0 to 1.

    `links` are (key of the other part, type, lag as a part of the other one's length); `number` counts repetitions.
    """

    key: str
    raw: dict[str, Any]
    share: float
    links: list[tuple[str, str, float]] = field(default_factory=list)
    parts: list["Part"] = field(default_factory=list)
    number: int | None = None
    begin: float = 0.0
    end: float = 1.0

    @property
    def works(self) -> bool:
        """Whether tasks lie in it, and not only other parts."""
        return bool(self.raw.get("tasks") or self.raw.get("sub_goals"))

    def days(self, first: date, last: date) -> tuple[date, date]:
        """First and last day of the part in a horizon; at least one day."""
        total = (last - first).days + 1
        begin = min(round(self.begin * total), total - 1)
        end = max(begin, min(round(self.end * total), total) - 1)
        return first + timedelta(days=begin), first + timedelta(days=end)


def lay_out(raws: Iterable[dict[str, Any]], weeks: float) -> list[Part]:
    """The parts of a family, repeated where they repeat, with their places in the horizon."""
    parts = _expanded(list(raws), weeks, "")
    _place(parts, 0.0, 1.0)
    return parts


def walk(parts: Iterable[Part]) -> Iterable[Part]:
    """All parts, each one before what lies in it."""
    for part in parts:
        yield part
        yield from walk(part.parts)


def _expanded(raws: list[dict[str, Any]], weeks: float, prefix: str) -> list[Part]:
    total = sum(raw.get("share", 1.0) for raw in raws) or 1.0
    found: list[Part] = []
    last_of: dict[str, str] = {}
    for raw in raws:
        share = raw.get("share", 1.0) / total
        count = _count(raw.get("repeat"), weeks * share)
        for number in range(1, count + 1):
            key = f"{prefix}{raw['key']}" + (f"_{number}" if raw.get("repeat") else "")
            part = Part(key, raw, share / count, number=number if raw.get("repeat") else None)
            if number > 1:
                part.links = [(found[-1].key, "finish_to_start", 0.0)]
            else:
                part.links = [_link(link, last_of) for link in raw.get("after", ())]
            part.parts = _expanded(list(raw.get("parts", ())), weeks * part.share, f"{key}_")
            found.append(part)
            last_of[raw["key"]] = key
    return found


def _link(link: str | dict[str, Any], last_of: dict[str, str]) -> tuple[str, str, float]:
    if isinstance(link, str):
        return last_of[link], "finish_to_start", 0.0
    return last_of[link["key"]], link.get("type", "finish_to_start"), float(link.get("lag_share", 0.0))


def _count(repeat: dict[str, Any] | None, weeks: float) -> int:
    if repeat is None:
        return 1
    least, most = int(repeat["min"]), int(repeat["max"])
    return max(least, min(most, round(weeks / float(repeat["per_weeks"]))))


def _place(parts: list[Part], begin: float, end: float) -> None:
    """Forward pass over the links, then stretched so that the last part ends with the horizon."""
    spans: dict[str, tuple[float, float]] = {}
    for part in parts:
        start = 0.0
        for other, kind, lag in part.links:
            first, last = spans[other]
            edge = first if kind.startswith("start") else last
            anchor = edge + lag * (last - first)
            start = max(start, anchor if kind.endswith("to_start") else anchor - part.share)
        spans[part.key] = (start, start + part.share)
    length = max((last for _, last in spans.values()), default=1.0) or 1.0
    for part in parts:
        first, last = spans[part.key]
        part.begin = begin + (end - begin) * first / length
        part.end = begin + (end - begin) * last / length
        _place(part.parts, part.begin, part.end)


def scaled_shares(parts: list[Part], whole: float = 1.0) -> list[Part]:
    """The parts with tasks, their shares being of all the effort."""
    found = []
    for part in parts:
        share = part.share * whole
        inner = part.parts
        if part.works:
            own = 0.0 if not inner else 0.15
            found.append(replace(part, share=share * (own or 1.0)))
            share *= 1.0 - own
        found += scaled_shares(inner, share)
    return found
