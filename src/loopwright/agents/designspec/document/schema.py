"""The published JSON Schema of a spec document."""

from typing import Any

from loopwright.agents.designspec.document.spec import SCHEMA_NAME, SCHEMA_VERSION, DesignSpec

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema() -> dict[str, Any]:
    """The schema of the document as users write it: lengths in `meta.input_units`, marked by `x-dimension`.

    Defaults are in metres whatever the document's units, since they apply after normalisation.
    """
    schema = DesignSpec.model_json_schema(by_alias=True, mode="validation")
    definitions: dict[str, Any] = {}
    named = {name: _shared(body, definitions, name) for name, body in schema.pop("$defs").items()}
    body = _shared(schema, definitions, "DesignSpec")
    return {
        "$schema": DIALECT,
        "$id": f"urn:loopwright:{SCHEMA_NAME}:{SCHEMA_VERSION}",
        **body,
        "title": "DesignSpec",
        "x-units": "Numbers with x-dimension are in meta.input_units (powers of it); default values are in metres.",
        "$defs": dict(sorted((definitions | named).items())),
    }


def _shared(node: Any, definitions: dict[str, Any], own: str = "") -> Any:
    """The node with every model in it moved to the definitions, and without defaults that repeat a whole model.

    Pydantic writes models out in full wherever a marker of ours names them.
    """
    if isinstance(node, list):
        return [_shared(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {
        name: _shared(item, definitions)
        for name, item in node.items()
        if not (name == "default" and isinstance(item, dict))
    }
    title = node.get("title")
    if isinstance(title, str) and title != own and isinstance(node.get("properties"), dict):
        definitions[title] = kept
        return {"$ref": f"#/$defs/{title}"}
    return kept
