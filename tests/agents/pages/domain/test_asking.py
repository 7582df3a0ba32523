"""How sentences ask for parts of an app: openings, clauses, hours, fields, looks; and what records are called."""

import pytest

from loopwright.agents.pages.domain.app_model import AppModel, Block
from loopwright.agents.pages.domain.app_reader import read_app


def titles(model: AppModel) -> list[str]:
    return [each.title for each in model.blocks()]


def labels(block: Block) -> list[str]:
    return [each.label for each in block.fields]


def names(block: Block) -> list[str]:
    return [str(each["name"]) for each in block.records]


@pytest.mark.parametrize(
    ("brief", "title"),
    [
        ("A website for a bakery. There should also be a list of orders.", "Orders"),
        ("A website for a bakery. It should present the cakes with price.", "Cakes"),
        ("A website for a bakery. A news section would be great.", "News"),
        ("A website for a bakery. There should be a FAQ page.", "FAQ"),
        ("Eine App für den Hof. Außerdem soll es eine Liste der Geräte geben.", "Geräte"),
        ("Une appli pour le club. Il faut aussi un calendrier des matchs.", "Calendrier des matchs"),
        ("一个社区小程序。还要能看到通知。", "通知"),
    ],
)
def test_what_only_asks_is_no_part_of_what_is_asked_for(brief: str, title: str) -> None:
    assert title in titles(read_app(brief))


@pytest.mark.parametrize(
    "look",
    [
        "The style should feel mysterious.",
        "Use alice blue for the page and crimson for buttons.",
        "Navy for the buttons.",
    ],
)
def test_what_is_said_of_the_look_is_no_list(look: str) -> None:
    assert titles(read_app(f"A website for a tea shop: list of teas. {look}")) == ["Teas"]


def test_a_story_of_those_who_want_an_app_is_no_name_and_no_page() -> None:
    model = read_app("I walk dogs in my street and want an app called Waggly. Owners can book a walk.")
    assert (model.name, titles(model)) == ("Waggly", ["Book a walk"])


@pytest.mark.parametrize(
    ("brief", "title", "hours"),
    [
        (
            "An app for our club. Firings are on Tuesday at 19:00 and Saturday at 10:00.",
            "Firings",
            ["Tuesday at 19:00", "Saturday at 10:00"],
        ),
        (
            "Une application pour le club : consulter les horaires : mercredi de 14h à 18h et samedi de 10h à 17h.",
            "Horaires",
            ["Mercredi de 14h à 18h", "Samedi de 10h à 17h"],
        ),
    ],
)
def test_when_something_is_stands_under_its_name(brief: str, title: str, hours: list[str]) -> None:
    told = next(each for each in read_app(brief).blocks() if each.title == title)
    assert (names(told), told.read_only) == (hours, True)


@pytest.mark.parametrize(
    ("brief", "fields"),
    [
        ("A website with a contact form with name, email and message", ["Email", "Message"]),
        ("An app for a station: travellers report a loss with colour, brand and the train number",
         ["Colour", "Brand", "Train number"]),
        ("Una app para el huerto: un formulario de contacto con nombre, teléfono y mensaje", ["Teléfono", "Mensaje"]),
    ],
)  # fmt: skip
def test_what_follows_a_form_are_its_fields(brief: str, fields: list[str]) -> None:
    form = next(each for each in read_app(brief).blocks() if each.kind == "form")
    assert labels(form)[: len(fields)] == fields


def test_details_of_a_thing_are_its_fields() -> None:
    model = read_app("An auction app: sellers list lots, view lot details such as harvest year, weight and notes")
    assert labels(model.blocks()[0]) == ["Harvest year", "Weight", "Notes"]


def test_figures_to_choose_from_and_clauses_are_fields() -> None:
    model = read_app(
        "An app for walkers. Owners can book a walk and choose 30 or 60 minutes. Write down for each dog what it eats "
        "and whether it pulls on the lead."
    )
    form, dogs = model.blocks()
    assert next(each for each in form.fields if each.label == "Minutes").choices == ("30", "60")
    assert [(each.label, each.choices) for each in dogs.fields] == [
        ("What it eats", ()),
        ("Pulls on the lead", ("Yes", "No")),
    ]


def test_a_german_main_clause_is_titled_by_its_object() -> None:
    model = read_app("Eine App für das Repair-Café: Besucher melden ein Gerät an und beschreiben den Fehler")
    assert [(each.kind, each.title) for each in model.blocks()] == [("form", "Gerät"), ("list", "Fehler")]


@pytest.mark.parametrize(
    ("brief", "called"),
    [
        ("An app for potters: list of reviews", ["Friendly and on time", "Would come again", "Good, a little loud"]),
        ("An app for potters: list of firings", ["Morning firing", "Evening firing", "Saturday firing"]),
        ("An app for potters: list of glazes", ["Nora's glaze", "Samuel's glaze", "Priya's glaze"]),
        ("An app for potters: list of who owes money", ["Nora Lindahl", "Samuel Reyes", "Priya Nair", "Tom Hartley"]),
        ("Une appli pour le club: liste des vélos", ["Vélo de Camille", "Vélo d'Hugo", "Vélo d'Inès"]),
    ],
)
def test_records_are_called_what_such_things_may_be_called(brief: str, called: list[str]) -> None:
    assert names(read_app(brief).blocks()[0]) == called
