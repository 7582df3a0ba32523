"""What is entered and what comes out, by which formula, and which formulas are refused."""

import pytest

from loopwright.agents.pages.domain.entering import Asked, Input, read_calculation
from loopwright.agents.pages.domain.formulas import Calculation, checked_formula, usual_formula

TIP = "I type the bill, choose 5, 10 or 15 percent and the number of guests, and see what each guest pays."
ASKED = Asked(
    (Input("bill"), Input("percent", ("5", "10"), "percent"), Input("number of guests")), "what each pays", ()
)


@pytest.mark.parametrize(
    ("said", "inputs", "result", "formula"),
    [
        (
            TIP,
            ["bill", "percent", "number_of_guests"],
            "what each guest pays",
            "bill * (1 + percent / 100) / number_of_guests",
        ),
        (
            "Ich gebe den Rechnungsbetrag ein, wähle 5 oder 10 Prozent und sehe den Endbetrag.",
            ["rechnungsbetrag", "prozent"],
            "Endbetrag",
            "rechnungsbetrag * (1 + prozent / 100)",
        ),
        (
            "I enter the price and choose 10 or 25 percent off and see the new price.",
            ["price", "percent"],
            "new price",
            "price * (1 - percent / 100)",
        ),
        (
            "Preis pro Person und Anzahl der Personen eingeben, Gesamtpreis sehen.",
            ["preis_pro_person", "anzahl_der_personen"],
            "Gesamtpreis",
            "preis_pro_person * anzahl_der_personen",
        ),
        (
            "I enter an amount in pounds and see it in euros, at 1.15 euros per pound.",
            ["amount_in_pounds"],
            "euros",
            "amount_in_pounds * 1.15",
        ),
        (
            "I type the kilometres, the litres per 100 kilometres and the price per litre, and see what it costs.",
            ["kilometres", "litres_per_kilometres", "price_per_litre"],
            "what it costs",
            "kilometres * litres_per_kilometres * price_per_litre / 100",
        ),
        ("Enter the weight and the height, show the index.", ["weight", "height"], "index", ""),
    ],
)
def test_a_calculation_is_read_and_usual_ones_have_their_formula(
    said: str, inputs: list[str], result: str, formula: str
) -> None:
    asked = read_calculation(said)
    assert ([each.name for each in asked.inputs], asked.result) == (inputs, result)
    assert usual_formula(asked, said) == formula
    assert not formula or isinstance(checked_formula(formula, asked, said), Calculation)


@pytest.mark.parametrize(
    ("formula", "complaint"),
    [
        ("bill * (1 + percent) / number_of_guests", "percentage"),
        ("bill * percent / (1 + percent / 100) / number_of_guests", "percentage"),
        ("bill * percent / 100 / number_of_guests", "At 0 percent"),
        ("bill * (1 - percent / 100) / number_of_guests", "added"),
        ("bill * (1 + percent / 100) * number_of_guests", "divide by number_of_guests"),
        ("bill * (1 + percent / 100)", "each of these names"),
        ("bill * (1 + percent / 100) / number_of_guests * 1.19", "Nobody gave 1.19"),
        ("bill / (number_of_guests - number_of_guests) * (1 + percent / 100)", "zero"),
        ("open('x') + bill", "Use only"),
        ("what each pays is bill", "no formula"),
    ],
)
def test_a_formula_that_cannot_be_right_is_sent_back(formula: str, complaint: str) -> None:
    found = checked_formula(formula, ASKED, TIP)
    assert isinstance(found, str)
    assert complaint in found


def test_a_formula_becomes_a_script_and_words() -> None:
    found = checked_formula("bill * (1 + percent / 100) / number_of_guests", ASKED, TIP)
    assert isinstance(found, Calculation)
    assert found.script == "v[0] * (1 + v[1] / 100) / v[2]"
    assert found.told == "bill × (1 + percent ÷ 100) ÷ number of guests"
