"""The thirty briefs as data: what a person asks for, and what must come of it (see `data/README.md`)."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class Brief:
    """One brief with what its app must be; the keys are told in `data/README.md`."""

    id: str
    brief: str
    type: str
    pages: tuple[str, ...] = ()
    count: int | None = None
    titles: tuple[str, ...] = ()
    name: str | None = None
    language: str = "en"
    mode: str | None = None
    colour: str | None = None
    hue: tuple[int, int] | None = None
    home: tuple[str, ...] = ()
    must: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    steps: tuple[dict[str, Any], ...] = ()


@cache
def briefs() -> tuple[Brief, ...]:
    """All briefs, by product type."""
    entries = [
        entry for path in sorted(DATA.glob("*.yaml")) for entry in yaml.safe_load(path.read_text(encoding="utf-8"))
    ]
    return tuple(
        Brief(**{key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()})
        for entry in entries
    )


@cache
def briefs_of_others() -> tuple[tuple[str, str], ...]:
    """Briefs for which the studio was not made: the id and the words of each (see `data/README.md`)."""
    lines = (DATA / "elsewhere.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple((entry["id"], entry["brief"]) for entry in map(json.loads, lines))
