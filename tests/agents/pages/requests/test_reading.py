"""What a clause of a request is read as, and what is refused whole because a word of it would be passed over."""

from typing import Any

import pytest

from loopwright.agents.pages.account.changing import Asked, asked
from loopwright.agents.pages.requests.meaning import Page
from loopwright.agents.pages.requests.reading import read_clause, read_requests
from loopwright.kernel.account import Claim
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


SHOWN = [
    Page(
        "index",
        "Home",
        texts=("Halden Roofing", "See the counter", "Said by guests", "House favourites", "Good morning, Marcus"),
    ),
    Page("wish-list", "Wish list", texts=("Add to cart",)),
]


def read_all(text: str) -> list[dict[str, Any]]:
    """The effects that a text asks for, where it is known what the pages show."""
    return [each.effect.model_dump(exclude_defaults=True) if each.effect else {} for each in read_requests(text, SHOWN)]


@pytest.mark.parametrize(
    ("text", "kind", "words", "slugs"),
    [
        ("make the See the counter button orange", "button", "See the counter", None),
        ("put Said by guests above House favourites on the home page", None, "Said by guests", ("index",)),
        ("remove the Add to cart buttons from the wish list", "button", "Add to cart", ("wish-list",)),
    ],
)
def test_a_thing_is_named_by_what_the_pages_show(
    text: str, kind: str | None, words: str, slugs: tuple[str, ...] | None
) -> None:
    (found,) = read_all(text)
    assert (found.get("kind"), found["words"], found.get("pages")) == (kind, words, slugs)


@pytest.mark.parametrize(
    ("text", "properties"),
    [
        ("make the headings red and bigger", ["colour", "size"]),
        ("square corners for the cards please, and no shadows", ["radius", "shadow"]),
        ("the little text on the cards is hard to read, make it darker and larger", ["colour", "size"]),
        ("make the menu bar dark blue with white text", ["ground", "colour"]),
        ("all buttons should have square corners and a thin black outline", ["radius", "edge"]),
        ("make the prices and the headings green", ["colour", "colour"]),
    ],
)
def test_a_clause_that_asks_for_two_things_is_two_requests(text: str, properties: list[str]) -> None:
    found = read_requests(text, SHOWN)
    assert [each.effect.property if each.effect else "" for each in found] == properties
    assert {each.whole for each in found} == {text}


@pytest.mark.parametrize(
    ("text", "operation", "kind"),
    [("make teh backgroud white", "style", "page"), ("maek the buttons rounder", "style", "button"),
     ("hide the wish lsit", "remove", None)],
)  # fmt: skip
def test_a_slip_of_the_pen_is_put_right(text: str, operation: str, kind: str | None) -> None:
    (found,) = read_all(text)
    assert (found["operation"], found.get("kind")) == (operation, kind)


def test_a_word_beside_a_quotation_is_not_passed_over() -> None:
    (found,) = read_all("get rid of the text 'Add to cart' above the name on the home page")
    assert found["words"] == "Add to cart above name"


def test_a_word_that_is_none_of_the_vocabulary_is_not_turned_into_one() -> None:
    """Where two words are as near, or none is, the clause is not understood."""
    (found,) = read_requests("make the bxttxn rounder", SHOWN)
    assert found.effect is None or found.effect.words == "bxttxn"


