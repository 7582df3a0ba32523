"""What statements claim of the pages, and of which ones nothing is claimed."""

from typing import Any

import pytest

from loopwright.agents.pages.account import ACCOUNT
from loopwright.agents.pages.account.reading import claim_of, places_of
from loopwright.kernel.account.reading import hard_tokens, missing_tokens, read_statements, stands_in


def claims(message: str) -> list[tuple[str, dict[str, Any]]]:
    """The claims of a message, each as the kernel would accept it."""
    found = []
    for statement in read_statements(message):
        claim = claim_of(statement)
        if claim is None:
            continue
        ACCOUNT.by_name[claim.check].arguments.model_validate(claim.arguments)
        tokens = hard_tokens(statement.text)
        assert all(stands_in(token, claim.check, claim.arguments) for token in tokens), (statement, claim)
        found.append((claim.check, claim.arguments))
    return found


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("called 'Zesty'", ("titled", {"name": "Zesty", "words": []})),
        ("Three pages.", ("pages", {"relation": "==", "count": 3})),
        ("At most 4 pages.", ("pages", {"relation": "<=", "count": 4})),
        ("Vier Seiten.", ("pages", {"relation": "==", "count": 4})),
        ("Use green as main colour.", ("colour", {"where": "main", "colour": "green"})),
        ("Make the header purple", ("colour", {"where": "header", "colour": "purple"})),
        ("use our brand #0A6E5C", ("colour", {"where": "main", "colour": "#0A6E5C"})),
        ("主色用橙色。", ("colour", {"where": "main", "colour": "橙色"})),
        ("Each donation has a donor.", ("field", {"field": ["donor"], "of": ["donation"], "each": ["Each"]})),
        ("Jede Fahrt hat einen Fahrer.", ("field", {"field": ["fahrer"], "of": ["fahrt"], "each": ["Jede"]})),
        ("No ads.", ("absent", {"absent": ["ads"]})),
        ("Remove the newsletter form", ("absent", {"absent": ["newsletter"]})),
        ("ohne Werbung", ("absent", {"absent": ["werbung"]})),
        ("Visitors can book an appointment.", ("taking", {"words": ["appointment"], "done": ["book"]})),
        ("Man soll Bücher bewerten können.", ("taking", {"words": ["bücher"], "done": ["bewerten"]})),
        ("see vaccination records", ("visible", {"words": ["vaccination", "records"], "values": []})),
        ("Visitors see and rate dishes.", ("taking", {"words": ["dishes"], "done": ["rate"]})),
        ("volunteers Hanna and Tobias are listed", ("visible", {"words": ["tobias"], "values": []})),
        ("一个应用，看地图", ("visible", {"words": ["地图"], "values": []})),
        ("a favourites page", ("page", {"page": ["favourites"]})),
        ("Calm teal.", ("colour", {"where": "main", "colour": "teal"})),
        ("Blush pink and sage green", ("colour", {"where": "main", "colour": "sage green"})),
        ("Dark, elegant.", ("ground", {"relation": "<", "named": "Dark"})),
        ("Warme Farben.", ("tone", {"tone": "warm", "named": "Warme Farben"})),
        ("a list of patients by bed", ("visible", {"words": ["patients", "bed"], "values": []})),
        ("les membres empruntent des vélos", ("taking", {"words": ["vélos"], "done": ["empruntent"]})),
        ("see how much is left this week", ("follows", {"words": ["left"], "values": ["this week"]})),
        ("die Anzahl der Mitglieder", ("follows", {"words": ["mitglieder"], "values": []})),
        ("un compteur des heures", ("follows", {"words": ["heures"], "values": []})),
        ("live position of the bus", ("lives", {"words": ["position", "bus"], "values": [], "live": "live"})),
        ("auf Deutsch", ("language", {"language": "de", "named": "Deutsch"})),
        (
            "把「购物车」全部改成「茶篮」",
            ("renamed", {"old": "购物车", "new": "茶篮", "scope": "everywhere"}),
        ),
        (
            "Show opening hours Tue-Sat 9-18",
            ("visible", {"words": ["opening", "hours"], "values": ["Tue", "Sat", "9", "18"]}),
        ),
    ],
)
def test_what_is_said_is_claimed_with_its_names_and_figures(message: str, expected: Any) -> None:
    assert expected in claims(message)


