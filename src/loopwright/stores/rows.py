"""Many rows in one parameter: a JSON array that the database unfolds into a table.

The statement's text stays the same for one row and for a thousand, so it is compiled once, and a batch costs one step
of the driver instead of one per row.
"""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import FromClause, Text, bindparam, cast, column, func, select
from sqlalchemy.dialects.postgresql import JSON
from sqlalchemy.types import TypeEngine

PARAMETER = "rows"
"""The name of the bound parameter: the JSON text of an array of objects."""


def incoming_rows(dialect: str, columns: Mapping[str, TypeEngine[Any]]) -> FromClause:
    """The rows of the parameter as something to select from, with these columns.

    Args:
        dialect: "sqlite" or "postgresql".
        columns: name → type; a key that an object lacks is NULL.
    """
    parameter = bindparam(PARAMETER, type_=Text())
    if dialect == "postgresql":
        typed = [column(name, kind) for name, kind in columns.items()]
        rows = func.json_to_recordset(cast(parameter, JSON())).table_valued(*typed, name="incoming")
        return rows.render_derived(with_types=True)
    objects = func.json_each(parameter).table_valued("value", name="objects")
    fields = [func.json_extract(objects.c.value, f"$.{name}", type_=kind).label(name) for name, kind in columns.items()]
    return select(*fields).subquery("incoming")
