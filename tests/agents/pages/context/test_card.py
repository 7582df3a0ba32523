"""The project card: compact whatever the project holds."""

from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.pages.context.card import build_project_card, count_tokens, shorten
from loopwright.agents.pages.context.relevance import Project
from loopwright.agents.pages.contracts import PageEntry
from loopwright.agents.pages.workspace import Workspace

NO_FOLDER = Workspace(Path("nowhere"))


@dataclass
class Section:
    content: str
    title: str = "T"


@dataclass
class Doc:
    sections: dict[str, Section] = field(default_factory=dict)
    project_card: str = ""


def project(
    sections: dict[str, str] | None = None,
    pages: tuple[str, ...] = (),
    planned: tuple[str, ...] = (),
    css: str = "",
    **metadata: Any,
) -> Project:
    doc = Doc({name: Section(text) for name, text in (sections or {}).items()})
    rows: list[Any] = [SimpleNamespace(slug=slug, title=slug, current_version=1) for slug in pages]
    return Project(NO_FOLDER, metadata, rows, doc, css, tuple(PageEntry(slug=slug, title=slug) for slug in planned))


def test_the_card_of_a_project_half_made() -> None:
    card = build_project_card(
        project(
            {"brand_style": "dark theme, #E50914 accent", "audience": "film fans", "constraints": "no sign-up"},
            pages=("index", "search"),
            planned=("index", "search", "player"),
            product_type="streaming",
            app_name="Netflix Clone",
        )
    )
    assert card == (
        "Project: Netflix Clone | Type: streaming | Pages: 3 (index, search, player)\n"
        "Style: dark theme, #E50914 accent | Status: 2/3 pages generated\n"
        "Audience: film fans\n"
        "Constraints: mobile-first 430px, hidden scrollbar, 44px touch targets; no sign-up\n"
        "Product doc: brand_style, audience, constraints"
    )


def test_without_a_style_section_the_style_sheet_speaks() -> None:
    with_css = project(css=":root { --primary: #a50000; --space: 8px; --ink: #111111; }")
    assert "Style: #a50000, #111111 (design-system.css)" in build_project_card(with_css)
    assert "Style" not in build_project_card(with_css, with_colors=False)


def test_without_its_status_the_card_does_not_change_while_pages_are_made() -> None:
    before, after = project(planned=("index", "menu")), project(pages=("menu",), planned=("index", "menu"))
    assert build_project_card(before, with_status=False) == build_project_card(after, with_status=False)
    assert build_project_card(before) != build_project_card(after)


WORDS = st.text(max_size=3_000)


@settings(max_examples=40, deadline=None)
@given(
    sections=st.dictionaries(st.sampled_from(["brand_style", "audience", "constraints", "x" * 60, "menu"]), WORDS),
    name=st.one_of(st.just("界" * 400), st.text(max_size=500)),
    count=st.integers(0, 60),
)
def test_the_card_is_below_500_tokens(sections: dict[str, str], name: str, count: int) -> None:
    slugs = tuple(f"{'long-page-name-' * 2}{number}" for number in range(count))
    card = build_project_card(project(sections, pages=slugs, app_name=name, product_type="app"))
    assert count_tokens(card) < 500


def test_the_fullest_card_is_cut() -> None:
    long = {name: f"{name} 界 word " * 400 for name in ("brand_style", "audience", "constraints")}
    more = {f"section_{number}_of_many": "x" for number in range(60)}
    slugs = tuple(f"long-page-name-{number}" for number in range(60))
    card = build_project_card(project(long | more, pages=slugs, app_name="Name " * 100, product_type="app"))
    assert 450 < count_tokens(card) < 500
    assert card.endswith("…")


@settings(max_examples=60, deadline=None)
@given(text=st.text(max_size=400), limit=st.integers(1, 60))
def test_shortening_keeps_the_beginning(text: str, limit: int) -> None:
    short = shorten(text, limit)
    assert short == text or (count_tokens(short) <= max(limit, count_tokens("…")))
    assert short == text or text.startswith(short.removesuffix("…").rstrip())
