"""Composition: what is united, what is dropped, and that it is said."""

import numpy as np
import pytest
from manifold3d import Manifold

from loopwright.agents.designspec.geometry.compose import unite_voids, united
from loopwright.agents.designspec.geometry.store import from_bytes, load, save, to_bytes
from loopwright.agents.designspec.geometry.tubes import void_of_network
from loopwright.kernel.errors import InvalidInput
from tests.agents.designspec.geometry.workpieces import binary_tree, policies

VOIDS = {
    "large": Manifold.cube((1e-3,) * 3),
    "beside": Manifold.cube((1e-3,) * 3).translate((5e-4, 0, 0)),
    "small": Manifold.cube((3e-4,) * 3).translate((5e-3, 0, 0)),
    "crumb": Manifold.cube((1e-5,) * 3).translate((0, 5e-3, 0)),
}


def test_voids_are_united():
    void = unite_voids(VOIDS, policies())
    assert void.volume() == pytest.approx(1.5e-9 + 2.7e-11 + 1e-15, rel=1e-9)
    assert len(void.decompose()) == 3
    assert unite_voids(list(VOIDS.values()), policies()).volume() == void.volume()


def test_crumbs_are_removed_and_named():
    made = united(VOIDS, policies(composition={"min_component_volume": 1e-12}))
    assert len(made.void.decompose()) == 2
    assert "1 parts of the void below 1e-12 m³" in made.notes[0]


def test_only_the_largest_part_may_be_kept():
    made = united(VOIDS, policies(composition={"keep_largest_component": True}))
    assert len(made.void.decompose()) == 1
    assert "largest of 3 separate parts" in made.notes[0]
    assert "1.8%" in made.notes[0]
    merge = policies(
        mesh_merge={"keep_largest_component": True}, composition={"merge_policy": {"keep_largest_component": False}}
    )
    assert len(united(VOIDS, merge).void.decompose()) == 3


def test_nothing_left_is_refused():
    with pytest.raises(InvalidInput, match="Nothing is left"):
        unite_voids(VOIDS, policies(composition={"min_component_volume": 1.0}))
    with pytest.raises(InvalidInput, match="0 components"):
        unite_voids({}, policies())


def test_bodies_come_back_as_they_were(tmp_path):
    body = void_of_network(binary_tree(4), policies())
    save(tmp_path / "it.npz", body)
    again = load(tmp_path / "it.npz")
    corners = [np.asarray(each.to_mesh64().vert_properties) for each in (body, again)]
    assert {tuple(corner) for corner in corners[0].tolist()} == {tuple(corner) for corner in corners[1].tolist()}
    assert (again.num_tri(), again.genus(), again.get_tolerance()) == (body.num_tri(), 0, body.get_tolerance())
    assert from_bytes(to_bytes(Manifold())).is_empty()


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"\x80\x04K\x01."])
def test_rubbish_is_no_body(content):
    with pytest.raises(InvalidInput, match="cannot be read"):
        from_bytes(content)
