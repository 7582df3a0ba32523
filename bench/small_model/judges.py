"""The judges of all agents: what the result shows of each fact of a case, and the verdict."""

import json
from pathlib import Path
from typing import Any

from bench.small_model import judge_designspec, judge_ide, judge_jobs, judge_pages, judge_planner
from bench.small_model.outcome import Judgement, Outcome, settle

CASES = Path(__file__).parent / "cases"
AGENTS = ("ide", "designspec", "pages", "planner", "jobs")


def cases(agent: str, folder: Path = CASES) -> list[dict[str, Any]]:
    """The cases of an agent in a folder, in their order."""
    return [json.loads(line) for line in (folder / f"{agent}.jsonl").read_text(encoding="utf-8").splitlines()]


def judge(agent: str, case: dict[str, Any], outcome: Outcome, data: Path | None = None) -> Judgement:
    """The verdict on what a run left behind; `data` is the folder of the RFCs.

    Raises:
        ValueError: the jobs' cases are judged and no folder of RFCs is given.
    """
    match agent:
        case "ide":
            return settle(outcome, judge_ide.judge(case, outcome))
        case "designspec":
            return settle(outcome, judge_designspec.judge(case, outcome))
        case "pages":
            return settle(outcome, judge_pages.judge(case, outcome))
        case "planner":
            return settle(outcome, judge_planner.judge(case, outcome))
        case _:
            if data is None:
                raise ValueError("the folder of the RFCs is needed")
            return settle(outcome, judge_jobs.judge(case, outcome, data))
