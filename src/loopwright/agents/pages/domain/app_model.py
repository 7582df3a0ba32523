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
    """One field of a thing; `choices` are the values of a `choice`, `unit` stands behind a number."""

    key: str
    label: str
    kind: FieldKind = "text"
    choices: tuple[str, ...] = ()
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a page.

    `kind` names the template that draws it (`list`, `map`, `calendar`, `player`, …), `noun` is what one of its records
    is called, `records` hold a value for each field by its key, `lines` are the brief's own words that belong to it.
    `action` is what people do with a record ("Borrow"), with one of them where it is a `choice`; what is `read_only` is
    kept by others; in what is `searched` one looks for words.
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
