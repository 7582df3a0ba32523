"""What people say, and what the document is afterwards."""

import pytest

from tests.agents.designspec.offline.dialogue import Dialogue, operations_of

BOX, CYLINDER, PLATE = "box 20x60x30 mm", "a cylinder 30 mm in diameter, 10 mm high", "a 40x20x5 mm plate"
DOMAIN = "/domains/main_domain"
INLETS = "/components/0/ports/inlets"
OUTLETS = "/components/0/ports/outlets"
CENTRED = {"x_min": -0.01, "x_max": 0.01, "y_min": -0.03, "y_max": 0.03, "z_min": -0.015, "z_max": 0.015}

BODIES = [
    ("Create a box domain 20x60x30mm", {"type": "box", **CENTRED}),
    ("domain 20x60x30", {"type": "box", **CENTRED}),
    ("I'd like a block, 20 by 60 by 30 millimeters please", {"type": "box", **CENTRED}),
    ("a box 20 mm wide, 60 mm long and 30 mm tall", {"type": "box", **CENTRED}),
    ("a cuboid of 2 cm × 6 cm × 3 cm", {"type": "box", **CENTRED}),
    ("make a box 0.02 x 0.06 x 0.03 m", {"type": "box", **CENTRED}),
    ("a box of 20000 x 60000 x 30000 microns", {"type": "box", **CENTRED}),
    ("cube of 25 mm", {"type": "box", "x_min": -0.0125, "z_max": 0.0125}),
    ("I want a 1 inch cube", {"type": "box", "y_max": 0.0127}),
    ("slab 50 by 30 mm, 4 mm thick", {"x_max": 0.025, "y_max": 0.015, "z_max": 0.002}),
    ("plate 500 micron thick, 10 mm wide and 20 mm long", {"x_max": 0.005, "y_max": 0.01, "z_max": 0.00025}),
    ("a 30 mm disc 5 mm thick", {"type": "cylinder", "radius": 0.015, "height": 0.005}),
    ("a puck of 30mm diameter and 5mm height", {"type": "cylinder", "radius": 0.015, "height": 0.005}),
    ("a cylinder with 10 mm radius and 20 mm high", {"type": "cylinder", "radius": 0.01, "height": 0.02}),
    ("cylinder radius 10 mm height 20 mm", {"type": "cylinder", "radius": 0.01, "height": 0.02}),
    ("cylinder 10x20 mm", {"type": "cylinder", "radius": 0.005, "height": 0.02}),
    ("rod 4 mm diameter 5 cm long", {"type": "cylinder", "radius": 0.002, "height": 0.05}),
    ("a sphere of 2 cm", {"type": "sphere", "radius": 0.01}),
    ("ball radius 8mm", {"type": "sphere", "radius": 0.008}),
    ("an ellipsoid 20 by 30 by 40 mm", {"type": "ellipsoid", "semi_axes": [0.01, 0.015, 0.02]}),
    ("ellipsoid with semi-axes 10x15x20 mm", {"type": "ellipsoid", "semi_axes": [0.01, 0.015, 0.02]}),
    ("a capsule 10 mm diameter 30 mm long", {"type": "capsule", "radius": 0.005, "length": 0.02}),
    (
        "frustum with top radius 5 mm, bottom radius 8 mm and height 10 mm",
        {"type": "frustum", "radius_top": 0.005, "radius_bottom": 0.008, "height": 0.01},
    ),
    ("cone 20 mm base diameter 30 mm high", {"type": "frustum", "radius_bottom": 0.01, "radius_top": 0.001}),
    ("hollow box 20x20x20 mm with 2 mm walls", {"type": "composite", "operation": "difference"}),
    ("a tube of 20 mm diameter, 2 mm walls, 30 mm long", {"type": "composite", "operation": "difference"}),
]


