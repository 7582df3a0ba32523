"""Attacks 55 and 56: what outlives its command, and what takes all that the machine has."""

import asyncio
import time

import pytest

import loopwright.agents.ide.sandbox as bubblewrap
from loopwright.agents.ide.sandbox import running
from tests.agents.ide.boundary.grounds import Grounds, tree
from tests.agents.ide.commanding import confined
from tests.agents.ide.sandbox.processes_seen import own, sleepers

pytestmark = confined
LATER = "sleep 1; echo late > late.txt; echo late > .git/hooks/pre-commit; sleep 317"
LONG = 60
"""Seconds: more than a sandbox takes to start on a machine that is busy, and less than a daemon sleeps."""
DAEMONS = (
    f"({LATER}) &",
    f"setsid sh -c '{LATER}' > /dev/null 2>&1 < /dev/null &",
    f"(setsid setsid nohup sh -c \"trap '' TERM HUP INT; {LATER}\" > /dev/null 2>&1 &) &",
)


@pytest.mark.parametrize("line", DAEMONS)
@pytest.mark.parametrize("ending", ["exit 0", "sleep 318"], ids=["ends", "takes too long"])
async def test_attack_55_daemon_that_outlives_its_command(grounds: Grounds, line: str, ending: str) -> None:
    before, asked = tree(grounds.root), time.monotonic()
    ends = ending == "exit 0"
    daemon, itself = own(317), own(318)
    line = f"{line}\n sleep 0.2; {ending}".replace("317", daemon).replace("318", itself)
    report = await grounds.run(line, seconds=LONG if ends else 0.8)
    assert report.outcome is not None
    assert time.monotonic() - asked < LONG, "it waits neither for the daemon nor for the command"
    assert bool(report.outcome.stopped) is not ends
    assert not sleepers(daemon)
    assert not sleepers(itself)
    await asyncio.sleep(1.2)
    assert tree(grounds.root) == before


BOMBS = {
    "memory": 'python3 -c "x = bytearray(600 * 1024**2)"',
    "memory in files": "python3 -c \"import os, time; f = os.memfd_create('x'); [os.write(f, bytes(1 << 20))"
    ' for _ in range(600)]; time.sleep(60)"',
    "temporary files": "head -c 60000000 /dev/zero > /tmp/x",
    "shared memory": "head -c 60000000 /dev/zero > /dev/shm/x",
    "device folder": "head -c 60000000 /dev/zero > /dev/x",
    "disk": "head -c 60000000 /dev/zero > much; sleep 60",
    "files": "i=0; while [ $i -lt 900 ]; do i=$((i+1)); : > f$i; done; sleep 60",
    "processes": "f() { if [ $1 -gt 0 ]; then f $(($1-1)) & f $(($1-1)) & sleep 60; fi; }; f 7",
    "output": "head -c 60000000 /dev/zero",
}
"""All of them bounded, so that a sandbox that is broken breaks nothing else."""


@pytest.mark.parametrize("kind", BOMBS)
async def test_attack_56_taking_all_that_there_is(grounds: Grounds, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, most in (
        ("MOST_MEMORY", 400 * 1024**2), ("MOST_WRITTEN", 20 * 1024**2), ("MOST_FILES", 500),
        ("MOST_PROCESSES", 40), ("MOST_OUTPUT", 20 * 1024**2),
    ):  # fmt: skip
        monkeypatch.setattr(running, name, most)
    for name in ("TEMPORARY_BYTES", "SHARED_BYTES"):
        monkeypatch.setattr(bubblewrap, name, 20 * 1024**2)
    before = tree(grounds.root)
    report = await grounds.run(BOMBS[kind], seconds=30)
    assert report.outcome is not None
    assert report.outcome.exit_code != 0, report.outcome.output[:500]
    assert "more than 30 seconds" not in report.outcome.stopped, "it is stopped by its own limit"
    assert tree(grounds.root) == before
