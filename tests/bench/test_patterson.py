"""Project instances: reading them, solving them, and refuting those that have no schedule."""

import random
from itertools import product

import pytest
from rig.patterson import Instance, read_patterson
from rig.rcpsp import solve_rcpsp

from loopwright.kernel.errors import InvalidInput

SAMPLE = """5 2
   4 3
0 0 0 2 2 3
3 2 1 1 4
4 3 0 1
4
2 1 1
1 5
0 0 0 0
"""
"""Two activities that cannot overlap on the first resource, one after them, between a start and an end."""


def valid(instance: Instance, starts) -> bool:
    """Whether starts keep all lags and capacities, moment by moment."""
    if any(starts[after] < starts[before] + lag for before, after, lag in instance.lags):
        return False
    for moment in range(max(starts) + max(instance.durations) + 1):
        running = [i for i in range(instance.size) if starts[i] <= moment < starts[i] + instance.durations[i]]
        for number, capacity in enumerate(instance.capacities):
            if sum(instance.needs[i][number] for i in running) > capacity:
                return False
    return True


def test_the_format_is_read_across_lines(tmp_path):
    """Successors may stand on the next line."""
    path = tmp_path / "sample.rcp"
    path.write_text(SAMPLE)
    instance = read_patterson(path)
    assert instance.durations == (0, 3, 4, 2, 0)
    assert instance.capacities == (4, 3)
    assert set(instance.lags) == {(0, 1, 0), (0, 2, 0), (1, 3, 3), (2, 3, 4), (3, 4, 2)}
    answer = solve_rcpsp(instance, 2)
    assert (answer.status, answer.makespan, answer.gap) == ("optimal", 9, 0)
    assert valid(instance, answer.starts)


@pytest.mark.parametrize("text", ["", "two three", SAMPLE.replace("1 5", "1 9"), SAMPLE + "7", SAMPLE[:40]])
def test_broken_files_are_refused(tmp_path, text):
    """With the file's name."""
    path = tmp_path / "broken.rcp"
    path.write_text(text)
    with pytest.raises(InvalidInput, match=r"broken\.rcp"):
        read_patterson(path)


def small(chance: random.Random) -> Instance:
    """Three or four activities with lags both ways, between a start and an end."""
    size = chance.randint(3, 4)
    durations = [0, *(chance.randint(1, 3) for _ in range(size))]
    needs = [(0,), *((chance.randint(1, 3),) for _ in range(size))]
    lags = [(0, index, 0) for index in range(1, size + 1)]
    for _ in range(chance.randint(1, 4)):
        a, b = chance.sample(range(1, size + 1), 2)
        lags.append((a, b, chance.randint(-4, 4)))
    if chance.random() < 0.5:
        lags += [(index, 0, -chance.randint(2, 6)) for index in chance.sample(range(1, size + 1), 2)]
    return Instance(tuple(durations), tuple(needs), (4,), tuple(lags))


def test_activities_that_start_together_are_scheduled():
    """Lags of nothing both ways are a circle without length: no order of the two, but a schedule."""
    instance = Instance((0, 2, 3), ((0,), (1,), (1,)), (2,), ((0, 1, 0), (1, 2, 0), (2, 1, 0)))
    answer = solve_rcpsp(instance, 2)
    assert (answer.status, answer.makespan) == ("optimal", 3)
    assert valid(instance, answer.starts)


def law_of_projects(seed: int) -> str:
    """The shortest of all schedules is found, and what is refuted has none."""
    instance = small(random.Random(seed))
    answer = solve_rcpsp(instance, 5)
    horizon = instance.horizon - min(instance.durations[1:]) + 1
    best = None
    for starts in product([0], *(range(horizon) for _ in instance.durations[1:])):
        end = max(start + duration for start, duration in zip(starts, instance.durations, strict=True))
        if (best is None or end < best) and valid(instance, starts):
            best = end
    assert (answer.makespan, answer.status) == (best, "infeasible" if best is None else "optimal"), seed
    assert best is None or valid(instance, answer.starts)
    return answer.status


def test_small_projects_agree_with_enumeration():
    """Both answers occur."""
    assert {law_of_projects(seed) for seed in range(20)} == {"optimal", "infeasible"}


@pytest.mark.soak
def test_many_small_projects_agree_with_enumeration():
    """A thousand of them."""
    for seed in range(1_000, 2_000):
        law_of_projects(seed)


BASE = Instance((0, 4, 4, 4, 4), ((0,), (2,), (2,), (2,), (2,)), (3,), ())


@pytest.mark.parametrize(
    ("lags", "kind"),
    [
        ([(1, 2, 3), (2, 3, 3), (3, 1, -5)], "cycle"),
        ([(0, 1, 9), (1, 0, -8)], "window"),
        ([(1, 2, -3), (2, 1, -3)], "pair"),
    ],
)
def test_contradictions_are_named_before_the_search(lags, kind):
    """Each with the activities that it is made of."""
    answer = solve_rcpsp(Instance(BASE.durations, BASE.needs, BASE.capacities, tuple(lags)), 2)
    assert (answer.status, answer.cause.kind) == ("infeasible", kind)
    assert answer.cause.found_before_solver


def test_more_work_than_a_stretch_gives_is_named():
    """Three activities of which two fit at a time, in a stretch of five."""
    lags = tuple(lag for index in (1, 2, 3) for lag in ((0, index, 0), (index, 0, -1)))
    answer = solve_rcpsp(Instance(BASE.durations, BASE.needs, (5,), lags), 2)
    assert (answer.status, answer.cause.kind) == ("infeasible", "demand")
    assert answer.cause.needed_minutes > answer.cause.available_minutes


def test_what_floats_in_the_horizon_is_refuted_at_one_place():
    """Two halves around a fixed activity, each too short for two of three: only search sees it, and at once."""
    half, size = 10, 30
    durations = (0, 2, 3, 6, 6, 6, *(5 for _ in range(size)))
    needs = ((0,), (0,), (3,), (3,), (3,), (3,), *((1,) for _ in range(size)))
    lags = [(1, 2, half), (2, 1, -half)]
    for index in (3, 4, 5):
        lags += [(1, index, 0), (index, 1, -(2 * half + 3 - 6))]
    lags += [(0, index, 0) for index in range(1, size + 6)]
    answer = solve_rcpsp(Instance(durations, needs, (3,), tuple(lags)), 4)
    assert answer.status == "infeasible"
    assert set(answer.cause.task_ids) <= {"1", "2", "3", "4", "5"}
    assert answer.seconds < 3
