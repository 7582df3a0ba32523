"""What a brief says of its page, read by rules: subject, lists with prices and times, facts, forms, ticks, look."""

import pytest

from loopwright.agents.pages.domain.building import look_of
from loopwright.agents.pages.domain.entering import Outline, Row
from loopwright.agents.pages.domain.outline import outline_of

STALL = (
    "A one-page menu for the noodle stall Mill & Brook: udon 7.50, mint tea 2.00, fish and chips 9.00. "
    "Open Friday to Sunday, 11:30 to 19:00. Dark background with teal accent."
)


def rows_of(outline: Outline) -> list[tuple[str, str]]:
    return [(row.label, row.value) for each in outline.lists for row in each.rows]


def test_a_menu_has_its_prices_its_hours_and_its_look() -> None:
    found = outline_of(STALL)
    assert found.name == "Mill & Brook"
    assert rows_of(found) == [("udon", "7.50"), ("mint tea", "2.00"), ("fish and chips", "9.00")]
    assert found.facts == [Row("Open", "Friday to Sunday, 11:30 to 19:00")]
    look = look_of(STALL, found)
    assert (look.dark, look.colours) == (True, ("#0F8288",))


@pytest.mark.parametrize(
    ("brief", "rows", "ticked"),
    [
        ("A one-page list for closing up: lock the door, water the plants. Let me check them off.", 2, True),
        ("Eine einseitige Packliste: Badehose, Handtuch, Sonnencreme, zum Abhaken.", 3, True),
        ("A shopping list on one page: 12 eggs, 500 g flour, butter and salt.", 4, False),
        ("Putzplan auf einer Seite: Montag Küche, Mittwoch Bad, Freitag Flur.", 3, False),
    ],
)
def test_things_of_a_list_are_found_and_whether_they_are_ticked(brief: str, rows: int, ticked: bool) -> None:
    found = outline_of(brief)
    assert (len(rows_of(found)), found.ticked) == (rows, ticked), found


@pytest.mark.parametrize(
    ("brief", "fields"),
    [
        ("A page for the quiz night: a form with team name, e-mail and number of players.", 3),
        ("Eine Seite für den Lauf am 3. Mai um 10:00: Anmeldung mit Name, Telefon und Anzahl der Kinder.", 3),
        ("One page for the choir. People sign up with name and phone number.", 2),
        ("One page for the choir: rehearsal Monday 19:00.", None),
    ],
)
def test_the_fields_of_a_form_are_those_that_the_brief_names(brief: str, fields: int | None) -> None:
    form = outline_of(brief).form
    assert (len(form) if form is not None else None) == fields


def test_a_heading_may_stand_before_the_first_thing_of_a_list() -> None:
    found = outline_of(
        "One page for the party on 14 June at 15:00 in Mill Lane: music. Bring a salad, a chair and a cup."
    )
    assert Row("party", "14 June at 15:00 in Mill Lane") in found.facts
    assert [(each.title, [row.label for row in each.rows]) for each in found.lists] == [
        ("Bring", ["salad", "chair", "cup"])
    ]


def test_a_colour_in_a_list_is_no_look() -> None:
    brief = "One page for our plants: mint 3.00, rose 4.00, olive 9.00. Orange."
    found = outline_of(brief)
    assert (found.look, look_of(brief, found).colours) == (["Orange"], ("#E8651A",))
    assert len(rows_of(found)) == 3


def test_a_dish_with_something_is_one_dish_and_a_heading_says_what_hours_are() -> None:
    found = outline_of(
        "A one-page menu: scone with jam 3.20, cake 3.80, tea 2.90. Opening hours: Sunday 10:00 to 16:30."
    )
    assert rows_of(found) == [("scone with jam", "3.20"), ("cake", "3.80"), ("tea", "2.90")]
    assert found.facts == [Row("Opening hours", "Sunday 10:00 to 16:30")]


@pytest.mark.parametrize(("name", "shade"), [("Rosa", "#ED7FA8"), ("pink", "#ED7FA8"), ("purple", "#800080")])
def test_a_colour_is_near_to_its_name_and_no_paler_than_can_be_seen(name: str, shade: str) -> None:
    brief = f"One page: tea 2.00, cake 3.00. {name}."
    assert look_of(brief, outline_of(brief)).colours == (shade,)
