"""What is read from a brief: names, things, fields, examples, kinds of block, in five languages."""

import pytest

from loopwright.agents.pages.domain.app_model import AppModel, Block
from loopwright.agents.pages.domain.app_reader import read_app
from loopwright.agents.pages.domain.grammar import language_code, language_read, sentences
from loopwright.agents.pages.domain.naming import given_name
from loopwright.agents.pages.domain.own_words import own_words
from loopwright.agents.pages.domain.ready import is_built_from_brief, model_of

LIBRARY = (
    "A toy library called Toybox Lane. Families borrow puzzles, scooters and board games, see availability and due "
    "dates, and leave a deposit."
)


def block(model: AppModel, kind: str) -> Block:
    """The first block of a kind.

    Raises:
        StopIteration: the app has none.
    """
    return next(each for each in model.blocks() if each.kind == kind)


def labels(part: Block) -> list[str]:
    return [each.label for each in part.fields]


def names(part: Block) -> list[str]:
    return [str(each["name"]) for each in part.records]


@pytest.mark.parametrize(
    ("brief", "name"),
    [
        ("Membership app for SV Blaustadt 1908: news and fixtures", "SV Blaustadt 1908"),
        ("Booking site for an escape room, Lock & Weir: three rooms", "Lock & Weir"),
        ("Eine App namens „Omas Garten“: Beete und Aussaat", "Omas Garten"),
        ("Une application pour « La Roue Libre », un atelier de vélos : tarifs", "La Roue Libre"),
        ("App para un huerto llamado Tierra Viva: parcelas", "Tierra Viva"),
        ("一家叫「山海书屋」的书店小程序：有商品列表", "山海书屋"),
        ("Landing page for Basalt, a fast database: benchmarks", "Basalt"),
        ("I want an app to plan my week", ""),
    ],
)
def test_a_name_is_taken_as_it_is_given(brief: str, name: str) -> None:
    assert given_name(brief) == name


def test_what_is_borrowed_becomes_records_and_what_is_seen_of_it_fields() -> None:
    things = block(read_app(LIBRARY), "list")
    assert names(things) == ["Puzzles", "Scooters", "Board games"]
    assert labels(things) == ["Availability", "Due dates", "Deposit"]
    assert [each.kind for each in things.fields] == ["choice", "date", "money"]


def test_what_stands_behind_by_is_a_field_of_the_list() -> None:
    things = block(read_app("Log for lifts: list of lifts by building, last inspection, open faults"), "list")
    assert labels(things) == ["Building", "Last inspection"]


def test_what_stands_in_brackets_is_what_can_be_chosen_in_a_form() -> None:
    form = block(read_app("App for a clinic: owners book a visit for their pet (dog, cat, rabbit)"), "form")
    assert next(each for each in form.fields if each.label == "Pet").choices == ("dog", "cat", "rabbit")


def test_people_who_are_named_are_on_the_page_that_shows_them() -> None:
    people = block(read_app("App for a clinic: meet the vets Dr. Berg and Dr. Osei"), "people")
    assert names(people) == ["Dr. Berg", "Dr. Osei"]


def test_an_instruction_or_a_colour_is_no_part_of_the_app() -> None:
    model = read_app("Make me an app for my choir. Rehearsals with dates. Blush pink and sage green, calm. 3 pages.")
    shown = " ".join([model.name, model.subject, *(each.title for each in model.blocks())]).lower()
    assert "make" not in shown
    assert "pink" not in shown
    assert "calm" not in shown
    assert len(model.pages) == 3


def test_a_told_story_asks_for_nothing() -> None:
    model = read_app("Countdown. Birthdays are important to everybody and life is short. Users can add events.")
    assert not [each for each in model.blocks() if "life" in each.title.lower()]


def test_a_question_of_the_interview_is_not_the_users_word() -> None:
    assert (
        own_words('A tool library\n\nWhat kind of app is it? Online shop\nThe app is called "X".') == "A tool library"
    )


def test_a_title_before_a_name_ends_no_sentence() -> None:
    assert sentences("Meet Dr. Osei. Book a visit.") == ["Meet Dr. Osei", "Book a visit"]


@pytest.mark.parametrize(
    "brief",
    [
        LIBRARY,
        "Inventory for my wine cellar: bottles by rack and shelf, vintage, region",
        "School bus tracker for parents: live position of the bus on a map, minutes until pickup",
        "A dating app for garden gnomes. Gnomes swipe on other gnomes by hat colour",
        "Eine Rezeptbox-App: Rezepte nach Kategorie, Einkaufsliste",
        "一家叫「云雾山房」的茶叶店小程序：卖龙井、白毫银针和茶具",
        "Wedding invitation for Mia and Tom on Saturday 14 June 2037 at Villa Rosa",
        "Wedding invitation for Mia and Tom on 14 June 2037 at 3:30 pm, dinner at 7 pm",
    ],
)
def test_no_ready_business_takes_over_what_it_does_not_know(brief: str) -> None:
    assert is_built_from_brief(brief)