@pytest.mark.parametrize(("sentence", "expected"), BODIES)
def test_bodies(sentence, expected):
    talk = Dialogue()
    directive = talk.say(sentence)
    domain = talk.at(DOMAIN)
    assert {key: domain[key] for key in expected} == {
        key: pytest.approx(value) if not isinstance(value, str) else value for key, value in expected.items()
    }
    assert len(operations_of(directive)) == 1
    assert directive.requires_approval


PORTS = [
    (BOX, "add two inlets on top", {INLETS: 2, f"{INLETS}/0/position": [0, -0.015, 0.015]}),
    (BOX, "two inlets on top (radius 0.5 mm)", {f"{INLETS}/1/radius": 0.0005}),
    (BOX, "add two inlets on top with a diameter of 1 mm", {f"{INLETS}/1/radius": 0.0005}),
    (BOX, "add 1 mm inlets on the top", {INLETS: 2, f"{INLETS}/0/radius": 0.0005}),
    (BOX, "an inlet in the centre of the left side", {f"{INLETS}/0/position": [-0.01, 0, 0]}),
    (BOX, "add an inlet at x=3 y=5 on top", {f"{INLETS}/0/position": [0.003, 0.005, 0.015]}),
    (BOX, "two inlets at (3, 4) and (-3, -4) mm on the bottom", {f"{INLETS}/1/position": [-0.003, -0.004, -0.015]}),
    (BOX, "add an outlet at the bottom", {OUTLETS: 1, f"{OUTLETS}/0/direction": [0, 0, 1]}),
    (BOX, "one inlet on top and three outlets opposite", {INLETS: 1, OUTLETS: 3, f"{OUTLETS}/0/direction": [0, 0, 1]}),
    (BOX, "an inlet on the left and an outlet on the right", {f"{INLETS}/0/position": [-0.01, 0, 0], OUTLETS: 1}),
    (BOX, "two inlets and one outlet on top, all with radius 0.4 mm", {f"{INLETS}/0/radius": 0.0004, INLETS: 2}),
    (BOX, "add inlets at the corners", {INLETS: 4}),
    (BOX, "add an outlet called drain on the bottom", {f"{OUTLETS}/0/name": "drain"}),
    (BOX, "add two outlets on the left and right", {f"{OUTLETS}/0/position": [-0.01, 0, 0], OUTLETS: 2}),
    (CYLINDER, "4 inlets in a circle of radius 8 mm", {INLETS: 4, f"{INLETS}/1/position": [0, 0.008, 0.005]}),
    (CYLINDER, "5 inlets on top", {INLETS: 5, f"{INLETS}/0/position": [0, 0, 0.005]}),
    (CYLINDER, "add an inlet 3 mm from the edge", {f"{INLETS}/0/position": [0.012, 0, 0.005]}),
    (CYLINDER, "an outlet on the right side", {f"{OUTLETS}/0/position": [0.015, 0, 0]}),
    ("a sphere of 20 mm", "an inlet on top and an outlet below", {f"{OUTLETS}/0/position": [0, 0, -0.01]}),
]


@pytest.mark.parametrize(("body", "sentence", "expected"), PORTS)
def test_ports(body, sentence, expected):
    talk = Dialogue(body, sentence)
    check(talk, expected)


def check(talk, expected):
    """Numbers are compared roughly, a list of objects by its length."""
    for pointer, value in expected.items():
        found = talk.at(pointer)
        if isinstance(value, int) and isinstance(found, list):
            found = len(found)
        assert found == (pytest.approx(value, abs=1e-12) if isinstance(value, float | list) else value), pointer


