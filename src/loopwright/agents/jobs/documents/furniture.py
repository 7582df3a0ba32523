"""Running headers and footers: what stands at the same place of most pages, but for numbers."""

import re
from collections import Counter
from collections.abc import Sequence

from loopwright.agents.jobs.documents.geometry import PlacedLine

EDGE_LINES = 3
"""So many lines at the top and at the bottom of a page may be headers and footers."""
FEWEST_PAGES = 3
SHARE_OF_PAGES = 0.5
NUMBER = re.compile(r"\d+")
GRID = 6.0
"""Points; what moves less from page to page stands at the same place."""


def without_furniture(pages: Sequence[Sequence[PlacedLine]]) -> list[list[PlacedLine]]:
    """The pages' lines without the parts that recur at the top or the bottom of at least half of them.

    A header may stand beside the text, on the same height as its first line: only the recurring part is taken off.
    """
    least = max(FEWEST_PAGES, len(pages) * SHARE_OF_PAGES)
    seen = Counter(key for page in pages for key in {key for _, _, key in _edges(page)})
    kept: list[list[PlacedLine]] = []
    for page in pages:
        recurring = {(place, part) for place, part, key in _edges(page) if seen[key] >= least}
        lines = (line.without({part for at, part in recurring if at == place}) for place, line in enumerate(page))
        kept.append([line for line in lines if line.parts])
    return kept


def _edges(page: Sequence[PlacedLine]) -> list[tuple[int, int, tuple[str, bool, int]]]:
    """For each part of the outermost lines: the line, the part, and what recurs of it (words, edge, height)."""
    by_height = sorted(range(len(page)), key=lambda place: -page[place].baseline)
    found = []
    for at_top, places in ((True, by_height[:EDGE_LINES]), (False, by_height[-EDGE_LINES:])):
        for place in places:
            height = round(page[place].baseline / GRID)
            for part, piece in enumerate(page[place].parts):
                found.append((place, part, (NUMBER.sub("#", piece.text), at_top, height)))
    return found
