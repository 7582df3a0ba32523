"""What the parts of an app have to do with each other: figures of lists, states, forms and what they write into."""

import pytest

from loopwright.agents.pages.domain.app_model import Block
from loopwright.agents.pages.domain.app_reader import read_app
from loopwright.agents.pages.domain.kept.measures import alike
from loopwright.agents.pages.domain.kept.relating import participle


def blocks_of(brief: str) -> list[Block]:
    return list(read_app(brief).blocks())


def figure_of(brief: str) -> Block:
    return next(each for each in blocks_of(brief) if each.measure is not None)


@pytest.mark.parametrize(
    ("brief", "op", "field", "span", "by"),
    [
        (
            "App for a pool. Swimmers log each swim with the date and distance. Show the total distance this month.",
            "sum", "distance", "month", "",
        ),
        (
            "A book club app: a list of novels with author and rating. Show the average rating of each author.",
            "mean", "rating", "", "author",
        ),
        (
            "App für den Lauftreff. Läufer tragen Läufe ein mit Datum und Strecke. Wie viele Läufe in dieser Woche.",
            "count", "", "week", "",
        ),
        ("做一个跑步应用。跑者登记跑步：日期、距离。显示本月总距离。", "sum", "f8ddd79bb", "month", ""),
    ],
)  # fmt: skip
def test_a_figure_is_counted_from_what_the_app_keeps(brief: str, op: str, field: str, span: str, by: str) -> None:
    figure = figure_of(brief)
    measure = figure.measure
    assert measure is not None
    assert (measure.op, measure.field, measure.span, measure.by) == (op, field, span, by)
    assert any(each.entity == measure.entity for each in blocks_of(brief) if each is not figure)


def test_what_is_left_is_counted_from_the_amount_that_is_said() -> None:
    brief = "App for a reading circle. We buy books with a title and a price. Show how much of our $300 budget is left."
    measure = figure_of(brief).measure
    assert measure is not None
    assert (measure.limit, measure.kind) == (300.0, "money")


def test_a_figure_of_what_nobody_enters_gets_a_form() -> None:
    blocks = blocks_of("App for a mill. A list of customers. Show how much flour was ground this year.")
    figure = next(each for each in blocks if each.measure is not None)
    entered = next(each for each in blocks if figure.measure is not None and each.entity == figure.measure.entity)
    assert (entered.kind, entered.title) == ("form", "Flour")


def test_what_decides_on_things_gives_them_states() -> None:
    block = next(each for each in blocks_of("App for a youth centre. The manager can approve a trip.") if each.deeds)
    state = next(each for each in block.fields if each.key == block.state)
    assert (block.deeds, state.choices) == (("Approve",), ("Open", "Approved"))


@pytest.mark.parametrize(
    ("verb", "language", "state"),
    [
        ("approve", "en", "Approved"), ("verify", "en", "Verified"), ("bestätigen", "de", "Bestätigt"),
        ("absagen", "de", "Abgesagt"), ("valider", "fr", "Validé"), ("aprobar", "es", "Aprobado"),
        ("审核", "zh", "已审核"),
    ],
)  # fmt: skip
def test_a_verb_says_the_state_that_it_brings_about(verb: str, language: str, state: str) -> None:
    assert participle(verb, language) == state


def test_a_field_that_is_called_like_the_things_of_a_list_is_one_of_them() -> None:
    brief = "A hangar app. A list of gliders. Pilots log each flight with the glider and the minutes."
    flights = next(each for each in blocks_of(brief) if each.title == "Log each flight")
    gliders = next(each for each in blocks_of(brief) if each.title == "Gliders")
    field = next(each for each in flights.fields if each.label == "Glider")
    assert field.source == gliders.entity
    assert field.choices == tuple(str(each["name"]) for each in gliders.records)


def test_what_people_write_down_is_a_form_whose_button_says_so() -> None:
    brief = "An app for divers. Guides log each dive with the depth and the water temperature."
    form = next(each for each in blocks_of(brief) if each.kind == "form")
    assert (form.action, form.name_label) == ("Log a dive", "")
    assert [each.label for each in form.fields] == ["Depth", "Water temperature"]


def test_no_field_begins_with_a_letter_of_the_alphabet() -> None:
    brief = "A workshop app: looms with gearing, shuttle and warp."
    values = {str(record[each.key]) for block in blocks_of(brief) for each in block.fields for record in block.records}
    assert values
    assert not {each for each in values if len(each) == 1}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("cleaning", "cleaned", True), ("Arbeitsstunden", "Stunden", True), ("bags", "bag", True), ("cat", "cap", False)],
)
def test_forms_of_a_word_are_alike(one: str, other: str, same: bool) -> None:
    assert alike(one, other) is same


@pytest.mark.parametrize(
    ("brief", "title", "field"),
    [
        (
            "A hut app. Hikers reserve a bunk and say which meal they want: soup, pasta or salad.",
            "Reserve a bunk",
            ("Meal", ("soup", "pasta", "salad")),
        ),
        ("A bakery app. Loaves are rising, baking or sold.", "Loaves", ("Status", ("Rising", "Baking", "Sold"))),
        ("App für die Werft. Boote sind neu, im Bau oder fertig.", "Boote", ("Status", ("Neu", "Im Bau", "Fertig"))),
        ("Una app para el taller. El cuadro puede estar vendido, reservado o libre.", "Cuadros",
         ("Estado", ("Vendido", "Reservado", "Libre"))),
        ("做一个花店应用。花束有待包装、包装中、已送出三种状态。", "花束", ("状态", ("待包装", "包装中", "已送出"))),
    ],
)  # fmt: skip
def test_what_is_chosen_and_the_states_of_things_are_fields(
    brief: str, title: str, field: tuple[str, tuple[str, ...]]
) -> None:
    block = next(each for each in blocks_of(brief) if each.title == title)
    assert field in [(each.label, each.choices) for each in block.fields]


def test_the_first_sentence_names_whom_the_app_is_for_and_no_page() -> None:
    brief = "Our rowing club wants an app called Swift Oars. Rowers log each outing with the date and the distance."
    model = read_app(brief)
    assert (model.name, model.subject) == ("Swift Oars", "rowing club")
    assert [each.title for each in model.blocks()] == ["Log each outing"]


def test_a_price_for_each_piece_counts_for_all_of_them() -> None:
    brief = "A dairy app. Clerks log each sale with the number of jars and the price per jar. Show the value of sales."
    measure = figure_of(brief).measure
    assert measure is not None
    assert (measure.field, measure.times) == ("price_per_jar", "number_of_jars")