SIZES = [
    ("make it 20 % taller", {f"{DOMAIN}/z_max": 0.018, f"{INLETS}/0/position/2": 0.018}),
    ("make it 20 percent higher", {f"{DOMAIN}/z_max": 0.018}),
    ("twice as wide", {f"{DOMAIN}/x_max": 0.02, f"{DOMAIN}/x_min": -0.02}),
    ("10 mm longer please", {f"{DOMAIN}/y_max": 0.035}),
    ("make the box 25 mm tall", {f"{DOMAIN}/z_max": 0.0125, f"{INLETS}/1/position/2": 0.0125}),
    ("height 25 mm", {f"{DOMAIN}/z_max": 0.0125}),
    ("increase the height by 5 mm", {f"{DOMAIN}/z_max": 0.0175}),
    ("half as thick", {f"{DOMAIN}/z_max": 0.0075}),
    ("double the size", {f"{DOMAIN}/x_max": 0.02, f"{DOMAIN}/y_max": 0.06, f"{DOMAIN}/z_max": 0.03}),
    ("shrink it by 10%", {f"{DOMAIN}/x_max": 0.009, f"{DOMAIN}/z_max": 0.0135}),
    ("make it 20x20x20 mm", {f"{DOMAIN}/y_max": 0.01, f"{INLETS}/0/position": [0, -0.005, 0.01]}),
    ("change the box to a cylinder 40 mm in diameter and 10 mm high", {f"{DOMAIN}/type": "cylinder"}),
    ("inlet radius 0.5 mm", {f"{INLETS}/0/radius": 0.0005, f"{INLETS}/1/radius": 0.0005}),
    ("set the inlet diameter to 1.5 mm", {f"{INLETS}/0/radius": 0.00075}),
    ("make the inlets twice as wide", {f"{INLETS}/0/radius": 0.002}),
    ("half the radius", {f"{INLETS}/0/radius": 0.0005}),
    ("inlet 1 radius 0.7 mm and inlet 2 diameter 1 mm", {f"{INLETS}/0/radius": 0.0007, f"{INLETS}/1/radius": 0.0005}),
    ("move inlet 1 by 2 mm in x", {f"{INLETS}/0/position": [0.002, -0.015, 0.015]}),
    ("shift inlet_2 3 mm to the left", {f"{INLETS}/1/position": [-0.003, 0.015, 0.015]}),
    ("move inlet_2 to the centre", {f"{INLETS}/1/position": [0, 0, 0.015]}),
    ("move the second inlet to x=3 y=5", {f"{INLETS}/1/position": [0.003, 0.005, 0.015]}),
    ("rename inlet_1 to feed", {f"{INLETS}/0/name": "feed"}),
    ("remove the second inlet", {INLETS: 1, f"{INLETS}/0/name": "inlet_1"}),
    ("delete inlet_1", {INLETS: 1, f"{INLETS}/0/name": "inlet_2"}),
    ("remove all inlets", {INLETS: 0}),
    ("min channel diameter 200 micron", {"/policies/resolution/min_channel_diameter": 0.0002}),
    ("minimum channel radius 0.2 mm", {"/policies/resolution/min_channel_diameter": 0.0004}),
    ("terminal radius 0.15 mm", {"/policies/radius/terminal_radius": 0.00015}),
    ("tip diameter 0.3 mm", {"/policies/radius/terminal_radius": 0.00015}),
    ("set the clearance to 0.3 mm", {"/policies/collision/collision_clearance": 0.0003}),
    ("double the clearance", {"/policies/collision/collision_clearance": 0.0002}),
    ("max segment length 2 mm", {"/policies/growth/max_segment_length": 0.002}),
    ("murray exponent 2.7", {"/policies/radius/murray_exponent": 2.7}),
    ("add a 0.5 mm ridge around the top", {"/policies/ridge/height": 0.0005, "/policies/ridge/enabled": True}),
    (
        "a rim 1 mm high and 0.8 mm wide on the bottom",
        {"/policies/ridge/face": "bottom", "/policies/ridge/thickness": 0.0008},
    ),
    ("seed 7", {"/meta/seed": 7}),
    ("call it liver chip", {"/meta/name": "liver chip"}),
    ("output units cm", {"/policies/output/output_units": "cm"}),
    ("only stl output", {"/policies/output/output_stl": True, "/policies/output/output_3mf": False}),
    ("set the seed to 7, the clearance to 0.2 mm and run it", {"/meta/seed": 7}),
    ("import the void from parts/tree.stl in mm", {"/components/1/build/mesh_path": "parts/tree.stl"}),
]