@pytest.mark.parametrize(
    "message",
    [
        "make it more elegant",
        "calm look",
        "for parents",
        "show them on the team page",
        "sort the list, soonest first",
        "12 tables of 8 guests",
        "at least 5 recipes",
        "which pages are there?",
        "change the date to 12 September 2026",
        "add a search field at the top of the shop page",
        "Warme Farben",
        "notification when my child has boarded",
        "as a student",
        "must be downloaded",
        "transformed into a file",
        "whenever you have a product",
        "Customers receive an SMS when their guitar is ready",
        "send an email to Ingrid",
        "Los clientes deben recibir un SMS cuando su guitarra esté lista",
        "Die Daten sollen an unser SAP übertragen werden",
        "Integrate with Google Maps to optimise the routes",
        "完成后发送短信",
        "Bisher steht das in einem Heft",
    ],
)
def test_what_no_check_measures_is_claimed_of_nothing(message: str) -> None:
    assert not [claim for claim in claims(message) if claim[0] in ("visible", "pages", "page", "titled", "absent")]


MENU = "One page for the kiosk: tea 2.00, mint cake 3.50 euros per slice. Dark background, orange buttons."
JOIN = "Eine Seite für den Chor: ein Formular mit Name und E-Mail."
TIP = "A tip calculator on one page: I type the bill, choose 10 or 20 percent and see what each guest pays."
PACK = "A packing list: tent, water filter, lock the back door. Each item can be ticked off."


@pytest.mark.parametrize(
    ("message", "text", "check", "arguments"),
    [
        (MENU, "One page for the kiosk", "pages", {"relation": "==", "count": 1, "about": ["kiosk"]}),
        (MENU, "tea 2.00", "beside", {"words": ["tea"], "values": ["2.00"]}),
        (
            MENU,
            "mint cake 3.50 euros per slice",
            "beside",
            {"words": ["mint", "cake", "slice"], "values": ["3.50 euros", "per"]},
        ),
        (MENU, "Dark background", "ground", {"relation": "<", "named": "Dark background"}),
        (MENU, "orange buttons", "colour", {"where": "button", "colour": "orange"}),
        (JOIN, "E-Mail", "field", {"field": ["e-mail"]}),
        (TIP, "I type the bill", "entered", {"words": ["bill"], "choices": []}),
        (TIP, "choose 10", "entered", {"words": [], "choices": ["10"]}),
        (
            TIP,
            "see what each guest pays",
            "given_out",
            {"words": ["what", "guest", "pays"], "values": [], "each": ["each"]},
        ),
        (PACK, "water filter", "visible", {"words": ["water", "filter"], "values": []}),
        (PACK, "lock the back door", "visible", {"words": ["lock", "back", "door"], "values": []}),
        (PACK, "Each item can be ticked off", "ticked", {"each": True}),
        (
            "An app with a price filter: water filter, search.",
            "water filter",
            "taking",
            {"words": ["water", "filter"], "done": ["filter"]},
        ),
        ("An app with a form. Meet the doctors.", "Meet the doctors", "visible", {"words": ["doctors"], "values": []}),
    ],
)
def test_what_a_statement_claims_depends_on_where_it_stands(
    message: str, text: str, check: str, arguments: dict[str, Any]
) -> None:
    """Among the fields of a form, with what is entered or comes out, in a list of tasks, or anywhere else."""
    statements = read_statements(message)
    places = places_of(statements, message)
    statement = next(each for each in statements if each.text == text)
    claim = claim_of(statement, places[statement.id])
    assert claim is not None
    assert (claim.check, claim.arguments) == (check, arguments)
    assert missing_tokens(statement.hard, claim) == []


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("Donors can view upcoming drives.", ["upcoming", "drives"]),
        ("Les bénévoles voient les vélos en attente.", ["vélos", "attente"]),
        ("顾客可以查看车辆。", ["车辆"]),
    ],
)
def test_what_people_only_see_is_kept_by_being_shown(message: str, words: list[str]) -> None:
    assert claims(message) == [("visible", {"words": words, "values": []})]


@pytest.mark.parametrize(
    "message",
    [
        "Hospitals can see matching donors.",
        "Recommended recipes.",
        "今天的收入。",
        "Use honeydew as the background.",
        "The style should feel mysterious.",
        "write down",
    ],
)
def test_no_words_keep_what_has_to_be_worked_out_or_is_a_look_or_a_bare_verb(message: str) -> None:
    assert claims(message) == []
