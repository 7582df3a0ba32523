"""What the user has stated stands in the outline, whoever writes the rest: sessions, an order, the subject."""

import re
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any

from loopwright.agents.planner.account.calendar_file import has_word, one_of
from loopwright.agents.planner.account.dates import FILLERS, LEADING_VERB
from loopwright.agents.planner.account.neighbours import WHOLE_WORD
from loopwright.agents.planner.account.when import is_when
from loopwright.agents.planner.contracts.state import GoalFacts, Sketch, SketchPart, SketchSessions, SketchTask
from loopwright.agents.planner.outline_of_sketch import spread
from loopwright.agents.planner.sketch_fitting import QUARTER, SHORTEST_SESSION, quarters, space_of
from loopwright.agents.planner.stated import DUE, ORDER, PLACED, SESSIONS
from loopwright.agents.planner.terms import read_terms
from loopwright.kernel.account.reading import read_statements

USUAL_MINUTES = 60
LONGEST_SUBJECT = 60
VAGUE_WORDS = 3
"""A title this short says nothing by itself, where it has no word of the goal."""
BEGINS = re.compile(
    r"[,;:.!?]|\b(?:before|after|once|and|then|must|we|i|you|ich|wir|bevor|nachdem|vor|nach|und|dann|the|a|an|der|die|das|den|dem)\b",
    re.I,
)
"""Behind this a piece of a sentence begins that names one thing."""
EACH_TIME = re.compile(
    r"\b(?P<amount>\d+(?:[.,]\d+)?)[\s-]*(?P<unit>min\w*|h|hours?|std|stunden?)\s+"
    r"(?:each|at\s+a\s+time|(?:per|a|pro)\s+(?:session|time|mal|einheit)|every\s+time|jeweils|jedes\s+mal)\b",
    re.I,
)
TAIL = r"\s+(?:is|are|ist|sind)\s+\w+\b|\s+(?:it|them)\b(?:\s+(?:together|up|down|out|in|off|on)\b)?"
"""What belongs to a single word that names something: "lease is cancelled", "sew them together"."""
SAYS_NOTHING = re.compile(
    r"\W*(?:title|part|task|step|phase|section|session|thing|item|teil|aufgabe|schritt|abschnitt|titel)s?\W*"
    r"(?:\d+|[a-e]|one|two|three|four|five|eins|zwei|drei)?\W*",
    re.I,
)
"""A name that only counts, such as “Part 1”."""


def seeded(goal: GoalFacts) -> Sketch:
    """The sketch with which a small model begins: what the user does every week, so often as they have said."""
    stated = {str(words): int(count) for words, count in goal.facts.get(SESSIONS, [])}
    placed = [" ".join(words) for words, _ in goal.facts.get(PLACED, [])]
    if not stated and not placed:
        return Sketch()
    sessions: list[SketchSessions] = []
    for words, count in stated.items():
        own = [each for each in placed if words == "session" or all(has_word(each, word) for word in words.split())]
        rest = count - len(own)
        title = subject_of(goal) if words == "session" else single(words)
        sessions += [_series(goal, title, rest)] if rest > 0 else []
    sessions += [_series(goal, each, 1) for each in placed]
    return Sketch(sessions=_fitting(goal, sessions))


def days_chosen(goal: GoalFacts) -> list[int]:
    """On which days of the week there is work, where only their number was stated ("3 times a week")."""
    count = next((int(count) for words, count in goal.facts.get(SESSIONS, []) if words == "session"), 0)
    open_days = sorted({window.weekday for window in read_terms(goal).calendar.windows})
    return spread(open_days, set(), count) if 0 < count < len(open_days) else []


def _series(goal: GoalFacts, title: str, count: int) -> SketchSessions:
    return SketchSessions(title=title[:1].upper() + title[1:], minutes=USUAL_MINUTES, times_per_week=count, stated=True)


def single(words: str) -> str:
    """`runs` is a run, 跑 is 跑步."""
    return one_of(WHOLE_WORD.get(words, words))


