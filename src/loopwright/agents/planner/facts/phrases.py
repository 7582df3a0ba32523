"""How terms are said to the user in English, German or Chinese; the grammar of goals reads all of them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from loopwright.agents.planner.contracts.state import GoalFacts
from loopwright.agents.planner.patterns import language_of
from loopwright.kits.dialogue import wording_of

PACKAGE = "loopwright.agents.planner"
"""Its folder `wording` has the texts."""

DAYS: Mapping[str, Sequence[str]] = {
    "en": ("Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays"),
    "de": ("montags", "dienstags", "mittwochs", "donnerstags", "freitags", "samstags", "sonntags"),
    "zh": ("周一", "周二", "周三", "周四", "周五", "周六", "周日"),
}
AND = {"en": " and ", "de": " und ", "zh": "和"}
COMMA = {"en": ", ", "de": ", ", "zh": "、"}


def say(name: str, language: str, /, **values: object) -> str:
    """A text with its values.

    Args:
        name: one of `wording/*.json`; of one (`n` is 1) the text with `_one` behind its name, where a language has it.
        language: `en`, `de` or `zh`.
        values: what stands in its places.
    """
    wording = wording_of(PACKAGE, language)
    one = f"{name}_one"
    return wording.say(one if values.get("n") == 1 and one in wording.words else name, **values)


@dataclass(frozen=True)
class Phrases:
    """The phrases of one language (`en`, `de`, `zh`). Hours are written without needless digits."""

    language: str

    def text(self, name: str, **values: object) -> str:
        """A text with its values."""
        return say(name, self.language, **values)

    def weekly(self, hours: float) -> str:
        """Hours a week."""
        return self.text("weekly", n=self.hours(hours))

    def most(self, hours: float) -> str:
        """At most so many hours a week."""
        return self.text("most", n=self.hours(hours))

    def least(self, hours: float) -> str:
        """At least so many hours a week."""
        return self.text("least", n=self.hours(hours))

    def daily(self, hours: float) -> str:
        """At most so many hours a day."""
        return self.text("daily", n=self.hours(hours))

    def every_day(self, hours: float) -> str:
        """So many hours on every day."""
        return self.text("every_day", n=self.hours(hours))

    def hours(self, hours: float) -> str:
        """Hours."""
        number = f"{round(hours, 2):g}"
        return self.text("hour") if number == "1" else self.text("hours", n=number)

    def total(self, hours: float) -> str:
        """Hours in all."""
        return self.text("total", n=self.hours(hours))

    def by(self, day: date) -> str:
        """A last day."""
        return self.text("by", n=day.isoformat())

    def times(self, count: int, what: str) -> str:
        """Sessions a week."""
        general = "sessions" if self.language == "en" else ""
        return self.text("times", n=count, what=general if what == "session" else what).strip()

    def sitting(self, hours: float) -> str:
        """How long a session is."""
        return self.text("sitting", n=round(hours * 60))

    def only_on(self, days: Sequence[int]) -> str:
        """The days that alone are there."""
        return self.text("only_on", days=self._list(days))

    def on(self, what: Sequence[str], days: Sequence[int]) -> str:
        """Something on certain days."""
        return self.text("on", what=" ".join(what), days=self._list(days))

    def days_with(self, days: Sequence[int], hours: float | None) -> str:
        """The days of a week, and how much of each there may be."""
        named = self.text("any_day") if len(days) == len(DAYS["en"]) else self.only_on(days)
        return named if hours is None else f"{named}{COMMA[self.language]}{self.daily(hours)}"

    def contradict(self, one: str, other: str) -> str:
        """Two statements that contradict each other."""
        return self.text("contradict", one=one, other=other)

    def _list(self, days: Sequence[int]) -> str:
        names = [DAYS[self.language][day] for day in days]
        if len(names) < 2:
            return names[0]
        return f"{COMMA[self.language].join(names[:-1])}{AND[self.language]}{names[-1]}"


LANGUAGE = "language"
"""Fact of a goal: the language of the newest change, in which it is answered."""
ENGLISH = re.compile(r"\b(?:the|is|are|to|of|and|from|by|for|not|we|my|more|only|can|will|it|me|us)\b", re.I)


def spoken(words: str, goal: GoalFacts) -> str:
    """The language of a change; of a few words that could be any it is that of the goal."""
    own, before = language_of(words), language_of(goal.text)
    return before if own == "en" and not ENGLISH.search(words) else own


def language_for(goal: GoalFacts) -> str:
    """The language in which the user hears of a plan: that of what was said last."""
    return str(goal.facts.get(LANGUAGE) or language_of(goal.text))


def phrases_for(goal: GoalFacts) -> Phrases:
    """The phrases of the language in which the user speaks."""
    return Phrases(language_for(goal))
