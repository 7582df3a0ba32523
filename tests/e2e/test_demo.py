"""What a newcomer gets: briefs of different kinds become linked pages that a phone shows without a flaw."""

from pathlib import Path

import pytest

from loopwright.agents.pages.compliance import validate_page
from tests.support.browser import check_page_in_chromium
from tests.support.commands import Installation

BRIEFS = {
    "demo": "A coffee shop app for a neighbourhood roastery: menu, cart and loyalty card",
    "streaming": "Netflix clone, 5 pages, dark theme, red accent",
    "kanban": "A kanban board for a small team, 5 pages, blue",
    "portfolio": "A portfolio for a photographer called Ana Torres, 5 pages, minimal",
    "general": "An app for beekeepers to note hive checks, 5 pages, yellow",
}


@pytest.mark.browser
@pytest.mark.parametrize("kind", BRIEFS)
async def test_a_brief_becomes_five_linked_pages(kind: str, tmp_path: Path) -> None:
    """Valid by our own rules and in Chromium at 430 px; every link leads to a page that exists."""
    done = Installation(tmp_path).run("pages", BRIEFS[kind], "--yes", "--json")
    assert done.code == 0, done.err
    last = done.last
    assert last["valid"] is True
    assert len(last["pages"]) == 5
    folder = Path(last["session_dir"])
    css = (folder / "design-system.css").read_text()
    linked: set[str] = set()
    for slug in last["pages"]:
        path = folder / "pages" / f"{slug}.html"
        report = validate_page(path.read_text(), css=css, slug=slug, known_slugs=last["pages"])
        assert report.valid, report.for_model()
        seen = await check_page_in_chromium(path)
        assert seen.problems() == []
        linked |= {Path(link.partition("#")[0]).stem for link in seen.links if ".html" in link}
    assert linked == set(last["pages"]) or linked >= set(last["pages"]) - {"index"}
    assert linked <= set(last["pages"])


def test_different_products_look_different(tmp_path: Path) -> None:
    """Not one template in other colours: the home pages share little of their markup."""
    place = Installation(tmp_path)
    homes = []
    for kind in ("demo", "streaming", "kanban", "portfolio"):
        last = place.run("pages", BRIEFS[kind], "--yes", "--json").last
        html = (Path(last["session_dir"]) / "pages" / "index.html").read_text()
        main = html[html.index("<main") : html.index("</main>")]
        homes.append({line.strip() for line in main.splitlines() if line.strip()})
    for first in range(len(homes)):
        for second in range(first):
            shared = len(homes[first] & homes[second]) / min(len(homes[first]), len(homes[second]))
            assert shared < 0.4, (first, second, shared)
