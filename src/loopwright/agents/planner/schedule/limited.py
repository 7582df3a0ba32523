"""Keeps the time that a search was given: a large problem is solved in a process of its own, which can be killed.

CP-SAT does not keep its limit where its presolve is long, nor does Python code that counts through a large problem.
The process tells each better answer as it is found; when the time ends, the last one told is the answer.

    python -m loopwright.agents.planner.schedule.limited   (a problem as a pickle on stdin, answers on stdout)
"""

import pickle
import struct
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import IO

from loopwright.agents.planner.schedule.problem import Answer, Cause, Problem

MODULE = "loopwright.agents.planner.schedule.limited"
LENGTH = struct.Struct(">I")
ASKED = 0.9
"""Of the time, what the process is told to use: it stops by itself, as a rule."""


@dataclass(frozen=True)
class Request:
    """What the process is asked; `seconds` are left when it reads it."""

    problem: Problem
    seconds: float
    seed: int


def solve_limited(problem: Problem, seconds: float, on_answer: Callable[[Answer], None], seed: int) -> Answer:
    """Solve in a process of its own, and kill it when the time ends.

    Args:
        problem: what is to be scheduled.
        seconds: for everything, the start of the process included.
        on_answer: told about each better answer.
        seed: of the search.

    Returns:
        The process's answer, or the best one it had told when the time ended; `unknown` where it had told none.

    Raises:
        RuntimeError: the process ended without an answer, though there was time.
    """
    started = monotonic()
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", MODULE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    answers: SimpleQueue[tuple[bool, Answer] | None] = SimpleQueue()
    told: Answer | None = None
    errors: list[bytes] = []
    threads = [
        Thread(target=_send, args=(process, Request(problem, seconds * ASKED, seed)), daemon=True),
        Thread(target=_receive, args=(process, answers), daemon=True),
        Thread(target=lambda: errors.append(process.stderr.read() if process.stderr else b""), daemon=True),
    ]
    for thread in threads:
        thread.start()
    try:
        while True:
            try:
                got = answers.get(timeout=max(0.0, started + seconds - monotonic()))
            except Empty:
                spent = monotonic() - started
                return _none(problem, seconds, spent) if told is None else replace(told, seconds=spent)
            if got is None:
                threads[2].join(1.0)
                reason = b"".join(errors).decode(errors="replace").strip()[-500:]
                raise RuntimeError(f"The solver's process ended without an answer: {reason}")
            is_last, told = got
            if is_last:
                return replace(told, seconds=monotonic() - started)
            on_answer(told)
    finally:
        process.kill()
        process.wait()
        for thread in threads:
            thread.join()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                with suppress(BrokenPipeError):  # what was not read of the request; the process is dead
                    pipe.close()


def _none(problem: Problem, seconds: float, spent: float) -> Answer:
    text = f"No schedule of the {len(problem.tasks)} tasks was found in {seconds:g} seconds, and none was ruled out."
    return Answer("unknown", seconds=spent, cause=Cause("unproved", text, found_before_solver=False))


def _send(process: "subprocess.Popen[bytes]", request: Request) -> None:
    assert process.stdin is not None  # noqa: S101 - the process was started with a pipe
    try:
        write(process.stdin, request)
        process.stdin.close()
    except (BrokenPipeError, ValueError):
        return  # killed while it read: the receiver tells that it has ended


def _receive(process: "subprocess.Popen[bytes]", answers: "SimpleQueue[tuple[bool, Answer] | None]") -> None:
    assert process.stdout is not None  # noqa: S101 - the process was started with a pipe
    while (got := read(process.stdout)) is not None:
        answers.put(got)
    answers.put(None)


def write(stream: IO[bytes], what: object) -> None:
    """One object with its length before it."""
    content = pickle.dumps(what)
    stream.write(LENGTH.pack(len(content)) + content)
    stream.flush()


def read(stream: IO[bytes]) -> "tuple[bool, Answer] | None":
    """The next answer, and whether it is the last one; None where the stream ends, also within an answer."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (size,) = LENGTH.unpack(head)
    content = stream.read(size)
    if len(content) < size:
        return None
    found: tuple[bool, Answer] = pickle.loads(content)  # noqa: S301 - our own process wrote it
    return found


def main() -> None:
    """Solve what stands on stdin."""
    from loopwright.agents.planner.schedule.solver import solve_here

    started = monotonic()
    (size,) = LENGTH.unpack(sys.stdin.buffer.read(LENGTH.size))
    request: Request = pickle.loads(sys.stdin.buffer.read(size))  # noqa: S301 - the process that started this wrote it
    out = sys.stdout.buffer
    left = request.seconds - (monotonic() - started)
    answer = solve_here(request.problem, left, lambda better: write(out, (False, better)), request.seed)
    write(out, (True, answer))


if __name__ == "__main__":
    from loopwright.agents.planner.schedule import limited  # so that what is pickled has this module's own name

    limited.main()