def _fitting(goal: GoalFacts, sessions: list[SketchSessions]) -> list[SketchSessions]:
    """With the minutes that the stated hours leave for each of them."""
    count = sum(each.times_per_week for each in sessions)
    said = EACH_TIME.search(goal.text)
    if said is not None:
        size = 60 if said["unit"].lower().startswith(("h", "s")) else 1
        minutes = quarters(float(said["amount"].replace(",", ".")) * size)
        return [each.model_copy(update={"minutes": minutes}) for each in sessions]
    space = space_of(goal)
    if not space.stated and "minutes_per_day" not in goal.stated:
        return sessions
    each_time = min(space.weekly / max(1, count), goal.facts.get("minutes_per_day") or space.weekly)
    minutes = max(QUARTER, min(2 * USUAL_MINUTES, int(each_time // QUARTER * QUARTER)))
    minutes = minutes if minutes > SHORTEST_SESSION else min(minutes, SHORTEST_SESSION)
    return [each.model_copy(update={"minutes": minutes}) for each in sessions]


def subject_of(goal: GoalFacts) -> str:
    """What the goal is about, in its own words: `three songs on the ukulele`; nothing where that cannot be told."""
    if goal.appointments:
        return goal.appointments[0].title[:LONGEST_SUBJECT]
    for statement in read_statements(goal.text):
        if statement.kind not in ("action", "thing", "name", "quantity") or re.match(r"\W*\d", statement.text):
            continue
        words = " ".join(statement.text.split()).rstrip(".!?")
        match = LEADING_VERB.match(words)
        if match is not None and match["verb"].lower() not in FILLERS - {"learn", "study", "practise", "train"}:
            return match["rest"][:LONGEST_SUBJECT]
        capitals = [each.span() for each in re.finditer(r"\b[A-ZÄÖÜ][\w-]+", words)]
        if capitals:
            return words[capitals[0][0] : capitals[-1][1]][:LONGEST_SUBJECT]
    return ""


def completed(goal: GoalFacts, sketch: Sketch) -> Sketch:
    """The sketch with tasks for what the user has put in an order or under a date, and titles that name the subject."""
    sketch = sketch.model_copy(deep=True)
    for before, after, _ in goal.facts.get(ORDER, []):
        last = _place_of(sketch, after)
        _ensure(goal, sketch, before, last)
        _ensure(goal, sketch, after, None)
    for words, day in goal.facts.get(DUE, []):
        soon = goal.deadline is not None and date.fromisoformat(day) < goal.deadline
        _ensure(goal, sketch, words, 0 if soon else None)
        for task in _named(sketch, words):
            task.latest = date.fromisoformat(day)
    if not sketch.parts and not sketch.sessions:
        _ensure(goal, sketch, [goal.text[:LONGEST_SUBJECT]], None)
    _name_subject(goal, sketch)
    return sketch


def _named(sketch: Sketch, words: Iterable[str]) -> list[SketchTask]:
    tasks = (task for part in sketch.parts for task in part.tasks)
    return [task for task in tasks if all(has_word(task.title, word) for word in words)]


def _place_of(sketch: Sketch, words: Sequence[str]) -> int | None:
    parts = enumerate(sketch.parts)
    return next((n for n, part in parts if _named(Sketch(parts=[part]), words)), None)


def _ensure(goal: GoalFacts, sketch: Sketch, words: Sequence[str], place: int | None) -> None:
    """A task with these words; where there is none, one in the user's own words."""
    if _named(sketch, words) or any(all(has_word(each.title, word) for word in words) for each in sketch.sessions):
        return
    if not sketch.parts:
        sketch.parts.append(SketchPart(title=subject_of(goal) or goal.text[:LONGEST_SUBJECT]))
    task = SketchTask(title=own_words(goal.text, words), minutes=USUAL_MINUTES)
    tasks = sketch.parts[-1 if place is None else place].tasks
    tasks.append(task) if place is None else tasks.insert(0, task)


def own_words(text: str, words: Sequence[str]) -> str:
    """The piece of the goal from the first of the words to the last one."""
    found = [[match.span() for match in re.finditer(rf"\b{re.escape(word)}\b", text)] for word in words]
    if words and all(found):
        start, end = min((_window(first, found) for first in found[0]), key=lambda each: each[1] - each[0])
        tail = re.match(TAIL, text[end:]) if len(words) == 1 else None
        end += tail.end() if tail is not None else 0
        begins = max((match.end() for match in BEGINS.finditer(text[:start])), default=0)
        piece = text[begins if start - begins <= LONGEST_SUBJECT // 2 else start : end].strip()
        if len(piece) <= LONGEST_SUBJECT and not re.search(r"[.;:\n]", piece):
            return piece[:1].upper() + piece[1:]
    return " ".join(words)


def _window(first: tuple[int, int], found: Sequence[Sequence[tuple[int, int]]]) -> tuple[int, int]:
    """From where to where the words stand that are nearest to a place of the first one."""
    nearest = [min(spans, key=lambda span: abs(span[0] - first[0])) for spans in found]
    return min(start for start, _ in nearest), max(end for _, end in nearest)


def _name_subject(goal: GoalFacts, sketch: Sketch) -> None:
    """Titles that say nothing by themselves name what the goal is about: a calendar shows them alone."""
    subject = subject_of(goal)
    words = [word for word in re.findall(r"[^\W\d_]{3,}", subject) if word.lower() not in FILLERS]
    orders: list[Any] = [words for before, after, _ in goal.facts.get(ORDER, []) for words in (before, after)]
    if not words or any(all(has_word(subject, word) for word in group) for group in orders):
        return
    tasks: list[SketchTask | SketchSessions] = [task for part in sketch.parts for task in part.tasks]
    tasks += [each for each in sketch.sessions if not each.stated]
    unnamed = [task for task in tasks if not any(has_word(task.title, word) for word in words)]
    nowhere = len(unnamed) == len(tasks)
    for task in unnamed:
        if nowhere or len(task.title.split()) < VAGUE_WORDS:
            task.title = f"{task.title} – {subject}"


def says_nothing(titles: Iterable[str]) -> str | None:
    """The first title that only counts, or only says when; None where each says something."""
    return next((title for title in titles if SAYS_NOTHING.fullmatch(title.strip()) or is_when(title)), None)