@pytest.mark.parametrize(
    ("text", "effect"),
    [
        ("rename the Wish list page to Wanted",
         {"operation": "retitle", "words": "Wish list", "value": "Wanted", "anchor_page": "wish-list"}),
        ("the wish list page should be called Wanted",
         {"operation": "retitle", "words": "Wish list", "value": "Wanted", "anchor_page": "wish-list"}),
        ("change Good morning, Marcus to Welcome to Halden Roofing",
         {"operation": "rename", "words": "Good morning, Marcus", "value": "Welcome to Halden Roofing"}),
        ("move Wish list to the second place in the menu",
         {"operation": "move", "kind": "menu item", "words": "Wish list", "place": "at", "anchor_nth": 2}),
        ("add a footer saying 12 Mill Lane, Leeds",
         {"operation": "show", "kind": "footer", "value": "12 Mill Lane, Leeds", "place": "bottom"}),
        ("add a link to our Instagram https://instagram.com/x on the home page",
         {"operation": "show", "kind": "link", "value": "Instagram", "leads": "https://instagram.com/x",
          "pages": ("index",)}),
        ("Add a Facebook link (https://facebook.com/x) to the home page",
         {"operation": "show", "kind": "link", "value": "Facebook", "leads": "https://facebook.com/x",
          "pages": ("index",)}),
        ("add a button 'Plan' on the home page that goes to the wish list page",
         {"operation": "show", "kind": "button", "value": "Plan", "leads": "wish-list.html", "pages": ("index",)}),
        ("add our opening hours to the home page: Tue–Sat 9:00–18:00",
         {"operation": "show", "kind": "text", "value": "Opening hours: Tue–Sat 9:00–18:00", "pages": ("index",)}),
        ("put the Wish list tab last in the menu",
         {"operation": "move", "kind": "menu item", "words": "Wish list", "place": "at", "anchor_nth": -1}),
        ("Add a message on every page: Closed until 3 January",
         {"operation": "show", "kind": "text", "value": "Closed until 3 January"}),
        ("the menu at the bottom should be black",
         {"operation": "style", "kind": "menu", "property": "ground", "relation": "set", "value": "#000000"}),
        ("make the wish list page light grey",
         {"operation": "style", "kind": "page", "property": "ground", "relation": "set", "value": "#cccccc",
          "pages": ("wish-list",)}),
        ("hide the grey text 'delete me' everywhere",
         {"operation": "remove", "kind": "text", "words": "delete me", "looking": "#808080"}),
    ],
)  # fmt: skip
def test_new_parts_names_and_places_are_read(text: str, effect: dict[str, Any]) -> None:
    assert read_all(text) == [effect]


@pytest.mark.parametrize("text", ["add a link to our Instagram", "add a button 'Call us' on the home page"])
def test_a_link_without_an_address_is_asked_for_one(text: str) -> None:
    (found,) = read_requests(text, SHOWN)
    assert (found.effect, found.why) == (None, "no_address")


@pytest.mark.parametrize(
    ("text", "nth"),
    [
        ("News should be at the top of the menu", 1),
        ("News sollen ganz oben im Menü stehen", 1),
        ("Setze Shop im Menü ganz nach unten", -1),
        ("put the shop first in the menu", 1),
    ],
)
def test_an_entry_goes_to_an_end_of_the_menu_and_the_menu_stays(text: str, nth: int) -> None:
    found = read(text)
    assert (found["kind"], found["place"], found["anchor_nth"]) == ("menu item", "at", nth)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("use a terracotta accent colour, #C0603A", "#c0603a"),
        ("Change la couleur principale en bleu canard", "#048b9a"),
        ("Unsere Farben: tannengrün", "#2d5a27"),
    ],
)
def test_a_colour_and_its_figure_are_one_colour(text: str, value: str) -> None:
    assert read(text) == {"operation": "brand", "value": value}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Le titre de l'accueil doit être « Bonjour »", "Bonjour"),
        ("Der Titel der Startseite soll „Hallo zusammen“ heißen", "Hallo zusammen"),
        ("El título debe ser «Hola»", "Hola"),
    ],
)
def test_words_for_a_title_are_read_in_every_language(text: str, value: str) -> None:
    found = read(text)
    assert (found["operation"], found["kind"], found["value"]) == ("say", "headline", value)


@pytest.mark.parametrize(
    "text", ["larger buttons, dad has shaky hands", "bigger touch targets, most of our members are over seventy"]
)
def test_what_is_so_in_the_users_world_is_no_name_of_an_element(text: str) -> None:
    (request,) = read_requests(text, PAGES)
    assert request.said == text.partition(",")[0]
    found = read(text)
    assert (found["kind"], found.get("words", ""), found["property"]) == ("button", "", "size")


def test_what_stands_behind_a_colon_is_kept_whole() -> None:
    text = "add a note: we are closed on Mondays, the shop is open on Sundays"
    assert read(text)["value"] == "we are closed on Mondays, the shop is open on Sundays"


@pytest.mark.parametrize(
    ("text", "value"),
    [("首页加上开放时间：周六日9点到17点", "开放时间: 周六日9点到17点"), ("在首页放一句话：欢迎光临", "欢迎光临")],
)
def test_a_chinese_word_is_not_cut_by_a_verb_in_it(text: str, value: str) -> None:
    found = read(text)
    assert (found["operation"], found["value"]) == ("show", value)


def test_a_link_of_the_menu_needs_an_address_that_is_given_or_known() -> None:
    (request,) = read_requests("add a link to our partner in the menu", PAGES)
    assert (request.effect, request.why) == (None, "no_address")
    assert read("add a link to Instagram in the menu")["value"] == "https://www.instagram.com/"


