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


Key = tuple[str, bool, int]
"""What recurs of a part: its words with `#` for numbers, whether it stands at the top, its height."""


def without_furniture(pages: Sequence[Sequence[PlacedLine]]) -> list[list[PlacedLine]]:
    """The pages' lines without the parts that recur at the top or the bottom of at least half of them.

    A header may stand beside the text, on the same height as its first line: only the recurring part is taken off.
    Inwards from an edge they end with the first line that has another part too.
    """
    least = max(FEWEST_PAGES, len(pages) * SHARE_OF_PAGES)
    seen = Counter(key for page in pages for key in {key for line in _edges(page) for _, _, key in line})
    kept: list[list[PlacedLine]] = []
    for page in pages:
        gone: dict[int, set[int]] = {}
        ended = {True: False, False: False}
        for line in _edges(page):
            recurring = [(place, part, key) for place, part, key in line if seen[key] >= least]
            if len(recurring) < len(line):  # beside text of its own a bullet or a number is no header
                recurring = [found for found in recurring if any(map(str.isalpha, found[2][0]))]
            at_top = line[0][2][1]
            for place, part, _ in () if ended[at_top] else recurring:
                gone.setdefault(place, set()).add(part)
            ended[at_top] = ended[at_top] or len(recurring) < len(line)
        lines = (line.without(gone.get(place, set())) for place, line in enumerate(page))
        kept.append([line for line in lines if line.parts])
    return kept


def _edges(page: Sequence[PlacedLine]) -> list[list[tuple[int, int, Key]]]:
    """The outermost lines, from the edges inwards: for each part the line, the part, and what may recur of it."""
    by_height = sorted(range(len(page)), key=lambda place: -page[place].baseline)
    found = []
    for at_top, places in ((True, by_height[:EDGE_LINES]), (False, by_height[-EDGE_LINES:][::-1])):
        for place in places:
            height = round(page[place].baseline / GRID)
            parts = enumerate(page[place].parts)
            found.append([(place, part, (NUMBER.sub("#", piece.text), at_top, height)) for part, piece in parts])
    return found
