"""The goal families: what a good coach would write for a kind of goal, as data in `families/*.json`."""

import json
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

PACKAGE = "loopwright.agents.planner.offline"
GENERIC = {
    "milestone_project": "generic_project",
    "recurring_cycle": "generic_habit",
    "progressive_accumulation_arc": "generic_learning",
    "hybrid_project_cycle": "generic_rounds",
    "strategic_transformation": "generic_change",
}
"""The honest families for goals that no other one knows, by pattern."""


@dataclass(frozen=True)
class Family:
    """One family: how it is recognised, its pattern, its usual size, and its parts as the file has them."""

    key: str
    title: str
    pattern: str
    subtype: str | None
    cues: tuple[tuple[re.Pattern[str], float], ...]
    weeks: int
    hours_per_week: float
    root: str
    subject: str
    parts: tuple[dict[str, Any], ...]
    streams: dict[str, str]
    questions: tuple[dict[str, str], ...]
    assumptions: tuple[str, ...]
    facts: dict[str, Any]

    @classmethod
    def of(cls, raw: dict[str, Any]) -> "Family":
        """Read one file's content."""
        pattern = raw["pattern"]
        return cls(
            key=raw["key"],
            title=raw["title"],
            pattern=pattern["type"],
            subtype=pattern.get("subtype"),
            cues=tuple((re.compile(cue), float(weight)) for cue, weight in raw["cues"]),
            weeks=raw["weeks"],
            hours_per_week=raw["hours_per_week"],
            root=raw["root"],
            subject=raw.get("subject", raw["title"]),
            parts=tuple(raw["parts"]),
            streams=raw.get("streams", {}),
            questions=tuple(raw.get("questions", ())),
            assumptions=tuple(raw.get("assumptions", ())),
            facts=raw.get("facts", {}),
        )

    def score(self, text: str) -> float:
        """How much the text (in small letters) speaks for this family: the sum of its cues."""
        return sum(weight for cue, weight in self.cues if cue.search(text))


@cache
def families() -> dict[str, Family]:
    """All families by key, in the order of their names."""
    folder = resources.files(PACKAGE).joinpath("families")
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".json")), key=lambda file: file.name)
    found = [Family.of(json.loads(file.read_text(encoding="utf-8"))) for file in files]
    return {family.key: family for family in found}


def recognise(text: str, pattern: str | None) -> tuple[Family, float]:
    """The family that fits best, and how sure that is, 0 to 1; the generic one of the pattern when none does."""
    scored = sorted(((family.score(text), family.key) for family in families().values()), reverse=True)
    best, key = scored[0]
    if best < 1.0:
        return families()[GENERIC[pattern or "milestone_project"]], 0.5 if pattern else 0.35
    second = scored[1][0]
    return families()[key], round(min(0.95, 0.7 + 0.1 * (best - second)), 2)
