"""What a change of single tasks does to a settled plan; the schedule, and the checks of it, follow."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from loopwright.agents.planner.account.calendar_file import has_word
from loopwright.agents.planner.account.named import Work
from loopwright.agents.planner.account.task_change import Plan, TaskChange
from loopwright.agents.planner.contracts.plan import MAX_LAG_MINUTES, Dependency, PlanNode
from loopwright.agents.planner.contracts.state import GoalFacts, PlanningState
from loopwright.agents.planner.facts.draft import USUAL_MINUTES, Draft, home_of
from loopwright.agents.planner.facts.in_plan import AHEAD_OF_DUE
from loopwright.agents.planner.facts.items import STATED
from loopwright.agents.planner.facts.time_left import fit, space
from loopwright.agents.planner.problem_tasks import HOURS, SPLIT_ABOVE
from loopwright.agents.planner.roadmap_options import recurring_source
from loopwright.agents.planner.stated import ASSIGNED, NAMED_HOURS, ORDER, PEOPLE
from loopwright.kernel.errors import InvalidInput

DAY_MINUTES = 24 * 60
QUARTER = 15
OVER = ("done", "dropped")
HEAD = re.compile(r"[:：,，;；。\n]")


def plan_of(state: PlanningState) -> Plan:
    """The plan that a change is read against: the open tasks of its schedule, its events and what it is for."""
    nodes = {node.id: node for node in (state.roadmap.nodes if state.roadmap is not None else [])}
    blocks = sorted(state.schedule.blocks if state.schedule is not None else [], key=lambda block: block.start)
    minutes: dict[str, int] = {}
    for block in blocks:
        node = nodes.get(block.plan_node_id)
        if node is not None and node.status not in OVER:
            minutes[node.title] = minutes.get(node.title, 0) + round((block.end - block.start).total_seconds() / 60)
    names = (HEAD.split(state.goal.text, maxsplit=1)[0], *(each.title for each in state.goal.appointments))
    people = {str(each[0]) for name in (ASSIGNED, PEOPLE) for each in state.goal.facts.get(name, [])}
    works = tuple(Work(title, spent) for title, spent in minutes.items())
    return Plan(works, tuple(filter(None, names)), frozenset(people))


def apply_task_changes(state: PlanningState, changes: Sequence[TaskChange], today: date) -> tuple[str, list[UUID]]:
    """Write the changes into goal and roadmap; tells what was done, and to which nodes.

    Raises:
        InvalidInput: there is no plan, or one of them cannot be carried out.
    """
    if state.roadmap is None:
        raise InvalidInput("There is no plan to change.", hint="Make one first: loopwright plan GOAL")
    draft = Draft.of(state.roadmap)
    by_title: dict[str, list[PlanNode]] = {}
    for leaf in draft.leaves():
        if leaf.status not in OVER:
            by_title.setdefault(leaf.title, []).append(leaf)
    touched: list[UUID] = []
    for change in changes:
        nodes = [node for title in change.titles for node in by_title.get(title, ())]
        others = [node for title in change.others for node in by_title.get(title, ())]
        new = APPLY[change.kind](_Site(state.goal, draft, today), change, nodes, others)
        touched += [node.id for node in (*nodes, *new)]
    before = space(state, today)
    state.roadmap = state.roadmap.model_copy(update={"nodes": list(draft.nodes.values())})
    if any(change.kind in ("length", "added") for change in changes):
        fit(state, before, today, more=True)
    return "; ".join(f"{change.kind}: {', '.join(change.titles)}" for change in changes), touched


@dataclass(frozen=True)
class _Site:
    """Where changes are written."""

    goal: GoalFacts
    draft: Draft
    today: date


Nodes = list[PlanNode]


def _due(site: _Site, change: TaskChange, nodes: Nodes, others: Nodes) -> Nodes:
    """The last day of tasks; what they wait for may begin as early as that needs."""
    day = change.day or site.today
    for node in nodes:
        node.metadata["latest"] = day.isoformat()
        for held in _before_and(site.draft, node):
            if str(held.metadata.get("earliest") or "")[:10] > site.today.isoformat() and not held.metadata.get(
                "not_before"
            ):
                held.metadata.pop("earliest")
    return []


def _before_and(draft: Draft, node: PlanNode) -> Nodes:
    """A task and all that it waits for, with the parts in which they lie."""
    tree, seen, todo = draft.tree, {}, [node]
    while todo:
        here = todo.pop()
        for each in (here, *tree.ancestors(here)):
            if each.id in seen:
                continue
            seen[each.id] = each
            waited = [draft.nodes[dep.node_id] for dep in each.dependencies if dep.node_id in draft.nodes]
            todo += [below for one in waited for below in tree.walk(one)]
    return list(seen.values())


def _not_before(site: _Site, change: TaskChange, nodes: Nodes, others: Nodes) -> Nodes:
    for node in nodes:
        node.metadata |= {"earliest": (change.day or site.today).isoformat(), "not_before": True}
        latest = str(node.metadata.get("latest") or "")[:10]
        if latest and latest < str(node.metadata["earliest"]):
            node.metadata.pop("latest")
    return []


def _order(site: _Site, change: TaskChange, nodes: Nodes, others: Nodes) -> Nodes:
    """One before the other; the order that the draft had between them gives way."""
    facts, words = site.goal.facts, change.claims[0].arguments
    known = [each for each in facts.get(ORDER, []) if not (_names(each[0], others) and _names(each[1], nodes))]
    facts[ORDER] = [*known, [words["before"], words["after"], change.days]]
    lag = min(MAX_LAG_MINUTES, change.days * DAY_MINUTES + (DAY_MINUTES if change.days else 0))
    for first in nodes:
        for then in others:
            _untie(site.draft, first, then)
            kept = [each for each in then.dependencies if each.node_id != first.id]
            then.dependencies = [*kept, Dependency(node_id=first.id, lag_lead_minutes=lag)]
    return others


def _names(words: Iterable[str], nodes: Nodes) -> bool:
    wanted = list(words)
    return any(all(has_word(node.title, word) for word in wanted) for node in nodes)


def _untie(draft: Draft, first: PlanNode, then: PlanNode) -> None:
    """Nothing of what a task waits for leads to another one any more; it waits for what that one waits for instead."""
    if then.id not in {each.id for each in _before_and(draft, first)}:
        return
    if any(_leads_to(draft, each, then) for part in draft.tree.ancestors(first) for each in part.dependencies):
        first.parent_id, first.level, first.dependencies = then.parent_id, then.level, []
    if not first.metadata.get("not_before"):
        first.metadata.pop("earliest", None)
    own = [each for each in first.dependencies if not _leads_to(draft, each, then)]
    known = {each.node_id for each in own} | {first.id}
    first.dependencies = own + [each for each in then.dependencies if each.node_id not in known]


def _leads_to(draft: Draft, dependency: Dependency, then: PlanNode) -> bool:
    node = draft.nodes.get(dependency.node_id)
    held = draft.tree.walk(node) if node is not None else ()
    return any(then.id in {each.id for each in _before_and(draft, below)} for below in held)


def _swap(site: _Site, change: TaskChange, nodes: Nodes, others: Nodes) -> Nodes:
    """Each in the place of the other: who waited for the one waits for the other."""
    if len(nodes) == len(others) == 1:
        (one,), (other,) = nodes, others
        exchanged = {one.id: other.id, other.id: one.id}
        for name in ("parent_id", "level", "dependencies"):
            mine, theirs = getattr(one, name), getattr(other, name)
            setattr(one, name, theirs)
            setattr(other, name, mine)
        for name in ("earliest", "latest", "parallel"):
            mine, theirs = one.metadata.pop(name, None), other.metadata.pop(name, None)
            one.metadata |= {name: theirs} if theirs is not None else {}
            other.metadata |= {name: mine} if mine is not None else {}
        for node in site.draft.nodes.values():
            node.dependencies = [
                each.model_copy(update={"node_id": exchanged.get(each.node_id, each.node_id)})
                for each in node.dependencies
            ]
    return _order(site, change, nodes, others)


def _length(site: _Site, change: TaskChange, nodes: Nodes, others: Nodes) -> Nodes:
    """The minutes of all that is called so, shared out as they were."""
    tree, wanted = site.draft.tree, change.minutes or 0
    if any(recurring_source(tree, node) is not None for node in nodes):
        raise InvalidInput(
            f"“{nodes[0].title}” comes again and again, so its hours are not one sum.",
            hint="Say how long one session is.",
        )
    held = [int(node.metadata.get("estimated_minutes", USUAL_MINUTES)) for node in nodes]
    left = wanted
    for place, node in enumerate(nodes):
        last = place == len(nodes) - 1
        minutes = left if last else round(wanted * held[place] / sum(held) / QUARTER) * QUARTER
        left -= minutes
        node.metadata |= {"estimated_minutes": max(QUARTER, minutes), STATED: True}
        if minutes > SPLIT_ABOVE:
            node.metadata.pop("splittable", None)
        node.origin = "user_feedback"
    return []


def _done(site: _Site, change: TaskChange, nodes: Nodes, others: Nodes) -> Nodes:
    for node in nodes:
        node.status, node.progress = "done", 1.0
    return []


def _left_out(site: _Site, change: TaskChange, nodes: Nodes, others: Nodes) -> Nodes:
    """What falls away keeps nothing waiting; who waited for it waits for what it waited for."""
    for node in nodes:
        node.status = "dropped"
        for each in site.draft.nodes.values():
            if any(held.node_id == node.id for held in each.dependencies):
                known = {held.node_id for held in each.dependencies} | {each.id}
                each.dependencies += [held for held in node.dependencies if held.node_id not in known]
    return []


def _leaves(site: _Site, change: TaskChange, nodes: Nodes, others: Nodes) -> Nodes:
    """What somebody did stays to be done, without their name and their hours."""
    facts, who = site.goal.facts, change.who
    limited = any(each[0] == who for each in facts.get(PEOPLE, [])) or any(
        [*each[0]] == [who] for each in facts.get(NAMED_HOURS, [])
    )
    facts[ASSIGNED] = [each for each in facts.get(ASSIGNED, []) if each[0] != who]
    facts[PEOPLE] = [each for each in facts.get(PEOPLE, []) if each[0] != who]
    facts[NAMED_HOURS] = [each for each in facts.get(NAMED_HOURS, []) if [*each[0]] != [who]]
    for node in nodes:
        node.title = _renamed(node.title, who, "")
        if limited:
            node.metadata.pop(HOURS, None)
            node.metadata.pop("absent", None)
    return []


def _takes_over(site: _Site, change: TaskChange, nodes: Nodes, others: Nodes) -> Nodes:
    named = [node.title for node in nodes]
    _leaves(site, TaskChange("leaves", change.said, who=change.before), nodes, others)
    facts, items = site.goal.facts, change.claims[0].arguments["items"]
    facts[ASSIGNED] = [*facts.get(ASSIGNED, []), *([change.who, list(item)] for item in items)]
    for node, title in zip(nodes, named, strict=True):
        node.title = _renamed(title, change.before, change.who)
    return []


def _renamed(title: str, old: str, new: str) -> str:
    """A title with another name in it, or without the old one; at its end where it had none."""
    marked = re.sub(rf"\s*[(（]{re.escape(old)}[)）]", f" ({new})" if new else "", title)
    if marked != title:
        return marked.strip()
    plain = re.sub(
        rf"(?<![^\W\d_]){re.escape(old)}(?![^\W\d_])\s*" if old.isascii() else re.escape(old),
        f"{new} " if new else "",
        title,
    )
    plain = plain.strip(" ,:：")
    plain = f"{plain[:1].upper()}{plain[1:]}"
    return plain if plain != title else f"{title} ({new})" if new else title


def _added(site: _Site, change: TaskChange, nodes: Nodes, others: Nodes) -> Nodes:
    """One more task; where it has a last day it is done in the weeks before it."""
    draft = site.draft
    leaf = draft.add(change.titles[0], home_of(draft), estimated_minutes=change.minutes or USUAL_MINUTES)
    if change.minutes:
        leaf.metadata[STATED] = True
    if change.day is not None:
        leaf.metadata["latest"] = change.day.isoformat()
        leaf.metadata["earliest"] = max(site.today, change.day - AHEAD_OF_DUE).isoformat()
    if others:
        first, then = ([leaf], others) if change.before == "others" else (others, [leaf])
        for node in then:
            node.dependencies += [Dependency(node_id=each.id) for each in first if not draft.waits_for(each, node.id)]
    return [leaf]


APPLY: Mapping[str, Callable[[_Site, TaskChange, Nodes, Nodes], Nodes]] = {
    "due": _due,
    "not_before": _not_before,
    "order": _order,
    "swap": _swap,
    "length": _length,
    "done": _done,
    "left_out": _left_out,
    "leaves": _leaves,
    "takes_over": _takes_over,
    "added": _added,
}
"""What each kind of change does; the nodes that it touches besides those that it names."""
