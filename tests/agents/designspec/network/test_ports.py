"""Ports: given places are kept or moved onto the boundary, the others follow the pattern, and nothing overlaps."""

import math

import numpy as np
import pytest
from pydantic import TypeAdapter

from loopwright.agents.designspec.document.domains import Component, Domain
from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.network.ports import place_ports
from loopwright.kernel.errors import InvalidInput
from tests.agents.designspec.network.analytic_probes import AnalyticProbe, BoxProbe, CylinderProbe


class BallProbe(AnalyticProbe):
    def __init__(self, radius):
        self.radius, self.bounds = radius, np.array([[-radius] * 3, [radius] * 3])

    def depth(self, points):
        return self.radius - np.linalg.norm(points, axis=1)


BOX = BoxProbe((0.02, 0.06, 0.03))
DISC = CylinderProbe(0.005, 0.002)
ROUND = TypeAdapter(Domain).validate_python({"type": "cylinder", "radius": 0.005, "height": 0.002})
BRICK = TypeAdapter(Domain).validate_python(
    {"type": "box", "x_min": -0.01, "x_max": 0.01, "y_min": -0.03, "y_max": 0.03, "z_min": -0.015, "z_max": 0.015}
)


def component(inlets=(), outlets=()):
    ports = {"inlets": list(inlets), "outlets": list(outlets)}
    build = {"type": "backend_network"}
    return Component.model_validate({"id": "net", "domain_ref": "d", "ports": ports, "build": build})


def port(name, position=None, radius=0.0004, **more):
    return {"name": name, "radius": radius, **({"position": position} if position else {}), **more}


def policies(**ports):
    ridge = ports.pop("ridge", {})
    return Policies.model_validate({"ports": ports, "ridge": ridge})


def test_given_places_on_the_boundary_stay_exactly():
    wanted = [port("a", (0.0, 0.0, 0.001)), port("b", (0.003, 0.0, 0.001), direction=(0, 0, -2))]
    below = [port("c", (0.001, 0.0, -0.001))]
    openings = place_ports(component(wanted, below), ROUND, DISC, policies())
    assert [o.position for o in openings] == [(0.0, 0.0, 0.001), (0.003, 0.0, 0.001), (0.001, 0.0, -0.001)]
    assert [o.direction for o in openings] == [(0, 0, -1), (0, 0, -1), (0, 0, 1)]
    assert [o.outlet for o in openings] == [False, False, True]
    assert all(o.moved == 0 for o in openings)


@pytest.mark.parametrize(
    ("mode", "expected"), [("clamp_to_face", (0.002, 0.001, 0.015)), ("project_to_boundary", (0.01, 0.001, 0.002))]
)
def test_places_off_the_boundary_are_moved_as_the_policy_says(mode, expected):
    start = (0.002, 0.001, 0.002) if mode == "clamp_to_face" else (0.009, 0.001, 0.002)
    opening = place_ports(component([port("a", start)]), BRICK, BOX, policies(projection_mode=mode))[0]
    assert opening.position == pytest.approx(expected, abs=1e-7)
    assert opening.moved == pytest.approx(math.dist(start, expected), abs=1e-7)


def test_without_projection_an_outer_place_is_refused_by_its_pointer():
    with pytest.raises(InvalidInput, match=r"/components/net/ports/inlets/0/position .*0\.005 m outside"):
        place_ports(component([port("a", (0, 0, 0.02))]), BRICK, BOX, policies(projection_mode="none"))


@pytest.mark.parametrize("pattern", ["circle", "grid", "center_rings"])
@pytest.mark.parametrize("face", ["top", "bottom", "left", "+y", "-y", "right"])
@pytest.mark.parametrize("count", [1, 2, 5, 9])
def test_patterns_put_all_ports_on_the_face_apart_and_inwards(pattern, face, count):
    wanted = component([port(f"p{k}", radius=0.0003) for k in range(count)])
    policy = policies(pattern=pattern, face=face, placement_fraction=0.9)
    openings = place_ports(wanted, BRICK, BOX, policy)
    places = np.array([o.position for o in openings])
    axis, side = {"top": (2, 1), "bottom": (2, -1), "left": (0, -1), "right": (0, 1), "+y": (1, 1), "-y": (1, -1)}[face]
    assert np.allclose(places[:, axis], side * np.array([0.01, 0.03, 0.015])[axis])
    assert all(o.direction[axis] == -side for o in openings)
    apart = [math.dist(a, b) for k, a in enumerate(places) for b in places[:k]]
    assert min(apart, default=1.0) >= 2 * 0.0003 + 0.0005 - 1e-12


def test_ports_keep_off_the_ridge_and_the_circle_follows_fraction_and_angle():
    ridge = {"enabled": True, "face": "top", "thickness": 0.001}
    policy = policies(placement_fraction=1.0, angular_offset=0.3, ridge_clearance=0.0002, ridge=ridge)
    openings = place_ports(component([port("a"), port("b"), port("c")]), ROUND, DISC, policy)
    far = [math.hypot(*o.position[:2]) for o in openings]
    assert far == pytest.approx([0.005 - 0.001 - 0.0002 - 0.0004] * 3)
    assert math.atan2(openings[0].position[1], openings[0].position[0]) == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("wanted", "policy", "words"),
    [
        ([port("a", (0, 0, 0.001)), port("b", (0.0005, 0, 0.001))], {}, r"inlets/1 .*overlaps .*0\.0005 m apart"),
        ([port("a", (0.0048, 0, 0.001))], {}, r"inlets/0 does not fit.*0\.0004 m"),
        ([port("a", radius=0.006)], {}, "do not fit on the face 'top'"),
        ([port(f"p{k}", radius=0.001) for k in range(12)], {}, "12 ports of radius 0.001"),
        ([port("a")], {"pattern": "explicit"}, r"inlets/0/position is missing.*explicit"),
        ([port("a")], {"enabled": False}, "inlets/0/position is missing"),
        ([port("a", (0, 0, 0.001), direction=(0, 0, 1))], {}, r"inlets/0/direction .*points out of the domain"),
    ],
)
def test_what_does_not_fit_is_refused_with_pointer_and_numbers(wanted, policy, words):
    with pytest.raises(InvalidInput, match=words):
        place_ports(component(wanted), ROUND, DISC, policies(**policy))


def test_a_port_may_end_inside_where_it_is_no_surface_opening():
    inner = port("a", (0.0, 0.0, 0.0), is_surface_opening=False, direction=(1, 0, 0))
    opening = place_ports(component([inner]), ROUND, DISC, policies())[0]
    assert (opening.position, opening.direction, opening.surface) == ((0, 0, 0), (1, 0, 0), False)


def test_ports_on_a_ball_point_to_its_middle():
    ball = TypeAdapter(Domain).validate_python({"type": "sphere", "radius": 0.01})
    for opening in place_ports(component([port("a"), port("b"), port("c")]), ball, BallProbe(0.01), policies()):
        assert np.linalg.norm(opening.position) == pytest.approx(0.01, abs=1e-7)
        assert opening.position[2] > 0
        assert np.allclose(opening.direction, -np.array(opening.position) / 0.01, atol=1e-4)
