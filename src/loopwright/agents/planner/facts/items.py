"""Single things that the user has named: steps of each of several, hours, the first day, times of the day."""

import math
import re
from collections.abc import Iterable, Sequence
from datetime import date, time, timedelta
from uuid import UUID

from loopwright.agents.planner.account.calendar_file import numbered, one_of
from loopwright.agents.planner.account.clauses import AMOUNT, EVERY_PART
from loopwright.agents.planner.account.dates import EVERY_DAY, NOT, PER_DAY
from loopwright.agents.planner.contracts.plan import Dependency, PlanNode
from loopwright.agents.planner.contracts.state import GoalFacts
from loopwright.agents.planner.facts.draft import USUAL_MINUTES, Draft, home_of
from loopwright.agents.planner.facts.phrases import phrases_for
from loopwright.agents.planner.outline_of_sketch import DAY_CODES
from loopwright.agents.planner.problem_reviews import is_review
from loopwright.agents.planner.problem_tasks import HOURS, SLOT
from loopwright.agents.planner.roadmap_options import recurring_source
from loopwright.agents.planner.schedule.problem import Window
from loopwright.agents.planner.sketch_completing import own_words
from loopwright.agents.planner.stated import (
    ASSIGNED,
    DAILY_OF,
    DUE,
    EACH,
    FIRST_BY,
    HOURS_BY,
    HOURS_OF,
    MINUTES_EACH,
    NAMED_HOURS,
    NOT_BEFORE,
    ORDER,
    PLACED,
    SESSIONS,
    SITTING,
    TASKS,
)
from loopwright.agents.planner.terms import OPENED, read_terms

STATED = "stated_minutes"
"""Marks work whose length is the user's own word: nothing makes it shorter."""
STEP_MINUTES, SESSION_MINUTES, QUARTER, LEAST = 90, 120, 15, 30
MOST_A_DAY = 480
ANY_SESSION = "session"
"""What is counted without a name: all work of the plan is done in these sessions."""
GENERAL_TAG, USUAL_TAG = "general", "usual"
"""Mark a task of a plan for anything at all, and one of the usual plan for a project of this kind."""
ENOUGH_NAMED, ENOUGH_STEPS, ENOUGH_FOR_EVENT = 2, 3, 5
"""So many tasks that the user has named are a plan of their own: instead of one for anything, of the usual one for a
project, and of the usual one for an event, of which people name less than there is to do."""
MOST_GIVEN_UP = 0.6
"""So much of the draft's single work may be taken for what the user has named."""
SATURDAY = 5
USUAL_DAY = ("09:00", "17:00")
AHEAD_OF_EVENT, USUAL_WEEKLY_HOURS = timedelta(weeks=6), 5.0
LONGEST_MEETING = 240
"""Minutes: what is said to be from two to four o'clock takes so long; longer hours are those in which it may lie."""
CAN_OR_IS = r"(?:is|are|can|has|have|ist|sind|kann|können|hat|haben)\b"
HOW_LONG = re.compile(
    rf"^(?:\s*(?:{AMOUNT}|{EVERY_DAY}|{PER_DAY}|{EVERY_PART}|of|for|von|an?|à|day|学|做))+\s+(?=\S)", re.I
)
"""What stands before the name of something that is done so long on every day."""
NO = re.compile(rf"^\s*(?:do\s+)?(?:{NOT})\s+", re.I)
"""A negation with which the words for something begin that is done later."""


