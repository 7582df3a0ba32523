"""Pages good and bad, each made to be hard for one rule; and what only a browser can tell of them."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FRAME = (
    '{doctype}<html lang="en">\n<head>\n<meta charset="utf-8">\n{viewport}\n<title>{title}</title>\n'
    '<link rel="stylesheet" href="../design-system.css">\n<style>{style}</style>\n</head>\n<body id="body">\n'
    '{container}\n<h1 id="h1">The screen</h1>\n<p id="p">Words enough to fill a line or two.</p>\n{body}\n</main>\n'
    "</body>\n</html>\n"
)
USUAL = {
    "doctype": "<!doctype html>\n",
    "viewport": '<meta name="viewport" content="width=device-width, initial-scale=1">',
    "title": "Case",
    "style": "",
    "container": '<main id="main" class="page">',
    "body": "",
}
SLUGS = ("index", "menu")


@dataclass(frozen=True)
class Case:
    """A page; `left_open` names (rule, element) pairs that only layout with real fonts can tell."""

    name: str
    html: str
    left_open: frozenset[tuple[str, str]]


def _case(row: dict[str, Any]) -> Case:
    parts = {name: row.get(name, usual) for name, usual in USUAL.items()}
    return Case(row["name"], FRAME.format(**parts), frozenset(map(tuple, row.get("left_open", ()))))


CASES = [_case(row) for row in json.loads(Path(__file__).with_name("pages.json").read_text(encoding="utf-8"))]
