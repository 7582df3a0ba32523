"""Hostile values for every parameter, header and body of an OpenAPI document."""

import copy
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

TEXTS = [
    "",
    " ",
    "\x00",
    "a\x00b",
    "../../etc/passwd",
    "x" * 5_000,
    "🦊\u202e\u0301",
    "'; DROP TABLE runs; --",
    "[",
    "-1",
    "0",
    "99999999999999999999",
    "9" * 5_000,
    "NaN",
    "1e400",
    "null",
    "²",
    "\udc80".encode("utf-8", "surrogatepass").decode("latin-1"),
]

JSON = [
    "null",
    "true",
    "-1",
    "0",
    "1.5",
    "1e999",
    "NaN",
    "99999999999999999999",
    "1e30",
    '""',
    r'"\u0000"',
    r'"\ud800"',
    '"99999999999999999999"',
    json.dumps("x" * 200_000),
    "[]",
    "{}",
    "[null]",
    "[[[[]]]]",
    r'{"\u0000": "\u0000"}',
    '{"a": 1e300}',
    '{"": {"": {"": []}}}',
    "[" * 50 + "]" * 50,
    '{"a":' * 900 + "1" + "}" * 900,
]

BODIES = [
    b"",
    b"{",
    b"\x00",
    b"\xff\xfe{}",
    b"\xef\xbb\xbf{}",
    b'{"a": 1, "a": 2}',
    b"[" * 100_000,
    b'"\xed\xa0\x80"',
    b"9" * 10_000,
    *(value.encode() for value in JSON),
]


@dataclass
class Call:
    """One request; `what` tells what is hostile about it."""

    method: str
    path: str
    what: str
    query: str = ""
    headers: dict[str, bytes] = field(default_factory=dict)
    content: bytes | None = None


def calls(document: dict[str, Any], known: dict[str, list[str]]) -> Iterator[Call]:
    """A request for each value of each place in each operation.

    Args:
        document: the OpenAPI document.
        known: usable values of path parameters; where a place elsewhere is hostile, the last of them stands.
    """
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            yield from _operation(document, path, method.upper(), operation, known)


def _operation(
    document: dict[str, Any], path: str, method: str, operation: dict[str, Any], known: dict[str, list[str]]
) -> Iterator[Call]:
    parameters = operation.get("parameters", [])
    in_path = [each["name"] for each in parameters if each["in"] == "path"]
    usual = {name: known.get(name, ["x"])[-1] for name in in_path}
    schema = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    body = skeleton(document, schema) if schema else None
    content = json.dumps(body).encode() if schema else None
    required = "&".join(f"{each['name']}=x" for each in parameters if each["in"] == "query" and each.get("required"))

    def call(what: str, **changes: Any) -> Call:
        place = filled(path, changes.pop("path", usual))
        return Call(method, place, what, **{"query": required, "content": content, **changes})

    for name in in_path:
        for value in TEXTS[1:]:
            yield call(f"{name} in the path: {value[:20]!r}", path={**usual, name: value})
    for each in parameters:
        if each["in"] == "query":
            yield from (
                call(f"?{each['name']}: {value[:20]!r}", query=f"{each['name']}={quote(value)}") for value in TEXTS
            )
        elif each["in"] == "header":
            clean = [value for value in TEXTS if "\x00" not in value]
            yield from (
                call(f"{each['name']}: {value[:20]!r}", headers={each["name"]: value.encode()}) for value in clean
            )
    if schema:
        yield from (call(f"body: {value[:20]!r}", content=value) for value in BODIES)
        for what, changed in variations(body):
            yield call(what, content=changed)


def filled(path: str, values: dict[str, str]) -> str:
    """The path with its parameters."""
    for name, value in values.items():
        path = path.replace("{" + name + "}", quote(value, safe="/" if name == "path" else ""))
    return path


def variations(body: Any) -> Iterator[tuple[str, bytes]]:
    """The body with each of its fields hostile in turn, and with a field too many."""
    if not isinstance(body, dict):
        return
    for name in [*body, "a field that nobody knows"]:
        for value in JSON:
            changed = {key: copy.deepcopy(kept) for key, kept in body.items() if key != name}
            rest = json.dumps(changed)[1:-1]
            text = "{" + json.dumps(name) + ": " + value + (", " + rest if rest else "") + "}"
            yield f"{name}: {value[:20]}", text.encode()


def skeleton(document: dict[str, Any], schema: dict[str, Any]) -> Any:
    """A plain value that fits the schema as far as JSON Schema tells, with all of its fields."""
    if "$ref" in schema:
        return skeleton(document, document["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
    for choice in ("anyOf", "oneOf", "allOf"):
        if choice in schema:
            return skeleton(document, schema[choice][0])
    if "const" in schema or "enum" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    kind = schema.get("type", "object")
    if kind == "object":
        fields = schema.get("properties", {}).items()
        return {name: each["default"] if "default" in each else skeleton(document, each) for name, each in fields}
    if kind == "array":
        return [skeleton(document, schema["items"])] if schema.get("minItems") and "items" in schema else []
    return {"string": "x", "integer": schema.get("minimum", 1), "number": 1, "boolean": False}.get(kind)
