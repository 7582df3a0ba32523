"""What a clause of a request is read as, and what is refused whole because a word of it would be passed over."""

from typing import Any

import pytest

from loopwright.agents.pages.account.changing import Asked, asked
from loopwright.agents.pages.requests.meaning import Page
from loopwright.agents.pages.requests.reading import read_clause, read_requests
from loopwright.kernel.account.kit import Claim
from loopwright.kernel.account.reading import hard_tokens, missing_tokens

PAGES = [Page("index", "Home"), Page("news", "News"), Page("shop", "Shop")]


def read(text: str) -> dict[str, Any]:
    """The one effect that a text asks for."""
    (request,) = read_requests(text, PAGES)
    assert request.effect is not None, request.why
    return request.effect.model_dump(exclude_defaults=True)


@pytest.mark.parametrize(
    "text",
    ["swap the first two cards", "Vertausche die ersten beiden Karten", "échange les deux premières cartes",
     "intercambia las dos primeras tarjetas", "交换第一张和第二张卡片", "把第一张卡片和第二张卡片互换"],
)  # fmt: skip
def test_two_things_change_places(text: str) -> None:
    found = read(text)
    assert found == {
        "operation": "swap", "kind": "card", "nth": 1, "anchor_kind": "card", "anchor_nth": 2, "pages": ("index",)
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "value", "relation"),
    [
        ("sort the songs by composer", "composer", ""),
        ("sort the songs alphabetically", "name", "more"),
        ("put the newest news first", "date", "less"),
        ("Sortiere die Rezepte nach Preis, absteigend", "price", "less"),
        ("trie les produits par prix", "price", ""),
        ("商品按价格从高到低排序", "price", "less"),
    ],
)
def test_lists_are_sorted(text: str, value: str, relation: str) -> None:
    found = read(text)
    assert (found["operation"], found["value"], found.get("relation", "")) == ("sort", value, relation)


@pytest.mark.parametrize(
    ("text", "nth", "value"),
    [
        ("make the second button dark blue", 2, "#00008c"),
        ("Mach den letzten Knopf grün", -1, "#008000"),
        ("把第三个按钮改成红色", 3, "#ff0000"),
    ],
)
def test_an_element_is_counted_on_one_page(text: str, nth: int, value: str) -> None:
    found = read(text)
    assert (found["kind"], found["nth"], found["value"], found["pages"]) == ("button", nth, value, ("index",))


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("make the headings slightly smaller", "small"),
        ("die Überschriften viel größer", "much"),
        ("标题稍微小一点", "small"),
    ],
)
def test_an_amount_is_kept(text: str, amount: str) -> None:
    assert read(text)["amount"] == amount


def test_one_thing_is_to_be_like_another() -> None:
    found = read("give the cards the same colour as the header")
    assert (found["relation"], found["kind"], found["anchor_kind"]) == ("like", "card", "header")
    found = read("make the headings the same size as on the news page")
    assert (found["property"], found["anchor_page"]) == ("size", "news")


@pytest.mark.parametrize("text", ["switch to a dark theme", "Dunkles Design bitte", "换成深色主题", "dark mode please"])
def test_a_theme_is_no_switch(text: str) -> None:
    assert read(text) == {"operation": "theme", "value": "dark"}


@pytest.mark.parametrize("text", ["add a dark mode switch", "加一个深色模式开关"])
def test_a_switch_is_no_theme(text: str) -> None:
    assert read(text)["operation"] == "switch"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("only members should see the prices", "members"),
        ("只有会员才能看到价格", "members"),
        ("Übersetze alles ins Englische", "translate"),
        ("Füge dem Formular ein Feld „Notizen“ hinzu", "field"),
        ("add a phone number field to the form", "field"),
        ("在表单里加一个「备注」输入框", "field"),
    ],
)
def test_what_rules_cannot_do_is_refused_by_name(text: str, why: str) -> None:
    (request,) = read_requests(text, PAGES)
    assert (request.effect, request.why) == (None, why)


