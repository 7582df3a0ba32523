"""How terms are said to the user in English, German or Chinese; the grammar of goals reads all of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from loopwright.agents.planner.patterns import language_of

DAYS: Mapping[str, Sequence[str]] = {
    "en": ("Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays"),
    "de": ("montags", "dienstags", "mittwochs", "donnerstags", "freitags", "samstags", "sonntags"),
    "zh": ("周一", "周二", "周三", "周四", "周五", "周六", "周日"),
}
AND = {"en": " and ", "de": " und ", "zh": "和"}
COMMA = {"en": ", ", "de": ", ", "zh": "、"}
TEXTS: Mapping[str, Mapping[str, str]] = {
    "weekly": {"en": "{n} a week", "de": "{n} pro Woche", "zh": "每周{n}"},
    "least": {"en": "at least {n} a week", "de": "mindestens {n} pro Woche", "zh": "每周至少{n}"},
    "daily": {"en": "at most {n} a day", "de": "höchstens {n} am Tag", "zh": "每天最多{n}"},
    "every_day": {"en": "{n} every day", "de": "jeden Tag {n}", "zh": "每天{n}"},
    "hours": {"en": "{n} hours", "de": "{n} Stunden", "zh": "{n}小时"},
    "hour": {"en": "1 hour", "de": "1 Stunde", "zh": "1小时"},
    "only_on": {"en": "only on {days}", "de": "nur {days}", "zh": "只在{days}"},
    "any_day": {"en": "every day of the week", "de": "alle Tage der Woche", "zh": "一周七天"},
    "on": {"en": "{what} on {days}", "de": "{what} {days}", "zh": "{days}{what}"},
    "times": {"en": "{n} {what} a week", "de": "{n} mal pro Woche {what}", "zh": "每周{what}{n}次"},
    "sitting": {"en": "{n} minutes each time", "de": "jeweils {n} Minuten", "zh": "每次{n}分钟"},
    "total": {"en": "{n} in total", "de": "insgesamt {n}", "zh": "一共{n}"},
    "by": {"en": "by {n}", "de": "bis {n}", "zh": "{n}之前"},
    "contradict": {
        "en": "These contradict each other: “{one}” and “{other}”.",
        "de": "Das widerspricht sich: „{one}“ und „{other}“.",
        "zh": "这两点互相矛盾：“{one}”和“{other}”。",
    },
    "which": {"en": "Which of them may change?", "de": "Was davon darf sich ändern?", "zh": "哪一个可以改？"},
    "unread": {
        "en": "I could not read a number or days in your answer.",
        "de": "In deiner Antwort fand ich keine Zahl und keine Tage.",
        "zh": "我在您的回答中没有读到数字或日期。",
    },
    "kept_limits": {
        "en": "Nobody answered, so the plan keeps the limits: {way}.",
        "de": "Niemand hat geantwortet, darum hält der Plan die Grenzen ein: {way}.",
        "zh": "没有人回答，所以计划遵守限制：{way}。",
    },
    "not_done": {
        "en": "There is no plan. {why} It would fit like this: {ways}.",
        "de": "Es gibt keinen Plan. {why} So würde es gehen: {ways}.",
        "zh": "没有做出计划。{why}可以这样：{ways}。",
    },
    "nothing_fits": {"en": "There is no plan. {why}", "de": "Es gibt keinen Plan. {why}", "zh": "没有做出计划。{why}"},
    "does_not_fit": {"en": "The plan does not fit.", "de": "Der Plan geht nicht auf.", "zh": "计划排不下。"},
    "not_found": {
        "en": "No schedule was found in the time there was.",
        "de": "In der Zeit, die dafür da war, fand sich kein Plan.",
        "zh": "在限定时间内没有找到安排。",
    },
    "not_placed": {
        "en": "No place was found in time for {what}; none was proved impossible.",
        "de": "Dafür fand sich in der Zeit kein Platz: {what}. Dass es keinen gibt, ist nicht bewiesen.",
        "zh": "在限定时间内没有为{what}找到位置；并没有证明排不下。",
    },
    "what_may_change": {
        "en": "What may change, so that the plan fits?",
        "de": "Was darf sich ändern, damit der Plan aufgeht?",
        "zh": "为了排得下，可以改什么？",
    },
    "too_little": {
        "en": "{what} takes {needed}, and there are {there}.",
        "de": "{what} braucht {needed}, und es gibt {there}.",
        "zh": "{what}需要{needed}，只有{there}。",
    },
    "no_place": {
        "en": "There is no place for {what}.",
        "de": "Dafür ist kein Platz: {what}.",
        "zh": "排不下：{what}。",
    },
    "way_latest": {"en": "“{title}” by {n}", "de": "„{title}“ bis {n}", "zh": "“{title}”在{n}之前"},
    "way_earliest": {"en": "“{title}” from {n} on", "de": "„{title}“ ab {n}", "zh": "“{title}”从{n}起"},
    "way_minutes": {"en": "“{title}” in {n} minutes", "de": "„{title}“ in {n} Minuten", "zh": "“{title}”只用{n}分钟"},
    "way_drop": {"en": "without “{title}”", "de": "ohne „{title}“", "zh": "不做“{title}”"},
    "way_splittable": {"en": "“{title}” in parts", "de": "„{title}“ in Teilen", "zh": "“{title}”分开做"},
    "way_longer": {"en": "{n} minutes longer each day", "de": "jeden Tag {n} Minuten länger", "zh": "每天多{n}分钟"},
    "way_day": {"en": "also on {n}", "de": "auch am {n}", "zh": "{n}也做"},
    "which_of": {
        "en": "Which of them do you mean: {names}?",
        "de": "Was davon meinst du: {names}?",
        "zh": "您指的是哪一个：{names}？",
    },
    "which_days": {
        "en": "Which days do you mean? Give the first and the last one.",
        "de": "Welche Tage meinst du? Nenne den ersten und den letzten.",
        "zh": "您指的是哪几天？请说出第一天和最后一天。",
    },
    "unchanged": {
        "en": "The plan stays as it is. {why}",
        "de": "Der Plan bleibt, wie er ist. {why}",
        "zh": "计划保持不变。{why}",
    },
}


@dataclass(frozen=True)
class Phrases:
    """The phrases of one language (`en`, `de`, `zh`). Hours are written without needless digits."""

    language: str

    def text(self, name: str, **values: object) -> str:
        """A text with its values."""
        return TEXTS[name][self.language].format(**values)

    def weekly(self, hours: float) -> str:
        """Hours a week."""
        return self.text("weekly", n=self.hours(hours))

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


def phrases_for(text: str) -> Phrases:
    """The phrases of the language in which the user speaks."""
    return Phrases(language_of(text))
