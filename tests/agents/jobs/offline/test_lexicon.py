"""Business objects out of an overview, found again in texts of both languages."""

import pytest

from loopwright.agents.jobs.offline.lexicon import common_objects, mentions, objects_in

OVERVIEW = """# Overview

| Plan | Price |
|------|-------|
| Basic | 10 |

## Key Business Objects

| Object | German | Description |
|--------|:------:|-------------|
| **Booking** | Buchung | Agreement on dates |
| Insurance Claim | Schadensfall | Report |

Not a table | at all

## Glossary

| German | English | Context |
|--------|---------|---------|
| Beleg | Receipt/voucher | Proof |
| Kunde | Customer | Who rents |
"""


def test_objects_are_read_from_the_tables_that_name_them() -> None:
    objects = objects_in(OVERVIEW)
    assert [(each.name, each.names) for each in objects] == [
        ("Booking", ("Booking", "Buchung")),
        ("Insurance Claim", ("Insurance Claim", "Schadensfall")),
        ("Receipt", ("Receipt", "voucher", "Beleg")),
        ("Customer", ("Customer", "Kunde")),
    ]
    assert objects[0].description == "Agreement on dates"
    assert objects_in("no table here") == ()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Eingangsbelege und Buchungen des Kunden sind aufzubewahren.", ["Booking", "Receipt", "Customer"]),
        ("Customers get vouchers.", ["Receipt", "Customer"]),
        ("Customise the overbooked day; der Belegte", []),
        ("An insurance claim", ["Insurance Claim"]),
        ("Buchungsnummer und Kundenservice; belegt", ["Booking", "Customer"]),
    ],
)
def test_objects_are_found_inflected_and_compounded_but_not_inside_other_words(text: str, found: list[str]) -> None:
    assert list(mentions(text, objects_in(OVERVIEW))) == found


def test_without_an_overview_there_are_the_common_objects_of_bookkeeping() -> None:
    assert "Receipt" in mentions("Jeder Geschäftsvorfall braucht einen Beleg.", common_objects())
