"""Lets both sides run in turns against one model server and gathers their figures."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

BENCH = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Measured:
    """One side's figures: CPU milliseconds per step, and steps per second of many runs at once."""

    shallow_ms: float
    deep_ms: float
    steps_per_second: float

    @property
    def growth(self) -> float:
        """How much more a step costs at the end than at the beginning."""
        return self.deep_ms / self.shallow_ms

    def rate_against(self, other: "Measured") -> float:
        """How many times the other's steps per second."""
        return self.steps_per_second / other.steps_per_second


@contextmanager
def model_server() -> Iterator[str]:
    """The base URL of a model server in a process of its own."""
    process = subprocess.Popen(
        [sys.executable, str(BENCH / "rig" / "model_server.py")], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
    finally:
        process.kill()
        process.wait()


def measure(names: list[str], rounds: int, tell: Callable[[str], None]) -> dict[str, Measured]:
    """The medians over the rounds; within a round every side has its turn, so that a busy machine is so for all."""
    seen: dict[str, dict[str, list[float]]] = {name: {} for name in names}
    with model_server() as base_url:
        for number in range(1, rounds + 1):
            for name in names:
                tell(f"round {number} of {rounds}: {name}")
                for what in ("cost", "rate"):
                    for key, value in _side(name, base_url, what).items():
                        seen[name].setdefault(key, []).append(value)
    return {name: Measured(**{key: statistics.median(v) for key, v in seen[name].items()}) for name in names}


def _side(name: str, base_url: str, what: str) -> dict[str, float]:
    command = [sys.executable, "-m", "rig.side", name, base_url, what]
    done = subprocess.run(command, cwd=BENCH, check=True, stdout=subprocess.PIPE)
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def help_milliseconds(rounds: int) -> float:
    """Wall time of `loopwright --help`, the best of some tries: what the command needs, not what the machine is at."""
    command = [str(Path(sys.executable).with_name("loopwright")), "--help"]
    with tempfile.TemporaryDirectory() as folder:
        return min(_wall(command, folder) for _ in range(rounds)) * 1_000


def _wall(command: list[str], folder: str) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, cwd=folder, env={**os.environ, "COLUMNS": "100"})
    return time.perf_counter() - started
