"""What is read as a request about what an app keeps, and what is refused because a word of it would be passed over."""

from typing import Any

import pytest

from loopwright.agents.pages.account.changing import Asked, asked
from loopwright.agents.pages.requests.kept import Kept
from loopwright.agents.pages.requests.meaning import Page
from loopwright.agents.pages.requests.reading import read_requests
from loopwright.kernel.account import Claim
from loopwright.kernel.account.reading import hard_tokens, missing_tokens


def field(label: str, kind: str) -> dict[str, str]:
    return {"key": label.lower(), "label": label, "kind": kind, "unit": ""}


def page(slug: str, title: str, noun: str, fields: list[dict[str, str]], *records: str, form: bool = False) -> Page:
    kept = Kept(slug, 0, (title, noun), (title, slug), tuple(fields), records, noun.title(), form)
    return Page(slug, title, (kept,))


ENGLISH = [
    Page("index", "Home"),
    page("wines", "Wines", "wine", [field("Price", "money"), field("Origin", "text")], "Riesling 1", "Pinot Noir"),
    page("book-a-table", "Book a table", "table", [field("Date", "date")], "Table 1", form=True),
]
GERMAN = [
    page("weine", "Weine", "Wein", [field("Preis", "money"), field("Herkunft", "text")], "Riesling", "Silvaner"),
    page("anmeldung", "Anmeldung", "Anmeldung", [field("E-Mail", "email")], "Anmeldung 1", form=True),
]
FRENCH = [
    page("vins", "Vins", "vin", [field("Prix", "money")], "Chinon"),
    page("rendez-vous", "Rendez-vous", "rendez-vous", [field("Date", "date")], "Visite 1", form=True),
]
SPANISH = [page("vinos", "Vinos", "vino", [field("Precio", "money")], "Rioja"),
           page("reserva", "Reserva", "reserva", [field("Fecha", "date")], "Reserva 1", form=True)]  # fmt: skip
CHINESE = [page("page-2", "书目列表", "书目列表", [field("作者", "text"), field("价格", "money")], "边城"),
           page("page-3", "预订座位", "预订座位", [field("日期", "date")], "预订1", form=True)]  # fmt: skip


def read(text: str, pages: list[Page]) -> dict[str, Any]:
    (request,) = read_requests(text, pages)
    assert request.effect is not None, request.why
    claim = Claim(check="changed", arguments=asked(request.effect, everywhere=False))
    Asked.model_validate(claim.arguments)
    assert missing_tokens([token.text for token in hard_tokens(text)], claim) == []
    return request.effect.model_dump(exclude_defaults=True)


@pytest.mark.parametrize(
    ("text", "pages", "slug", "label", "kind"),
    [
        ("add a phone number field to the booking form", ENGLISH, "book-a-table", "Phone number", "phone"),
        ("each wine should also have a vintage", ENGLISH, "wines", "Vintage", "year"),
        (
            "the wines should show the phone number of the grower",
            ENGLISH,
            "wines",
            "Phone number of the grower",
            "phone",
        ),
        ("put a vintage on every wine", ENGLISH, "wines", "Vintage", "year"),
        ("the booking form should ask for the number of people", ENGLISH, "book-a-table", "Number of people", "number"),
        ("give every wine a vintage", ENGLISH, "wines", "Vintage", "year"),
        ("add a field for the e-mail when booking a table", ENGLISH, "book-a-table", "E-mail", "email"),
        (
            "Füge beim Anmeldeformular ein Feld für die Telefonnummer hinzu",
            GERMAN,
            "anmeldung",
            "Telefonnummer",
            "phone",
        ),
        ("Jeder Wein soll auch einen Jahrgang haben", GERMAN, "weine", "Jahrgang", "year"),
        ("ajoute un champ téléphone au formulaire de rendez-vous", FRENCH, "rendez-vous", "Téléphone", "phone"),
        ("chaque vin doit aussi avoir une année", FRENCH, "vins", "Année", "year"),
        ("añade un campo de teléfono al formulario de reserva", SPANISH, "reserva", "Teléfono", "phone"),
        ("cada vino debe tener también un año", SPANISH, "vinos", "Año", "year"),
        ("wines should also have a vintage", ENGLISH, "wines", "Vintage", "year"),
        ("add a grape column to the wines", ENGLISH, "wines", "Grape", "text"),
        ("Bei der Anmeldung soll man auch eine Telefonnummer angeben", GERMAN, "anmeldung", "Telefonnummer", "phone"),
        ("书目列表加一个出版社字段", CHINESE, "page-2", "出版社", "text"),
        ("给预订座位加一个电话字段", CHINESE, "page-3", "电话", "phone"),
    ],
)
def test_a_new_field_has_a_label_a_kind_and_a_form(
    text: str, pages: list[Page], slug: str, label: str, kind: str
) -> None:
    found = read(text, pages)
    assert (found["operation"], found["words"], found["value"]) == ("add_field", label, kind)
    assert found["anchor_page"] == slug


