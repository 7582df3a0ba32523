"""kill -9 in the middle of a script: it goes on where it was, and no call that was finished is made again."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from loopwright.kernel.events import Event
from loopwright.kernel.testing.conformance import check_journal
from tests.shape.source import ROOT

pytest.importorskip("pydantic_monty", reason="the extra `code` is not installed")

PROGRAM = [sys.executable, "-m", "tests.support.code_program"]


def run(folder: Path, crash_at: str = "") -> tuple[int, dict[str, Any]]:
    """The program's exit code, and what it printed."""
    surroundings = {**os.environ, "LOOPWRIGHT_CRASH_AT": crash_at} if crash_at else dict(os.environ)
    done = subprocess.run(
        [*PROGRAM, str(folder)], cwd=ROOT, env=surroundings, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode in (0, -signal.SIGKILL), done.stderr[-2_000:]
    return done.returncode, json.loads(done.stdout) if done.returncode == 0 else {}


@pytest.mark.parametrize(
    "points",
    [
        ["calls.nested:1"],
        ["calls.nested:3", "calls.nested:1"],
        ["calls.started:2", "tool.executed:3"],
        ["tool.executed:2", "result.recorded:2"],
        ["gate.opened:1", "tool.executed:1"],
        ["gate.opened:1", "result.recorded:1", "tool.executed:2"],
    ],
    ids=" then ".join,
)
def test_a_killed_script_comes_to_its_end(points: list[str], tmp_path: Path) -> None:
    """Each process dies at its point; the next ones carry the run on to its end."""
    for point in points:
        code, _ = run(tmp_path, point)
        assert code == -signal.SIGKILL, f"{point} was never reached"
    told: dict[str, Any] = {"status": ""}
    for _ in range(4):
        if told["status"] == "completed":
            break
        _, told = run(tmp_path)
    assert told["status"] == "completed"
    events = [Event.model_validate(event) for event in told["events"]]
    check_journal(events)
    results = [event.payload for event in events if event.type == "tool_result"]
    assert [result["name"] for result in results].count("run_code") == 1
    assert set(Counter(result["call_id"] for result in results).values()) == {1}
    written = (Path(told["folder"]) / "ledger").read_text().splitlines()
    assert sum(line.startswith("pay") for line in written) == 1
    assert {line.split()[1] for line in written} == {"a", "b", "c", "rent", "d", "e"}
    assert len(set(written)) == 6, "what was written again has the same key"
    assert len(written) <= 6 + sum(point.startswith("tool.executed") for point in points)
    assert results[-1]["output"].endswith("end")
