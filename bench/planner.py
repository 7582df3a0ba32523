"""What of a goal's and a change's facts is kept, told or lost: planned by the command, measured by an oracle.

`python bench/planner.py CASES.jsonl [--replans REPLANS.jsonl] [--only 01,02] [--keep FOLDER]`: cases are `{"id",
"goal", "facts"}`, changes `{"id", "of", "request", "must"}`, as in `tests/agents/planner/facts/cases`. A model is used
as the environment sets it (OPENAI_BASE_URL …), else the offline one. Each change is made to the plan as first settled.

kept: the exported calendar shows it. told: the ending says that it was not kept, or there is no plan. wrong: neither.
Beside each goal stands how its plan reads (`oracle.quality`); a table of all ends the report.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from statistics import mean
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.agents.planner.facts.oracle import Entry, holds, is_told, quality, read_entries, verdict  # noqa: E402

SAID_ON = "2026-11-22"
ZONE = "Europe/Berlin"
Line = dict[str, Any]


def run(folder: Path, *words: str) -> Line:
    """A command with its state in a folder; the last line of its events."""
    settings = {"LOOPWRIGHT_HOME": str(folder / "home"), "LOOPWRIGHT_NOW": f"{SAID_ON}T09:00:00+00:00"}
    command = [str(Path(sys.executable).with_name("loopwright")), "plan", *words, "--yes", "--json"]
    done = subprocess.run(command, env=os.environ | settings, capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    return json.loads(lines[-1]) if lines else {"type": "failed", "message": done.stderr[-400:]}


def calendar(folder: Path) -> list[Entry]:
    """The entries of the plan in a folder; none where there is no plan."""
    found = next((folder / "out").rglob("plan.ics"), None)
    return read_entries(found.read_text(encoding="utf-8"), ZONE) if found is not None else []


def judged_change(change: Line, before: list[Entry], after: list[Entry], line: Line) -> str:
    """What became of a change, by the calendar after it.

    Where nothing was done and nothing had to be done, or not enough is there, the ending has to name the request.
    """
    same = before == after
    named = is_told(change["request"], line) or _names(change["request"], line)
    decided = any(fact["check"] != "same" for fact in change["must"])
    if all(same if fact["check"] == "same" else holds(fact, after) for fact in change["must"]) and (decided or named):
        return "kept"
    if same and not named:
        return "wrong"
    return "told" if same else verdict({"words": change["request"], "check": "none"}, after, line)


def quality_table(rows: dict[str, dict[str, float]]) -> str:
    """How the plans read, one line each, and the mean of all that have the figure."""
    names = list(dict.fromkeys(name for row in rows.values() for name in row))
    lines = [f"| goal | {' | '.join(name.replace('_', ' ') for name in names)} |", "|---" * (len(names) + 1) + "|"]
    means = {name: mean(row[name] for row in rows.values() if name in row) for name in names}
    for key, row in [*rows.items(), ("mean", means)]:
        cells = (f"{row[name]:.2f}" if name in row else "" for name in names)
        lines.append(f"| {key} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _names(request: str, line: Line) -> bool:
    """Whether the ending's own text says that nothing was done, or asks: with a question, or in its first words."""
    said = str(line.get("message") or line.get("text") or line.get("response_text") or "")
    return (line.get("type") != "complete" and len(said) > len(UNCHANGED)) or any(each in said for each in UNCHANGED)


UNCHANGED = ("stays as it is", "bleibt, wie er ist", "计划保持不变", "no change that could be undone")


def main() -> None:
    """Plan, change, measure, and print a line for each and one for all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("cases", type=Path)
    parser.add_argument("--replans", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", type=Path, help="Folder for the plans and their last lines")
    options = parser.parse_args()
    wanted = set(filter(None, options.only.split(",")))
    changes = [json.loads(line) for line in options.replans.read_text("utf-8").splitlines()] if options.replans else []
    total: Counter[str] = Counter()
    table: dict[str, dict[str, float]] = {}
    for case in map(json.loads, options.cases.read_text(encoding="utf-8").splitlines()):
        own = [each for each in changes if each["of"] == case["id"]]
        if wanted and case["id"] not in wanted:
            continue
        with tempfile.TemporaryDirectory() as name:
            folder, began = Path(name) / "plan", time.monotonic()
            folder.mkdir()
            line = run(folder, case["goal"], "--tz", ZONE, "--out", str(folder / "out"))
            before = calendar(folder)
            told = {fact["words"]: verdict(fact, before, line) for fact in case["facts"]}
            reads = quality(before, case["facts"])
            table[case["id"]] = reads
            shown = " ".join(f"{key} {value:.2f}" for key, value in reads.items())
            print(
                case["id"],
                line.get("planning_status") or line["type"],
                told,
                shown,
                f"{time.monotonic() - began:.0f} s",
            )
            total.update(f"facts {each}" for each in told.values())
            settled = Path(name) / "settled"  # a session's folder is known by its path, so it is put back each time
            shutil.copytree(folder, settled, symlinks=True)
            for change in own if line.get("plan_id") else ():
                shutil.rmtree(folder)
                shutil.copytree(settled, folder, symlinks=True)
                ended = run(folder, "replan", line["plan_id"], change["request"])
                result = judged_change(change, before, calendar(folder), ended)
                shutil.copytree(folder / "out", Path(name) / change["id"])
                (Path(name) / change["id"] / "line.json").write_text(json.dumps(ended, ensure_ascii=False, indent=1))
                total[f"changes {result}"] += 1
                said = ended.get("message") or ended.get("text") or ended.get("response_text") or ""
                print("  ", change["id"], change["request"], result, str(said)[:200], flush=True)
            if options.keep is not None:
                shutil.copytree(Path(name), options.keep / case["id"], dirs_exist_ok=True, symlinks=True)
                (options.keep / case["id"] / "line.json").write_text(json.dumps(line, ensure_ascii=False, indent=1))
    print(quality_table(table))
    print("all", dict(total))


if __name__ == "__main__":
    main()
