"""`spec.json` as text."""

import json
from typing import Any

from loopwright.agents.designspec.document.loading import load_text
from loopwright.agents.designspec.document.plain import MOST_CHARACTERS

MAX_SPEC_BYTES = 4 * MOST_CHARACTERS
"""UTF-8 has at most four bytes for a character."""


def write_spec(document: Any) -> str:
    """The document as people like to read it; a very large one without indents, so that it can be read again."""
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    if len(text) <= MOST_CHARACTERS:
        return text
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def read_spec(text: str, place: str) -> dict[str, Any]:
    """The document that the text holds.

    Raises:
        InvalidInput: it is no JSON object, has a member twice, or passes the limits of documents.
    """
    return load_text(text, place)