def each_of(draft: Draft, goal: GoalFacts) -> None:
    """Each of the things that were counted has its steps, one after the other: "Chapter 1: read"."""
    lengths = dict(goal.facts.get(MINUTES_EACH, []))
    for item, count, steps in goal.facts.get(EACH, []):
        for leaf in draft.named([str(item)]):
            number = re.search(rf"{item}\s+(\d+)\b", leaf.title, re.I)
            if number is not None and int(number[1]) > int(count):
                draft.drop(leaf)
        last: PlanNode | None = None
        for place in range(1, int(count) + 1):
            for step in steps:
                named = [leaf for leaf in draft.named([str(item), *step]) if _is_once(draft, leaf)]
                named = [leaf for leaf in named if numbered(str(item), place).search(leaf.title)]
                title = _numbered_title(str(item), place, step, alone=len(steps) == 1)
                if item in lengths and not named:
                    last = in_sessions(draft, goal, title, int(lengths[item]) // len(steps), last)
                    continue
                leaf = named[0] if named else draft.add(title, home_of(draft), estimated_minutes=STEP_MINUTES)
                leaf.metadata.setdefault("parallel", True)
                if last is not None and last.id != leaf.id and not _are_linked(draft, last, leaf):
                    leaf.dependencies = [*leaf.dependencies, Dependency(node_id=last.id)]
                last = named[-1] if named else leaf
    for item, count, day in goal.facts.get(FIRST_BY, []):
        for leaf in draft.named([str(item)]):
            if any(numbered(str(item), place).search(leaf.title) for place in range(1, int(count) + 1)):
                leaf.metadata["latest"] = min(str(leaf.metadata.get("latest") or day), day)


def _numbered_title(item: str, place: int, step: Sequence[str], *, alone: bool) -> str:
    """What one of several is called: "Module 3", "Read paper 3" where that is all, else "Chapter 3: read"."""
    name, words = f"{item[:1].upper()}{item[1:]} {place}", " ".join(step)
    if not item.isascii() and re.match(r"[\u4e00-\u9fff]", item):
        name = f"第{place}{item}"
    if not step or not (alone and item.isascii() and item.islower()):
        return f"{name}: {words}" if step else name
    return f"{words[:1].upper()}{words[1:]} {item} {place}"


def _are_linked(draft: Draft, one: PlanNode, other: PlanNode) -> bool:
    return draft.waits_for(one, other.id) or draft.waits_for(other, one.id)


def of_stated_hours(draft: Draft, goal: GoalFacts) -> None:
    """So many hours for one thing, in sessions: "10 hours for the writing"."""
    for words, hours in goal.facts.get(HOURS_OF, []):
        held = [leaf for leaf in draft.named(words) if _is_once(draft, leaf)]
        if any(leaf.metadata.get(STATED) for leaf in held):
            continue
        for leaf in held[1:]:
            draft.drop(leaf)
        in_sessions(draft, goal, own_words(goal.text, words), round(float(hours) * 60))
        for leaf in held[:1]:
            draft.drop(leaf)
    for words, hours, day in goal.facts.get(HOURS_BY, []):
        left = round(float(hours) * 60)
        for leaf in draft.named(words):
            if left > 0 and leaf.metadata.get(STATED):
                leaf.metadata["latest"], left = day, left - _minutes(leaf)


def in_sessions(
    draft: Draft, goal: GoalFacts, title: str, minutes: int, last: PlanNode | None = None
) -> PlanNode | None:
    """Work of so many minutes in sessions of one length, one after the other: "Writing (2/5)"; gives the last one."""
    session = goal.facts.get(SITTING) or SESSION_MINUTES
    if goal.hours_per_week:  # two sessions a week at least: one has to fit beside what else there is
        session = max(STEP_MINUTES // 2, min(session, int(goal.hours_per_week * 60 / 3) // QUARTER * QUARTER))
    if goal.facts.get("minutes_per_day"):
        session = min(session, int(goal.facts["minutes_per_day"]))
    count = -(-minutes // session)
    length = -(-minutes // count // QUARTER) * QUARTER
    for number in range(1, count + 1):
        name = f"{title} ({number}/{count})" if count > 1 else title
        leaf = draft.add(name, home_of(draft), estimated_minutes=min(length, minutes), **{STATED: True})
        leaf.metadata["splittable"] = False
        if last is not None:
            leaf.dependencies = [Dependency(node_id=last.id)]
        minutes, last = minutes - length, leaf
        if minutes <= 0:
            break
    return last


def named_tasks(draft: Draft, goal: GoalFacts) -> None:
    """What else is to be done, in the user's words, where the draft has none of it."""
    for words in goal.facts.get(TASKS, []):
        if not draft.named(words):
            draft.add(own_words(goal.text, words), home_of(draft), estimated_minutes=SESSION_MINUTES)


def every_day(draft: Draft, goal: GoalFacts) -> None:
    """What is done for so many minutes on every day that is open, beside all other work."""
    open_days = sorted({window.weekday for window in read_terms(goal).calendar.windows})
    for words, minutes in goal.facts.get(DAILY_OF, []):
        found = [leaf for leaf in draft.named(words) if not _is_once(draft, leaf)]
        title = HOW_LONG.sub("", own_words(goal.text, words))
        for leaf in found or [draft.add(title[:1].upper() + title[1:], draft.root_id)]:
            leaf.recurrence = "weekly"
            leaf.metadata.pop("occurrences", None)
            leaf.metadata |= {
                "rrule": f"FREQ=WEEKLY;BYDAY={','.join(DAY_CODES[day] for day in open_days)}",
                "estimated_minutes": max(QUARTER, int(minutes)),
                "splittable": False,
                STATED: True,
            }


def without_general(draft: Draft, goal: GoalFacts) -> bool:
    """A plan that was made for others gives way to the work that the user has named."""
    facts = goal.facts
    sure = [*facts.get(EACH, []), *facts.get(HOURS_OF, [])]
    sure += [name for name, _ in facts.get(SESSIONS, []) if name != ANY_SESSION]
    named = [*facts.get(TASKS, []), *(words for _, words in facts.get(ASSIGNED, []))]
    named += [words for words, _ in (*facts.get(DUE, []), *facts.get(PLACED, []), *facts.get(DAILY_OF, []))]
    named += [words for pair in facts.get(ORDER, []) for words in pair[:2]]
    count = len({tuple(words) for words in named})
    gone = {GENERAL_TAG} if sure or count >= ENOUGH_NAMED else set()
    listed = {tuple(words) for words in facts.get(TASKS, [])} | _steps_in_a_row(facts.get(ORDER, []))
    gone |= {USUAL_TAG} if len(listed) >= (ENOUGH_FOR_EVENT if goal.appointments else ENOUGH_STEPS) else set()
    general = [leaf for leaf in draft.leaves() if gone.intersection(leaf.tags)]
    if not general:
        return False
    parts = {draft.part_of(leaf).id for leaf in general}
    for leaf in general:
        draft.drop(leaf)
    for leaf in [each for key in parts if key in draft.nodes for each in draft.children(key) if is_review(each)]:
        if draft.part_of(leaf).id in draft.nodes and all(map(is_review, draft.children(draft.part_of(leaf).id))):
            draft.drop(leaf)
    return True


def _steps_in_a_row(order: Sequence[tuple[Sequence[str], Sequence[str], int]]) -> set[tuple[str, ...]]:
    """The steps of what was told from step to step; that one thing must come before another lists no work."""
    pairs = [(tuple(one), tuple(other)) for one, other, _ in order]
    middle = {one for one, _ in pairs} & {other for _, other in pairs}
    return {step for pair in pairs for step in pair if middle.intersection(pair)}


def guess_lengths(draft: Draft, goal: GoalFacts) -> None:
    """How long that takes of which nobody has said it, in a plan of such work alone; the user is told."""
    once = [leaf for leaf in draft.leaves() if _is_once(draft, leaf) and not is_review(leaf)]
    guessed = [leaf for leaf in once if not leaf.metadata.get(STATED)]
    for leaf in guessed:
        leaf.metadata["estimated_minutes"] = min(SESSION_MINUTES, int(goal.facts.get("minutes_per_day") or MOST_A_DAY))
    _near_the_event(draft, goal, once)
    if guessed:
        draft.notes.append(phrases_for(goal).text("guessed", n=SESSION_MINUTES))


def _near_the_event(draft: Draft, goal: GoalFacts, leaves: Sequence[PlanNode]) -> None:
    """What is done for an event, and has no day or order of its own, is done in the weeks before it.

    No cake in December for a party in March; there is twice the time that it all takes.
    """
    if not goal.appointments:
        return
    event = max(each.date for each in goal.appointments)
    weekly = (goal.hours_per_week or USUAL_WEEKLY_HOURS) * 60
    ahead = max(AHEAD_OF_EVENT, timedelta(weeks=math.ceil(2 * sum(map(_minutes, leaves)) / weekly)))
    first = event - ahead
    if goal.today is None or first <= goal.today:
        return
    waited_for = {each.node_id for leaf in draft.nodes.values() for each in leaf.dependencies}
    for leaf in leaves:
        fixed = (
            leaf.metadata.keys() & {"earliest", "latest", "absent", HOURS}
            or leaf.dependencies
            or leaf.metadata.get(STATED)
        )
        if not fixed and leaf.id not in waited_for:
            leaf.metadata["earliest"] = first.isoformat()


def make_space(draft: Draft, known: set[UUID]) -> None:
    """The draft's single work gives time to what was added: together it takes as long as before, as far as it can."""
    once = [leaf for leaf in draft.leaves() if _is_once(draft, leaf)]
    added = sum(_minutes(leaf) for leaf in once if leaf.id not in known)
    whole = sum(_minutes(leaf) for leaf in once if leaf.id in known)
    if not added or not whole:
        return
    stated = sum(_minutes(leaf) for leaf in once if leaf.metadata.get(STATED))
    if stated > whole * MOST_GIVEN_UP:  # the user has shared out the time: what the draft does every week has none
        for leaf in [each for each in draft.leaves() if not _is_once(draft, each) and each.id in known]:
            draft.drop(leaf)
    share = 1 - min(MOST_GIVEN_UP, added / whole)
    for leaf in (each for each in once if each.id in known and not each.metadata.get(STATED)):
        leaf.metadata["estimated_minutes"] = max(LEAST, round(_minutes(leaf) * share / QUARTER) * QUARTER)


def not_before(draft: Draft, goal: GoalFacts) -> None:
    """One thing is not begun before its day; where the draft has none of it, it is added."""
    for words, day in goal.facts.get(NOT_BEFORE, []):
        title = NO.sub("", own_words(goal.text, words))
        title = title[:1].upper() + title[1:]
        for leaf in draft.named(words) or [draft.add(title, home_of(draft))]:
            known = str(leaf.metadata.get("earliest") or "")[:10]
            leaf.metadata["earliest"] = max(known, day)


def in_their_hours(draft: Draft, goal: GoalFacts) -> None:
    """What is named is done at its times of the day; times that the plan's hours do not have are opened for it."""
    windows = read_terms(goal).calendar.windows
    for words, days, first, last in goal.facts.get(NAMED_HOURS, []):
        begin, end = _usual(time.fromisoformat(first), time.fromisoformat(last))
        there = sorted({each.weekday for each in windows if max(each.start, begin) < _end(each, end)})
        daily = any(words == each for each, _ in goal.facts.get(DAILY_OF, []))
        there = sorted({each.weekday for each in windows}) if daily else there
        chosen = [int(day) for day in days] or there or [SATURDAY]
        found = draft.named(words)
        tells = re.search(rf"{re.escape(str(words[0]))}\s+{CAN_OR_IS}", goal.text)  # when somebody can, and no task
        again = any(not _is_once(draft, leaf) for leaf in found)
        several = one_of(str(words[-1])) != str(words[-1])  # "rehearsals on Tuesdays" beside the technical rehearsal
        if days and not tells and (not found or (several and not again)):  # "a talk every Wednesday evening"
            leaf = draft.add(own_words(goal.text, words), draft.root_id)
            leaf.metadata.pop("occurrences")
            leaf.recurrence, found = "weekly", [*found, leaf]
            by_the_clock = (first, last) == (f"{begin:%H:%M}", f"{end:%H:%M}")  # a part of the day is open at an end
            if by_the_clock and _between(begin, end) <= LONGEST_MEETING:
                leaf.metadata["estimated_minutes"] = _between(begin, end)
        for leaf in found:
            leaf.metadata[HOURS] = [[day, f"{begin:%H:%M}", f"{end:%H:%M}"] for day in chosen]
            if leaf.metadata.get(SLOT):
                _change_places(draft, leaf, chosen)
            elif recurring_source(draft.tree, leaf) is not None:
                leaf.metadata["rrule"] = f"FREQ=WEEKLY;BYDAY={','.join(DAY_CODES[day] for day in chosen)}"
        more = [[day, f"{begin:%H:%M}", f"{end:%H:%M}"] for day in chosen if not _lies_in(windows, day, begin, end)]
        known = goal.facts.get(OPENED, [])
        if found and more:
            goal.facts[OPENED] = [*known, *(each for each in more if each not in known)]


def on_their_days(goal: GoalFacts, leaf: PlanNode, days: Sequence[int]) -> None:
    """Work of somebody who can on some days of the week alone: in the hours of these, opened where there are none."""
    windows = read_terms(goal).calendar.windows
    known = {each.weekday for each in windows}
    closed = [[day, *USUAL_DAY] for day in days if day not in known]
    opened = goal.facts.get(OPENED, [])
    if closed:
        goal.facts[OPENED] = [*opened, *(each for each in closed if each not in opened)]
        windows = read_terms(goal).calendar.windows
    own = [each for each in windows if each.weekday in days]
    leaf.metadata.setdefault(
        HOURS, [[each.weekday, f"{each.start:%H:%M}", f"{_end(each, time(23, 59)):%H:%M}"] for each in own]
    )


def _between(begin: time, end: time) -> int:
    return (end.hour - begin.hour) * 60 + end.minute - begin.minute


def _change_places(draft: Draft, leaf: PlanNode, days: Sequence[int]) -> None:
    """A session that has a day of its own goes to another day of its week; what lay there takes the day it had."""
    day = date.fromisoformat(str(leaf.metadata["earliest"])[:10])
    if day.weekday() in days or leaf.status in ("done", "dropped"):
        return
    new = (day + timedelta(days=days[0] - day.weekday())).isoformat()
    there = next(
        (each for each in draft.leaves() if each.metadata.get(SLOT) and each.metadata["earliest"] == new), None
    )
    for one, to in ((leaf, new), (there, day.isoformat())):
        if one is not None:
            one.metadata["earliest"] = one.metadata["latest"] = to


def _lies_in(windows: Iterable[Window], day: int, begin: time, end: time) -> bool:
    return any(each.weekday == day and each.start <= begin and _end(each, end) == end for each in windows)


def _end(window: Window, end: time) -> time:
    return end if window.end == time() else min(window.end, end)


def _usual(first: time, last: time) -> tuple[time, time]:
    """Hours at which people work, of bounds that are open on one side."""
    begin, end = max(first, time(8)), min(last, time(22))
    return (begin, end) if begin < end else (first, last)


def _is_once(draft: Draft, leaf: PlanNode) -> bool:
    return recurring_source(draft.tree, leaf) is None


def _minutes(leaf: PlanNode) -> int:
    value = leaf.metadata.get("estimated_minutes", USUAL_MINUTES)
    return int(value) if isinstance(value, int) else USUAL_MINUTES
