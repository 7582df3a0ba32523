"""What of the words of a goal is kept, told or lost: each goal is planned by the command, its calendar is measured.

`python bench/planner.py GOALS.jsonl [--statements STATEMENTS.jsonl] [--only 01,02]`: goals are `{"id", "goal",
"said_on", "time_zone"}`; with labelled statements the checks measure these, else those that the product reads. A model
is used as the environment sets it (OPENAI_BASE_URL …), else the offline one.

kept: measured in the exported file. told: the plan's ending names it as not kept. lost: neither, which is a false
"complete" where the run ended as complete.
"""

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from loopwright.agents.planner.account import CHECKS, bind
from loopwright.kernel.account.kit import Claim, NothingThereYet, Statement
from loopwright.kernel.account.reading import read_statements

OVER = ("complete", "partly_kept")
"""With these there is a plan, and its account must say what it does not keep."""
CHECK = {check.name: check for check in CHECKS}


@dataclass(frozen=True)
class Folder:
    """As much of a run as a check looks at."""

    output_dir: Path


def statements_of(goal: dict[str, Any], labelled: dict[str, list[dict[str, Any]]]) -> Iterator[Statement]:
    """The statements of a goal: labelled ones at their places in the text, else those that are read."""
    text = goal["goal"]
    for number, label in enumerate(labelled.get(f"goal-{goal['id']}", ())):
        quotes = label["quote"] if isinstance(label["quote"], list) else [label["quote"]]
        parts, at = [], 0
        for quote in quotes:
            at = text.index(quote, at)
            parts.append((at, at + len(quote)))
        yield Statement(id=f"s{number}", parts=tuple(parts), text=" ".join(quotes), hard=tuple(label["hard"]))
    if f"goal-{goal['id']}" not in labelled:
        for number, read in enumerate(read_statements(text)):
            yield read.model_copy(update={"id": f"s{number}"})


def plan(goal: dict[str, Any], folder: Path) -> tuple[dict[str, Any], Path, float]:
    """Plan a goal in a folder: the last line, the folder of its files, and the seconds it took."""
    settings = {"LOOPWRIGHT_HOME": str(folder / "home"), "LOOPWRIGHT_NOW": f"{goal['said_on']}T09:00:00+00:00"}
    command = [str(Path(sys.executable).with_name("loopwright")), "plan", goal["goal"], "--yes", "--json"]
    command += ["--tz", goal["time_zone"], "--out", str(folder / "out")]
    began = time.monotonic()
    done = subprocess.run(command, env=os.environ | settings, capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    last = json.loads(lines[-1]) if lines else {"message": done.stderr[-300:]}
    last["calls"] = sum('"type":"model_response"' in re.sub(r"\s", "", line[:400]) for line in lines)
    files = next((folder / "out").rglob("plan.*"), folder / "out" / "none").parent
    return last, files, time.monotonic() - began


async def holds(claim: Claim | None, folder: Path) -> bool | None:
    """Whether a claim holds of the exported calendar; None where nothing measures it."""
    if claim is None:
        return None
    check = CHECK[claim.check]
    try:
        found = await check.measure(Folder(folder), check.arguments.model_validate(claim.arguments))  # type: ignore[arg-type]
    except NothingThereYet:
        return False
    return found.holds


async def main() -> None:
    """Plan, measure, and print a line for each goal and one for all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("goals", type=Path)
    parser.add_argument("--statements", type=Path)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    wanted = set(filter(None, options.only.split(",")))
    labelled = {}
    if options.statements is not None:
        rows = map(json.loads, options.statements.read_text(encoding="utf-8").splitlines())
        labelled = {row["id"]: row["statements"] for row in rows}
    total: Counter[str] = Counter()
    for line in options.goals.read_text(encoding="utf-8").splitlines():
        goal = json.loads(line)
        if wanted and goal["id"] not in wanted:
            continue
        with tempfile.TemporaryDirectory() as folder:
            last, files, seconds = plan(goal, Path(folder))
            statements = list(statements_of(goal, labelled))
            claims = bind(statements, date.fromisoformat(goal["said_on"]))
            ended = last.get("planning_status") or last.get("status") or "error"
            account = last.get("account") or {}
            spoken = " ".join(str(each.get("text")) for state in account if state != "kept" for each in account[state])
            counts: Counter[str] = Counter()
            for statement in statements:
                found = await holds(claims.get(statement.id), files)
                told = ended not in OVER or statement.text in spoken or spoken_in_parts(statement, spoken)
                counts["kept" if found else "told" if told else "lost" if found is False else "unmeasured"] += 1
        total += counts
        print(goal["id"], ended, dict(counts), f"{last['calls']} calls", f"{seconds:.0f} s", flush=True)
    print("all", dict(total))


def spoken_in_parts(statement: Statement, spoken: str) -> bool:
    """Whether the ending names the statement's hard words, cut in another way."""
    return bool(statement.hard) and all(word in spoken for word in statement.hard)


if __name__ == "__main__":
    asyncio.run(main())
