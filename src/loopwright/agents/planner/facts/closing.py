"""What is said of a plan at its end, in English, German or Chinese: how much, from when to when, what a change did."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime

from loopwright.agents.planner.facts.phrases import DAYS

Words = Mapping[str, str]
"""A text in each language (`en`, `de`, `zh`), with places for values."""
TEXTS: Mapping[str, Words] = {
    "blocks": {
        "en": "{n} blocks, {hours:.0f} h in all, from {first} to {last}.",
        "de": "{n} Termine, zusammen {hours:.0f} h, vom {first} bis zum {last}.",
        "zh": "共{n}个时段、{hours:.0f}小时，从{first}到{last}。",
    },
    "busiest": {
        "en": "The busiest week is week {week} of {year}, with {hours:.1f} h.",
        "de": "Die vollste Woche ist Woche {week} von {year} mit {hours:.1f} h.",
        "zh": "最忙的是{year}年第{week}周，{hours:.1f}小时。",
    },
    "gap": {
        "en": "It is at most {n:.0%} away from the best possible.",
        "de": "Der bestmögliche Plan wäre höchstens {n:.0%} besser.",
        "zh": "与最佳计划最多相差{n:.0%}。",
    },
    "assumed": {
        "en": "I have assumed, so that it fits: {names}.",
        "de": "Damit es passt, ist angenommen: {names}.",
        "zh": "为了排得下，做了这些假设：{names}。",
    },
    "begins": {"en": "It begins with {names}.", "de": "Es beginnt mit {names}.", "zh": "首先是{names}。"},
    "goes_on": {"en": "It goes on with {names}.", "de": "Es geht weiter mit {names}.", "zh": "接下来是{names}。"},
    "way": {"en": "The way is {name}.", "de": "Gewählt ist: {name}.", "zh": "选用的方式：{name}。"},
    "weighed": {"en": "Weighed as well: {name}.", "de": "Auch erwogen: {name}.", "zh": "也考虑过：{name}。"},
    "days_won": {
        "en": "From {first} to {last} nothing is planned: these days stay free.",
        "de": "Vom {first} bis zum {last} ist nichts geplant: Diese Tage bleiben frei.",
        "zh": "{first}到{last}没有安排：这些天空着。",
    },
    "empty": {
        "en": "The plan has nothing to schedule.",
        "de": "Im Plan ist nichts zu verteilen.",
        "zh": "计划里没有要安排的内容。",
    },
    "compared": {
        "en": "Compared with before, {names}.",
        "de": "Verglichen mit vorher: {names}.",
        "zh": "与之前相比：{names}。",
    },
    "moved": {"en": "{n} blocks moved", "de": "{n} Termine verschoben", "zh": "{n}个时段移动"},
    "gone": {"en": "{n} sessions fell away", "de": "{n} Termine entfallen", "zh": "{n}个时段取消"},
    "added": {"en": "{n} sessions came in", "de": "{n} Termine neu", "zh": "{n}个时段新增"},
    "same": {"en": "Nothing moved.", "de": "Nichts ist verschoben.", "zh": "没有移动。"},
    "none": {"en": "none", "de": "keine", "zh": "无"},
    "is_it_so": {"en": "Is this the plan?", "de": "Ist das der Plan?", "zh": "计划就这样定吗？"},
    "is_change_so": {"en": "Is this change right?", "de": "Ist diese Änderung richtig?", "zh": "这样改对吗？"},
    "here": {"en": "Here is where we are: ", "de": "So steht es: ", "zh": "现在的情况："},
    "changes": {
        "en": "I understand changes like: I lost Tuesday; I am ill this week; task 3 took twice as long; I can only do "
        "3 hours a week from now on; no more Fridays; move the exam to June 3; skip task 2; why is task 4 "
        "here; why not earlier?",
        "de": "Verstanden werden zum Beispiel: Ich bin nächste Woche krank; ab Januar nur noch 3 Stunden pro Woche; "
        "freitags geht es nicht mehr; die Prüfung ist jetzt am 3. Juni; mach die letzte Änderung rückgängig.",
        "zh": "可以这样说：下周我出差；从一月起每周三小时；周五没空；考试改到6月3日；撤销上一次修改。",
    },
    "not_named": {
        "en": "No task of this plan is called “{names}”, so nothing would change.",
        "de": "Keine Aufgabe dieses Plans heißt „{names}“, darum würde sich nichts ändern.",
        "zh": "计划里没有叫“{names}”的任务，所以不会有变化。",
    },
    "not_held": {
        "en": "a plan has times and tasks; it does not keep “{names}”",
        "de": "Ein Plan hat Zeiten und Aufgaben; „{names}“ hält er nicht fest",
        "zh": "计划只有时间和任务，不记录“{names}”",
    },
    "deadline": {"en": "Last day", "de": "Letzter Tag", "zh": "最后一天"},
    "start": {"en": "First day", "de": "Erster Tag", "zh": "第一天"},
    "hours": {"en": "Working hours", "de": "Arbeitszeiten", "zh": "工作时间"},
    "hours_per_week": {"en": "Hours a week", "de": "Stunden pro Woche", "zh": "每周小时数"},
    "days": {"en": "Days of the week", "de": "Wochentage", "zh": "星期几"},
    "minutes_per_day": {"en": "Minutes a day", "de": "Minuten am Tag", "zh": "每天分钟数"},
    "days_off": {"en": "Days off", "de": "Freie Tage", "zh": "休息日"},
    "hours_from": {
        "en": "Hours a week from a day on",
        "de": "Stunden pro Woche ab einem Tag",
        "zh": "从某天起的每周小时数",
    },
    "absent": {"en": "Absences", "de": "Abwesenheiten", "zh": "缺席"},
    "sessions": {"en": "Sessions a week", "de": "Termine pro Woche", "zh": "每周次数"},
    "sitting": {"en": "Minutes a session", "de": "Minuten pro Termin", "zh": "每次分钟数"},
}
WEEKDAYS: Mapping[str, Sequence[str]] = {
    "de": ("Mo", "Di", "Mi", "Do", "Fr", "Sa", "So"),
    "zh": DAYS["zh"],
}


def say(name: str, language: str, /, **values: object) -> str:
    """A text with its values.

    Args:
        name: one of `TEXTS`.
        language: `en`, `de` or `zh`.
        values: what stands in its places.
    """
    text = TEXTS[name][language].format(**values)
    # English alone has another form for one.
    return text.replace("blocks", "block").replace("sessions", "session") if values.get("n") == 1 else text


def spelled(day: date, language: str) -> str:
    """A day as one writes it."""
    return day.strftime({"en": "%d %b %Y", "de": "%d.%m.%Y", "zh": "%Y年%m月%d日"}[language])


def spelled_moment(moment: datetime, language: str) -> str:
    """A day of the week, a day and a time."""
    if language == "en":
        return f"{moment:%a %d %b %H:%M}"
    day = WEEKDAYS[language][moment.weekday()]
    return f"{day} {moment.strftime({'de': '%d.%m. %H:%M', 'zh': '%m月%d日 %H:%M'}[language])}"