@pytest.mark.parametrize(
    ("text", "mood"),
    [
        ("make it more playful", "playful"),
        ("calmer please", "calm"),
        ("Mach das Ganze eleganter", "elegant"),
        ("haz la app más divertida", "playful"),
        ("整体更活泼一点", "playful"),
    ],
)
def test_a_style_word_for_the_whole_app_is_a_restyle(text: str, mood: str) -> None:
    effect = read_clause(text, PAGES).effect
    assert effect is not None
    assert (effect.operation, effect.value) == ("restyle", mood)


@pytest.mark.parametrize("text", ["make the warm soup page calmer", "less playful"])
def test_a_style_word_among_words_that_are_not_understood_is_no_restyle(text: str) -> None:
    effect = read_clause(text, PAGES).effect
    assert effect is None or effect.operation != "restyle"


@pytest.mark.parametrize(
    ("text", "operation"),
    [
        ("add a search field to the shop page", "search"),
        ("Füge eine Suche auf der Shop Seite hinzu", "search"),
        ("ajoute une recherche à la liste", "search"),
        ("añade un buscador a la lista", "search"),
        ("给列表加一个搜索框", "search"),
        ("show the ratings again", "unhide"),
        ("Blende die Bewertungen wieder ein", "unhide"),
        ("remets les étoiles de nouveau", "unhide"),
        ("muestra las valoraciones otra vez", "unhide"),
        ("重新显示评分", "unhide"),
    ],
)
def test_a_search_and_what_was_hidden_are_asked_for(text: str, operation: str) -> None:
    effect = read_clause(text, PAGES).effect
    assert effect is not None
    assert effect.operation == operation


@pytest.mark.parametrize(
    ("text", "operation", "kind", "inside"),
    [
        ("hide the menu icons", "remove", "icon", "menu"),
        ("remove the icons in the menu", "remove", "icon", "menu"),
        ("去掉菜单里的图标", "remove", "icon", "menu"),
        ("make the card titles bold", "style", "heading", "card"),
        ("make the text of the buttons bigger", "style", "text", "button"),
    ],
)
def test_a_kind_inside_another_is_read(text: str, operation: str, kind: str, inside: str) -> None:
    """A part of something is neither all of its like ("all texts") nor something that shows the word "icons"."""
    effect = read_clause(text, PAGES).effect
    assert effect is not None
    assert (effect.operation, effect.kind, effect.inside, effect.words) == (operation, kind, inside, "")


def test_a_sort_without_a_noun_names_no_thing_called_sort() -> None:
    effect = read_clause("sort by date, newest first", PAGES).effect
    assert effect is not None
    assert (effect.operation, effect.words, effect.value, effect.relation) == ("sort", "", "date", "less")


@pytest.mark.parametrize("text", ["could we get a search box", "we need a search bar", "il nous faut une recherche"])
def test_a_search_that_is_wanted_is_one_that_is_asked_for(text: str) -> None:
    effect = read_clause(text, PAGES).effect
    assert effect is not None
    assert effect.operation == "search"


@pytest.mark.parametrize(
    "text",
    [
        "mach alles ruhiger",
        "make all buttons rounder",
        "make it a bit more playful",
        "hide the last card",
        "newest first",
        "hide all icons",
        "去掉菜单里的图标",
        "rends l'application plus ludique",
    ],
)
def test_the_account_accepts_each_effect_that_the_tool_carries_out(text: str) -> None:
    """What is told as done and not used is a contradiction: no word of the clause may be missing in its claim."""
    effect = read_clause(text, PAGES).effect
    assert effect is not None
    claim = Claim(check="changed", arguments=asked(effect, everywhere=False))
    Asked.model_validate(claim.arguments)
    assert missing_tokens([token.text for token in hard_tokens(text)], claim) == []
