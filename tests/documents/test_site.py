"""The site has every page, leads nowhere dead, and shows what the program knows of itself."""

import re
from pathlib import Path

import pytest

import loopwright
from docs.build_site import GENERATED, adapted_links, commands_page, leaf_commands, prepare
from loopwright import testing
from tests.documents.snippets import snippets_in
from tests.shape.source import ROOT
from tests.shape.test_readme import README, blocks

CONFIG = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
NAVIGATION = re.findall(r": ([\w/-]+\.md)$", CONFIG, re.MULTILINE)
LINK = re.compile(r"\]\((?!https?://|#)([^)#\s]+)")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "docs"
    prepare(folder)
    return folder


def test_the_navigation_has_every_page(site: Path) -> None:
    """Decisions have an index of their own."""
    made = {path.relative_to(site).as_posix() for path in site.rglob("*.md")}
    notes = {path for path in made if re.match(r"decisions/\d", path)}
    assert sorted(NAVIGATION) == sorted(made - notes)
    index = (site / "decisions" / "README.md").read_text(encoding="utf-8")
    assert all(f"]({Path(path).name})" in index for path in notes)


def test_links_lead_to_pages_of_the_site(site: Path) -> None:
    dead = [
        f"{page.relative_to(site)}: {target}"
        for page in site.rglob("*.md")
        for target in LINK.findall(re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S))
        if not (page.parent / target).exists()
    ]
    assert not dead, "\n".join(dead)


def test_nothing_is_left_to_fill_in(site: Path) -> None:
    pages = {path: path.read_text(encoding="utf-8") for path in site.rglob("*.md")}
    assert not [
        path for path, text in pages.items() if any(f"<!-- generated: {name} -->\n" in text for name in GENERATED)
    ]
    assert "| `LOOPWRIGHT_HOME` |" in pages[site / "reference" / "settings.md"]


def test_the_home_page_begins_as_the_readme_does() -> None:
    page = ROOT / "docs" / "index.md"
    snippets = snippets_in(page.read_text(encoding="utf-8"), page)
    assert next(each.body for each in snippets if each.language == "python") == blocks(README, "python")[0]
    assert README.split("\n\n")[1] in page.read_text(encoding="utf-8")


def test_the_reference_has_every_public_name() -> None:
    """A name that is added is documented; one that goes, goes from here."""
    for page, package, names in (
        ("python.md", "loopwright", loopwright.__all__),
        ("testing.md", "loopwright.testing", testing.__all__),
    ):
        text = (ROOT / "docs" / "reference" / page).read_text(encoding="utf-8")
        assert sorted(re.findall(r"^::: (\S+)$", text, re.MULTILINE)) == sorted(f"{package}.{each}" for each in names)


def test_every_command_is_in_the_reference() -> None:
    page = commands_page()
    names = [path for path, _ in leaf_commands()]
    assert {"loopwright runs answer", "loopwright plan replan", "loopwright eval record"} <= set(names)
    assert all(f"## {name}\n" in page for name in names)
    assert "--approve" in page


def test_links_are_adapted() -> None:
    """To pages from where they are on the site; a file that the site lacks becomes text; snippets stay as they are."""
    page = ROOT / "docs" / "concepts" / "gate.md"
    text = "[a](../approval.md#x) [b](../../CHANGELOG.md) [c](../../src/loopwright/py.typed) [d](https://example.com)"
    expected = "[a](../approval.md#x) [b](../changelog.md) c [d](https://example.com)"
    assert adapted_links(text, page) == expected
    fenced = "```md\n[c](../../AGENTS.md)\n```"
    assert adapted_links(fenced, page) == fenced
