"""Business objects as data: from the tables of the job's own company overview, or a small lexicon of bookkeeping."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any

MOST_OBJECTS = 60
MOST_NAME = 60
SEPARATOR = re.compile(r"^\|?\s*:?-{2,}")
ENDINGS = r"(?:e|en|n|s|es|er|ern|ns|nen)?"
"""Endings of German and English plurals and cases."""


@dataclass(frozen=True)
class BusinessObject:
    """A business object: the name it goes by, all names that texts use for it, what it is."""

    name: str
    names: tuple[str, ...]
    description: str = ""

    def mentioned_in(self, text: str) -> bool:
        """Whether a text speaks of it, by any name, inflected or as a part of a compound."""
        return any(pattern.search(text) for name in self.names for pattern in _patterns(name))


@cache
def _patterns(name: str) -> tuple[re.Pattern[str], ...]:
    """How a name stands in texts: alone, inflected, in German compounds.

    These end with what they are (Eingangsrechnung is a Rechnung), and begin with what they are about (Zahlungsart); for
    the latter the capital tells a noun from a verb (offered, an Offer).
    """
    stem = name[:-1] if name.endswith("e") and len(name) > 4 else name
    alone = re.compile(rf"(?<![\w-])\w{{0,30}}{re.escape(stem)}{ENDINGS}(?!\w)", re.IGNORECASE)
    if len(name) < 5 or not name[0].isupper() or " " in name:
        return (alone,)
    return alone, re.compile(rf"(?<![\w-]){re.escape(name)}(?:s|n|en|es)?[a-zäöüß]{{3,}}")


@cache
def _data() -> Mapping[str, Any]:
    file = resources.files("loopwright.agents.jobs.offline").joinpath("lexicon.json")
    data: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return data


@cache
def common_objects() -> tuple[BusinessObject, ...]:
    """The lexicon that is used where the job brings no overview of its own."""
    return tuple(
        BusinessObject(item["names"][0], tuple(item["names"]), item["description"]) for item in _data()["objects"]
    )


def objects_in(text: str) -> tuple[BusinessObject, ...]:
    """The business objects in the Markdown tables of an overview: those under a fitting heading or column."""
    found: dict[str, BusinessObject] = {}
    for heading, rows in _tables(text):
        titles = [cell.lower() for cell in rows[0]]
        about = heading.lower()
        named = any(word in about for word in (*_data()["headings"], *_data()["glossary"]))
        if not named and not any(word == title for word in _data()["headings"] for title in titles):
            continue
        for row in rows[1:]:
            item = _object(titles, row)
            if item is not None:
                found.setdefault(item.name.lower(), item)
    return tuple(found.values())[:MOST_OBJECTS]


@lru_cache(maxsize=4_096)
def mentions(text: str, objects: tuple[BusinessObject, ...]) -> tuple[str, ...]:
    """The names of the objects that a text speaks of."""
    return tuple(each.name for each in objects if each.mentioned_in(text))


def _object(titles: Sequence[str], row: Sequence[str]) -> BusinessObject | None:
    cells = dict(zip(titles, row, strict=False))
    name = _first(cells, _data()["name_columns"])
    if not name:
        return None
    names = [part for cell in (name, _first(cells, _data()["other_columns"])) for part in _parts(cell)]
    short = [part for part in names if 2 < len(part) <= MOST_NAME]
    if not short:
        return None
    return BusinessObject(short[0], tuple(dict.fromkeys(short)), _first(cells, _data()["text_columns"])[:300])


def _first(cells: Mapping[str, str], columns: Sequence[str]) -> str:
    return next((cells[column] for column in columns if cells.get(column)), "")


def _parts(cell: str) -> list[str]:
    """`Receipt/voucher` is two names."""
    return [part.strip() for part in re.split(r"[/,;]", cell) if part.strip()]


def _tables(text: str) -> list[tuple[str, list[list[str]]]]:
    """The tables with the heading above each; the line of dashes is left out."""
    heading, tables, rows = "", list[tuple[str, list[list[str]]]](), list[list[str]]()
    for line in [*text.splitlines(), ""]:
        stripped = line.strip()
        if stripped.startswith("|"):
            if not SEPARATOR.match(stripped):
                rows.append([re.sub(r"[*_`]", "", cell).strip() for cell in stripped.strip("|").split("|")])
            continue
        if len(rows) > 1:
            tables.append((heading, rows))
        rows = []
        if stripped.startswith("#"):
            heading = stripped.lstrip("# ")
    return tables
