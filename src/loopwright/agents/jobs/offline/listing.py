"""Requirements as `list_requirements` tells them, a page at a time."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from loopwright.agents.jobs.offline.records import records
from loopwright.agents.jobs.offline.replay import Reading, call, one

PAGE = 50
"""Requirements in one answer."""


@dataclass(frozen=True)
class Listed:
    """What the rules need of a requirement."""

    id: str
    text: str
    type: str = ""
    priority: str = ""


def list_requirements(offset: int, most: int) -> Reading[list[Listed]]:
    """Up to `most` requirements of the store, in the order in which they were added."""
    found: list[Listed] = []
    while len(found) < most:
        limit = min(PAGE, most - len(found))
        result = yield from one(call("list_requirements", limit=limit, offset=offset + len(found)))
        page = [_listed(record) for record in records(result.text)] if result.ok else []
        found += page
        if len(page) < limit:
            break
    return found[:most]


def _listed(record: Mapping[str, Any]) -> Listed:
    return Listed(*(str(record.get(name) or "") for name in ("requirement_id", "text", "type", "priority")))
