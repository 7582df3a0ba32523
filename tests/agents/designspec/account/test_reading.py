"""From what was said to claims: every hard token is in them, and what is not understood is claimed of nothing."""

from pathlib import Path

import pytest

from loopwright.agents.designspec.account import CHECKS, channels, ports
from loopwright.agents.designspec.account.artifact import Result
from loopwright.agents.designspec.account.reading import read_in
from loopwright.kernel.account import Claim, Declined
from loopwright.kernel.account.reading import missing_tokens, read_statements
from tests.agents.designspec.account.parts import Hole, Part, drilled, port

ARGUMENTS = {check.name: check.arguments for check in CHECKS}


def claims(message: str, folder: Path) -> list[Claim]:
    """The claims of a message, each checked as the kernel will."""
    statements = read_statements(message)
    found = []
    for statement in statements:
        reading = read_in(folder, statements).get(statement.id)
        if isinstance(reading, Claim):
            ARGUMENTS[reading.check].model_validate(reading.arguments)
            assert not missing_tokens(statement.hard, reading), (statement, reading)
            found.append(reading)
    return found


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("a 15 mm cube", ("box", {"x_mm": 15, "y_mm": 15, "z_mm": 15})),
        ("build a block of 1 x 2 x 3 cm", ("box", {"x_mm": 10, "y_mm": 20, "z_mm": 30})),
        ("a rod 8 mm in diameter", ("round_body", {"shape": "cylinder", "measure": "diameter", "diameter_mm": 8})),
        ("four bores", ("channels", {"count": 4})),
        ("a 700 micron channel", ("channels", {"diameter_mm": 0.7, "one": True})),
        ("the channels have a radius of 0.3 mm", ("channels", {"radius_mm": 0.3})),
        ("three inlets on the front", ("ports", {"kind": "inlets", "count": 3, "of": {"face": "front"}})),
        ("with 50 tips", ("tips", {"count": 50})),
        ("walls of at least 0.7 mm", ("wall", {"at_least_mm": 0.7})),
        ("delete the channels", ("absent", {"absent": "channels"})),
        ("no channels", ("absent", {"absent": "channels"})),
        ("run it", ("built", {"run": True})),
        ("a box of 4 by 4 by 2 cm", ("box", {"x_mm": 40, "y_mm": 40, "z_mm": 20})),
        ("I need a block 50 mm by 20 mm by 10 mm", ("box", {"x_mm": 50, "y_mm": 20, "z_mm": 10})),
        ("a plate 60 mm long", ("box", {"long_mm": 60})),
        ("one hole through the thickness", ("channels", {"through": True, "axis": "thickness", "count": 1})),
        ("every opening 3 mm wide", ("ports", {"kind": "inlets and outlets", "diameter_mm": 3, "every": True})),
        ("that ends in 8 tips", ("tips", {"count": 8})),
        ("export it as 3MF", ("written", {"format": "3mf"})),
        ("ein Würfel mit 12 mm Kantenlänge", ("box", {"x_mm": 12, "y_mm": 12, "z_mm": 12})),
    ],
)
def test_what_is_said_is_claimed_with_its_numbers(message, expected, tmp_path):
    first = claims(message, tmp_path)[0]
    assert (first.check, first.arguments) == expected


@pytest.mark.parametrize(
    "message",
    [
        "a tapered 1 mm channel",
        "no channels along x",
        "how wide is the 1 mm channel?",
        "a cube with rounded edges of 2 mm",
        "delete the second channel",
        "rotate the box by 90 degrees",
        "make it 20 % taller than the old box",
    ],
)
def test_what_no_check_measures_is_claimed_of_nothing(message, tmp_path):
    assert not claims(message, Part(document=drilled(port("in", "left", 1.0))).write(tmp_path))


def test_a_change_by_percent_is_worked_out_before_the_change(tmp_path):
    folder = Part(document=drilled(port("in", "left", 1.5))).write(tmp_path)
    (claim,) = claims("make the channels 10 % wider", folder)
    assert claim.arguments == {"measure": "channel diameter", "percent": 10, "relation": "more", "expected_mm": 1.65}
    (claim,) = claims("make it 50 % taller", folder)
    assert claim.arguments == {"measure": "z", "percent": 50, "relation": "more", "expected_mm": 45}


def test_a_size_behind_an_inlet_and_an_outlet_is_of_both(tmp_path):
    found = claims("one inlet on top and one outlet on the bottom, 2 mm wide", tmp_path)
    assert {"kind": "inlets and outlets", "diameter_mm": 2} in [claim.arguments for claim in found]


def test_a_format_that_is_not_written_is_refused_with_those_that_are(tmp_path):
    statements = read_statements("export it as an IGES file")
    (reading,) = [each for each in read_in(tmp_path, statements).values() if isinstance(each, Declined)]
    assert "no IGES export" in reading.reason
    assert "STL" in reading.reason


def verdicts(message: str, part: Part, folder: Path) -> dict[str, bool]:
    """What the checks find of each claimed statement of a message."""
    found = {}
    result = Result(part.write(folder))
    looks = {"channels": channels, "ports": ports}
    statements = read_statements(message)
    readings = read_in(folder / "nothing", statements)
    for statement in statements:
        claim = readings.get(statement.id)
        if isinstance(claim, Claim) and claim.check in looks:
            said = ARGUMENTS[claim.check].model_validate(claim.arguments)
            found[statement.text] = looks[claim.check](result, said)[0]
    return found


HEAD, WIDTH, WAY = "Drill two holes", "of 3 mm", "along x"
LEFT, RIGHT = (-3.0, 0.0), (3.0, 0.0)


