"""Values of all types, in several languages."""

from decimal import Decimal

import pytest

from loopwright.kernel.account.reading import Value, read_values


def only(text: str) -> Value:
    """The one value of a text."""
    found = read_values(text)
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    ("text", "type_", "value", "unit", "per"),
    [
        ("by January 31, 2027", "date", "2027-01-31", "", ""),
        ("the 3rd of May", "date", "--05-03", "", ""),
        ("am 31. Januar 2027", "date", "2027-01-31", "", ""),
        ("am 31.01.2027", "date", "2027-01-31", "", ""),
        ("2027年1月31日", "date", "2027-01-31", "", ""),
        ("on 3/4/2027", "date", "2027", "", ""),
        ("on 31/4/2027", "date", "2027-04-31", "", ""),
        ("by the end of June", "date", "--06", "end", ""),
        ("le 14 juillet", "date", "--07-14", "", ""),
        ("antes del 2 de junio de 2027", "date", "2027-06-02", "", ""),
        ("never on Fridays", "weekday", 4, "", ""),
        ("nicht am Sonntag", "weekday", 6, "", ""),
        ("周日休息", "weekday", 6, "", ""),
        ("at 9:30 pm", "time", 21 * 60 + 30, "", ""),
        ("um 9.30 Uhr", "time", 9 * 60 + 30, "", ""),
        ("下午三点半", "time", 15 * 60 + 30, "", ""),
        ("一点钟", "time", 60, "", ""),
        ("20 hours a week", "duration", 1_200, "minute", "week"),
        ("3 hours of driving per day", "duration", 180, "minute", "day"),
        ("in 4 Monaten", "duration", 4, "month", ""),
        ("学习六小时", "duration", 360, "minute", ""),
        ("15 cm wide", "length", 150, "mm", ""),
        ("1/16 inch", "length", Decimal("1.5875"), "mm", ""),
        ("1 1/2 inches", "length", Decimal("38.1"), "mm", ""),
        ("3毫米", "length", 3, "mm", ""),
        ("at 37 °C", "quantity", 37, "°C", ""),
        ("-5 °C", "quantity", -5, "°C", ""),
        ("$1,200.50", "money", Decimal("1200.50"), "USD", ""),
        ("für 1.500,50 €", "money", Decimal("1500.50"), "EUR", ""),
        ("不超过5000元", "money", 5_000, "CNY", ""),
        ("steel blue", "colour", "#4682b4", "", ""),
        ("in Salbeigrün", "colour", "#9caf88", "", ""),
        ("主色用深蓝色", "colour", "#00008b", "", ""),
        ("#F80", "colour", "#ff8800", "", ""),
        ("4 runs a week", "count", 4, "runs", "week"),
        ("fünfundzwanzig Seiten", "count", 25, "Seiten", ""),
        ("三份合同", "count", 3, "份", ""),
        ("the second gnome", "ordinal", 2, "", ""),
    ],
)  # fmt: skip
def test_one_value(text: str, type_: str, value: object, unit: str, per: str) -> None:
    """A value is read with its unit, normalised, whatever the language."""
    found = only(text)
    assert (found.type, found.value, found.unit, found.per) == (type_, value, unit, per)


def test_numbers_that_share_a_unit_each_have_it() -> None:
    """A body's three measures are three lengths."""
    found = read_values("a block 2 x 1 x 0.5 inches")
    assert [value.value for value in found] == [Decimal("50.8"), Decimal("25.4"), Decimal("12.7")]
    assert {value.unit for value in found} == {"mm"}


def test_ranges_are_the_places_in_the_text() -> None:
    """A value's range is where its words stand."""
    text = "from 9:00 on Mondays, 3 guests"
    assert [text[value.start : value.end] for value in read_values(text)] == ["9:00", "Mondays", "3 guests"]


@pytest.mark.parametrize(
    "text", ["it may rain", "we march on", "a coffee shop", "version 3.4.5 of it", "the sun", "一个页面"]
)
def test_words_that_only_look_like_values(text: str) -> None:
    """What is another word is no date, colour or count."""
    assert [value for value in read_values(text) if value.type in ("date", "weekday", "colour", "count", "money")] == []


def test_a_bit_is_no_hour() -> None:
    assert "time" not in [each.type for each in read_values("按钮圆一点")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("on Tuesday, March 2 2027", [("date", "2027-03-02")]),
        ("am Samstag, den 5. Dezember 2026", [("date", "2026-12-05")]),
        ("周六12月5日", [("date", "--12-05")]),
        ("on Tuesdays, March 2 is off", [("weekday", 1), ("date", "--03-02")]),
        ("Saturday 14 June 2037", [("weekday", 5), ("date", "2037-06-14")]),
    ],
)
def test_a_weekday_belongs_to_its_date_where_it_can_be_that_day(text: str, expected: list[tuple[str, object]]) -> None:
    assert [(each.type, each.value) for each in read_values(text)] == expected
