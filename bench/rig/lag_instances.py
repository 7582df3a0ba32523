"""Project instances with minimal and maximal time lags whose infeasibility is known by construction.

Each comes as a pair. The feasible twin is built around a schedule: resources and minimal lags first, then maximal lags
with slack around what the schedule has. The infeasible one adds lags to a few of its activities that no schedule keeps:

cycle   a maximal lag shorter than a path of minimal ones
window  an earliest start behind the latest one
demand  more work in a stretch than a resource gives, while any two of the activities fit together
pair    two activities that cannot overlap, and must start closer together than either lasts
hidden  a fixed activity cuts a stretch into two halves; three activities need more than half a half each, so two of
        them never fit into one, while the work of all fits into both
"""

from dataclasses import dataclass, replace
from itertools import pairwise
from random import Random

from rig.patterson import Instance

KINDS = {"cycle": 14, "window": 12, "demand": 14, "pair": 12, "hidden": 8}
"""How many of sixty instances are of each kind."""
Lag = tuple[int, int, int]


@dataclass(frozen=True)
class Pair:
    """An infeasible instance, why it is, and its feasible twin with a schedule."""

    kind: str
    infeasible: Instance
    feasible: Instance
    starts: tuple[int, ...]


def lag_pairs(count: int, seed: int = 0) -> list[Pair]:
    """So many pairs of 10 to 50 activities, the kinds in turn, always the same ones for a seed."""
    names = [name for name, share in KINDS.items() for _ in range(share)]
    Random(seed).shuffle(names)
    return [_pair(names[number % len(names)], Random(f"{seed}/{number}")) for number in range(count)]


def _pair(kind: str, chance: Random) -> Pair:
    size = chance.randint(10, 50)
    capacities = tuple(chance.randint(4, 10) for _ in range(chance.randint(1, 4)))
    durations = [0, *(chance.randint(2, 10) for _ in range(size)), 0]
    needs = [[chance.randint(0, capacity // 2 + 1) for capacity in capacities] for _ in durations]
    needs[0] = needs[-1] = [0] * len(capacities)
    chosen = sorted(chance.sample(range(1, size + 1), 6))
    _shape(kind, chance, chosen, durations, needs, capacities)
    lags = _minimal_lags(kind, chance, chosen, durations)
    base = Instance(tuple(durations), tuple(map(tuple, needs)), capacities, tuple(lags))
    starts = _schedule(base)
    lags += _maximal_lags(chance, starts, durations)
    feasible = replace(base, lags=tuple(lags))
    broken = _broken(kind, chance, chosen, durations, capacities, lags)
    return Pair(kind, replace(feasible, lags=(*feasible.lags, *broken)), feasible, tuple(starts))


def _shape(
    kind: str,
    chance: Random,
    chosen: list[int],
    durations: list[int],
    needs: list[list[int]],
    capacities: tuple[int, ...],
) -> None:
    """Give the chosen activities the lengths and needs that their contradiction is made of."""
    most = capacities[0]
    if kind == "demand":
        for index in chosen[1:]:
            durations[index], needs[index][0] = 6, most // 2
    if kind == "pair":
        for index in chosen[:2]:
            durations[index], needs[index][0] = chance.randint(4, 10), most // 2 + 1
    if kind == "hidden":
        for index in chosen[1:5]:
            durations[index], needs[index][0] = 6, most
        durations[chosen[1]] = chance.randint(1, 5)


def _minimal_lags(kind: str, chance: Random, chosen: list[int], durations: list[int]) -> list[Lag]:
    size = len(durations) - 2
    free = set(chosen) if kind in {"demand", "pair", "hidden"} else set()
    lags: list[Lag] = []
    for after in range(1, size + 1):
        # Links among the chosen ones would let a simpler contradiction show than the one that is meant.
        drawn = set(chance.sample(range(1, after), min(after - 1, chance.randint(0, 2)))) - free
        for before in sorted(drawn) if after not in free else ():
            lag = chance.randint(durations[before] // 2, durations[before] + 3)
            lags.append((before, after, lag))
    if kind == "cycle":
        lags += [(a, b, chance.randint(1, 9)) for a, b in pairwise(chosen)]
    lags += [(0, index, 0) for index in range(1, size + 1)]
    return lags + [(index, size + 1, durations[index]) for index in range(1, size + 1)]


def _schedule(instance: Instance) -> list[int]:
    """One activity after the other in the order of their numbers, as early as lags and resources allow."""
    starts = [0] * instance.size
    used: list[dict[int, int]] = [{} for _ in instance.capacities]
    for index in range(instance.size):
        start = max((starts[before] + lag for before, after, lag in instance.lags if after == index), default=0)
        while not _fits(instance, used, index, start):
            start += 1
        starts[index] = start
        for row, need in zip(used, instance.needs[index], strict=True):
            for moment in range(start, start + instance.durations[index]):
                row[moment] = row.get(moment, 0) + need
    return starts


def _fits(instance: Instance, used: list[dict[int, int]], index: int, start: int) -> bool:
    return all(
        row.get(moment, 0) + need <= capacity
        for row, need, capacity in zip(used, instance.needs[index], instance.capacities, strict=True)
        for moment in range(start, start + instance.durations[index])
    )


def _maximal_lags(chance: Random, starts: list[int], durations: list[int]) -> list[Lag]:
    lags = []
    for _ in range(len(durations) // 2):
        first, second = chance.sample(range(1, len(durations) - 1), 2)
        if starts[first] <= starts[second]:
            lags.append((second, first, -(starts[second] - starts[first] + chance.randint(2, 12))))
    return lags


def _broken(
    kind: str, chance: Random, chosen: list[int], durations: list[int], capacities: tuple[int, ...], lags: list[Lag]
) -> list[Lag]:
    """The lags that no schedule keeps."""
    if kind == "cycle":
        given = {(before, after): lag for before, after, lag in lags if lag > 0}
        path = sum(given[step] for step in pairwise(chosen))
        return [(chosen[-1], chosen[0], -(path - chance.randint(1, min(3, path))))]
    if kind == "window":
        release = chance.randint(5, 60)
        return [(0, chosen[0], release), (chosen[0], 0, -(release - chance.randint(1, 5)))]
    if kind == "pair":
        a, b = chosen[:2]
        return [(b, a, -(durations[a] - 1)), (a, b, -(durations[b] - 1))]
    anchor, inside = chosen[0], chosen[1:]
    if kind == "demand":
        # Five times six units of half the capacity (rounded down) in a stretch that gives a little less.
        span = (5 * 6 * (capacities[0] // 2) - 1) // capacities[0]
        return [lag for index in inside for lag in ((anchor, index, 0), (index, anchor, -(span - 6)))]
    blocker, half = chosen[1], chance.randint(9, 11)
    lags = [(anchor, blocker, half), (blocker, anchor, -half)]
    last = 2 * half + durations[blocker] - 6
    return lags + [lag for index in chosen[2:5] for lag in ((anchor, index, 0), (index, anchor, -last))]