@pytest.mark.parametrize(
    ("holes", "expected"),
    [
        ((("x", 3.0, 0.0, LEFT), ("x", 3.0, 0.0, RIGHT)), {HEAD: True, WIDTH: True, WAY: True}),
        ((("x", 3.0, 0.0, LEFT), ("x", 1.0, 0.0, RIGHT)), {HEAD: True, WIDTH: False, WAY: True}),
        ((("x", 1.0, 0.0, LEFT), ("y", 3.0, 0.0, (0.0, 8.0))), {HEAD: True, WIDTH: False, WAY: False}),
        (
            (("x", 3.0, 0.0, LEFT), ("x", 3.0, 0.0, RIGHT), ("z", 1.0, 9.0, (0, 6))),
            {HEAD: True, WIDTH: True, WAY: True},
        ),
        (
            (("x", 3.0, 0.0, LEFT), ("x", 3.0, 0.0, RIGHT), ("x", 3.0, 0.0, (0, 9))),
            {HEAD: False, WIDTH: True, WAY: True},
        ),
    ],
)
def test_what_one_phrase_says_is_said_of_the_same_channels(holes, expected, tmp_path):
    assert verdicts("Drill two holes of 3 mm along x", Part((20, 20, 30), holes=holes), tmp_path) == expected


def test_each_phrase_is_about_its_own_channel(tmp_path):
    message = "a 2 mm channel along z and a 1 mm channel along x"
    both: tuple[Hole, ...] = (("z", 2.0, 0.0, (3.0, 3.0)), ("x", 1.0, 0.0, (-5.0, 0.0)))
    assert all(verdicts(message, Part((20, 20, 30), holes=both), tmp_path / "both").values())
    crossed: tuple[Hole, ...] = (("z", 1.0, 0.0, (3.0, 3.0)), ("x", 2.0, 0.0, (-5.0, 0.0)))
    found = verdicts(message, Part((20, 20, 30), holes=crossed), tmp_path / "crossed")
    assert len(found) == 4
    assert not any(found.values())
    message = "two channels, one along z and one along x"
    assert all(verdicts(message, Part((20, 20, 30), holes=both), tmp_path / "one").values())


def test_what_a_phrase_says_of_ports_is_said_of_the_same_ones(tmp_path):
    spread = drilled(port("a", "front", 1.0), port("b", "left", 1.0), port("c", "left", 1.0))
    message = "three inlets on the front, 1 mm wide"
    found = verdicts(message, Part(document=spread, built=False), tmp_path / "a")
    assert found == {"three inlets": False, "on the front": False, "1 mm wide": True}
    fitting = drilled(*(port(name, "front", 1.0) for name in "abc"), port("d", "left", 1.0))
    assert all(verdicts(message, Part(document=fitting, built=False), tmp_path / "b").values())


@pytest.mark.parametrize("message", ["a channel along x, along y", "add a channel"])
def test_what_contradicts_itself_or_wants_one_more_is_claimed_of_nothing(message, tmp_path):
    assert not claims(message, Part(document=drilled(port("in", "left", 1.0))).write(tmp_path))


@pytest.mark.parametrize(
    ("message", "texts"),
    [
        (
            "A box of 4 by 4 by 2 cm with one inlet on the top and two outlets on the bottom, every opening 3 mm wide.",
            6,
        ),
        ("A plate 60 mm long, 40 mm wide and 5 mm thick, with four holes of 4 mm straight through the thickness.", 5),
        ("A cube of 2 cm with two parallel channels along y, each 1 mm wide and 8 mm apart, centre to centre.", 6),
        ("One inlet of 4 mm on the left side, and from it a branching channel that ends in 8 tips inside the box.", 6),
        ("Eine Platte, 60 mm lang, 40 mm breit und 5 mm dick, mit vier Löchern von 4 mm durch die Dicke.", 6),
        ("Could you design a brick 50 mm by 25 mm by 12 mm that has one 6 mm hole running lengthwise?", 1),
    ],
)
def test_every_statement_of_an_ordinary_request_is_claimed(message, texts, tmp_path):
    assert len(claims(message, tmp_path)) == len(read_statements(message)) == texts


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Make it 50 mm tall", {"x_mm": 10, "y_mm": 20, "z_mm": 50}),
        ("make it twice as thick", {"x_mm": 10, "y_mm": 20, "z_mm": 60, "times": 2}),
        ("make the box 5 mm longer", {"x_mm": 10, "y_mm": 25, "z_mm": 30, "by_mm": 5, "relation": "more"}),
        ("Mach ihn halb so hoch", {"x_mm": 10, "y_mm": 20, "z_mm": 15, "times": 0.5}),
        ("Decrease the height by 5 mm", {"x_mm": 10, "y_mm": 20, "z_mm": 25, "by_mm": 5, "relation": "less"}),
    ],
)
def test_a_change_of_one_side_comes_to_all_sides_of_the_body(message, expected, tmp_path):
    found = claims(message, Part().write(tmp_path))
    assert found
    assert all((claim.check, claim.arguments) == ("box", expected) for claim in found)


@pytest.mark.parametrize(
    "message", ["round all edges", "a 2 mm fillet", "a spiral channel", "engrave a logo", "in steel"]
)
def test_what_nothing_here_can_make_is_refused_with_a_reason(message, tmp_path):
    statements = read_statements(message)
    assert all(isinstance(each, Declined) for each in read_in(tmp_path, statements).values())
    assert read_in(tmp_path, statements)
