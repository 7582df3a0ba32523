"""Texts that are alike say the same only where the words that differ mean nothing."""

import pytest

from loopwright.agents.jobs.offline.lexicon import says_the_same

OPENING = "Bei der Aufzeichnung der Geschäftsvorfälle sind die folgenden Angaben zu erfassen und aufzubewahren: "


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Das Verfahren muss dokumentiert werden.", "Das Verfahren muss dokumentiert werden"),
        ("Rechnungen sind zehn Jahre aufzubewahren.", "Die Rechnung ist zehn Jahre aufzubewahren."),
        ("The system must keep invoices.", "The system must keep the invoice."),
    ],
)
def test_articles_and_inflections_change_nothing(first: str, second: str) -> None:
    assert says_the_same(first, second)
    assert says_the_same(second, first)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (OPENING + "Umsatzsteuersatz (siehe Rz. 78)", OPENING + "Umsatzsteuerbetrag (siehe Rz. 78)"),
        (OPENING + "Richtigkeit (siehe unter 3.2.2)", OPENING + "Richtigkeit (siehe unter 3.2.4)"),
        ("Rechnungen sind 10 Jahre aufzubewahren.", "Rechnungen sind 6 Jahre aufzubewahren."),
        ("Das ist zulässig.", "Das ist unzulässig."),
        ("Daten dürfen gelöscht werden.", "Daten dürfen nicht gelöscht werden."),
        ("It must log access.", "It must not log access."),
        (OPENING + "Belege", OPENING),
    ],
)
def test_a_number_a_negation_or_a_noun_makes_another_duty(first: str, second: str) -> None:
    assert not says_the_same(first, second)
    assert not says_the_same(second, first)
