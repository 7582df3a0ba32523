"""A task gets the sections that concern it."""

from loopwright.agents.pages.context.relevance import MAX_CHARACTERS, relevant_sections
from tests.agents.pages.context.test_card import Section

SECTIONS = {
    "overview": Section("A coffee shop.", "Overview"),
    "brand_style": Section("Warm browns.", "Brand style"),
    "pages.menu": Section("Prices in EUR.", "Menu page"),
    "menu_data": Section("Espresso 2.20, Latte 3.60", "Menu data"),
    "contact_info": Section("Main Street 1, phone 123", "Contact"),
}


def test_the_menu_page_gets_its_own() -> None:
    """The example of spec 000, 1b.3."""
    chosen = relevant_sections(SECTIONS, "make the menu page nicer")
    assert list(chosen) == ["overview", "brand_style", "pages.menu", "menu_data"]
    assert chosen["pages.menu"] == "Prices in EUR."


def test_content_counts_too_and_plurals_match() -> None:
    assert "menu_data" in relevant_sections(SECTIONS, "a larger espresso")
    assert "contact_info" in relevant_sections(SECTIONS, "show our contacts")


def test_without_a_hint_everything_may_come() -> None:
    assert set(relevant_sections(SECTIONS, None)) == set(SECTIONS)


def test_chinese_words_match() -> None:
    sections = {"menu": Section("菜单上有咖啡", "菜单"), "contact": Section("电话", "联系")}
    assert set(relevant_sections(sections, "修改菜单页面")) == {"menu"}


def test_the_limit_holds_and_the_best_comes_first() -> None:
    sections = {f"part{n}": Section("menu " * 500, f"Part {n}") for n in range(5)} | {
        "menu": Section("x" * 3_000, "Menu")
    }
    chosen = relevant_sections(sections, "the menu")
    assert sum(map(len, chosen.values())) <= MAX_CHARACTERS
    assert len(chosen["menu"]) == 3_000
    assert any(text.endswith("…") for text in chosen.values())
