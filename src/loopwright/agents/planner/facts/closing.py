"""What is said of a plan at its end, in English, German or Chinese: how much, from when to when, what a change did."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime

from loopwright.agents.planner.facts.phrases import DAYS

WEEKDAYS: Mapping[str, Sequence[str]] = {
    "de": ("Mo", "Di", "Mi", "Do", "Fr", "Sa", "So"),
    "zh": DAYS["zh"],
}


def spelled(day: date, language: str) -> str:
    """A day as one writes it."""
    return day.strftime({"en": "%d %b %Y", "de": "%d.%m.%Y", "zh": "%Y年%m月%d日"}[language])


def spelled_moment(moment: datetime, language: str) -> str:
    """A day of the week, a day and a time."""
    if language == "en":
        return f"{moment:%a %d %b %H:%M}"
    day = WEEKDAYS[language][moment.weekday()]
    return f"{day} {moment.strftime({'de': '%d.%m. %H:%M', 'zh': '%m月%d日 %H:%M'}[language])}"
