"""From roadmap and terms to a scheduling problem, and from its answer back to a schedule of nodes."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from loopwright.agents.planner.contracts.plan import Outline, PlanNode, Schedule, ScheduleBlock
from loopwright.agents.planner.contracts.state import PlanningState
from loopwright.agents.planner.grammar.waiting import Tree
from loopwright.agents.planner.history import (
    DONE_PART,
    DONE_TAG,
    History,
    open_links,
    spans_of,
    task_id_of,
    with_history,
)
from loopwright.agents.planner.problem_links import links_between
from loopwright.agents.planner.problem_reviews import review_links
from loopwright.agents.planner.problem_space import in_pieces
from loopwright.agents.planner.problem_tasks import WINDOW, LeafReader, LeafWork, node_id_of, occurrence_of
from loopwright.agents.planner.roadmap_options import minutes_in_a_week, once_minutes, weekly_minutes
from loopwright.agents.planner.schedule.calendar import working_spans
from loopwright.agents.planner.schedule.problem import Answer, Problem, Relaxation, Span
from loopwright.agents.planner.terms import Terms, read_moment, read_terms
from loopwright.kernel.errors import InvalidInput

SPACE = 1.5
"""Without a deadline the plan may take half as long again as its work needs."""
SHORTEST_DAYS = 14
LONGEST_DAYS = 5 * 366
OCCURRENCE_TAG = "occurrence:"


@dataclass(frozen=True)
class Built:
    """The problem, the node of each task, and what a person should know (occurrences that were left out)."""

    problem: Problem
    nodes: Mapping[str, PlanNode]
    notes: tuple[str, ...] = ()


def build_problem(
    roadmap: Outline,
    terms: Terms,
    *,
    taken: Iterable[Span] = (),
    previous: Sequence[ScheduleBlock] = (),
    history: History | None = None,
) -> Built:
    """What is to be scheduled.

    Args:
        roadmap: valid by the grammar; leaves that are done are left out, begun ones need only what is left.
        terms: the calendar, the start, the deadline, the mode.
        taken: times that other plans have.
        previous: where the work lay in an earlier schedule, so that little moves.
        history: what has been done since; it stays, and everything else is planned from then on.

    Raises:
        InvalidInput: nothing is left to schedule, or a node's metadata cannot be understood.
    """
    tree = Tree(roadmap.root_id, roadmap.nodes)
    if tree.root is None:
        raise InvalidInput("The roadmap has no root.", hint="Run the grammar validator's fixes.")
    calendar = replace(terms.calendar, busy=(*terms.calendar.busy, *taken))
    horizon = Span(terms.start, terms.deadline or _far_enough(tree, terms))
    open_time = working_spans(calendar, horizon.start, horizon.end)
    longest = max(((span.end - span.start) // timedelta(minutes=1) for span in open_time), default=0)
    for limit in (calendar.max_consecutive_minutes, calendar.minutes_per_day, calendar.minutes_per_week):
        longest = min(longest, limit) if limit is not None else longest
    reader = LeafReader(tree, terms, horizon, open_time, longest)
    lay = _places(previous)
    work: dict[UUID, LeafWork] = {}
    for leaf in tree.leaves(tree.root):
        if leaf.status not in ("done", "dropped") and leaf.progress < 1 and leaf is not tree.root:
            work[leaf.id] = reader.read(leaf, lay)
    work = in_pieces(work, calendar, horizon, open_time)
    tasks = [task for each in work.values() for task in each.tasks]
    links = links_between(tree, work)
    links += review_links(tree, work, links, horizon)
    notes = [note for each in work.values() for note in each.notes]
    if history is not None:
        done = spans_of(history, tree.nodes, OCCURRENCE_TAG)
        tasks, passed = with_history(tasks, history, done, tree.nodes)
        links, notes = open_links(links, tasks, done), [*notes, *passed]
    if not tasks:
        raise InvalidInput("Nothing is left to schedule.", hint="Add tasks, or give the plan more time.")
    problem = Problem(
        tasks=tuple(tasks),
        links=tuple(links),
        calendar=calendar,
        start=horizon.start,
        end=horizon.end,
        mode=terms.mode,
        aims=terms.aims,
        events=terms.events,
    )
    return Built(problem, {task.id: tree.nodes[node_id_of(task.id)] for task in tasks}, tuple(notes))


def build_for(state: PlanningState, *, previous: Sequence[ScheduleBlock] = ()) -> Built:
    """The problem of a planning state: its roadmap on its terms, around what is taken, as the user has relaxed it.

    Raises:
        InvalidInput: there is no roadmap, or what `build_problem` refuses.
    """
    if state.roadmap is None:
        raise InvalidInput("There is no roadmap.", hint="Call roadmap_builder first.")
    strategy = state.plan_outline.plan_context.strategy_profile if state.plan_outline is not None else None
    terms = read_terms(state.goal, strategy)
    taken = [Span(read_moment(start, terms.zone), read_moment(end, terms.zone)) for start, end in state.taken]
    history = None
    if state.replanned_at is not None:
        history = History(state.history, state.replanned_at, frozenset(state.finished))
    built = build_problem(state.roadmap, terms, taken=taken, previous=previous, history=history)
    if not state.chosen_relaxations:
        return built
    from loopwright.agents.planner.schedule.problem import apply_relaxation

    problem = built.problem
    for relaxation in state.chosen_relaxations:
        problem = apply_relaxation(problem, Relaxation(**relaxation))
    return replace(built, problem=problem)


def problem_of(state: PlanningState) -> tuple[Problem, list[str]]:
    """The problem that the state's schedule answers, and the task of each of its blocks."""
    blocks = state.schedule.blocks if state.schedule is not None else []
    return build_for(state).problem, [task_of(block) for block in blocks]


