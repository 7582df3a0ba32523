"""A busy process keeps its runs, a hung one falls silent."""

import asyncio
import time
from pathlib import Path

import pytest

from loopwright.app.starting import NewRun, start_run
from loopwright.engine.ownership import HUNG_BEATS, Heart
from loopwright.kernel.errors import Conflict
from loopwright.stores import claims as leases
from tests.engine.toys import LookingModel, toy_application

BEAT = 0.2


def test_the_heart_beats_while_the_loop_is_busy_and_falls_silent_when_it_hangs() -> None:
    beats: list[float] = []
    heart = Heart(lambda run_ids: beats.append(time.monotonic()), lambda: ["run"], BEAT)
    heart.start()
    began = time.monotonic()
    heart.turn()
    time.sleep(BEAT * (HUNG_BEATS + 5))  # nobody turns
    heart.stop()
    assert beats
    assert max(beats) - began < BEAT * (HUNG_BEATS + 1)


async def test_a_hung_process_gives_way_in_two_leases_and_a_busy_one_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another one on the same host looks on; the loop of this one stands still."""
    monkeypatch.setattr(leases, "LEAST_SECONDS", 0.0)
    model = LookingModel(hold=asyncio.Event())
    beat = 0.8
    async with toy_application(tmp_path, model, heartbeat_seconds=beat) as application:
        run = await start_run(application, NewRun("look", agent="toy"))
        await model.came.wait()

        def tried(seconds: float) -> list[tuple[float, bool]]:
            """Claim again and again from another process's point of view, in this thread's own loop."""
            return asyncio.run(try_to_take(tmp_path, run.run_id, seconds))

        looking = asyncio.create_task(asyncio.to_thread(tried, 13 * beat))
        await asyncio.sleep(0.5)
        time.sleep(2.0 * beat)  # noqa: ASYNC251 - busy: longer than a beat, shorter than hung
        await asyncio.sleep(0.1)
        hung = time.monotonic()
        time.sleep(10 * beat)  # noqa: ASYNC251 - hung
        attempts = await looking
        taken = [at for at, granted in attempts if granted]
        assert taken, "the hung process was never given up"
        assert taken[0] - hung > 4 * beat, "it was merely busy"
        assert taken[0] - hung < 2 * 4 * beat + 0.5


async def try_to_take(folder: Path, run_id: str, seconds: float) -> list[tuple[float, bool]]:
    attempts = []
    async with toy_application(folder, LookingModel(), heartbeat_seconds=0.8) as other:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            try:
                await other.stores.runs.claim(run_id, "elsewhere:1:1")
            except Conflict:
                attempts.append((time.monotonic(), False))
            else:
                attempts.append((time.monotonic(), True))
                break
            await asyncio.sleep(0.3)
    return attempts
