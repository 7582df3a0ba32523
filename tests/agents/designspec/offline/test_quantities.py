"""Lengths as people write them."""

import contextlib
import math
import string
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.designspec.offline.text import (
    UNITS,
    UnusableQuantity,
    check_quantities,
    clauses,
    dimensions,
    lengths,
    readable,
    shown,
)

SPELLINGS = {
    "mm": ["mm", "millimeters", "millimetres", "milimeter", "millimeter", "MM"],
    "cm": ["cm", "centimeters", "centimetre"],
    "m": ["m", "meters", "metre"],
    "um": ["um", "µm", "μm", "micron", "microns", "micrometers"],
    "inch": ["inch", "inches", '"'],
}
SPELLED = [(unit, word) for unit, words in SPELLINGS.items() for word in words]


@given(
    number=st.decimals(min_value="0.001", max_value="90", places=3), spelled=st.sampled_from(SPELLED), gap=st.booleans()
)
def test_a_length_is_read_in_every_unit(number, spelled, gap):
    unit, word = spelled
    found = lengths(readable(f"radius {number}{' ' * gap}{word}")) if float(number) * UNITS[unit] <= 10 else []
    if found:
        assert len(found) == 1
        assert math.isclose(found[0].metres, float(number) * UNITS[unit], rel_tol=1e-12)
        assert found[0].unit_given


@given(st.floats(min_value=1e-7, max_value=9.9))
def test_what_is_shown_is_read_back(metres):
    found = lengths(shown(metres))
    assert len(found) == 1
    assert math.isclose(found[0].metres, metres, rel_tol=1e-3)


@given(
    st.lists(st.integers(min_value=1, max_value=500), min_size=2, max_size=3),
    st.sampled_from(["x", " x ", "×", " × ", " by ", "*", " * "]),
    st.sampled_from(["mm", "cm", "um", ""]),
    st.booleans(),
)
def test_sizes_are_read_whatever_joins_them(sides, joint, unit, everywhere):
    text = joint.join(f"{side}{unit if everywhere else ''}" for side in sides) + ("" if everywhere else unit)
    found, rest = dimensions(readable(f"a box of {text} please"))
    assert [round(length.metres / UNITS[unit or "mm"], 6) for length in found] == sides
    assert rest.split() == ["a", "box", "of", "please"]
    assert all(length.unit_given == bool(unit) for length in found)


@pytest.mark.parametrize(
    ("text", "metres"),
    [
        ("2 cm x 60 x 30 mm", [0.02, 0.06, 0.03]),
        ("20 mm x 6 cm by 3", [0.02, 0.06, 0.03]),
        ("20, 60, 30 mm", [0.02, 0.06, 0.03]),
        ("20,60,30 mm", [0.02, 0.06, 0.03]),
        ("0.5x1.5x2.25mm", [0.0005, 0.0015, 0.00225]),
    ],
)
def test_mixed_units_and_lists(text, metres):
    assert [round(length.metres, 9) for length in dimensions(text)[0]] == metres


@pytest.mark.parametrize(
    ("text", "metres"),
    [("0,5 mm", 5e-4), (".5 mm", 5e-4), ("1,000 mm", 1.0), ("5e-1 mm", 5e-4), ("-2 mm", -2e-3), ("7", 7e-3)],
)
def test_numbers_as_people_write_them(text, metres):
    assert [length.metres for length in lengths(text)] == [pytest.approx(metres)]


@pytest.mark.parametrize("text", ["9**9**9 mm", "2^10 mm", "10*(2+3) mm", "10/2 mm", "2*2*2*2*2*2 mm"])
def test_formulas_are_refused(text):
    with pytest.raises(UnusableQuantity, match="formulas"):
        check_quantities(text)


@pytest.mark.parametrize("unit", ["ft", "feet", "km", "parsecs", "px", "kg", "nm", "yards"])
def test_foreign_units_are_refused_by_name(unit):
    with pytest.raises(UnusableQuantity, match=unit):
        check_quantities(f"a box of 20 {unit}")


@pytest.mark.parametrize("text", ["1e400 mm", "1e9999 m", "11 m", "99999999 cm"])
def test_what_is_not_finite_or_too_large_is_refused(text):
    with pytest.raises(UnusableQuantity):
        lengths(text)


@pytest.mark.parametrize("text", ["0x5x5 mm", "-20x60x30 mm", "0 x 0 x 0 mm"])
def test_a_size_must_be_positive(text):
    with pytest.raises(UnusableQuantity, match="greater than zero"):
        dimensions(text)


@settings(max_examples=150)
@given(st.text(alphabet=string.printable + "×µ–“”", max_size=300))
def test_any_text_is_read_or_refused_and_quickly(text):
    began = time.thread_time()
    for clause in clauses(readable(text)):
        with contextlib.suppress(UnusableQuantity):
            check_quantities(clause)
            assert all(math.isfinite(length.metres) for length in [*lengths(clause), *dimensions(clause)[0]])
    assert time.thread_time() - began < 1.0
