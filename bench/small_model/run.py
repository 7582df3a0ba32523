"""The first run on a small model: jobs written before the work on it began, judged by what they leave behind.

    python -m bench.small_model.run --endpoint http://127.0.0.1:8033/v1 --server-pid PID --rfc FOLDER
        [--results first.jsonl] [--agent ide] [--case rename] [--seconds 900] [--program .venv/bin/loopwright]
        [--cases FOLDER] [--lock FILE] [--keep FOLDER] [--bare] [--table]

From the repository's folder. Each case has its own home, is run once, and is written to the results when it ends; cases
that are there are not run again. `--bare` runs the bare loop of `bare.py` instead of the product; `--table` only prints
the results.
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.small_model.bare import Bare
from bench.small_model.counting import Counts, alone, counted, cpu_seconds
from bench.small_model.judges import AGENTS, CASES, cases, judge
from bench.small_model.outcome import Judgement, Outcome
from bench.small_model.product import Product
from bench.small_model.tables import table


def main() -> None:
    """Run what is not in the results yet, then print the table."""
    options, begin = _options(), time.monotonic()
    results = Path(options.results)
    if not options.table:
        for agent in options.agent or AGENTS:
            for case in cases(agent, options.cases):
                if options.case and case["id"] not in options.case:
                    continue
                late = options.until is not None and time.monotonic() - begin > options.until
                if not late and (agent, case["id"]) not in _finished(results):
                    record = _measured(options, agent, case)
                    with results.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(record, ensure_ascii=False) + "\n")
                    sys.stderr.write(f"{agent} {case['id']}: {record['verdict']} ({record['seconds']:.0f} s)\n")
    sys.stdout.write(table(_records(results)))


def _measured(options: argparse.Namespace, agent: str, case: dict[str, Any]) -> dict[str, Any]:
    """Run a case and judge it; a judge that fails is told, not taken for a verdict."""
    with tempfile.TemporaryDirectory(prefix=f"small-{agent}-") as made, counted(options.endpoint) as (address, counts):
        place = Path(options.keep) / agent / case["id"] if options.keep else Path(made)
        place.mkdir(parents=True, exist_ok=True)
        data = Path(options.rfc) if options.rfc else None
        with alone(options.lock):
            begin, used = time.monotonic(), cpu_seconds(options.server_pid)
            outcome = _outcome(options, agent, case, place, address, data)
            seconds, used = time.monotonic() - begin, cpu_seconds(options.server_pid) - used
        judgement = judge(agent, case, outcome, data)
        if options.keep:
            (place / "requests.json").write_text(json.dumps(counts.bodies, indent=1), encoding="utf-8")
        return _record(agent, case, outcome, judgement, counts) | {
            "seconds": round(seconds, 1),
            "cpu_seconds": round(used, 1),
        }


def _outcome(
    options: argparse.Namespace, agent: str, case: dict[str, Any], place: Path, address: str, data: Path | None
) -> Outcome:
    if options.bare:
        return Bare(address, data).run(agent, case, place)
    environment = {"OPENAI_BASE_URL": address, "OPENAI_API_KEY": "local", "MODEL_TOOLS": "schema"}
    environment |= dict(each.split("=", 1) for each in options.set)
    product = Product(str(Path(options.program).absolute()), environment, options.seconds, data)
    return product.run(agent, case, place)


def _record(agent: str, case: dict[str, Any], outcome: Outcome, judgement: Judgement, counts: Counts) -> dict[str, Any]:
    asked = case.get("requirements", judgement.asked)
    return {
        "agent": agent,
        "case": case["id"],
        "verdict": judgement.verdict,
        "ended": outcome.ended,
        "held": judgement.held,
        "asked": asked,
        **counts.numbers(),
        "reasons": [reason[:400] for reason in judgement.reasons[:12]],
        "said": outcome.answer[:600],
        "account": outcome.account,
        "errors": counts.errors[:3],
    }


def _records(results: Path) -> list[dict[str, Any]]:
    if not results.exists():
        return []
    return [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]


def _finished(results: Path) -> set[tuple[str, str]]:
    return {(record["agent"], record["case"]) for record in _records(results)}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--endpoint", default="http://127.0.0.1:8033/v1")
    parser.add_argument("--server-pid", type=int, help="the model server, whose processor time is counted")
    parser.add_argument("--rfc", help="folder with rfcNNNN.txt and rfcNNNN.truth.jsonl, for the jobs' cases")
    parser.add_argument("--results", default="small-model.jsonl")
    parser.add_argument("--agent", action="append", choices=AGENTS)
    parser.add_argument("--case", action="append")
    parser.add_argument("--cases", type=Path, default=CASES, help="a folder with another set of cases")
    parser.add_argument("--seconds", type=float, default=900, help="limit for a case")
    parser.add_argument("--until", type=float, help="begin no case after so many seconds")
    parser.add_argument("--program", default=".venv/bin/loopwright")
    parser.add_argument("--set", action="append", default=["MODEL_PROFILE=small"], help="NAME=VALUE for the product")
    parser.add_argument("--lock", help="a file that is locked for each case")
    parser.add_argument("--keep", help="a folder that keeps what each case leaves behind, with its requests")
    parser.add_argument("--bare", action="store_true")
    parser.add_argument("--table", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