def read_schedule(answer: Answer, built: Built) -> Schedule:
    """The answer's blocks in the terms of the plan, in the order of time, on the user's clock."""
    if answer.status not in ("optimal", "feasible"):
        return Schedule(status="infeasible", timezone=str(built.problem.calendar.zone))
    zone = built.problem.calendar.zone
    blocks = []
    for block in sorted(answer.blocks, key=lambda block: (block.start, block.task_id)):
        node = built.nodes[block.task_id]
        number = occurrence_of(block.task_id)
        tags = [tag for tag in node.tags if not tag.startswith(OCCURRENCE_TAG) and tag != DONE_TAG]
        tags += [f"{OCCURRENCE_TAG}{number}"] if number is not None else []
        tags += [DONE_TAG] if block.task_id.endswith(DONE_PART) else []
        blocks.append(
            ScheduleBlock(
                plan_node_id=node.id,
                title=node.title,
                start=block.start.astimezone(zone),
                end=block.end.astimezone(zone),
                estimated_minutes=max(1, round((block.end - block.start) / timedelta(minutes=1))),
                tags=tags,
            )
        )
    objective = dict(answer.terms) if answer.objective is None else {"value": answer.objective, **answer.terms}
    if answer.bound is not None:
        objective["bound"] = answer.bound
    status = "optimal" if answer.status == "optimal" else "feasible"
    return Schedule(blocks=blocks, timezone=str(zone), gap=answer.gap, status=status, objective=objective)


def task_of(block: ScheduleBlock) -> str:
    """The task that a block of a schedule belongs to."""
    return task_id_of(block, OCCURRENCE_TAG)


def _places(blocks: Sequence[ScheduleBlock]) -> dict[str, list[Span]]:
    places: dict[str, list[Span]] = defaultdict(list)
    for block in blocks:
        places[task_of(block)].append(Span(block.start, block.end))
    return places


def _far_enough(tree: Tree, terms: Terms) -> datetime:
    """An end for a plan without a deadline: behind the last window, with space for all the work."""
    if tree.root is None:
        return terms.start
    per_week = minutes_in_a_week(terms)
    once = once_minutes(tree, tree.root)
    left = max(per_week * 0.1, per_week - weekly_minutes(tree, tree.root))
    days = min(LONGEST_DAYS, max(SHORTEST_DAYS, round(SPACE * 7 * once / left)))
    end = terms.start + timedelta(days=days)
    for node in tree.nodes.values():
        window = node.metadata.get(WINDOW)
        if isinstance(window, Mapping):
            after = read_moment(str(window.get("after")), terms.zone)
            end = max(end, terms.start + (after - terms.start) * 1.2)
    day = (end.astimezone(terms.zone) + timedelta(days=1)).date()
    return read_moment(day.isoformat(), terms.zone)
