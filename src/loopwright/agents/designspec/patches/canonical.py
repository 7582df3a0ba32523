"""JSON values compared as JSON is: Python says that 1, 1.0 and true are equal."""

import json
from typing import Any


def canonical_json(value: Any) -> str:
    """Sorted compact JSON: two values have the same one exactly when they are the same JSON."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def same_json(first: Any, second: Any) -> bool:
    """Whether two values are the same JSON; the order of members does not count."""
    return canonical_json(first) == canonical_json(second)