@pytest.mark.parametrize(
    "brief",
    [
        "A coffee shop app with menu, cart and loyalty card",
        "a kanban board",
        "A music app for lo-fi beats with favourites and search, purple",
        "A music app for lo-fi beats with favorites and search, purple",
        "Wedding invitation for Mia and Tom on Sunday 14 June 2037 at Villa Rosa, 3:30 pm",
        "Wedding invitation for Mia and Tom on Monday 30 February 2037",
    ],
)
def test_a_brief_that_names_a_ready_business_gets_it(brief: str) -> None:
    assert not is_built_from_brief(brief)


def test_pages_that_are_planned_are_the_pages() -> None:
    plan = (("index", "Home"), ("toys", "Toys"), ("rules", "House rules"))
    model = model_of(LIBRARY, "Toybox", plan)
    assert [(page.slug, page.title) for page in model.pages] == list(plan)
    assert model.name == "Toybox"
    assert all(page.blocks for page in model.pages if page.slug != "index")


@pytest.mark.parametrize(
    ("brief", "code", "read_as"),
    [
        ("Un'app per la biblioteca di quartiere: libri con autore, prestiti e contatti", "it", "en"),
        ("Een app voor de buurttuin: lijst van perceeltjes en een kalender", "nl", "en"),
        ("町の図書館のアプリ。本の一覧、貸出期限、イベントのカレンダー。", "ja", "zh"),
        ("Les membres empruntent des outils", "fr", "fr"),
    ],
)
def test_a_language_that_is_not_read_is_still_said(brief: str, code: str, read_as: str) -> None:
    assert (language_code(brief), language_read(brief)) == (code, read_as)


@pytest.mark.parametrize(
    "brief",
    [
        "A tool shed app for locals: tools with due dates",
        "A tool shed app, for my family and friends: tools with due dates",
        "Eine App für den Verleih, für Anfänger: Werkzeuge mit Rückgabedatum",
        "Une app de prêt d'outils, pour tous: outils avec date de retour",
    ],
)
def test_whom_an_app_is_for_is_no_thing_of_it(brief: str) -> None:
    assert len(read_app(brief).blocks()) == 1


@pytest.mark.parametrize("audience", ["for locals", "for my neighbourhood", "for beginners"])
def test_an_audience_makes_no_ready_business_strange(audience: str) -> None:
    assert not is_built_from_brief(f"A coffee shop app called Bean There, {audience}")


def test_people_who_keep_nothing_add_nothing() -> None:
    model = read_app("Guide for the Tide Museum: visitors choose a floor, borrow headphones, see the floor map")
    chosen, borrowed = model.blocks()[:2]
    assert (chosen.read_only, chosen.action, chosen.choice) == (True, "Choose", True)
    assert (borrowed.read_only, borrowed.action) == (False, "Borrow")


def test_a_search_belongs_to_the_lists() -> None:
    model = read_app("Butterfly notebook: butterflies by family and year, with search")
    assert [(each.kind, each.searched) for each in model.blocks()] == [("list", True)]


def test_a_verb_that_shares_its_object_is_no_list() -> None:
    assert [each.title for each in read_app("Create and store your notes for later").blocks()] == [
        "Store your notes for later"
    ]


@pytest.mark.parametrize(
    ("brief", "fields"),
    [
        (
            "A rehoming app. Cats: Maple, Willow and Birch, each with age, temperament and a photo.",
            ["Age", "Temperament", "Photo"],
        ),
        ("A climbing app. Routes: Sunray, Overhang and Slab, each with grade and height.", ["Grade", "Height"]),
    ],
)
def test_what_each_thing_of_a_list_has_is_its_field_and_no_more_things(brief: str, fields: list[str]) -> None:
    listed = next(
        each for each in read_app(brief).blocks() if each.records and each.records[0]["name"] in ("Maple", "Sunray")
    )
    assert (labels(listed), len(listed.records)) == (fields, 3)


def test_what_is_said_to_be_an_app_is_its_name() -> None:
    assert given_name("Favor is an app for students who trade skills for services.") == "Favor"
    assert given_name("Lumen ist eine App für Fotografen.") == "Lumen"


def test_the_end_of_a_list_of_names_is_not_the_name_of_the_app() -> None:
    assert given_name("a page for three cats, Maple, Willow and Birch") == ""


def test_a_brief_with_its_own_days_times_and_prices_is_nobody_elses_app() -> None:
    lessons = "One page for our swimming lessons: beginners Monday 16:00, improvers Wednesday 17:30, 8 pounds a lesson."
    assert is_built_from_brief(lessons)
    assert not is_built_from_brief("A coffee shop app called Bean There, 5 pages, green accent, for locals")
