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
        (
            "Hi there, we are the Clearwater Stargazers. We would love a small app",
            "Clearwater Stargazers",
        ),
        ("Guten Tag, ich bin Bademeisterin im Freibad Waldsee in Lauterach. Ich möchte eine App", "Freibad Waldsee"),
        ("Our parish runs St. Brigid's Soup Kitchen. Make a page called How to find us", "St. Brigid's Soup Kitchen"),
        ("We clean flats in Krakow. Customers choose a date. Name: Czysto.", "Czysto"),
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
        "A song request wall for wedding DJ Marlow, where guests add songs and upvote them.",
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


@pytest.mark.parametrize(
    ("brief", "titles"),
    [
        ("links site. new links can be added, links can be filtered by a tag", ["Add new links", "Filter links"]),
        ("Verleih: Räder, Räder können online reserviert werden", ["Räder", "Räder online"]),
        ("As a studio owner I want members to see the class timetable", ["Timetable"]),
        ("Ideas app. As an admin, I can delete ideas", ["Delete ideas"]),
    ],
)
def test_what_can_be_done_to_a_thing_and_who_wants_it_are_read_as_doing_it(brief: str, titles: list[str]) -> None:
    model = read_app(brief)
    assert [page.title for page in model.pages[1:]] == titles


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


@pytest.mark.parametrize(
    ("brief", "expected"),
    [
        (
            "Repair cafe: volunteers Hanna and Tobias are listed, and a board shows waiting, in repair and done.",
            {"Volunteers": ["Hanna", "Tobias"], "Board": [("Status", ("Waiting", "In repair", "Done"))]},
        ),
        (
            "A dispatch app: jobs with pickup address, drop-off address and deadline; statuses are new and lost.",
            {"Jobs": ["Pickup address", "Drop-off address", "Deadline", ("Status", ("New", "Lost"))]},
        ),
        (
            "Verwaltung für meine Modellbahn: Lokomotiven mit Hersteller, Baureihe, Spurweite und Preis, Wunschliste.",
            {"Lokomotiven": ["Hersteller", "Baureihe", "Spurweite", "Preis"]},
        ),
        (
            "Eine App für das Freibad. Wir messen täglich die Wasserwerte: Chlor, pH-Wert und Temperatur.",
            {"Wasserwerte": ["Chlor", "PH-Wert", "Temperatur"]},
        ),
        (
            "A club app. We lend out our four telescopes (Orion, Lyra and Vega) to members.",
            {"Lend out our four telescopes": ["Orion", "Lyra", "Vega"]},
        ),
        (
            "A rota app. Make a page called How to find us with the address 14 Mill Lane, Kilkenny.",
            {"How to find us": ["Address 14 Mill Lane, Kilkenny"]},
        ),
        ("A song wall, where guests add songs and upvote them.", {"Add songs": ["Upvote"]}),
    ],
)
def test_names_fields_states_and_pages_are_taken_as_they_are_enumerated(
    brief: str, expected: dict[str, list[str]]
) -> None:
    blocks = {each.title: each for each in read_app(brief).blocks()}
    for title, parts in expected.items():
        told = blocks[title]
        found = [*names(told), *labels(told), *((each.label, each.choices) for each in told.fields), told.action]
        assert all(part in found for part in parts), (title, found)


@pytest.mark.parametrize(
    ("brief", "not_shown"),
    [
        ("An app for our club: nights and notes. Please send an email to Ingrid when one comes back late.", "Ingrid"),
        ("A dispatch app: jobs and riders. Integrate with Google Maps to optimise the routes.", "Google"),
        ("Eine App: Messwerte, Dienstplan. Die Daten sollen automatisch an unser SAP übertragen werden.", "SAP"),
        ("Una web: modelos y horario. Los clientes deben recibir un SMS cuando su guitarra esté lista.", "SMS"),
        ("A rota app: shifts and cooks. No passwords please.", "password"),
        ("Eine App: Messwerte, Dienstplan. Bisher steht das in einem Heft.", "Heft"),
    ],
)
def test_what_the_app_cannot_do_and_how_it_was_until_now_is_no_part_of_it(brief: str, not_shown: str) -> None:
    assert not_shown not in str(read_app(brief).pages)


@pytest.mark.parametrize(
    ("brief", "title", "fields"),
    [
        ("An app for a stall. Each order has a number, a price and a pickup time.", "Orders", {"Price", "Pickup time"}),
        (
            "As a keeper I want to record every inspection of a hive with date, mood and mite count, so that I know.",
            "Inspection of a hive",
            {"Date", "Mood", "Mite count"},
        ),
        (
            "Name: Tap & Sons\n- list of jobs with address, customer and price\n- photos",
            "Jobs",
            {"Address", "Customer"},
        ),
        ("App für den Pilzverein: Mitglieder sammeln Funde mit Art, Fundort und Datum.", "Funde", {"Art", "Fundort"}),
        ("Appli pour un jardin : chaque parcelle a un numéro et une surface.", "Parcelles", {"Numéro", "Surface"}),
        ("An app for a workshop. An order is accepted, in progress or ready.", "Orders", {"Status"}),
        ("App für eine Werkstatt. Ein Auftrag ist angenommen, in Arbeit oder fertig.", "Auftrag", {"Status"}),
        ("App for our rowing club. A coach is assigned to each crew.", "Crews", {"Coach"}),
        ("Una aplicación para un coro: los ensayos tienen fecha y lugar.", "Ensayos", {"Fecha"}),
        ("做一个俱乐部“飞羽”的应用：会员可以预约场地，教练有姓名、级别和课时费。", "教练", {"姓名", "级别", "课时费"}),
        ("给社区书站做一个应用，叫“书页”：图书列表（书名、作者、状态）、活动。", "图书列表", {"书名", "作者", "状态"}),
    ],
)
def test_what_things_have_are_their_fields_however_it_is_said(brief: str, title: str, fields: set[str]) -> None:
    found = next(each for each in read_app(brief).blocks() if each.title == title)
    assert fields <= set(labels(found))


@pytest.mark.parametrize(
    ("brief", "titles"),
    [
        (
            "Our office, Okafor Notaries, needs an app where files are opened, documents are uploaded and sent on.",
            ["Files", "Documents"],
        ),
        (
            "Ich habe eine kleine Werkstatt und heiße Kettenglück. Ersatzteile sollen bestellt werden können.",
            ["Ersatzteile"],
        ),
        ("Eine App für den Verein Harz: Touren. Ab und zu gibt es eine Lesung.", ["Touren", "Lesung"]),
    ],
)
def test_what_is_done_with_things_is_none_of_their_names(brief: str, titles: list[str]) -> None:
    assert [each.title for each in read_app(brief).blocks()] == titles


@pytest.mark.parametrize(
    ("brief", "name"),
    [
        ("Hive log for my bees: hives with queen year", "Hive Log"),
        ("Hiking club Blue Ridge: tours with date", "Hiking Club Blue Ridge"),
        ("Name: Drip & Sons\n- list of jobs with price", "Drip & Sons"),
        ("Ich habe eine kleine Werkstatt und heiße Kettenglück. Ersatzteile.", "Kettenglück"),
        ("We run a small stall called Babcia's Pierogi. Orders with a price.", "Babcia's Pierogi"),
    ],
)
def test_a_name_is_neither_cut_nor_taken_for_a_thing(brief: str, name: str) -> None:
    model = read_app(brief)
    assert model.name == name
    assert not {"Drip", "Sons", "Name"} & {each.title for each in model.blocks()}
