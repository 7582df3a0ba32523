"""The JSON Schema of config files, made from the model."""

from typing import Any

from loopwright.agents.jobs.contracts.config import JobConfig

EXTENDS = {
    "description": "The config that this one changes: a shipped name or a file beside. Without it `defaults` is meant; "
    "null means none.",
    "anyOf": [{"type": "string", "minLength": 1}, {"type": "null"}],
    "default": "defaults",
}

ANNOTATIONS = ("title", "default", "description")

OTHER_CATEGORIES = {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]}
"""Tool categories of the user's own; their tools count like domain tools."""


def config_schema() -> dict[str, Any]:
    """The schema of one file: every field may be left to the parent, and null takes the parent's value away."""
    schema = JobConfig.model_json_schema()
    del schema["required"]
    for section in (schema, *schema.get("$defs", {}).values()):
        properties = section.get("properties", {})
        section["properties"] = {name: _or_null(field) for name, field in properties.items()}
    schema["$defs"]["ToolNames"]["additionalProperties"] = OTHER_CATEGORIES
    schema["properties"] = {"$extends": EXTENDS, **schema["properties"]}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "Loopwright job config"}


def _or_null(field: dict[str, Any]) -> dict[str, Any]:
    told = {key: value for key, value in field.items() if key in ANNOTATIONS}
    kind = {key: value for key, value in field.items() if key not in ANNOTATIONS}
    return {**told, "anyOf": [kind, {"type": "null"}]}
