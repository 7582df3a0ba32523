"""A plan for other programs: the contracts themselves."""

import json

from loopwright.agents.planner.contracts import PlanOutline, Roadmap, Schedule

FORMAT = "loopwright-plan"
VERSION = 1


def write_json(outline: PlanOutline, roadmap: Roadmap | None, schedule: Schedule | None) -> str:
    """The contracts as JSON; the same plan gives the same text."""
    parts = {"outline": outline, "roadmap": roadmap, "schedule": schedule}
    plan = {name: None if part is None else part.model_dump(mode="json") for name, part in parts.items()}
    return json.dumps({"format": FORMAT, "version": VERSION, **plan}, indent=2, ensure_ascii=False) + "\n"
