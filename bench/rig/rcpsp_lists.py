"""List schedules of a project without maximal lags: good first answers in milliseconds."""

from random import Random

from rig.patterson import Instance


def best_list_schedule(
    instance: Instance, tails: list[int], samples: int, chance: Random, least: int
) -> list[int] | None:
    """The best of many serial schedules, each also justified (pushed right, then left again).

    The order is by the latest start; samples disturb it. Justification after Valls, Ballestín and Quintanilla (2005).

    Args:
        instance: with lags that are not negative.
        tails: by activity, the longest way from its start to the end.
        samples: how many orders are tried.
        chance: where disturbances come from.
        least: the bound at which to stop.

    Returns:
        Starts by activity, or None where an activity needs more than there is, or where lags of nothing go round
        in a circle.
    """
    needs = zip(*instance.needs, strict=True)
    if any(max(column) > capacity for column, capacity in zip(needs, instance.capacities, strict=True)):
        return None
    arriving, leaving = _neighbours(instance)
    if _goes_round(arriving, leaving):
        return None
    best: list[int] | None = None
    most = 1 << 60
    for number in range(samples):
        noise = 0.0 if number == 0 else 0.1 + 0.5 * number / samples
        key = [-tail * (1 + noise * (chance.random() - 0.5)) for tail in tails]
        starts = _serial(instance, arriving, leaving, key)
        for _ in range(2):
            starts = _justified(instance, arriving, leaving, starts)
        end = max(start + duration for start, duration in zip(starts, instance.durations, strict=True))
        if end < most:
            best, most = starts, end
            if most <= least:
                break
    return best


Neighbours = list[list[tuple[int, int]]]


def _neighbours(instance: Instance) -> tuple[Neighbours, Neighbours]:
    arriving: Neighbours = [[] for _ in instance.durations]
    leaving: Neighbours = [[] for _ in instance.durations]
    for before, after, lag in instance.lags:
        arriving[after].append((before, lag))
        leaving[before].append((after, lag))
    return arriving, leaving


def _goes_round(arriving: Neighbours, leaving: Neighbours) -> bool:
    """Whether some activities wait for each other: no order lists them."""
    waiting = [len(rows) for rows in arriving]
    ready = [index for index, count in enumerate(waiting) if count == 0]
    for index in ready:
        for after, _ in leaving[index]:
            waiting[after] -= 1
            if waiting[after] == 0:
                ready.append(after)
    return len(ready) < len(waiting)


def _serial(instance: Instance, arriving: Neighbours, leaving: Neighbours, key: list[float]) -> list[int]:
    """Place the activity with the smallest key among those whose predecessors lie, as early as it fits."""
    waiting = [len(rows) for rows in arriving]
    ready = [index for index, count in enumerate(waiting) if count == 0]
    starts = [0] * instance.size
    used: list[list[int]] = [[0] * (instance.horizon + 1) for _ in instance.capacities]
    while ready:
        index = min(ready, key=lambda i: (key[i], i))
        ready.remove(index)
        start = max((starts[before] + lag for before, lag in arriving[index]), default=0)
        starts[index] = _place(instance, used, index, start)
        for after, _ in leaving[index]:
            waiting[after] -= 1
            if waiting[after] == 0:
                ready.append(after)
    return starts


def _place(instance: Instance, used: list[list[int]], index: int, start: int) -> int:
    duration = instance.durations[index]
    needed = [
        (row, need, capacity - need)
        for row, need, capacity in zip(used, instance.needs[index], instance.capacities, strict=True)
        if need
    ]
    moment = start
    while moment < start + duration:
        if any(moment < len(row) and row[moment] > most for row, _, most in needed):
            start = moment + 1
        moment += 1
    for row, need, _ in needed:
        if len(row) < start + duration:
            row += [0] * (start + duration - len(row))
        for moment in range(start, start + duration):
            row[moment] += need
    return start


def _justified(instance: Instance, arriving: Neighbours, leaving: Neighbours, starts: list[int]) -> list[int]:
    """Push everything as late as it goes, seen from the end, and then as early again."""
    durations = instance.durations
    end = max(start + duration for start, duration in zip(starts, durations, strict=True))
    # Seen backwards an activity starts where it ends, and a lag between starts is one between ends.
    mirrored_in = [[(a, lag - durations[i] + durations[a]) for a, lag in rows] for i, rows in enumerate(leaving)]
    mirrored_out = [[(b, lag - durations[b] + durations[i]) for b, lag in rows] for i, rows in enumerate(arriving)]
    late = _serial(
        instance, mirrored_in, mirrored_out, [float(end - s - d) for s, d in zip(starts, durations, strict=True)]
    )
    end = max(start + duration for start, duration in zip(late, durations, strict=True))
    key = [float(end - start - duration) for start, duration in zip(late, durations, strict=True)]
    return _serial(instance, arriving, leaving, key)
