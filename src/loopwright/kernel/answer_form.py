"""Structured answers: the JSON schema that is sent for a stage's model, and the one check of what comes back."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ValidationError

SHOWN_ERRORS = 5
"""How many wrong fields a complaint names."""
FENCES = ("```json", "```")
UNTOLD = frozenset({"title", "default", "examples", "discriminator"})
"""Keywords that endpoints refuse or that only cost tokens."""

Repair = Callable[[str], dict[str, Any] | str]


class Misfit(Exception):
    """An answer that is not of the form that was asked for; the text tells the model which field is wrong, and why."""


@lru_cache(maxsize=256)
def answer_format(model: type[BaseModel]) -> Mapping[str, Any]:
    """The `response_format` that asks for this model: strict where every object of it is closed."""
    schema = closed_schema(model.model_json_schema())
    strict = is_closed(schema)
    return {"type": "json_schema", "json_schema": {"name": model.__name__, "schema": schema, "strict": strict}}


def closed_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema as strict endpoints take it: references written out, all properties required, nothing else allowed.

    A definition that refers to itself stays a reference. Lengths and ranges stay: who refuses them is told without.
    """
    defs: Mapping[str, Any] = schema.get("$defs") or {}
    kept: dict[str, Any] = {}

    def closed(node: Any, inside: tuple[str, ...]) -> Any:
        if isinstance(node, list):
            return [closed(item, inside) for item in node]
        if not isinstance(node, Mapping):
            return node
        if "$ref" in node:
            name = str(node["$ref"]).rpartition("/")[2]
            if name in inside:
                if name not in kept:
                    kept[name] = {}
                    kept[name] = closed(defs[name], (name,))
                return {"$ref": f"#/$defs/{name}"}
            told = {key: value for key, value in node.items() if key == "description"}
            return {**closed(defs[name], (*inside, name)), **told}
        made: dict[str, Any] = {}
        for key, value in node.items():
            if key == "properties":
                made[key] = {name: closed(each, inside) for name, each in value.items()}
            elif key == "const":
                made["enum"] = [value]
            elif key == "oneOf":
                made["anyOf"] = closed(value, inside)
            elif key not in UNTOLD and key not in ("$defs", "required"):
                made[key] = closed(value, inside) if key != "enum" else value
        if "properties" in made:
            made["required"] = list(made["properties"])
            made["additionalProperties"] = False
        return made

    whole: dict[str, Any] = closed(schema, ())
    whole.pop("description", None)
    return {**whole, "$defs": kept} if kept else whole


def is_closed(schema: Any) -> bool:
    """Whether every object in the schema names all that it may hold, as strict endpoints demand."""
    if isinstance(schema, list):
        return all(map(is_closed, schema))
    if not isinstance(schema, Mapping):
        return True
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        return False
    if "prefixItems" in schema or not {"type", "anyOf", "enum", "$ref"} & set(schema):
        return False
    inner = [*(schema.get("properties") or {}).values(), *(schema.get("$defs") or {}).values()]
    inner += [schema[key] for key in ("items", "anyOf") if key in schema]
    return all(map(is_closed, inner))


def read_answer(model: type[BaseModel], text: str, repair: Repair) -> str:
    """The answer's JSON, checked by its model; fences, words around it and slips of form are forgiven.

    Raises:
        Misfit: it is none, or a field of it is wrong.
    """
    told = text.strip()
    for fence in FENCES:
        told = told.removeprefix(fence).removesuffix(fence).strip()
    start, end = told.find("{"), told.rfind("}")
    if start < 0 or end < start:
        raise Misfit("Your answer must be one JSON object and nothing else.")
    found = repair(told[start : end + 1])
    if isinstance(found, str):
        raise Misfit(f"Your answer is not valid JSON: {found[:300]}")
    try:
        return model.model_validate(found).model_dump_json(by_alias=True)
    except ValidationError as error:
        lines = ["Your answer cannot be used. Correct this and send it again:", *wrong(error)]
        raise Misfit("\n".join(lines)) from error


def wrong(error: ValidationError) -> list[str]:
    """A line for each wrong field: its place and what it must be."""
    lines = [
        f"- {_place(item['loc'])}: {item['msg'].removeprefix('Value error, ')[:300]}"
        for item in error.errors(include_url=False)[:SHOWN_ERRORS]
    ]
    left = error.error_count() - SHOWN_ERRORS
    return [*lines, f"- and {left} more"] if left > 0 else lines


def _place(location: tuple[str | int, ...]) -> str:
    return ".".join(map(str, location)) or "the object"
