"""Operations on selectors: what a model may ask for besides search/replace blocks, as data."""

import json
import re
from typing import Annotated, Any, Literal, get_args

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from loopwright.agents.pages.editing.source_map import MAXIMUM_SELECTOR
from loopwright.agents.pages.parsing.fences import Fence, fences

MAXIMUM_OPERATIONS = 40
"""Operations of one answer; each may need the page to be read again."""

MAXIMUM_TEXT = 100_000
"""Characters of HTML or text in one operation."""

ATTRIBUTE_NAME = r"^[a-zA-Z_][a-zA-Z0-9_:.-]{0,63}$"
CLASS_NAME = r"^[^\s\"'<>&]{1,100}$"
PROPERTY_NAME = r"^-{0,2}[a-zA-Z][a-zA-Z0-9_-]{0,63}$"

OPERATIONS_BY_GRAMMAR = 8
"""Operations of an answer that a grammar holds: a small model would not find an end by itself."""

_OPERATION_LIST = re.compile(r"\s*\[?\s*\{\s*\"op\"\s*:")

Position = Literal["before", "after", "append", "prepend"]


class _Operation(BaseModel):
    """The element that is meant; `all` says that several are."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    selector: str = Field(min_length=1, max_length=MAXIMUM_SELECTOR)
    all: bool = False


class Insertion(_Operation):
    """Put HTML beside an element or into it, or in its place."""

    op: Literal["replace", "insert_before", "insert_after", "append", "prepend"]
    html: str = Field(max_length=MAXIMUM_TEXT)


class SetText(_Operation):
    """Replace what an element holds by a text."""

    op: Literal["set_text"]
    text: str = Field(max_length=MAXIMUM_TEXT)


class SetAttribute(_Operation):
    """Give an attribute a value."""

    op: Literal["set_attribute"]
    name: str = Field(pattern=ATTRIBUTE_NAME, validation_alias=AliasChoices("name", "attribute"))
    value: str = Field(max_length=MAXIMUM_TEXT)


class RemoveAttribute(_Operation):
    """Take an attribute away."""

    op: Literal["remove_attribute"]
    name: str = Field(pattern=ATTRIBUTE_NAME, validation_alias=AliasChoices("name", "attribute"))


class ChangeClass(_Operation):
    """Add a class, or take one away."""

    op: Literal["add_class", "remove_class"]
    name: str = Field(pattern=CLASS_NAME, validation_alias=AliasChoices("name", "class"))


class Remove(_Operation):
    """Take an element out of the page."""

    op: Literal["remove"]


class Move(_Operation):
    """Put an element elsewhere, unchanged."""

    op: Literal["move"]
    to: str = Field(min_length=1, max_length=MAXIMUM_SELECTOR, description="Selector of the element to go to")
    position: Position


class SetStyle(_Operation):
    """Set a property in the page's own style rule of this selector; there is one such rule, or one is made."""

    op: Literal["set_style"]
    property: str = Field(pattern=PROPERTY_NAME)
    value: str = Field(min_length=1, max_length=1_000)


Operation = Annotated[
    Insertion | SetText | SetAttribute | RemoveAttribute | ChangeClass | Remove | Move | SetStyle,
    Field(discriminator="op"),
]

_OPERATIONS: TypeAdapter[list[Any]] = TypeAdapter(list[Operation])


def parse_operations(answer: str) -> tuple[Operation, ...] | str | None:
    """The operations of an answer, in order; what is wrong with them; or None when it holds no such block.

    A block is fenced and tagged `operations`, or says by its content what it is; several are one list.
    """
    found: list[Operation] = []
    blocks = operation_blocks(answer)
    for fence in blocks:
        if not fence.closed:
            return "The operations block is not closed: end it with ``` on a line of its own."
        try:
            raw = json.loads(fence.content)
            found += _OPERATIONS.validate_python(raw if isinstance(raw, list) else [raw])
        except ValidationError as error:
            return f"The operations block is not as agreed: {_first_problem(error)}."
        except (ValueError, RecursionError) as error:
            return f"The operations block is not JSON: {str(error)[:200]}."
    if len(found) > MAXIMUM_OPERATIONS:
        return f"There are {len(found)} operations; at most {MAXIMUM_OPERATIONS} are taken."
    return tuple(found) if blocks else None


def operation_blocks(answer: str) -> list[Fence]:
    """The blocks of an answer that hold operations; an answer that is nothing but JSON is one."""
    bare = answer.strip()
    if bare.startswith("[") and _speaks_of_operations(bare):
        return [Fence("operations", bare, 0, len(answer), closed=True)]
    return [
        fence
        for fence in fences(answer)
        if fence.tag == "operations" or (fence.tag in ("json", "") and _speaks_of_operations(fence.content))
    ]


def _speaks_of_operations(text: str) -> bool:
    return _OPERATION_LIST.match(text) is not None


def operations_schema() -> dict[str, Any]:
    """A JSON schema of a list of operations, plain enough for any endpoint's grammar: no bounds, no patterns."""
    options = []
    for kind in get_args(get_args(Operation)[0]):
        properties = {
            name: {"enum": list(get_args(each.annotation))} if name in ("op", "position") else {"type": "string"}
            for name, each in sorted(kind.model_fields.items(), key=lambda item: item[0] != "op")
            if name != "all"
        }
        options.append(
            {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
        )
    return {"type": "array", "items": {"anyOf": options}, "minItems": 1, "maxItems": OPERATIONS_BY_GRAMMAR}


def _first_problem(error: ValidationError) -> str:
    """The first thing that is wrong, with the number of its operation, counted from 1."""
    first = error.errors(include_url=False, include_input=False)[0]
    where = [str(part) for part in first["loc"]]
    number = f"operation {int(where[0]) + 1}, " if where and where[0].isdigit() else ""
    return f"{number}{'.'.join(where[1:]) or 'op'}: {first['msg']}"