def test_a_choice_keeps_its_choices() -> None:
    found = read("add a size field with small, medium and big to the wines", ENGLISH)
    assert [value for _, value in found["values"]] == ["small", "medium", "big"]


@pytest.mark.parametrize(
    ("text", "pages", "name", "values"),
    [
        ("add Chablis for $18 to the wines", ENGLISH, "Chablis", [("", "$18")]),
        ("add a wine called Old Vines for $18, origin Chile", ENGLISH, "Old Vines", [("", "$18"), ("Origin", "Chile")]),
        ("Füge einen Wein namens Müller-Thurgau für 8,50 € hinzu", GERMAN, "Müller-Thurgau", [("", "8,50 €")]),
        ("ajoute un vin « Saumur » à 15 €", FRENCH, "Saumur", [("", "15 €")]),
        ("añade un vino llamado Albariño por 12 €", SPANISH, "Albariño", [("", "12 €")]),
        ("在书目列表里添加《活着》，作者余华，价格39元", CHINESE, "活着", [("", "39元"), ("作者", "余华")]),
    ],
)
def test_a_new_record_has_a_name_and_its_values(
    text: str, pages: list[Page], name: str, values: list[tuple[str, str]]
) -> None:
    found = read(text, pages)
    assert (found["operation"], found["words"]) == ("add_record", name)
    assert list(found["values"]) == values


@pytest.mark.parametrize(
    ("text", "pages", "name", "value"),
    [
        ("change the price of Pinot Noir to $35", ENGLISH, "Pinot Noir", ("Price", "$35")),
        ("Pinot Noir now costs $20", ENGLISH, "Pinot Noir", ("Price", "$20")),
        ("the origin of Pinot Noir is Oregon", ENGLISH, "Pinot Noir", ("Origin", "Oregon")),
        ("Der Preis von Silvaner soll 9 Euro sein", GERMAN, "Silvaner", ("Preis", "9 Euro")),
        ("Riesling kostet jetzt 11 €", GERMAN, "Riesling", ("Preis", "11 €")),
        ("le prix de Chinon est maintenant de 14 €", FRENCH, "Chinon", ("Prix", "14 €")),
        ("cambia el precio de Rioja a 16 €", SPANISH, "Rioja", ("Precio", "16 €")),
        ("把边城的价格改成30元", CHINESE, "边城", ("价格", "30元")),
    ],
)
def test_another_value_of_a_record(text: str, pages: list[Page], name: str, value: tuple[str, str]) -> None:
    found = read(text, pages)
    assert (found["operation"], found["words"], *found["values"]) == ("set_value", name, value)


@pytest.mark.parametrize(
    ("text", "pages", "operation"),
    [
        ("ask for confirmation before anything is deleted", ENGLISH, "ask_first"),
        ("Frage nach, bevor ein Eintrag gelöscht wird", GERMAN, "ask_first"),
        ("demande une confirmation avant de supprimer", FRENCH, "ask_first"),
        ("pregunta antes de borrar algo", SPANISH, "ask_first"),
        ("删除之前要先确认", CHINESE, "ask_first"),
        ('when there are no wines it should say "All gone"', ENGLISH, "when_empty"),
        ("Wenn keine Weine da sind, soll „Alles weg“ stehen", GERMAN, "when_empty"),
        ("没有书目时显示“暂无书目”", CHINESE, "when_empty"),
        ("the date must be filled in when booking a table", ENGLISH, "require"),
        ("Die E-Mail bei der Anmeldung muss ausgefüllt werden", GERMAN, "require"),
        ("people have to give a date when they book a table", ENGLISH, "require"),
        ("Bei der Anmeldung muss man die E-Mail angeben", GERMAN, "require"),
        ("la date du rendez-vous est obligatoire", FRENCH, "require"),
        ("la fecha de la reserva es obligatoria", SPANISH, "require"),
        ("预订座位的日期必填", CHINESE, "require"),
        ("remove Pinot Noir from the wines", ENGLISH, "remove"),
        ("Lösche Silvaner", GERMAN, "remove"),
        ("把书目里的《边城》删掉", CHINESE, "remove"),
        ("sort the wines by price, cheapest first", ENGLISH, "sort"),
        ("Sortiere die Weine nach Preis, die teuersten zuerst", GERMAN, "sort"),
    ],
)
def test_how_lists_and_forms_behave(text: str, pages: list[Page], operation: str) -> None:
    assert read(text, pages)["operation"] == operation


@pytest.mark.parametrize(
    ("text", "title", "lines"),
    [
        ('add a page How it works with the text "We fix it."', "How it works", ["We fix it."]),
        ("add a page called House rules: Be kind, Shut the gate", "House rules", ["Be kind", "Shut the gate"]),
        ("Erstelle eine Seite Impressum mit dem Text „Weingut Rot, Ulm“", "Impressum", ["Weingut Rot, Ulm"]),
        ("ajoute une page « Accès » avec le texte « Bus 7 »", "Accès", ["Bus 7"]),
        ("añade una página llamada Normas: No fumar, Sin perros", "Normas", ["No fumar", "Sin perros"]),
        ("新建一个「联系我们」页面，写上电话 010-5550-1234", "联系我们", ["电话 010-5550-1234"]),
    ],
)
def test_a_page_with_its_content(text: str, title: str, lines: list[str]) -> None:
    (request,) = read_requests(text, ENGLISH)
    assert request.effect is not None
    assert (request.effect.words, [value for _, value in request.effect.values]) == (title, lines)


