"""What an app consists of, as its brief says it: things with fields and records, shown in blocks on pages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

FieldKind = Literal["text", "notes", "date", "year", "time", "money", "number", "choice", "photo", "phone", "email"]

HOME = "index"

RECORD_KINDS = frozenset(
    {"list", "form", "map", "calendar", "checklist", "board", "progress", "gallery", "limits", "chart", "favourites",
     "shop", "people", "news", "poll"}
)  # fmt: skip
"""Kinds of block whose records are kept, added, edited and deleted."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a thing; `choices` are the values of a `choice`, `unit` stands behind a number.

    Where it names one of another list of the app, `source` is that list's entity.
    """

    key: str
    label: str
    kind: FieldKind = "text"
    choices: tuple[str, ...] = ()
    unit: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Measure:
    """What a figure is counted from: the records of an entity, or the sum, mean or rest of one of their fields.

    `span` is the time of which only records count, by their `date`; those in one of `states` count alone; `by` is what
    each has a figure of its own for; from a `limit` what is counted is taken away. A price
    for each piece counts as many `times` as that field says.
    """

    entity: str
    op: Literal["count", "sum", "mean"] = "count"
    field: str = ""
    kind: str = "number"
    unit: str = ""
    span: str = ""
    date: str = ""
    state: str = ""
    states: tuple[str, ...] = ()
    by: str = ""
    limit: float = 0
    times: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a page.

    `kind` names the template that draws it (`list`, `map`, `calendar`, `player`, …), `noun` is what one of its records
    is called, `records` hold a value for each field by its key, `lines` are the brief's own words that belong to it.
    `action` is what people do with a record ("Borrow"), with one of them where it is a `choice`; what is `read_only` is
    kept by others; in what is `searched` one looks for words. `state` is the key of the field that says in which state
    a record is, and `deeds` are the buttons that bring it into the states after the first; `name_label` is what its
    name is asked by. What a figure shows is its `measure`.
    """

    kind: str
    title: str
    noun: str
    entity: str
    fields: tuple[Field, ...] = ()
    records: tuple[dict[str, str | int], ...] = ()
    lines: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()
    action: str = ""
    choice: bool = False
    read_only: bool = False
    searched: bool = False
    state: str = ""
    deeds: tuple[str, ...] = ()
    name_label: str = ""
    measure: Measure | None = None


@dataclass(frozen=True, slots=True)
class AppPage:
    """A page with its blocks."""

    slug: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class AppModel:
    """A whole app.

    `neutral` are the parts of the brief for which no kind of block was found, and that are shown as plain lists.
    """

    name: str
    language: str
    subject: str
    pages: tuple[AppPage, ...]
    neutral: tuple[str, ...] = ()

    def page(self, slug: str) -> AppPage | None:
        """The page of this slug."""
        return next((page for page in self.pages if page.slug == slug), None)

    def blocks(self) -> Sequence[Block]:
        """All blocks in the order of the pages."""
        return [block for page in self.pages for block in page.blocks]


_STORED = TypeAdapter(AppModel)


def to_data(model: AppModel) -> dict[str, Any]:
    """An app's model as JSON data."""
    data: dict[str, Any] = _STORED.dump_python(model, mode="json")
    return data


def from_data(data: Mapping[str, Any] | None) -> AppModel | None:
    """The model in stored data; None where there is none, or somebody has changed it beyond recognition."""
    try:
        return None if data is None else _STORED.validate_python(data)
    except ValidationError:
        return None
