"""Tubes: as many handles and parts as the graph, as large as the channels, and exact at their ends."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.designspec.geometry.tubes import chains_of, void_of_network
from loopwright.agents.designspec.network.collision_repair import graph_facts
from tests.agents.designspec.geometry.workpieces import binary_tree, lattice, network_of, opening, policies

PLAIN = policies()


def topology(void):
    parts = void.decompose()
    return len(parts), sum(part.genus() for part in parts)


def zigzag(angle, length, radius, count=9):
    """A polyline whose every bend has this angle, in degrees, to one side and the other."""
    headings = [math.radians(angle) / 2 * (-1) ** i for i in range(count)]
    steps = length * np.stack([np.cos(headings), np.sin(headings), np.zeros(count)], axis=1)
    positions = np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])
    return network_of(positions, [(i, i + 1) for i in range(count)], radius)


def ring(count, radius):
    angles = np.arange(count) * 2 * math.pi / count
    places = 5e-3 * np.stack([np.cos(angles), np.sin(angles), np.zeros(count)], axis=1)
    return network_of(places, [(i, (i + 1) % count) for i in range(count)], radius)


NETWORKS = {
    "one": network_of([[0, 0, 0], [0, 0, 1e-3]], [(0, 1)], 1e-4),
    "taper": network_of([[0, 0, 0], [1e-3, 1e-3, 1e-3]], [(0, 1)], [[3e-4, 5e-5]]),
    "steps down and up": network_of(
        [[0, 0, 0], [1e-3, 0, 0], [2e-3, 2e-4, 0], [3e-3, 0, 0]], [(0, 1), (1, 2), (2, 3)], [3e-4, 1.5e-4, 3e-4]
    ),
    "gentle": zigzag(10, 1e-3, 1e-4),
    "bent": zigzag(60, 1e-3, 1e-4),
    "right angles": zigzag(90, 1e-3, 1e-4),
    "hairpins": zigzag(150, 2e-3, 1e-4),
    "short and thick": zigzag(40, 1e-4, 2e-4),
    "ring": ring(24, 5e-4),
    "lattice": lattice(3, 1e-3, 1.5e-4),
    "tree": binary_tree(6),
    "wandering tree": binary_tree(5, wander=0.1, points=4),
    "two trees": network_of(
        [[0, 0, 0], [1e-3, 0, 0], [0, 5e-3, 0], [1e-3, 5e-3, 0], [2e-3, 5e-3, 1e-3]], [(0, 1), (2, 3), (3, 4)], 2e-4
    ),
    "against each other": network_of(
        [[0, 0, 0], [1e-3, 0, 0], [2e-3, 0, 0], [1e-3, 1e-3, 0]], [(1, 0), (2, 1), (3, 1)], 2e-4
    ),
    "a segment without length": network_of(
        [[0, 0, 0], [1e-3, 0, 0], [1e-3, 0, 0], [1e-3, 1e-3, 0]], [(0, 1), (1, 2), (2, 3)], 2e-4
    ),
}


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("caps", ["round", "flat"])
def test_tubes_have_the_topology_of_the_graph(name, caps):
    network = NETWORKS[name]
    void = void_of_network(network, PLAIN, caps=caps)
    facts = graph_facts(network)
    assert topology(void) == (facts.components, facts.cycle_rank)


@pytest.mark.parametrize("name", NETWORKS)
def test_tubes_are_where_a_ball_comes_that_is_rolled_along(name):
    """No corner lies outside the balls, and all balls are filled, but for what the corners of polygons make."""
    network = replace(NETWORKS[name], ports={})
    void = void_of_network(network, PLAIN, sections=48)
    corners = np.asarray(void.to_mesh64().vert_properties)[:, :3]
    starts, along = network.starts[:, None], (network.ends - network.starts)[:, None]
    squared = np.maximum(np.einsum("ijk,ijk->ij", along, along), 1e-30)
    share = np.clip(np.einsum("ijk,ijk->ij", corners[None] - starts, along) / squared, 0, 1)
    distance = np.linalg.norm(corners[None] - starts - share[:, :, None] * along, axis=2)
    radius = network.radii[:, :1] + share * (network.radii[:, 1:] - network.radii[:, :1])
    beyond = (distance - radius).min(axis=0)
    largest = network.radii.max()
    assert beyond.max() < 0.012 * largest
    # A corner deep inside the balls would be a dent; steps and tapers leave small ones.
    even = np.ptp(network.radii) == 0
    assert beyond.min() > (-0.012 if even else -0.12) * largest


def test_every_segment_lies_in_one_chain():
    for network in NETWORKS.values():
        chains = chains_of(network)
        swept = sum(len(chain.radii) for chain in chains)
        assert swept == int(np.sum(network.lengths > 0))
    assert len(chains_of(NETWORKS["tree"])) < len(NETWORKS["tree"].segments)
    assert len(chains_of(NETWORKS["bent"])) == 1


@pytest.mark.parametrize("sections", [6, 12, 24, 48])
def test_sections_have_the_area_of_the_circle(sections):
    network = network_of([[0, 0, 0], [0, 0, 2e-3]], [(0, 1)], 3e-4)
    void = void_of_network(network, PLAIN, caps="flat", sections=sections)
    assert void.volume() == pytest.approx(math.pi * 9e-8 * 2e-3, rel=1e-9)


def test_flat_ends_are_exactly_at_the_end_points():
    network = network_of([[1e-3, 0, 1e-3], [1e-3, 0, 0.3e-3]], [(0, 1)], [[5e-4, 1e-4]], {"in": 0})
    low, high = np.array(void_of_network(network, PLAIN, caps="flat").bounding_box()).reshape(2, 3)
    assert (low[2], high[2]) == pytest.approx((0.3e-3, 1e-3), abs=1e-15)
    rounded = np.array(void_of_network(network, PLAIN, caps="round").bounding_box()).reshape(2, 3)
    # The inner end is round, the port's end stays flat.
    assert rounded[0, 2] == pytest.approx(0.2e-3, abs=2e-6)
    assert rounded[1, 2] == pytest.approx(1e-3, abs=1e-15)


def test_a_port_ends_in_the_plane_of_its_direction():
    network = network_of([[0, 0, 0], [5e-4, 0, -2e-3]], [(0, 1)], 3e-4, {"in": 0})
    leaning = void_of_network(network, PLAIN)
    assert leaning.bounding_box()[5] > 1e-5
    level = void_of_network(network, PLAIN, openings=[opening([0, 0, 0], 3e-4)])
    assert level.bounding_box()[5] == pytest.approx(0, abs=1e-15)


def test_the_same_network_gives_the_same_bytes():
    first, second = (void_of_network(binary_tree(5, wander=0.1), PLAIN).to_mesh64() for _ in range(2))
    assert (np.asarray(first.vert_properties) == np.asarray(second.vert_properties)).all()
    assert (np.asarray(first.tri_verts) == np.asarray(second.tri_verts)).all()


def test_progress_is_told_and_may_stop_the_work():
    told = []
    void_of_network(NETWORKS["tree"], PLAIN, progress=lambda share, message: told.append(share))
    assert (told[0], told[-1]) == (0, 1)
    assert told == sorted(told)

    def stop(share, message):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        void_of_network(NETWORKS["tree"], PLAIN, progress=stop)


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    bend=st.floats(0, 1.2),
    thickness=st.floats(0.05, 0.6),
    count=st.integers(1, 12),
)
def test_a_wandering_channel_is_one_piece_without_a_handle(seed, bend, thickness, count):
    random = np.random.default_rng(seed)
    heading, place, places = np.array([0, 0, -1.0]), np.zeros(3), [np.zeros(3)]
    for _ in range(count):
        heading = heading + random.normal(0, bend / 2, 3) + np.array([0, 0, -1.5])
        heading /= np.linalg.norm(heading)
        place = place + heading * random.uniform(0.3e-3, 1e-3)
        places.append(place)
    radii = np.sort(random.uniform(0.5, 1, (count, 2)) * thickness * 1e-3, axis=1)[:, ::-1]
    network = network_of(places, [(i, i + 1) for i in range(count)], radii)
    assert topology(void_of_network(network, PLAIN)) == (1, 0)