@pytest.mark.parametrize(
    "text",
    [
        "add Chablis for $18 and 4 stars to the wines",
        "change the mood of Pinot Noir to happy",
        "change the price of Pinot Noir to $35 with confetti",
        "add a field to the garden",
        "ask the neighbours before anything is deleted",
        "the weather must be filled in when booking a table",
        "remove Pinot Noir from the garden",
        "add a page about our team",
        "the wines should have a red background",
        "each wine should have a shadow and be green",
        "the origin of Pinot Noir is Oregon and the price is $20",
    ],
)
def test_a_word_that_is_not_understood_is_not_passed_over(text: str) -> None:
    of_data = ("add_record", "set_value", "add_field", "require", "ask_first", "when_empty", "new_page")
    found = [each.effect for each in read_requests(text, ENGLISH) if each.effect is not None]
    assert [each for each in found if each.operation in of_data or (each.operation == "remove" and each.kind)] == []


@pytest.mark.parametrize("text", ["remove the last wine", "delete the second wine"])
def test_a_record_is_counted_as_it_is_shown(text: str) -> None:
    (request,) = read_requests(text, ENGLISH)
    assert request.effect is not None
    assert (request.effect.operation, request.effect.kind, request.effect.words) == ("remove", "row", "Pinot Noir")


def test_a_field_for_searching_keeps_nothing() -> None:
    (request,) = read_requests("add a search field to the wines list", ENGLISH)
    assert request.effect is not None
    assert request.effect.operation == "search"


def test_a_record_is_described_behind_what_it_is() -> None:
    found = read("add a wine: Silvaner, 14 €, origin Franconia", ENGLISH)
    assert (found["operation"], found["words"], found["anchor_page"]) == ("add_record", "Silvaner", "wines")
    assert found["values"] == (("Price", "14 €"), ("Origin", "Franconia"))


def test_a_record_of_which_a_value_is_not_understood_is_no_text_for_a_page() -> None:
    (request,) = read_requests("add a wine: Silvaner, rather dry", ENGLISH)
    assert request.effect is None


def test_a_list_of_leave_keeps_its_name() -> None:
    leave = [page("page-4", "请假记录", "请假记录", [field("日期", "date")], "请假1")]
    found = read("请假记录加一个“原因”字段", leave)
    assert (found["operation"], found["words"], found["anchor_page"]) == ("add_field", "原因", "page-4")


@pytest.mark.parametrize(
    ("text", "pages", "operation", "label"),
    [
        ("let people filter the wines by origin", ENGLISH, "filter", "Origin"),
        ("Man soll die Weine nach Herkunft filtern können", GERMAN, "filter", "Herkunft"),
        ("remove the origin field from the wines", ENGLISH, "remove_field", "Origin"),
        ("remove the date from the booking form", ENGLISH, "remove_field", "Date"),
        ("删除书目列表的作者字段", CHINESE, "remove_field", "作者"),
    ],
)
def test_a_field_is_filtered_by_or_taken_out(text: str, pages: list[Page], operation: str, label: str) -> None:
    (request,) = read_requests(text, pages)
    assert request.effect is not None, request.why
    assert (request.effect.operation, request.effect.words) == (operation, label)


def test_a_filter_by_what_no_list_has_is_refused_with_what_there_is() -> None:
    (request,) = read_requests("let people filter the wines by weather", ENGLISH)
    assert (request.effect, request.why) == (None, "filter_by")
    assert "Wines: Price, Origin" in request.what


CLASSES = [page("classes", "Classes", "class", [field("Date", "date"), field("Duration", "number")], "Glazing", "Raku")]


@pytest.mark.parametrize("text", ["move the first class to 5 June", "postpone Glazing to 5 June"])
def test_a_day_alone_is_one_for_the_only_field_of_days(text: str) -> None:
    (request,) = read_requests(text, CLASSES)
    assert request.effect is not None
    effect = request.effect
    assert (effect.operation, effect.words, effect.values) == ("set_value", "Glazing", (("Date", "5 June"),))


@pytest.mark.parametrize("text", ["sort the classes, shortest first", "list the classes from short to long"])
def test_an_adjective_is_an_order_of_the_field_that_it_is_about(text: str) -> None:
    (request,) = read_requests(text, CLASSES)
    assert request.effect is not None
    effect = request.effect
    assert (effect.operation, effect.words, effect.value, effect.relation) == ("sort", "classes", "Duration", "more")


def test_an_entry_for_a_list_that_is_not_there_is_no_text_for_a_page() -> None:
    (request,) = read_requests("add 'Torch' to the packing list", ENGLISH)
    assert (request.effect, request.why) == (None, "field")
