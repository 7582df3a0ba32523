"""Links that contradict each other, whatever the calendar: a circle of them that pushes a task after itself."""

from collections.abc import Iterable

from loopwright.agents.planner.schedule.case import Arc, Case
from loopwright.agents.planner.schedule.certificates.words import listed, quoted
from loopwright.agents.planner.schedule.problem import GRID_MINUTES, Cause

Edge = tuple[int, int, int, Arc | None]
"""From one end of a task to another: 2 × index is a start, one more an end; at least so many minutes apart."""


def find_cycle(case: Case) -> Cause | None:
    """A circle of links longer than nothing, or None (Bellman-Ford on the ends of the tasks)."""
    edges = _edges(case)
    circle = positive_circle(2 * len(case.works), edges)
    if circle is None:
        return None
    indices = list(dict.fromkeys(edge[0] // 2 for edge in circle))
    titles = [case.works[index].task.title for index in indices]
    minutes = sum(edge[2] for edge in circle)
    ids = tuple(case.works[index].task.id for index in indices)
    if len(indices) == 1:
        text = f"{quoted(titles[0])} depends on itself: it would have to come {minutes} minutes after itself."
    elif any(edge[3] is not None and edge[3].is_maximum for edge in circle):
        text = (
            f"The links between {listed(titles)} contradict each other: what has to lie between them takes {minutes} "
            f"minutes more than the greatest distance that is allowed."
        )
    else:
        text = f"{listed(titles)} wait for each other in a circle: none of them can come first."
    return Cause("cycle", text, ids, needed_minutes=minutes, available_minutes=0)


def _edges(case: Case) -> list[Edge]:
    edges: list[Edge] = []
    for work in case.works:
        length = work.slots * GRID_MINUTES if work.lock is None else work.lock[1] - work.lock[0]
        edges.append((2 * work.index, 2 * work.index + 1, length, None))
        if work.whole or work.lock is not None:
            edges.append((2 * work.index + 1, 2 * work.index, -length, None))
    arcs = [(2 * arc.before + arc.before_end, 2 * arc.after + arc.after_end, arc.minutes, arc) for arc in case.arcs]
    return [*edges, *arcs]


def positive_circle(nodes: int, edges: Iterable[Edge]) -> list[Edge] | None:
    """The edges of a circle whose weights add up to more than nothing, or None."""
    leaving: list[list[Edge]] = [[] for _ in range(nodes)]
    for edge in edges:
        leaving[edge[0]].append(edge)
    distance = [0] * nodes
    parent: list[Edge | None] = [None] * nodes
    active = list(range(nodes))
    for turn in range(nodes + 1):
        raised: dict[int, None] = {}
        for node in active:
            for edge in leaving[node]:
                if distance[node] + edge[2] > distance[edge[1]]:
                    distance[edge[1]] = distance[node] + edge[2]
                    parent[edge[1]] = edge
                    raised[edge[1]] = None
        if not raised:
            return None
        # Circles show in the parents long before the last turn; looking for them each time would cost as much.
        if turn % 8 == 7 or turn == nodes:
            for node in raised:
                circle = _circle_at(node, parent)
                if circle:
                    return circle
        active = list(raised)
    return None


def _circle_at(node: int, parent: list[Edge | None]) -> list[Edge] | None:
    seen: dict[int, int] = {}
    path: list[Edge] = []
    while node not in seen:
        seen[node] = len(path)
        edge = parent[node]
        if edge is None:
            return None
        path.append(edge)
        node = edge[0]
    return path[seen[node] :][::-1]