def test_the_second_of_something_that_is_no_list_is_not_everything_of_that_name() -> None:
    (request,) = read_requests("delete the second gnome", PAGES)
    assert request.effect is None


@pytest.mark.parametrize(
    "text", ["Sortiere die Rezepte nach Datum, die nächsten zuerst", "sort the news by date, soonest first"]
)
def test_what_comes_first_belongs_to_what_is_sorted_by(text: str) -> None:
    found = read(text)
    assert (found["operation"], found["value"], found["relation"]) == ("sort", "date", "more")


@pytest.mark.parametrize("text", ["标题改成蓝色", "make the titles blue", "Die Titel sollen blau sein"])
def test_a_colour_is_no_new_title(text: str) -> None:
    found = read(text)
    assert (found["operation"], found["property"]) == ("style", "colour")


def test_a_button_may_be_called_by_a_word_that_changes_things() -> None:
    found = read("the Add button should be orange")
    assert (found["kind"], found["words"]) == ("button", "Add")


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("Change the word Mood to Temper", "Mood", "Temper"),
        ("Cambia la palabra Puestos por Paradas en todas partes", "Puestos", "Paradas"),
    ],
)
def test_a_word_that_is_called_one_is_another_wherever_it_stands(text: str, old: str, new: str) -> None:
    assert read(text) == {"operation": "rename", "words": old, "value": new}


def test_a_day_with_a_point_ends_no_sentence() -> None:
    text = "Schreib auf die Startseite: Wir haben vom 1. bis 15. August Betriebsferien"
    assert read(text)["value"] == "Wir haben vom 1. bis 15. August Betriebsferien"


@pytest.mark.parametrize(
    "text", ["Mach einen Link zur Seite Shop unter die Überschrift der Startseite", "Haz un enlace a la página Shop"]
)
def test_a_link_is_made_in_other_languages(text: str) -> None:
    found = read(text)
    assert (found["operation"], found["value"], found["leads"]) == ("show", "Shop", "shop.html")


@pytest.mark.parametrize("text", ["Los botones deben ser verdes con letras blancas", "green buttons with white text"])
def test_a_fill_and_its_letters_are_two_styles_of_one_thing(text: str) -> None:
    effects = [each.effect for each in read_requests(text, PAGES)]
    assert [(each.kind, each.property) for each in effects if each is not None] == [
        ("button", "ground"),
        ("button", "colour"),
    ]


def test_distances_and_places_of_the_menu_are_read_in_chinese() -> None:
    assert read("卡片之间的距离大一点")["property"] == "gap"
    found = read("把“News”放到菜单第一位")
    assert (found["kind"], found["words"], found["place"]) == ("menu item", "News", "above")


def test_a_page_whose_lines_are_said_behind_its_name_has_them() -> None:
    found = read("add a page called Prices with: Adult 30 pounds, Child 15 pounds")
    assert (found["words"], [each for _, each in found["values"]]) == ("Prices", ["Adult 30 pounds", "Child 15 pounds"])


def test_so_many_a_row_are_columns() -> None:
    assert read("show two cards per row") == {"operation": "columns", "kind": "card", "value": "2"}


@pytest.mark.parametrize(
    "text",
    [
        "change the title of the app to 'Larks'",
        "the app should be called Larks",
        "call the app Larks",
        "change the title to Larks",
        "Ändere den Titel der App in „Larks“",
        "Change le titre de l'application en « Larks »",
        "把标题改成“Larks”",
    ],
)
def test_the_title_of_the_app_is_its_name(text: str) -> None:
    pages = [Page("index", "Home", app="Village Choir", headline="Village Choir"), Page("songs", "Songs")]
    (request,) = read_requests(text, pages)
    assert request.effect is not None
    assert request.effect.model_dump(exclude_defaults=True) == {
        "operation": "retitle", "words": "Village Choir", "value": "Larks"
    }  # fmt: skip


def test_a_fact_and_that_it_is_to_be_shown_are_one_request() -> None:
    found = read("our phone number is 020 7946 0158, please show it at the bottom of every page")
    assert (found["kind"], found["value"], found["place"]) == ("phone", "Phone number: 020 7946 0158", "bottom")


def test_a_shortened_word_before_a_figure_ends_no_sentence() -> None:
    found = read("Schreib unten auf jede Seite: Turm e.V., Mühlen Str. 36")
    assert (found["value"], found["place"]) == ("Turm e.V., Mühlen Str. 36", "bottom")
    assert "pages" not in found
