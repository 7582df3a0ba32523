"""The fingerprint of a document as it is written, units and all (`spec_hash` is that of what it means)."""

import hashlib
import json
from typing import Any


def document_hash(document: Any) -> str:
    """First 16 hex digits of SHA-256 over the sorted compact JSON of the raw document.

    Raises:
        ValueError: a number in it is not finite.
    """
    compact = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(compact.encode()).hexdigest()[:16]
