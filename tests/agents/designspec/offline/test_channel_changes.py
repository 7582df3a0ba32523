"""Straight channels in words: where they run, their width afterwards, one of them taken away."""

import pytest

from tests.agents.designspec.offline.dialogue import Dialogue

BLOCK = "a 40 x 20 x 10 mm block with 3 parallel channels of 1 mm diameter from left to right all the way through"


def faces(talk: Dialogue) -> list[tuple[list[float], list[float]]]:
    """Where the channels of the first component begin and end."""
    ports = talk.document["components"][0]["ports"]
    return [(one["position"], two["position"]) for one, two in zip(ports["inlets"], ports["outlets"], strict=True)]


@pytest.mark.parametrize(
    ("message", "axis"),
    [
        ("a 12 mm cube with a 2 mm channel along y", 1),
        ("a 12 mm cube with a 2 mm bore from top to bottom", 2),
        ("a 12 mm cube with a 2 mm channel from the front face to the back face", 1),
        ("a box 30 x 20 x 10 mm with a 1/8 inch hole along the long side", 0),
        ("a 12 mm cube with a 2 mm hole through the centre", 2),
    ],
)
def test_a_channel_across_the_body_opens_on_both_faces(message, axis):
    ((start, end),) = faces(Dialogue(message))
    moved = [abs(one - two) > 1e-9 for one, two in zip(start, end, strict=True)]
    assert moved == [k == axis for k in range(3)]


@pytest.mark.parametrize(
    ("message", "radius"),
    [
        ("make the channels 20 % thinner", 0.0004),
        ("make the channels 50 % wider", 0.00075),
        ("set the channel radius to 0.3 mm", 0.0003),
        ("make the channel diameter 0.8 mm", 0.0004),
        ("make the channels 0.2 mm wider", 0.0006),
    ],
)
def test_the_width_of_the_channels_changes_at_all_their_ends(message, radius):
    talk = Dialogue(BLOCK, message)
    ports = talk.document["components"][0]["ports"]
    assert {port["radius"] for kind in ports.values() for port in kind} == {radius}


def test_one_of_several_channels_goes_and_the_others_stay():
    talk = Dialogue(BLOCK)
    before = faces(talk)
    talk.say("delete the second channel")
    assert faces(talk) == [before[0], before[2]]


def test_a_channel_that_does_not_fit_is_refused_with_the_largest_that_does():
    talk = Dialogue("a plate 30 x 30 x 3 mm")
    directive = talk.say("add a 6 mm channel along x")
    assert not directive.proposed_patches
    assert "at most 2.94 mm" in directive.assistant_message


def test_a_body_without_a_single_long_side_is_asked_for_an_axis():
    directive = Dialogue("a 20 mm cube").say("add a 2 mm channel along the long side")
    assert "no single long side" in directive.assistant_message
    assert not directive.proposed_patches


def test_a_size_of_the_tips_is_no_number_of_them():
    talk = Dialogue("a disc 40 mm across and 6 mm thick", "grow a tree with 32 tips", "make the tips 400 micron")
    assert talk.at("/policies/radius/terminal_radius") == 0.0002
    assert talk.at("/policies/growth/target_terminals") == 32


def test_exporting_the_network_grows_none():
    directive = Dialogue("a 20 mm cube").say("export only the network")
    assert not directive.proposed_patches
    assert "did not understand" in directive.assistant_message
