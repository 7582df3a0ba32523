"""The time that a search was given is kept, whatever happens in it."""

import random
import subprocess
import sys
import textwrap

import pytest

from loopwright.agents.planner.schedule import limited, solver
from loopwright.agents.planner.schedule.checker import check_schedule
from loopwright.agents.planner.schedule.limited import solve_limited
from loopwright.kernel.errors import InvalidInput
from tests.agents.planner.schedule.plans import after, at, plan, task


def test_a_process_of_its_own_gives_the_same_answer():
    """What it tells on its way comes too, and each is better than the one before."""
    chance = random.Random(4)
    problem = plan([task(str(n), chance.choice([30, 60, 90]), priority=1 + n % 5) for n in range(6)])
    told = []
    answer = solve_limited(problem, 30.0, told.append, 0)
    assert answer.blocks == solver.solve(problem, seconds=30.0).blocks
    assert check_schedule(problem, answer.blocks) == []
    assert told[0].objective >= answer.objective


@pytest.fixture
def process(monkeypatch, tmp_path):
    """Puts a program of the test in the place of the solver's process."""
    started = []

    def use(program: str):
        path = tmp_path / "program.py"
        path.write_text(textwrap.dedent(program))
        real = subprocess.Popen

        def start(command, **pipes):
            started.append(real([sys.executable, str(path)], **pipes))
            return started[-1]

        monkeypatch.setattr(limited.subprocess, "Popen", start)
        return started

    return use


TELLS = """
    import sys, time
    from loopwright.agents.planner.schedule.limited import write
    from loopwright.agents.planner.schedule.problem import Answer
    write(sys.stdout.buffer, (False, Answer("feasible", objective=7.0)))
    time.sleep(600)
"""


def test_a_process_that_does_not_end_is_killed_and_its_best_answer_counts(process):
    started = process(TELLS)
    told = []
    answer = solve_limited(plan([task("a", 60)]), 5.0, told.append, 0)
    assert (answer.status, answer.objective) == ("feasible", 7.0)
    assert 4.5 < answer.seconds < 5.5
    assert started[0].poll() is not None


def test_a_process_that_says_nothing_leaves_the_problem_open(process):
    process("import time; time.sleep(600)")
    answer = solve_limited(plan([task("a", 60)]), 0.3, lambda told: None, 0)
    assert (answer.status, answer.cause.kind) == ("unknown", "unproved")


def test_a_process_that_breaks_down_is_told(process):
    process("raise SystemExit('no memory')")
    with pytest.raises(RuntimeError, match="no memory"):
        solve_limited(plan([task("a", 60)]), 30.0, lambda told: None, 0)


def test_large_problems_have_their_own_process_and_are_refused_before_it(monkeypatch):
    monkeypatch.setattr(solver, "ALONE", 1)
    seen = []
    monkeypatch.setattr(solver, "solve_limited", lambda problem, *more: seen.append(problem))
    solver.solve(plan([task("a", 60), task("b", 60)]))
    assert len(seen) == 1
    with pytest.raises(InvalidInput):
        solver.solve(plan([task("a", 60), task("a", 60)]))


@pytest.mark.soak
def test_five_thousand_tasks_with_two_weeks_each_have_a_first_answer_in_five_seconds():
    """Linked tasks, on a machine that is not busy; the limit of five seconds holds within a tenth."""
    chance, count = random.Random(1), 5_000
    days = count // 4
    first = [number * (days - 20) // count for number in range(count)]
    tasks = [
        task(str(n), chance.choice([30, 60, 90]), earliest=at(d, 0), latest=at(d + 14, 0)) for n, d in enumerate(first)
    ]
    links = [after(str(n), str(n + chance.randint(1, 20))) for n in range(0, count - 30, 3)]
    told = []
    answer = solver.solve(plan(tasks, links, days=days), seconds=5.0, on_answer=told.append)
    assert told
    assert answer.blocks
    assert answer.seconds < 5.5
