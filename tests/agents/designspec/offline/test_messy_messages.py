"""Messages as people really write them: several intents at once, asides, joints of all kinds."""

import pytest

from tests.agents.designspec.offline.dialogue import Dialogue

PORTS = "/components/0/ports"
BODY = "/domains/main_domain"

MESSAGES = [
    (
        (
            "Hi! I need a bioreactor insert: cylinder, diameter 24mm, height 8mm, 3 inlets at the top each 1.2mm in "
            "diameter, and a branching network with ~100 end points."
        ),
        {f"{BODY}/radius": 0.012, f"{PORTS}/inlets/2/radius": 0.0006, "/policies/growth/target_terminals": 100},
    ),
    (
        "Please create a scaffold of 15 mm x 15 mm x 5 mm with a single inlet in the middle of the top, radius 400 um.",
        {f"{BODY}/z_max": 0.0025, f"{PORTS}/inlets/0/position": [0.0, 0.0, 0.0025], f"{PORTS}/inlets/0/radius": 0.0004},
    ),
    ("let's start with a 2cm cube", {f"{BODY}/x_max": 0.01}),
    (
        "I want a chip 75x25x3 mm with a serpentine channel 500 µm wide",
        {f"{BODY}/x_max": 0.0375, f"{PORTS}/inlets/0/radius": 0.00025},
    ),
    (
        "make a wafer 100mm across and 2mm thick with 25 holes 3mm wide",
        {f"{BODY}/radius": 0.05, f"{PORTS}/inlets/24/radius": 0.0015, f"{PORTS}/outlets/24/direction": [0, 0, 1]},
    ),
    (
        "a tissue block 10mm by 10mm by 10mm; inlet radius 0.4mm; 32 terminals; then run it please",
        {f"{BODY}/y_max": 0.005, f"{PORTS}/inlets/0/radius": 0.0004, "/policies/growth/target_terminals": 32},
    ),
    (
        (
            "cylinder of height 20 mm and diameter 10 mm, with one inlet top centre and one outlet bottom centre, "
            "connected by a space-colonization network"
        ),
        {"/components/0/build/backend": "space_colonization", f"{PORTS}/outlets/0/position": [0.0, 0.0, -0.01]},
    ),
    (
        (
            "30x30x10mm box. Add four inlets near the corners of the top. Grow a tree with 64 leaves. Minimum channel "
            "diameter 0.3mm. Run until validity."
        ),
        {f"{PORTS}/inlets/3/radius": 0.0005, "/policies/resolution/min_channel_diameter": 0.0003},
    ),
    (
        "Grow a tree with 64 tips from two inlets on the top of a 20x60x30 mm box",
        {f"{PORTS}/inlets/1/position": [0.0, 0.015, 0.015], "/policies/growth/target_terminals": 64},
    ),
    (
        "a 20 mm cube, a tree with 50 tips and at most 0.5 mm terminal radius",
        {"/policies/radius/terminal_radius": 0.0005, "/policies/growth/target_terminals": 50},
    ),
    ("a 40x40x4 mm plate with 5 x 5 holes, 1 mm wide", {f"{PORTS}/inlets/24/radius": 0.0005}),
    ("use millimeters", {"/meta/input_units": "mm"}),
]


@pytest.mark.parametrize(("message", "expected"), MESSAGES, ids=range(len(MESSAGES)))
def test_messy_messages(message, expected):
    talk = Dialogue()
    directive = talk.say(message)
    assert "did not understand" not in directive.assistant_message
    for pointer, value in expected.items():
        found = talk.at(pointer)
        assert found == (value if isinstance(value, str) else pytest.approx(value)), pointer
    assert (directive.run_request is not None) == ("run" in message.casefold().split())


CHANGES = [
    ("scale by a factor of 2", {f"{BODY}/z_max": 0.02}),
    ("increase inlet radius by 20%", {f"{PORTS}/inlets/0/radius": 0.0012}),
    ("make the tips 0.3 mm wide", {"/policies/radius/terminal_radius": 0.00015}),
    ("branches should be at least 0.3 mm apart", {"/policies/collision/collision_clearance": 0.0003}),
    ("minimum wall thickness 0.4 mm", {"/policies/validity/min_feature_size": 0.0004}),
    ("rename net_1 to liver", {"/components/0/id": "liver"}),
    ("move the inlets to the bottom", {f"{PORTS}/inlets/0/position/2": -0.01}),
    ("delete everything", {"/components": [], "/domains": {}}),
    ("start over", {"/components": [], "/domains": {}}),
]


@pytest.mark.parametrize(("message", "expected"), CHANGES)
def test_messy_changes(message, expected):
    talk = Dialogue("a 20 mm cube", "an inlet on top and a tree with 16 tips", message)
    for pointer, value in expected.items():
        assert talk.at(pointer) == (pytest.approx(value) if isinstance(value, float) else value), pointer


def test_more_than_one_change_can_be_undone():
    talk = Dialogue("a 20 mm cube", "make it 30 mm tall", "two inlets on top")
    talk.say("undo the last two changes")
    assert talk.at(f"{BODY}/z_max") == 0.01
    assert talk.at("/components") == []


def test_a_tree_is_not_turned_into_channels_by_a_word_about_depth():
    talk = Dialogue("a 20 mm cube", "a tree with 16 tips")
    directive = talk.say("stop them 2 mm before the bottom")
    assert not directive.proposed_patches
    assert "no straight channels" in directive.assistant_message
