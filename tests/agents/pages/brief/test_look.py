"""Colours that briefs name: a hex beside a name is the colour, the name only describes it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.pages.brief.features import colors_in


@pytest.mark.parametrize(
    ("text", "colours"),
    [
        ("light, blue #1D70B8, four pages", ("#1D70B8",)),
        ("terracotta accent #C2603F, five pages", ("#C2603F",)),
        ("#0F766E teal", ("#0F766E",)),
        ("teal (#0F766E) and gold", ("#0F766E", "#B98A1D")),
        ("blue #111111 and red #f00", ("#111111", "#FF0000")),
        ("蓝色#1D70B8", ("#1D70B8",)),
        ("black and gold", ("#16161A", "#B98A1D")),
    ],
)
def test_a_hex_beside_a_name_is_the_colour(text: str, colours: tuple[str, ...]) -> None:
    assert colors_in(text) == colours


@given(st.text(max_size=60), st.from_regex(r"#[0-9A-F]{6}", fullmatch=True), st.sampled_from(["red", "teal", "navy"]))
def test_a_hex_after_a_name_is_always_the_first_colour_found_there(before: str, colour: str, name: str) -> None:
    earlier = colors_in(before + ".")
    found = colors_in(f"{before}. {name} {colour}")

    assert found == tuple(dict.fromkeys((*earlier, colour)))[:3]
