"""`make test-dates`: the tests that know dates, at other moments and in other time zones, by Debian's `faketime`.

`python -m tests.support.dates` runs them at every moment, `--sample` at two; words after it are tests to run instead.
No test depends on the day it runs: what fails here alone is such a test, or code that is wrong on such a day.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

MOMENTS = (
    ("2027-03-01 09:00:00", "UTC"),  # a Monday, the first of its month
    ("2028-02-29 23:59:30", "Europe/Berlin"),  # a Tuesday, the leap day, which ends while the tests run
    ("2027-06-30 23:59:30", "Asia/Kolkata"),  # a Wednesday, half an hour beside the other zones
    ("2026-12-31 23:59:30", "Europe/Berlin"),  # a Thursday, the last of the year
    ("2027-01-01 00:30:00", "Pacific/Tongatapu"),  # a Friday, UTC+13: yesterday in UTC, and last year
    ("2027-02-27 12:00:00", "America/St_Johns"),  # a Saturday, west of UTC
    ("2027-03-28 01:59:30", "Europe/Berlin"),  # a Sunday, whose next hour does not exist
    ("2026-10-25 02:30:00", "Europe/Berlin"),  # a Sunday, whose hour comes twice
)
SAMPLE = (MOMENTS[1], MOMENTS[4])
TESTS = (
    *(f"tests/agents/planner/{part}" for part in ("account", "exports", "grammar", "offline", "tools", "workflow")),
    *("tests/agents/planner/schedule", "tests/agents/ide/memory", "tests/agents/pages/promises/test_replay.py"),
    *("tests/agents/pages/commands", "tests/agents/pages/routes", "tests/app", "tests/kernel/account/reading"),
    *("tests/stores", "tests/server", "tests/models/test_patience.py", "tests/kernel/test_client_tools.py"),
    *("tests/agents/jobs/requirements", "tests/agents/jobs/test_rewinding.py", "tests/e2e/test_planner_words.py"),
)
SAMPLED_TESTS = (
    *("tests/agents/planner/exports", "tests/agents/planner/workflow", "tests/agents/ide/memory", "tests/stores"),
    "tests/agents/pages/promises/test_replay.py",
)
ROOT = Path(__file__).parents[2]
CUSTOMIZED = Path(__file__).with_name("faked_time")
"""A folder for the path of modules, whose `sitecustomize` every Python process takes up."""


def run_at(moment: str, zone: str, tests: Sequence[str]) -> bool:
    """Run the quick lane of the tests as if it were that time in that zone; whether all passed.

    What waits goes by the monotonic clock, which stays true.
    """
    faketime = shutil.which("faketime")
    if faketime is None:
        sys.exit("faketime is not installed (Debian: apt-get install faketime)")
    sys.stdout.write(f"==> {moment} {zone}\n")
    sys.stdout.flush()
    options = [
        "-q",
        "-n",
        "2",
        "--lane",
        "quick",
        "-p",
        "no:cacheprovider",
        "-m",
        "not soak and not wheels and not browser",
    ]
    command = [faketime, "-f", f"@{moment}", sys.executable, "-m", "pytest", *options, *tests]
    surroundings = {**os.environ, "TZ": zone, "FAKETIME_DONT_FAKE_MONOTONIC": "1", "PYTHONPATH": str(CUSTOMIZED)}
    return subprocess.run(command, cwd=ROOT, env=surroundings, check=False).returncode == 0


def main(arguments: Sequence[str]) -> int:
    """The exit code: 0 where all passed at each moment."""
    sample = "--sample" in arguments
    named = [word for word in arguments if word != "--sample"]
    tests = named or (SAMPLED_TESTS if sample else TESTS)
    failed = [f"{moment} {zone}" for moment, zone in (SAMPLE if sample else MOMENTS) if not run_at(moment, zone, tests)]
    for each in failed:
        sys.stdout.write(f"FAILED at {each}\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
