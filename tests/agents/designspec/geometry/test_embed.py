"""Embedding: ports are open, flush and as wide as designed, and nothing else is cut."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from manifold3d import Manifold

from loopwright.agents.designspec.document.domains import CylinderDomain
from loopwright.agents.designspec.geometry.embed import embed
from loopwright.agents.designspec.geometry.ridge import add_ridge
from loopwright.agents.designspec.geometry.tubes import void_of_network
from loopwright.kernel.errors import InvalidInput
from tests.agents.designspec.geometry.workpieces import (
    CYLINDER,
    binary_tree,
    body_of,
    box,
    network_of,
    opening,
    policies,
)

PLAIN = policies()
BLOCK = box((-5e-3, -5e-3, -5e-3), (5e-3, 5e-3, 0))


def channel(start, end, radius, ports=("in",)):
    return network_of([start, end], [(0, 1)], radius, dict(zip(ports, (0, 1), strict=False)))


def area_at(body, height):
    # Sections are kept with eight decimals: they are taken in micrometres.
    return body.scale((1e6,) * 3).slice(height * 1e6).area() * 1e-12


def test_a_blind_channel_leaves_a_pocket_that_is_open():
    network = channel([0, 0, 0], [0, 0, -3e-3], 5e-4)
    body = body_of(BLOCK)
    made = embed(body, void_of_network(network, PLAIN, caps="flat"), [opening([0, 0, 0], 5e-4)], PLAIN)
    assert made.notes == ()
    assert (made.solid.genus(), len(made.solid.decompose())) == (0, 1)
    assert made.void.volume() == pytest.approx(math.pi * 25e-8 * 3e-3, rel=1e-9)
    assert made.solid.volume() + made.void.volume() == pytest.approx(body.volume(), rel=1e-12)
    assert made.solid.bounding_box() == body.bounding_box()
    assert made.void.bounding_box()[5] == pytest.approx(0, abs=1e-15)
    assert made.cutter.bounding_box()[5] > 0
    assert area_at(body, -1e-9) - area_at(made.solid, -1e-9) == pytest.approx(math.pi * 25e-8, rel=1e-6)


def test_a_channel_between_two_faces_leaves_a_tunnel():
    network = channel([0, 0, 0], [0, 0, -5e-3], 5e-4, ("in", "out"))
    ports = [opening([0, 0, 0], 5e-4), opening([0, 0, -5e-3], 5e-4, (0, 0, 1), "out", outlet=True)]
    made = embed(body_of(BLOCK), void_of_network(network, PLAIN), ports, PLAIN)
    assert (made.solid.genus(), len(made.solid.decompose()), made.notes) == (1, 1, ())


@pytest.mark.parametrize("tips", [2, 4])
def test_a_tree_with_open_ports_has_the_genus_of_ports_less_one(tips):
    network = binary_tree(3, radius=4e-4)
    low, high = np.array(void_of_network(network, PLAIN).bounding_box()).reshape(2, 3)
    ends = [i for i in range(len(network.positions)) if np.sum(network.segments == i) == 1 and i]
    ports = {"in": 0, **{f"out{i}": node for i, node in enumerate(ends[:tips])}}
    network = replace(network, ports=ports)
    openings = [opening([0, 0, 0], 4e-4)]
    reach = []
    for name, node in list(ports.items())[1:]:
        inward = network.positions[network.segments[network.segments[:, 1] == node][0, 0]] - network.positions[node]
        openings.append(opening(network.positions[node], network.radii[-1, 1], inward, name, outlet=True))
        reach.append((network.positions[node], inward / np.linalg.norm(inward)))
    body = body_of(box(low - 2e-3, [*(high[:2] + 2e-3), 0.0]))
    for place, inward in reach:  # the body ends where these branches do
        body = body.trim_by_plane(tuple(inward), float(inward @ place))
    made = embed(body, void_of_network(network, PLAIN, openings=openings), openings, PLAIN)
    assert made.solid.genus() == tips
    assert made.notes == ()


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), radius=st.floats(2e-4, 2e-3), ball=st.booleans())
def test_ports_open_in_any_direction_on_flat_and_round_faces(seed, radius, ball):
    random = np.random.default_rng(seed)
    turn = np.linalg.qr(random.normal(size=(3, 3)))[0]
    turn = turn * np.linalg.det(turn)
    middle = random.normal(size=3) * 1e-2
    half = 0.01 if ball else 0.005
    body = body_of({"type": "sphere", "radius": 0.01}) if ball else Manifold.cube((0.02, 0.02, 0.01), True)
    body = body.transform(np.column_stack([turn, middle]))
    up = turn[:, 2]
    network = channel(middle + half * up, middle - half * up, radius, ("in", "out"))
    ports = [
        opening(middle + half * up, radius, -up),
        opening(middle - half * up, radius, up, "out", outlet=True),
    ]
    made = embed(body, void_of_network(network, PLAIN, openings=ports), ports, PLAIN)
    assert (made.solid.genus(), len(made.solid.decompose()), made.notes) == (1, 1, ())


def test_a_leaning_channel_opens_whole():
    network = channel([0, 0, 0], [1.2e-3, 0, -3e-3], 5e-4)
    port = opening([0, 0, 0], 5e-4)
    for openings in ([port], []):  # a level end, and one that leans
        made = embed(body_of(BLOCK), void_of_network(network, PLAIN, openings=openings), [port], PLAIN)
        assert (made.solid.genus(), len(made.solid.decompose()), made.notes) == (0, 1, ())
        assert area_at(made.void, -1e-9) > math.pi * 25e-8


def test_a_ridge_beside_or_over_a_port_is_not_cut():
    ridge = policies(ridge={"enabled": True, "height": 5e-4, "thickness": 5e-4, "inset": 0.0})
    body = add_ridge(body_of(CYLINDER), CylinderDomain.model_validate(CYLINDER), ridge.ridge)
    over = np.array(body.bounding_box())[5]
    for x, obstructed in ((3e-3, False), (4.2e-3, True)):
        network = channel([x, 0, 1e-3], [x, 0, 0], 4e-4)
        made = embed(body, void_of_network(network, ridge, caps="flat"), [opening([x, 0, 1e-3], 4e-4)], ridge)
        assert any("stands over it" in note for note in made.notes) == obstructed
        assert made.solid.bounding_box()[5] == over
        assert made.void.bounding_box()[5] == pytest.approx(1e-3, abs=1e-6)


def test_a_port_below_the_surface_is_cut_up_to_it():
    network = channel([0, 0, -5e-4], [0, 0, -3e-3], 5e-4)
    made = embed(body_of(BLOCK), void_of_network(network, PLAIN), [opening([0, 0, -5e-4], 5e-4)], PLAIN)
    assert "below the surface" in made.notes[0]
    assert area_at(made.void, -1e-6) == pytest.approx(math.pi * 25e-8, rel=1e-6)


def test_a_blocked_port_is_carved_anew_and_said_so():
    network = channel([0, 0, -1e-3], [0, 0, -3e-3], 5e-4, ())
    port = opening([0, 0, 0], 5e-4)
    made = embed(body_of(BLOCK), void_of_network(network, PLAIN), [port], PLAIN)
    assert len(made.notes) == 1
    assert "carved anew" in made.notes[0]
    assert (made.solid.genus(), len(made.void.decompose())) == (0, 1)
    assert area_at(made.void, -1e-6) == pytest.approx(math.pi * (6e-4) ** 2, rel=1e-6)
    left = embed(body_of(BLOCK), void_of_network(network, PLAIN), [port], policies(embedding={"preserve_mode": "none"}))
    assert "left as they are" in left.notes[0]
    assert left.solid.genus() < 0  # a closed hollow


def test_a_port_inside_the_domain_stays_closed():
    network = channel([0, 0, -1e-3], [0, 0, -3e-3], 5e-4)
    made = embed(body_of(BLOCK), void_of_network(network, PLAIN), [opening([0, 0, -1e-3], 5e-4, surface=False)], PLAIN)
    assert made.notes == ()
    assert made.void.bounding_box()[5] == pytest.approx(-1e-3)


def test_components_may_share_a_port():
    wide = void_of_network(channel([0, 0, 0], [0, 0, -3e-3], 3e-4), PLAIN)
    narrowing = network_of([[0, 0, 0], [0, 0, -4e-3]], [(0, 1)], [[3e-4, 1.5e-4]], {"in": 0})
    void = wide + void_of_network(narrowing, PLAIN, caps="flat")
    ports = [opening([0, 0, 0], 3e-4), opening([0, 0, 0], 3e-4)]
    made = embed(body_of(BLOCK), void, ports, PLAIN)
    assert (made.solid.genus(), len(made.solid.decompose()), made.notes) == (0, 1, ())


def test_the_shell_has_its_thickness():
    thick = policies(embedding={"shell_thickness": 3e-4}, resolution={"max_voxels_embed": 300_000})
    network = channel([0, 0, 0], [0, 0, -3e-3], 5e-4)
    void, port = void_of_network(network, thick, caps="flat"), [opening([0, 0, 0], 5e-4)]
    wider = void_of_network(replace(network, radii=network.radii + 3e-4), thick, caps="flat")
    exact = embed(body_of(BLOCK), void, port, thick, thickened=wider)
    assert exact.shell.volume() == pytest.approx(math.pi * (64e-8 - 25e-8) * 3e-3, rel=1e-9)
    assert exact.notes == ()
    field = embed(body_of(BLOCK), void, port, thick)
    assert "distance field" in field.notes[0]
    # It also closes the bottom: a disc of the thickness, and a quarter torus around it.
    bottom = math.pi * 25e-8 * 3e-4 + math.pi**2 * 5e-4 * 9e-8 / 2 + 2 / 3 * math.pi * 27e-12
    assert field.shell.volume() == pytest.approx(exact.shell.volume() + bottom, rel=0.02)
    assert (field.shell ^ field.cutter).volume() < 1e-6 * field.shell.volume()
    assert embed(body_of(BLOCK), void, port, PLAIN).shell is None


def test_a_void_that_fills_the_body_is_refused():
    with pytest.raises(InvalidInput, match="Nothing is left"):
        embed(body_of(BLOCK), Manifold.cube((1, 1, 1), True), [], PLAIN)
