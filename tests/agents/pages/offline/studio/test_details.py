"""What briefs say in passing: days, names, places, subjects; and that no text makes the reader stumble."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.pages.brief.details import (
    find_date,
    find_names,
    find_place,
    find_subject,
    read_details,
)
from loopwright.agents.pages.offline.studio.details import filled


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("on 14 June 2037, 3:30 pm", {"month": 6, "day": 14, "year": 2037, "hour": 15, "minute": 30}),
        ("March 3rd", {"month": 3, "day": 3}),
        ("2037-09-05 at 18:00", {"year": 2037, "month": 9, "day": 5, "hour": 18, "minute": 0}),
        ("2037年10月1日下午3点", {"year": 2037, "month": 10, "day": 1, "hour": 15, "minute": 0}),
        ("we may march on", None),
        ("in June", None),
    ],
)
def test_days_are_read(text: str, date: dict[str, int] | None) -> None:
    assert find_date(text) == date


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("wedding of Anna and Ben", ["Anna", "Ben"]),
        ("Lily's 7th birthday party", ["Lily"]),
        ("card for Dr. Mia Chen, dentist", ["Dr. Mia Chen"]),
        ("为李雷和韩梅梅的婚礼做请柬", ["李雷", "韩梅梅"]),
        ("小雨的生日派对", ["小雨"]),
        ("website of an architect, Mara Lindqvist, with projects", ["Mara Lindqvist"]),
        ("a shop for shoes", []),
    ],
)
def test_people_are_found(text: str, names: list[str]) -> None:
    assert find_names(text) == names


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("user manual for a smart thermostat with steps", "smart thermostat"),
        ("landing page for my bakery in Porto", "bakery"),
        ("做一个智能音箱的使用手册", "智能音箱"),
        ("为咖啡品牌制作落地页", "咖啡品牌"),
        ("make it for me", None),
    ],
)
def test_subjects_are_found(text: str, subject: str | None) -> None:
    assert find_subject(text) == subject


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("card for Dr. Mia Chen, pediatric dentist in Boston", "Pediatric dentist"),
        ("portfolio of a wedding photographer named Lena Brandt, minimal, light", "Wedding photographer"),
        ("site for Lena Brandt, minimal, light", None),
        ("a card for my sister Emma", None),
    ],
)
def test_what_people_do_is_found(text: str, role: str | None) -> None:
    assert read_details(text).get("role") == role


def test_a_month_is_no_place() -> None:
    assert find_place("in June at Villa Rosa") == "Villa Rosa"


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    details = read_details(text)
    assert details.keys() <= {"names", "subject", "when", "place", "role"}
    assert filled({"a": ["{subject}"]}, {"subject": text}) == {"a": [text]}
