"""What of a tool's parameters a model is shown: the fields that it needs, in the plainest form.

A wide form with many optional fields is answered by filling all of them. What is not shown is taken where it is sent.
"""

from collections.abc import Callable, Collection
from typing import Any

Schema = dict[str, Any]


def only(*names: str, required: Collection[str] | None = None) -> Callable[[Schema], None]:
    """For a model's `json_schema_extra`: show these fields alone; without `required` all of them must be given."""

    def shown(schema: Schema) -> None:
        schema["properties"] = {name: _plain(schema["properties"][name]) for name in names}
        schema["required"] = list(names if required is None else required)
        schema.pop("title", None)

    return shown


def _plain(field: Schema) -> Schema:
    """Without title and default, and without a null that only says that the field may be left out."""
    options = [option for option in field.get("anyOf", []) if option.get("type") != "null"]
    rest = {key: value for key, value in field.items() if key not in ("title", "default", "anyOf")}
    if len(options) == 1:
        plain: Schema = options[0] | rest
        return plain
    return rest | ({"anyOf": options} if options else {})
