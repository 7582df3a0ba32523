"""A model that does nothing and says that all is done, in whatever form it is asked."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic_core import to_json

from tests.support.model_server import ModelServer, Reply, Request, text

LIE = "All done. Everything you asked for is there, and every check passes."


@dataclass
class LyingServer(ModelServer):
    """Answers every request: with its lie, or with the smallest JSON that fits the schema and holds the lie."""

    def reply_to(self, request: Request) -> Reply:
        """The lie in the form that is asked for."""
        wanted = request.body.get("response_format") or {}
        schema = wanted.get("json_schema", {}).get("schema")
        return text(LIE if schema is None else to_json(lied(schema, schema)).decode())


def lied(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
    """The smallest instance of a schema whose texts say that all is done."""
    if "$ref" in schema:
        return lied(root["$defs"][schema["$ref"].rpartition("/")[2]], root)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return next((each for each in schema["enum"] if "done" in str(each).lower()), schema["enum"][0])
    if "anyOf" in schema:  # of steps the last one is the answer
        return lied(schema["anyOf"][-1], root)
    kind = schema.get("type", "object")
    if kind == "object":
        return {name: lied(part, root) for name, part in (schema.get("properties") or {}).items()}
    return {"array": [], "boolean": True, "integer": 1, "number": 1.0, "null": None}.get(kind, LIE)
