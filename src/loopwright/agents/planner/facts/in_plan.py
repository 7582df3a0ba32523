"""What the user has stated is in the plan, whoever wrote it: events, an order, last days, absences, counted sessions.

`outline_with_facts` works on an outline before its roadmap is built, `roadmap_with_facts` on the roadmap, whose parts
have their days. Both give notes on what they had to change of the draft.
"""

import re
from collections.abc import Sequence
from datetime import date, timedelta
from uuid import UUID

from loopwright.agents.planner.account.calendar_file import has_word
from loopwright.agents.planner.contracts.plan import MAX_LAG_MINUTES, Dependency, PlanNode, PlanOutline
from loopwright.agents.planner.contracts.state import GoalFacts
from loopwright.agents.planner.facts.draft import USUAL_MINUTES, Draft, home_of, window_of
from loopwright.agents.planner.facts.items import (
    ANY_SESSION,
    each_of,
    every_day,
    guess_lengths,
    in_their_hours,
    make_space,
    named_tasks,
    not_before,
    of_stated_hours,
    on_their_days,
    without_general,
)
from loopwright.agents.planner.outline_of_sketch import DAY_CODES, spread
from loopwright.agents.planner.problem_reviews import is_review
from loopwright.agents.planner.problem_tasks import SLOT
from loopwright.agents.planner.roadmap_options import recurring_source, weekly_minutes
from loopwright.agents.planner.sketch_completing import own_words, single
from loopwright.agents.planner.stated import (
    ABSENT,
    ASSIGNED,
    DAILY_OF,
    DUE,
    EACH,
    NAMED_HOURS,
    ORDER,
    PEOPLE,
    PLACED,
    SESSIONS,
    SITTING,
)
from loopwright.agents.planner.terms import read_terms

EVENT_TAG = "event"
"""Marks a task that is the event itself: where the event stands in the calendar, it is no work."""
EVENT_WORDS = frozenset(
    re.findall(
        r"\w+", "milestone day the a an our my of exam test race wedding event meilenstein tag der die das prüfung"
    )
)
"""Words that say only what kind of thing an event is."""
LEADING = re.compile(
    r"^(?:(?:and|und)\s+)?(?:first|then|afterwards|finally|lastly|erst|zuerst|dann|danach|zuletzt|schließlich|zum\s+schluss|\w+\s+(?:days?|weeks?|tage?|wochen?)\s+"
    r"(?:later|after(?:wards)?|später|danach))\s+(?=\w)",
    re.I,
)
"""Words before a step that do not belong to it."""
OBLIGED = re.compile(
    r"\s(?:must\s+(?:first\s+)?be|ha(?:s|ve)\s+to\s+be|needs?\s+to\s+be|should\s+be|is|are|muss|müssen|ist|sind)\s+(?=\S+(?:ed|en|out|t)\b)"
)
"""What makes a sentence of a step: "the flat must be painted" is called "Flat painted"."""
DOES = r"\s+(?:do(?:es)?|is\s+doing|makes?|takes?\s+care\s+of|handles?|macht|übernimmt|kümmert\s+sich\s+um)\s+"
DAY_MINUTES = 24 * 60
MOST_TITLE = 160
AHEAD_OF_DUE = timedelta(days=28)
MOST_AHEAD = timedelta(days=400)
"""How far somebody's days of the week are reckoned where the plan has no last day."""
SPARE = 1.15


def outline_with_facts(outline: PlanOutline, goal: GoalFacts) -> tuple[PlanOutline, list[str]]:
    """The outline with the goal's facts in it; doing it again changes nothing.

    Args:
        outline: valid by the grammar.
        goal: its facts were read from the user's words.

    Returns:
        The outline, and what was changed of the draft, in words for the user.
    """
    draft = Draft.of(outline)
    own_plan = without_general(draft, goal)
    known = set(draft.nodes)
    _events(draft, goal)
    each_of(draft, goal)
    of_stated_hours(draft, goal)
    make_space(draft, known)
    _order(draft, goal)
    _due(draft, goal)
    not_before(draft, goal)
    _sessions(draft, goal)
    named_tasks(draft, goal)
    _assigned(draft, goal)
    every_day(draft, goal)
    in_their_hours(draft, goal)
    if own_plan:
        guess_lengths(draft, goal)
    _absences(draft, goal)
    _enough_hours(draft, goal)
    changed = outline.model_copy(update={"nodes": list(draft.nodes.values())})
    return changed, draft.notes


# Events: they stand in the calendar by themselves; work for them ends the day before.


