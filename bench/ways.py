"""Each way out that the planner offers is taken, and the plan that comes of it is read from its calendar.

    python bench/ways.py [GOALS.jsonl] [--keep FOLDER]

Goals are `{"goal", "last"}`: more is asked for than fits, and nothing may lie after the day `last`, which is the event
itself or the last day (an event of one day may stand on it). A goal is planned by the command without `--yes`; the
question it ends with is answered with each of its options in turn, and what is asked after that with its default.

Of a way out that was taken: holds (there is a plan, and no entry of its calendar lies after the last day, or after that
which the way out names), late (one does), no plan. Ends with 1 if any is late or has no plan.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.agents.planner.facts.oracle import read_entries  # noqa: E402

ZONE = "Europe/Berlin"
LEAVE_IT = "Leave it"
MOST_QUESTIONS = 4
TIGHT = (
    ("study 120 hours for the tax exam on January 16 2027, 5 hours a week", "2027-01-16"),
    ("write 6 chapters of 10 hours each by December 20 2026, only on Saturdays, at most 4 hours a day", "2026-12-20"),
    ("sand the floor (6 hours) and oil it (5 hours) by November 28 2026, at most 1 hour a day", "2026-11-28"),
    ("sailing exam on December 12 2026: 8 lessons of 3 hours, only on Sundays, at most 2 hours a day", "2026-12-12"),
    ("40 Stunden Mathe bis zur Klausur am 5. Dezember 2026, 6 Stunden pro Woche", "2026-12-05"),
    ("5 Protokolle zu je 4 Stunden bis 13. Dezember 2026, nur samstags, höchstens 3 Stunden am Tag", "2026-12-13"),
    ("12月20日之前复习八章，每章十小时，每周十小时", "2026-12-20"),
    ("translate 300 pages at 3 pages an hour by December 18 2026, 10 hours a week, no weekends", "2026-12-18"),
    ("rehearse the play 12 times for 3 hours before the premiere on December 19 2026, only on Fridays", "2026-12-19"),
    ("learn guitar 10 hours a week, only on Saturdays, at most 2 hours a day, by February 28 2027", "2027-02-28"),
)  # fmt: skip


def run(folder: Path, goal: str, answers: dict[str, str], *options: str) -> dict[str, Any]:
    """The last event of a goal that is planned anew in a folder, with answers to its questions."""
    settings = {"LOOPWRIGHT_HOME": str(folder / "home"), "LOOPWRIGHT_NOW": "2026-11-22T09:00:00+00:00"}
    given = folder / "answers.json"
    given.write_text(json.dumps(answers), encoding="utf-8")
    words = ["plan", goal, "--tz", ZONE, "--out", str(folder / "out"), "--answers", str(given), "--json", *options]
    command = [str(Path(sys.executable).with_name("loopwright")), *words]
    done = subprocess.run(
        command, env=os.environ | settings, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    return json.loads(lines[-1]) if lines else {"type": "failed", "message": done.stderr[-400:]}


def ways_offered(folder: Path, goal: str) -> tuple[str, list[str], dict[str, str]]:
    """The question that offers ways out, what it offers, and the answers that lead to it; or no ways."""
    answers: dict[str, str] = {}
    for _ in range(MOST_QUESTIONS):
        line = run(folder, goal, answers, "--approve", "all")
        questions = line.get("questions") or []
        for each in questions:
            if LEAVE_IT in each.get("options", ()):
                return each["question"], [way for way in each["options"] if way != LEAVE_IT], answers
        if not questions:
            return str(line.get("response_text") or line.get("message"))[:200], [], answers
        answers |= {each["question"]: str(each.get("default") or "That is all I know.") for each in questions}
    return "asks on and on", [], answers


def outcome(folder: Path, way: str, last: date) -> str:
    """What came of a way out, by the calendar that it left: whether it holds, its hours of work, its last day."""
    found = next((folder / "out").rglob("plan.ics"), None)
    entries = read_entries(found.read_text(encoding="utf-8"), ZONE) if found is not None else []
    if not entries:
        return "no plan"
    named = [date.fromisoformat(day) for day in re.findall(r"\d{4}-\d\d-\d\d", way)]
    end = max(entry.start.date() for entry in entries)
    work = sum(entry.hours for entry in entries if not entry.whole)
    return f"{'holds' if end <= max([last, *named]) else 'late'}, {work:.0f} h until {end}"


def main() -> int:
    """Take each way out of each goal."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("goals", nargs="?", type=Path)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    cases: Sequence[tuple[str, str]] = TIGHT
    if options.goals is not None:
        lines = map(json.loads, options.goals.read_text(encoding="utf-8").splitlines())
        cases = tuple((line["goal"], line["last"]) for line in lines)
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as temporary:
        base = options.keep or Path(temporary)
        for number, (goal, last) in enumerate(cases):
            folder = base / f"{number}"
            folder.mkdir(parents=True, exist_ok=True)
            question, ways, answers = ways_offered(folder, goal)
            print(f"{goal}\n    {question}")
            counts["goals without ways out"] += not ways
            for place, way in enumerate(ways):
                own = folder / f"way{place}"
                own.mkdir(exist_ok=True)
                run(own, goal, answers | {question: way}, "--yes")
                came = outcome(own, way, date.fromisoformat(last))
                counts[came.partition(",")[0]] += 1
                print(f"    {came:32} {way}", flush=True)
    print(dict(counts))
    return 1 if counts["late"] + counts["no plan"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
