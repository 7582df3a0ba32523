"""Deep merge of config layers."""

from collections.abc import Mapping
from typing import Any


def merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """`below` changed by `above`: mappings merge, lists and plain values replace, null takes a value away."""
    result = dict(below)
    for key, value in above.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, Mapping):
            under = result.get(key)
            result[key] = merged(under if isinstance(under, Mapping) else {}, value)
        else:
            result[key] = value
    return result
