"""Why an instance with minimal and maximal time lags has no schedule, without search.

All distances between starts are closed first (longest paths). Then two activities that need more together than there is
must follow each other: where only one order is possible it is added, where none is the two exclude each other. Last,
in the frame of each activity, the work that must lie in a stretch is held against what the resource gives in it.
"""

from dataclasses import dataclass
from typing import Any

from rig.patterson import Instance

from loopwright.agents.planner.schedule.problem import Cause

NONE = -(1 << 40)
"""No path: far below any distance."""


@dataclass
class Closure:
    """Longest distances between starts; `lags` are those that search needs, found orders included."""

    instance: Instance
    distance: Any
    conflicts: Any
    lags: list[tuple[int, int, int]]

    @property
    def heads(self) -> list[int]:
        """The earliest start of each activity after that of the first one."""
        return [max(0, int(value)) for value in self.distance[0]]

    @property
    def tails(self) -> list[int]:
        """The longest way from the start of each activity to the end of the project."""
        import numpy as np

        ends = self.distance + np.array(self.instance.durations)[None, :]
        return [max(0, int(value)) for value in ends.max(axis=1)]

    @property
    def makespan(self) -> int:
        """A lower bound: the longest path, and the work on each resource."""
        path = max(head + tail for head, tail in zip(self.heads, self.tails, strict=True))
        for number, capacity in enumerate(self.instance.capacities):
            needs = zip(self.instance.durations, self.instance.needs, strict=True)
            energy = sum(duration * row[number] for duration, row in needs)
            path = max(path, -(-energy // capacity) if capacity else 0)
        return path

    def disjoint_groups(self) -> list[list[int]]:
        """Groups of activities no two of which may overlap, the largest that a greedy search finds; none by order."""
        order = sorted(range(self.instance.size), key=lambda i: -int(self.conflicts[i].sum()))
        found: list[list[int]] = []
        seen: set[tuple[int, int]] = set()
        for index in order:
            group = [index]
            for other in order:
                if other != index and all(self.conflicts[other, member] for member in group):
                    group.append(other)
            pairs = {(min(a, b), max(a, b)) for a in group for b in group if a != b}
            if len(group) > 2 and not pairs <= seen:
                seen |= pairs
                found.append(sorted(group))
        return found


def find_cause(instance: Instance) -> tuple[Cause | None, Closure]:
    """A cause that is proved, or None; and the closure, for who goes on to search."""
    import numpy as np

    distance = _closed(instance)
    closure = Closure(instance, distance, _conflicts(instance), list(instance.lags))
    for number, capacity in enumerate(instance.capacities):
        for index, row in enumerate(instance.needs):
            if row[number] > capacity and instance.durations[index]:
                text = f"Activity {index} needs {row[number]} of resource {number}, which has {capacity}."
                return Cause("demand", text, (str(index),), None, row[number], capacity), closure
    around = np.flatnonzero(np.diagonal(distance) > 0)
    if around.size:
        return _circle(instance, [int(index) for index in around], distance), closure
    cause = _ordered(closure)
    return cause if cause is not None else _overfull(closure), closure


def _closed(instance: Instance) -> Any:
    import numpy as np

    distance = np.full((instance.size, instance.size), NONE, dtype=np.int64)
    np.fill_diagonal(distance, 0)
    distance[0] = np.maximum(distance[0], 0)
    for before, after, lag in instance.lags:
        distance[before, after] = max(distance[before, after], lag)
    for middle in range(instance.size):
        np.maximum(distance, distance[:, middle, None] + distance[None, middle, :], out=distance)
        # Circles may grow without end, and sums of missing paths may fall without end.
        np.clip(distance, NONE, -NONE, out=distance)
    distance[distance < NONE // 2] = NONE
    return distance


def _conflicts(instance: Instance) -> Any:
    import numpy as np

    needs = np.array(instance.needs, dtype=np.int64).reshape(instance.size, len(instance.capacities))
    together = needs[:, None, :] + needs[None, :, :] > np.array(instance.capacities)
    # Who needs nothing of a resource disturbs nobody on it.
    both = (needs[:, None, :] > 0) & (needs[None, :, :] > 0)
    lasting = np.array(instance.durations) > 0
    found = (together & both).any(axis=2) & lasting[:, None] & lasting[None, :]
    np.fill_diagonal(found, False)
    return found


def _circle(instance: Instance, around: list[int], distance: Any) -> Cause:
    """Name the shortest circle of given lags through one of the activities that lie on one."""
    for before, after, lag in instance.lags:
        for other, back, returning in instance.lags:
            if other == after and back == before and lag + returning > 0:
                ids = (str(before), str(after))
                if 0 in {before, after}:
                    index = max(before, after)
                    text = f"Activity {index} must start both later and earlier than its window allows."
                    return Cause("window", text, (str(index),), None, max(lag, returning), -min(lag, returning))
                text = f"Activities {before} and {after} must lie at least {lag} apart and at most {-returning}."
                return Cause("cycle", text, ids, None, lag, -returning)
    listed = ", ".join(str(index) for index in around[:8])
    kind = "chain" if distance[0, 0] > 0 else "cycle"
    text = f"The time lags around the activities {listed} go round in a circle that pushes each after itself."
    return Cause(kind, text, tuple(str(index) for index in around))  # type: ignore[arg-type] # both are kinds


def _ordered(closure: Closure) -> Cause | None:
    """Order pairs that cannot overlap as far as only one order is possible; the cause where none is."""
    import numpy as np

    durations = np.array(closure.instance.durations)
    distance = closure.distance
    open_pairs = np.triu(closure.conflicts)
    while True:
        # j can follow i if i may start so much earlier: distance[j, i] is what j has to be before i at least.
        possible = -durations[:, None] >= distance.T
        undecided = open_pairs & ~(distance >= durations[:, None]) & ~(distance >= durations[:, None]).T
        none = undecided & ~possible & ~possible.T
        if none.any():
            i, j = (int(value[0]) for value in np.nonzero(none))
            text = (
                f"Activities {i} and {j} cannot overlap, as they need too much together, and the time lags allow "
                f"neither to come first."
            )
            return Cause("pair", text, (str(i), str(j)))
        forced = undecided & (possible ^ possible.T)
        if not forced.any():
            return None
        # One at a time: each new order moves others, and a stale one would still be right but worth less.
        for i, j in zip(*(map(int, axis) for axis in np.nonzero(forced)), strict=True):
            first, second = (i, j) if distance[j, i] <= -durations[i] else (j, i)
            lag = int(durations[first])
            if distance[first, second] >= lag:
                continue
            closure.lags.append((first, second, lag))
            reached = distance[:, first, None] + lag + distance[None, second, :]
            np.maximum(distance, reached, out=distance)
            distance[distance < NONE // 2] = NONE
            if (np.diagonal(distance) > 0).any():
                text = f"Activities {i} and {j} cannot overlap, and every order of them contradicts the time lags."
                return Cause("pair", text, (str(i), str(j)))


def _overfull(closure: Closure) -> Cause | None:
    """Hold, in each activity's frame, the work that must lie between two moments against the capacity."""
    import numpy as np

    durations = np.array(closure.instance.durations)
    needs = np.array(closure.instance.needs).reshape(closure.instance.size, len(closure.instance.capacities))
    capacities = np.array(closure.instance.capacities)
    for anchor in range(closure.instance.size):
        low, high = closure.distance[anchor], -closure.distance[:, anchor]
        inside = np.flatnonzero((low > NONE) & (high < -NONE) & (durations > 0))
        if inside.size < 2:
            continue
        early, late, lasting = low[inside], high[inside], durations[inside]
        begins = np.unique(np.concatenate([early, late]))[:, None, None]
        ends = np.unique(np.concatenate([early + lasting, late + lasting]))[None, :, None]
        spans = (ends - begins)[:, :, 0]
        least = np.minimum(np.minimum(lasting, ends - begins), np.minimum(early + lasting - begins, ends - late))
        energy = np.maximum(least, 0) @ needs[inside]
        over = (energy > capacities * spans[:, :, None]) & (spans > 0)[:, :, None]
        if over.any():
            a, b, resource = (int(value[0]) for value in np.nonzero(over))
            ids = tuple(
                str(int(i)) for i, part in zip(inside, least[a, b], strict=True) if part > 0 and needs[i, resource]
            )
            needed, room = int(energy[a, b, resource]), int(capacities[resource] * spans[a, b])
            text = (
                f"Between {int(begins[a, 0, 0])} and {int(ends[0, b, 0])} after the start of activity {anchor} the "
                f"activities {', '.join(ids)} need {needed} of resource {resource}, which gives {room}."
            )
            return Cause("demand", text, ids, None, needed, room)
    return None