@pytest.mark.parametrize(("sentence", "expected"), SIZES)
def test_changes_of_a_box_with_two_inlets(sentence, expected):
    check(Dialogue(BOX, "two inlets on top", sentence), expected)


VOIDS = [
    (BOX, "add two inlets on top and grow a tree with 64 tips", {"/policies/growth/target_terminals": 64, INLETS: 2}),
    (BOX, "grow a bifurcating network with 32 terminals", {"/components/0/build/backend_params/levels": 5, INLETS: 1}),
    (BOX, "a tree with 4 levels", {"/components/0/build/backend_params/levels": 4}),
    (BOX, "a space colonisation network with 40 tips", {"/components/0/build/backend": "space_colonization"}),
    (
        CYLINDER,
        "9 straight channels through the top, 1 mm diameter, stop 1 mm before the bottom, tapered",
        {INLETS: 9, f"{INLETS}/0/radius": 0.0005, "/policies/channels/stop_before_boundary": 0.001,
         "/policies/channels/profile": "taper", "/components/0/build/type": "primitive_channels"},
    ),
    (CYLINDER, "drill 3 holes of 2 mm, 4 mm deep", {INLETS: 3, "/policies/channels/length": 0.004}),
    (CYLINDER, "four channels all the way through", {INLETS: 4, OUTLETS: 4, f"{OUTLETS}/3/direction": [0, 0, 1]}),
    (PLATE, "a serpentine channel, 0.8 mm wide", {"/components/0/build/backend": "programmatic", OUTLETS: 1}),
    (PLATE, "serpentine with 6 legs", {"/components/0/build/backend_params/steps/0/op": "connect_to_outlet"}),
]  # fmt: skip


@pytest.mark.parametrize(("body", "sentence", "expected"), VOIDS)
def test_voids(body, sentence, expected):
    check(Dialogue(body, sentence), expected)


def test_everything_in_one_sentence():
    talk = Dialogue()
    directive = talk.say(
        "A cube of 25 mm with one inlet on top and one outlet at the bottom and a space colonization network"
    )
    check(talk, {f"{DOMAIN}/z_max": 0.0125, INLETS: 1, OUTLETS: 1, "/components/0/build/backend": "space_colonization"})
    assert len(directive.proposed_patches) == 1


def test_a_network_within_a_body_that_comes_last_in_the_sentence():
    talk = Dialogue("grow a tree with 32 tips in a 30x30x30 mm cube")
    check(talk, {f"{DOMAIN}/z_max": 0.015, INLETS: 1, "/policies/growth/target_terminals": 32})


def test_another_domain_stands_beside_the_first():
    talk = Dialogue(BOX, "add another domain, a sphere of 10 mm")
    assert len(talk.at("/domains")) == 2
    assert talk.at(f"{DOMAIN}/type") == "box"


def test_components_and_domains_are_removed_only_when_nothing_needs_them():
    talk = Dialogue(BOX, "two inlets on top")
    assert "needed by net_1" in talk.say("delete the domain").assistant_message
    talk.say("remove the network")
    talk.say("delete the domain")
    assert talk.at("/domains") == {}


def test_values_are_in_the_units_of_the_document():
    millimetres = Dialogue().document
    millimetres["meta"]["input_units"] = "mm"
    talk = Dialogue(BOX, "two inlets on top with radius 500 micron", "make it 20 % taller", document=millimetres)
    check(talk, {f"{DOMAIN}/z_max": 18.0, f"{INLETS}/0/radius": 0.5, f"{INLETS}/0/position": [0.0, -15.0, 18.0]})


def test_policies_fit_the_size_of_the_body():
    small, large = (
        Dialogue("cube of 5 mm", "grow a tree with 16 tips"),
        Dialogue("cube of 50 mm", "grow a tree with 16 tips"),
    )
    for pointer in ("/policies/growth/max_segment_length", "/policies/growth/min_radius", f"{INLETS}/0/radius"):
        assert large.at(pointer) == pytest.approx(10 * small.at(pointer), rel=0.3)
