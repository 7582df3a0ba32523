"""JSON objects in what a tool said: one a line, or a list of them."""

import json
from collections.abc import Mapping
from typing import Any

MOST_LINE = 20_000


def records(text: str) -> list[Mapping[str, Any]]:
    """The objects in a text, in order; what stands between them is passed over.

    A line that is longer than readings show comes in pieces, which are put together again.
    """
    found: list[Mapping[str, Any]] = []
    pending = ""
    for line in text.splitlines():
        if not pending and not line.lstrip().startswith("{"):
            continue
        pending += line
        try:
            data = json.loads(pending)
        except ValueError:
            pending = pending if len(pending) < MOST_LINE else ""
            continue
        pending = ""
        if isinstance(data, dict):
            found.append(data)
    return found
