"""kill -9 at random moments of a long job, then resume: the same end state each time, and nothing done twice."""

import asyncio
import json
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from loopwright.kernel.events import Event
from loopwright.kernel.testing.conformance import check_journal
from tests.support.commands import COMMAND, Installation
from tests.support.long_job import PHASES, TODOS, expected_lines, reply
from tests.support.model_server import ModelServer

CONFIG = {
    "$extends": "defaults",
    "job_type": "lines",
    "instructions": "Write lines.",
    "limits": {"context_threshold_tokens": 6_000, "pinned_tokens": 500},
}
LINES = 1_500
"""About as many JSON lines as the whole job prints; moments beyond its end kill nothing."""


def run_until(place: Installation, arguments: list[str], moment: int | None) -> tuple[int, list[dict[str, Any]]]:
    """Run a command and kill it after so many lines; gives its exit code and the lines that were seen."""
    process = subprocess.Popen(
        [*COMMAND, *arguments], cwd=place.folder, env=place.environment(), stdout=subprocess.PIPE, text=True
    )
    seen: list[dict[str, Any]] = []
    assert process.stdout is not None
    for line in process.stdout:
        seen.append(json.loads(line))
        if moment is not None and len(seen) >= moment:
            process.kill()
            break
    process.stdout.close()
    return process.wait(), seen


def end_state(workspace: Path) -> dict[str, Any]:
    """What a job leaves behind, without its times."""
    files = {}
    for path in sorted(workspace.rglob("*")):
        relative = path.relative_to(workspace).as_posix()
        if not path.is_file() or relative.startswith(".loopwright/"):
            continue
        text = path.read_text()
        if relative.startswith("archive/phase_"):
            data = yaml.safe_load(text)
            files[relative] = {k: v for k, v in data.items() if k not in ("begun_at", "ended_at")}
        else:
            files[relative] = text
    return files


async def job_with_kills(folder: Path, moments: list[int]) -> tuple[dict[str, Any], list[dict[str, Any]], int]:
    """The job with a kill at each moment; gives its end state, its journal and how many kills hit it."""
    place = Installation(folder)
    (folder / "lines.json").write_text(json.dumps(CONFIG))
    async with ModelServer([reply] * 5_000) as server:
        place.settings["OPENAI_BASE_URL"] = server.base_url
        arguments = ["jobs", "run", "lines.json", "--workspace", "work-folder", "--json"]
        hits, job = 0, ""
        for moment in [*moments, None]:
            code, seen = await asyncio.to_thread(run_until, place, arguments, moment)
            job = job or next((line["payload"]["session_id"] for line in seen if line["type"] == "run_created"), "")
            if code == 0:
                break
            hits += 1
            arguments = ["jobs", "resume", job, "--json"]
        else:
            raise AssertionError(f"the job did not end: {seen[-1]}")
    run = place.newest_run()
    assert run["status"] == "completed"
    return end_state(folder / "work-folder"), place.events(run["run_id"]), hits


def check(state: dict[str, Any], events: list[dict[str, Any]]) -> None:
    """One journal that holds, one end, every line once."""
    check_journal([Event.model_validate(event) for event in events])
    assert [event["type"] for event in events].count("run_completed") == 1
    for phase in range(2, PHASES + 1, 2):
        assert state[f"work/phase_{phase}.md"] == expected_lines(phase)
        assert len(state[f"archive/phase_{phase}.yaml"]["todos"]) == TODOS
    flips = [event for event in events if event["type"] == "stage_changed" and event["payload"]["to"] == "tactical"]
    assert len(flips) == PHASES / 2


async def test_a_job_that_is_killed_five_times_comes_to_the_same_end(tmp_path: Path) -> None:
    for name in ("undisturbed", "killed"):
        (tmp_path / name).mkdir()
    undisturbed, _, _ = await job_with_kills(tmp_path / "undisturbed", [])
    moments = [random.Random(20261122 + n).randrange(2, LINES // 5) for n in range(5)]
    state, events, hits = await job_with_kills(tmp_path / "killed", moments)
    assert hits == 5
    check(state, events)
    assert state == undisturbed


@pytest.mark.soak
async def test_fifty_kills_change_nothing(tmp_path: Path) -> None:
    (tmp_path / "undisturbed").mkdir()
    undisturbed, _, _ = await job_with_kills(tmp_path / "undisturbed", [])
    total, seed = 0, random.SystemRandom().randrange(1 << 32)
    moments = random.Random(seed)
    while total < 50:
        folder = tmp_path / f"killed-{total}"
        folder.mkdir()
        planned = [moments.randrange(1, LINES // 4) for _ in range(8)]
        state, events, hits = await job_with_kills(folder, planned)
        assert hits, f"seed {seed}"
        total += hits
        check(state, events)
        assert state == undisturbed, f"seed {seed}, moments {planned}"
