"""Composition: what is united, what is dropped, and that it is said."""

import pytest
from manifold3d import Manifold

from loopwright.agents.designspec.geometry.ridge import united
from loopwright.kernel.errors import InvalidInput
from tests.agents.designspec.geometry.workpieces import policies

VOIDS = {
    "large": Manifold.cube((1e-3,) * 3),
    "beside": Manifold.cube((1e-3,) * 3).translate((5e-4, 0, 0)),
    "small": Manifold.cube((3e-4,) * 3).translate((5e-3, 0, 0)),
    "crumb": Manifold.cube((1e-5,) * 3).translate((0, 5e-3, 0)),
}


def test_voids_are_united():
    void = united(VOIDS, policies()).void
    assert void.volume() == pytest.approx(1.5e-9 + 2.7e-11 + 1e-15, rel=1e-9)
    assert len(void.decompose()) == 3
    assert united(list(VOIDS.values()), policies()).void.volume() == void.volume()


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
        united(VOIDS, policies(composition={"min_component_volume": 1.0}))
    with pytest.raises(InvalidInput, match="0 components"):
        united({}, policies())
