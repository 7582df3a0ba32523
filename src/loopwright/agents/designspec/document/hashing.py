"""The fingerprint of a design."""

import hashlib
import json
from typing import Any

from loopwright.agents.designspec.document.spec import DesignSpec


def spec_hash(spec: DesignSpec) -> str:
    """First 16 hex digits of SHA-256 over the sorted compact JSON of the normalised spec.

    The units it was written in do not count, so that the same design in millimetres and in metres has one hash.
    """
    content = spec.model_dump(mode="json", by_alias=True)
    content["meta"].pop("input_units", None)
    content["policies"]["resolution"].pop("input_units", None)
    return hashlib.sha256(canonical_json(content).encode()).hexdigest()[:16]


def canonical_json(value: Any) -> str:
    """Plain values as JSON with sorted names and without spaces, in ASCII: one text for one content."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
