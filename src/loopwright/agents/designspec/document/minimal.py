"""The document that a new project starts with."""

from typing import Any

from loopwright.agents.designspec.document.spec import SCHEMA_NAME, SCHEMA_VERSION


def minimal_document(name: str) -> dict[str, Any]:
    """A draft without domains and components, in metres, with seed 42."""
    return {
        "schema": {"name": SCHEMA_NAME, "version": SCHEMA_VERSION, "compatible_with": ["1.0.x"]},
        "meta": {"name": name, "description": "", "seed": 42, "input_units": "m", "tags": []},
        "policies": {},
        "domains": {},
        "components": [],
    }
