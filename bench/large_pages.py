"""The rules for pages on pages of growing size: what an element of a large page costs, beside one of a small page.

    python bench/large_pages.py [--json] [--rounds 3]

Processor time of `validate_page` per element at 1,000 and at 16,000 elements; a validator that takes quadratic time
would need sixteen times as much for each. Ends with 1 and names the bar if it is missed.
"""

import argparse
import json
import sys
import time
from statistics import median

from rig.bars import Bar

from loopwright.agents.pages.compliance import validate_page

SMALL, LARGE = 1_000, 16_000
CARD = (
    '<li class="card"><img src="a.png" alt="Picture {0}" width="40" height="40"><h3>Item {0}</h3>'
    '<p class="muted">A few words of text</p><a class="button" href="#i{0}">Open</a></li>'
)
CSS = """
:root { --ink: #111; --soft: var(--ink) } body { max-width: 430px; margin: 0 auto; color: var(--ink) }
.card { display: flex; flex-wrap: wrap; gap: 8px; padding: 12px } .card > .button { min-height: 44px; display: block }
.muted { color: #555 } .card:nth-child(odd) { background: #f6f6f6 } ul .card h3 { font-size: 18px }
"""


def page(elements: int) -> str:
    """A list of as many cards as make up the elements."""
    cards = "".join(CARD.format(number) for number in range(elements // 5))
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>List</title><style>{CSS}</style>'
        '<meta name="viewport" content="width=device-width, initial-scale=1"></head>'
        f"<body><main><h1>List</h1><ul>{cards}</ul></main></body></html>"
    )


def microseconds(elements: int, round_number: int) -> float:
    """Processor time for each element of one page; no page comes twice, as reports are remembered."""
    html = page(elements).replace("<h1>List", f"<h1>List {round_number}")
    begin = time.process_time()
    validate_page(html)
    return (time.process_time() - begin) / elements * 1e6


def main() -> int:
    """Measure, print, and judge."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    microseconds(SMALL, -1)  # loads what is loaded once
    small, large = (
        median(microseconds(elements, number) for number in range(options.rounds)) for elements in (SMALL, LARGE)
    )
    figures = {"small_page_us": round(small), "large_page_us": round(large), "ratio": round(large / small, 2)}
    bar = Bar("cost of an element on a page sixteen times as large", figures["ratio"], 2.0)
    sys.stdout.write((json.dumps(figures) if options.json else f"{figures}\n{bar}") + "\n")
    return 0 if bar.held else 1


if __name__ == "__main__":
    sys.exit(main())