def _events(draft: Draft, goal: GoalFacts) -> None:
    for leaf in draft.leaves():
        if any(_is_event(leaf, each.title) for each in goal.appointments) and len(draft.leaves()) > 1:
            draft.drop(leaf)
    if goal.appointments:
        for leaf in [each for each in draft.leaves() if is_review(each) and re.search(r":\s*After", each.title)]:
            draft.drop(leaf)  # nothing for an event comes after it
    if len(goal.appointments) > 1:
        _several(draft, goal)


def _is_event(leaf: PlanNode, title: str) -> bool:
    """Whether a task is nothing but the event: by its tag, or since its title says no more."""
    if EVENT_TAG in leaf.tags:
        return True
    words = re.findall(r"\w+", leaf.title.casefold())
    own = {word for word in words if word not in EVENT_WORDS}
    return bool(own) and own <= set(re.findall(r"\w+", title.casefold())) and not leaf.metadata.get("rrule")


def _several(draft: Draft, goal: GoalFacts) -> None:
    """Each of several events has work of its own that is over before it; what is there is shared out in their order."""
    events = sorted(goal.appointments, key=lambda each: each.date)
    tree = draft.tree
    for part in draft.parts():
        own = [leaf for leaf in tree.leaves(part) if recurring_source(tree, leaf) is None and not is_review(leaf)]
        own = [leaf for leaf in own if not any(has_word(leaf.title, word) for e in events for word in e.title.split())]
        window = window_of(part)
        begin = window[0] if window is not None else None
        open_events = [e for e in events if begin is None or e.date > begin + timedelta(days=6)] or events[-1:]
        size = max(1, -(-len(own) // len(open_events)))
        for number, leaf in enumerate(own):
            event = open_events[min(number // size, len(open_events) - 1)]
            leaf.title = f"{leaf.title} – {event.title}"[:160]
            leaf.metadata["latest"] = (event.date - timedelta(days=1)).isoformat()
    for event in events:
        if not draft.named(event.title.split()):
            eve = (event.date - timedelta(days=1)).isoformat()
            draft.add(f"Prepare: {event.title}", home_of(draft), estimated_minutes=240, latest=eve)


# An order with a time between, last days of single tasks, and times in which nothing of a kind is done.


def _order(draft: Draft, goal: GoalFacts) -> None:
    steps = [words for before, after, _ in goal.facts.get(ORDER, []) for words in (before, after)]
    for words in sorted(steps, key=len, reverse=True):  # "the paint must dry": what is painted has more words
        if not draft.named(words):
            draft.add(_step_title(goal, words), home_of(draft))
    for before, after, days in goal.facts.get(ORDER, []):
        firsts = draft.named(before)
        thens = [node for node in draft.named(after) if node.id not in {each.id for each in firsts}]
        thens = thens or [draft.add(_step_title(goal, after), home_of(draft))]
        # "order the movers": what else is about the movers waits too, whatever the draft calls it.
        known = {each.id for each in (*firsts, *thens)}
        thens += [
            node
            for node in draft.named(after[-1:])
            if node.id not in known and recurring_source(draft.tree, node) is None
        ]
        lag = min(MAX_LAG_MINUTES, int(days) * DAY_MINUTES + (DAY_MINUTES if days else 0))
        for first, then in ((first, then) for then in thens for first in firsts if first.id != then.id):
            if draft.waits_for(first, then.id):
                draft.notes.append(f"“{first.title}” waits for “{then.title}” in the draft: the order was not added")
            elif not any(each.node_id == first.id for each in then.dependencies):
                then.dependencies = [*then.dependencies, Dependency(node_id=first.id, lag_lead_minutes=lag)]
                _same_part(draft, first, then)


def _step_title(goal: GoalFacts, words: Sequence[str]) -> str:
    """A step in the user's words, without those that only say when it comes: "five days later raise the frame"."""
    title = OBLIGED.sub(" ", LEADING.sub("", own_words(goal.text, words)))
    return title[:1].upper() + title[1:]


def _same_part(draft: Draft, first: PlanNode, then: PlanNode) -> None:
    """What comes first may not lie in a part that waits for the one of the other."""
    if draft.waits_for(draft.part_of(first), draft.part_of(then).id):
        holder = draft.nodes[then.parent_id] if then.parent_id is not None else draft.nodes[draft.root_id]
        first.parent_id, first.level = holder.id, holder.level + 1


def _due(draft: Draft, goal: GoalFacts) -> None:
    for words, day in goal.facts.get(DUE, []):
        found = draft.named(words)
        if not found:
            # What is due on a day is done in the weeks before it, not as early as can be.
            begins = max(date.fromisoformat(day) - AHEAD_OF_DUE, goal.today or date.min)
            about = _about_it(draft, words)
            new = draft.add(own_words(goal.text, words), home_of(draft), earliest=begins.isoformat())
            new.dependencies = [Dependency(node_id=leaf.id) for leaf in about]
            for leaf in about:
                leaf.dependencies, leaf.metadata["parallel"] = [], True
            found = [new, *about]
        for leaf in found:
            known = leaf.metadata.get("latest")
            leaf.metadata["latest"] = min(day, str(known)) if known else day
            if (
                draft.part_of(leaf).dependencies and len(draft.children(leaf.parent_id or draft.root_id)) > 1
            ):  # what has a day of its own does not wait for other parts
                leaf.dependencies = []
                holder = draft.nodes[home_of(draft)]
                leaf.parent_id, leaf.level = holder.id, holder.level + 1


MOST_ABOUT = 2


def _about_it(draft: Draft, words: Sequence[str]) -> list[PlanNode]:
    """What the draft has of a thing that is due, by one word of it: few tasks, so that no other thing is meant."""
    for word in words:
        found = [leaf for leaf in draft.named([word]) if not is_review(leaf)]
        if 0 < len(found) <= MOST_ABOUT:
            return [leaf for leaf in found if recurring_source(draft.tree, leaf) is None]
    return []


def _assigned(draft: Draft, goal: GoalFacts) -> None:
    """Whose task it is stands in its title, and it lies on the days of the week on which they can."""
    for who, words in goal.facts.get(ASSIGNED, []):
        title = re.sub(rf"^{re.escape(who)}{DOES}", "", own_words(goal.text, words), flags=re.I)
        for leaf in draft.named(words) or [draft.add(f"{title[:1].upper()}{title[1:]}", home_of(draft))]:
            if not has_word(leaf.title, who):
                leaf.title = f"{leaf.title[: MOST_TITLE - len(who) - 3]} ({who})"
    first = goal.today or date.min
    last = goal.deadline or first + MOST_AHEAD
    for who, days in goal.facts.get(PEOPLE, []):
        away = [first + timedelta(days=step) for step in range((last - first).days + 1)]
        spans = [[day.isoformat(), day.isoformat()] for day in away if day.weekday() not in days]
        for leaf in draft.named([who]):
            if recurring_source(draft.tree, leaf) is None and not leaf.metadata.get(SLOT):
                on_their_days(goal, leaf, [int(day) for day in days])
                continue
            known = leaf.metadata.setdefault("absent", [])
            known += [span for span in spans if span not in known]


def _absences(draft: Draft, goal: GoalFacts) -> None:
    today = goal.today or date.min
    for words, first, last in goal.facts.get(ABSENT, []):
        begin, end = date.fromisoformat(first), date.fromisoformat(last)
        after = (end + timedelta(days=1)).isoformat()
        # Without words an injury is meant: whatever is trained week by week waits until it has healed.
        again = [] if words else [leaf for leaf in draft.leaves() if recurring_source(draft.tree, leaf) is not None]
        for leaf in draft.named(words) if words else again:
            gone = leaf.metadata.setdefault("absent", [])
            if [first, last] not in gone:
                gone.append([first, last])
            if begin <= today:
                known = leaf.metadata.get("earliest")
                leaf.metadata["earliest"] = max(after, str(known)[:10]) if known else after


# Sessions that are counted by name: "4 runs a week, long run on Sundays".


def _sessions(draft: Draft, goal: GoalFacts) -> None:
    placed = [(list(words), [int(day) for day in days]) for words, days in goal.facts.get(PLACED, [])]
    open_days = sorted({window.weekday for window in read_terms(goal).calendar.windows})
    for words, count in goal.facts.get(SESSIONS, []):
        if words != ANY_SESSION and not any(has_word(str(item), str(words)) for item, *_ in goal.facts.get(EACH, [])):
            _counted(draft, goal, str(words).split(), int(count), placed, open_days)
    counted = [str(words) for words, _ in goal.facts.get(SESSIONS, []) if words != ANY_SESSION]
    for words, days in placed:
        if not any(all(has_word(" ".join(words), each) for each in one.split()) for one in counted):
            _placed(draft, goal, words, days)


def _enough_hours(draft: Draft, goal: GoalFacts) -> None:
    """Hours a week that nobody has stated are no limit for sessions that the user has counted."""
    again = any(goal.facts.get(name) for name in (SESSIONS, NAMED_HOURS, DAILY_OF))
    if not again or goal.hours_per_week is None or "hours_per_week" in goal.stated:
        return
    tree = draft.tree
    weekly = max((weekly_minutes(tree, part) for part in draft.parts()), default=0.0)
    weekly += sum(
        weekly_minutes(tree, part) for part in draft.parts() if not window_of(part) and part.recurrence != "none"
    )
    needed = -(-(weekly * SPARE + USUAL_MINUTES) // 60)
    if needed > goal.hours_per_week:
        draft.notes.append(f"{needed:g} hours a week, since the sessions that you have counted take so long")
        goal.hours_per_week = needed


def _half_of_the_time(goal: GoalFacts, count: int, days: int) -> int:
    """How long a session is of which nobody has said it: all of a week take half of its time at most."""
    a_day = goal.facts.get("minutes_per_day")
    weekly = goal.hours_per_week * 60 if goal.hours_per_week else int(a_day) * days if a_day else None
    if weekly is None or not {"hours_per_week", "minutes_per_day"} & set(goal.stated):
        return USUAL_MINUTES
    return max(USUAL_MINUTES // 2, min(USUAL_MINUTES, int(weekly / 2 / count) // 15 * 15))


def _left_by(fixed: Sequence[tuple[list[str], list[int]]], names: list[str], days: list[int]) -> list[int]:
    """The days of a name without those of a longer one: on the day of the long run there is no other run."""
    longer = [
        own
        for more, own in fixed
        if len(" ".join(more)) > len(" ".join(names)) and all(has_word(" ".join(more), word) for word in names)
    ]
    return [day for day in days if not any(day in own for own in longer)]


def _placed(draft: Draft, goal: GoalFacts, words: list[str], days: list[int]) -> None:
    """What is done on certain days of the week, and not counted: on these days, once a week where it recurs by none."""
    found = [leaf for leaf in draft.named(words) if recurring_source(draft.tree, leaf) is not None]
    if not found:
        found = [_series(draft, own_words(goal.text, words), draft.root_id)]
    for leaf in found:
        _on_days(leaf, days)


def _series(draft: Draft, title: str, parent: UUID) -> PlanNode:
    node = draft.add(title[:1].upper() + title[1:], parent)
    node.metadata.pop("occurrences")
    node.recurrence = "weekly"
    return node


def _on_days(leaf: PlanNode, days: Sequence[int]) -> None:
    leaf.recurrence = "weekly"
    leaf.metadata["rrule"] = f"FREQ=WEEKLY;BYDAY={','.join(DAY_CODES[day] for day in sorted(days))}"
    leaf.metadata["splittable"] = False
    leaf.metadata.pop("occurrences", None)
    leaf.metadata.pop("earliest", None)


def _counted(
    draft: Draft,
    goal: GoalFacts,
    words: list[str],
    count: int,
    placed: Sequence[tuple[list[str], list[int]]],
    open_days: Sequence[int],
) -> None:
    """So many sessions in every week of every part of the plan, on the same days of the week throughout."""
    fixed = [(names, days) for names, days in placed if all(has_word(" ".join(names), word) for word in words)]
    fixed = [(names, _left_by(fixed, names, days)) for names, days in fixed]
    own_days = sorted({day for _, days in fixed for day in days})[:count]
    others = spread(
        [day for day in open_days if day not in own_days] or open_days, set(own_days), count - len(own_days)
    )
    tree = draft.tree
    matching = draft.named(words)
    once = [leaf for leaf in matching if recurring_source(tree, leaf) is None]
    again = [leaf for leaf in matching if recurring_source(tree, leaf) is not None]
    for leaf in once:
        if len(draft.leaves()) > 1:
            draft.notes.append(f"“{leaf.title}” is left out: {count} {' '.join(words)} a week are counted")
            draft.drop(leaf)
    if not again:
        again = [_series(draft, single(" ".join(words)), draft.root_id)]
        again[0].metadata["estimated_minutes"] = _half_of_the_time(goal, count, len(open_days))
    by_part: dict[UUID, list[PlanNode]] = {}
    for leaf in again:
        by_part.setdefault(draft.part_of(leaf).id, []).append(leaf)
    for held in by_part.values():
        rest = list(held)
        for names, days in fixed:
            same = [leaf for leaf in rest if all(has_word(leaf.title, name) for name in names)]
            if same:
                _on_days(same[0], [day for day in days if day in own_days])
                rest.remove(same[0])
            else:
                twin = _series(draft, own_words(goal.text, names), held[0].parent_id or draft.root_id)
                _on_days(twin, [day for day in days if day in own_days])
        for number, leaf in enumerate(rest):
            share = others[number :: len(rest)]
            if share:
                _on_days(leaf, share)
            else:
                draft.notes.append(f"“{leaf.title}” is left out: {count} {' '.join(words)} a week are counted")
                draft.drop(leaf)
        if not rest and others:
            more = _series(draft, single(" ".join(words)), held[0].parent_id or draft.root_id)
            _on_days(more, others)
    minutes = goal.facts.get(SITTING)
    for leaf in draft.named(words):
        if minutes:
            leaf.metadata["estimated_minutes"] = minutes
