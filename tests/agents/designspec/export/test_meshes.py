"""Mesh files: closed for independent readers, in the right units, equal for equal bodies."""

import hashlib
import shutil
import subprocess

import lib3mf
import numpy as np
import pytest
import trimesh
from manifold3d import Manifold

from loopwright.agents.designspec.export.networks import write_mesh
from loopwright.agents.designspec.geometry.embed import embed
from loopwright.agents.designspec.geometry.tubes import void_of_network
from loopwright.kernel.errors import InvalidInput
from tests.agents.designspec.geometry.workpieces import binary_tree, body_of, box, lattice, opening, policies

ADMESH = shutil.which("admesh")
UNITS = {"m": 1.0, "cm": 1e2, "mm": 1e3, "um": 1e6}


@pytest.fixture(scope="module")
def carved():
    network = binary_tree(5, wander=0.1, points=3)
    port = [opening([0, 0, 0], 2e-4)]
    void = void_of_network(network, policies(), openings=port)
    low, high = np.array(void.bounding_box()).reshape(2, 3)
    made = embed(body_of(box(low - 1e-3, [*(high[:2] + 1e-3), 0.0])), void, port, policies())
    assert made.solid.genus() == 0
    return made.solid


@pytest.fixture(scope="module")
def rings():
    body = Manifold.cube((4.1e-3,) * 3, True).translate((1e-3,) * 3)
    return body - void_of_network(lattice(3, 1e-3, 1.7e-4), policies())


def test_an_stl_is_watertight_for_trimesh_in_every_unit(tmp_path, carved, rings):
    for number, body in enumerate((carved, rings)):
        for units, factor in UNITS.items():
            written = write_mesh(body, tmp_path / f"{number}.stl", units)
            mesh = trimesh.load_mesh(written.path)
            assert mesh.is_watertight
            assert mesh.is_winding_consistent
            assert len(mesh.faces) == written.triangles
            parts = mesh.split(only_watertight=False)
            assert sorted(part.euler_number for part in parts) == sorted(2 - 2 * p.genus() for p in body.decompose())
            assert mesh.volume == pytest.approx(body.volume() * factor**3, rel=1e-4)
            assert mesh.bounds.ravel() == pytest.approx(np.array(body.bounding_box()) * factor, rel=1e-6)
            assert written.tolerance <= 1e-6


@pytest.mark.skipif(ADMESH is None, reason="admesh is not installed (apt-get install admesh)")
@pytest.mark.parametrize("units", ["mm", "m"])
def test_an_stl_is_sound_for_admesh(tmp_path, carved, rings, units):
    for body in (carved, rings):
        write_mesh(body, tmp_path / "it.stl", units)
        # What admesh prints of a binary file's header need not be text.
        printed = subprocess.run([ADMESH, tmp_path / "it.stl"], capture_output=True, check=True).stdout
        told = printed.decode("utf-8", errors="replace")
        lines = {line.split(":")[0].strip(): line.split(":")[1].split() for line in told.splitlines() if ":" in line}
        assert lines["Total disconnected facets"] == ["0", "0"]
        for fault in ("Edges fixed", "Facets removed", "Facets added", "Facets reversed", "Backwards edges"):
            assert lines[fault] == ["0"], told
        assert lines["Degenerate facets"] == ["0"]


@pytest.mark.parametrize("units", UNITS)
def test_a_3mf_is_right_for_its_reference_library(tmp_path, carved, units):
    written = write_mesh(carved, tmp_path / "it.3mf", units)
    model = lib3mf.get_wrapper().CreateModel()
    reader = model.QueryReader("3mf")
    reader.SetStrictModeActive(True)
    reader.ReadFromFile(str(written.path))
    assert reader.GetWarningCount() == 0
    objects = model.GetMeshObjects()
    assert objects.MoveNext()
    mesh = objects.GetCurrentMeshObject()
    assert mesh.IsManifoldAndOriented()
    assert mesh.GetTriangleCount() == written.triangles
    names = {"m": "Meter", "cm": "CentiMeter", "mm": "MilliMeter", "um": "MicroMeter"}
    assert model.GetUnit() == getattr(lib3mf.ModelUnit, names[units])
    outbox = model.GetOutbox()
    size = np.array(list(outbox.MaxCoordinate)) - np.array(list(outbox.MinCoordinate))
    low, high = np.array(carved.bounding_box()).reshape(2, 3)
    assert size == pytest.approx((high - low) * UNITS[units], rel=1e-5)


def test_a_glb_is_in_metres(tmp_path, carved):
    write_mesh(carved, tmp_path / "it.glb", "mm")
    mesh = trimesh.load_mesh(tmp_path / "it.glb")
    assert mesh.is_watertight
    assert mesh.bounds.ravel() == pytest.approx(np.array(carved.bounding_box()), rel=1e-6)


@pytest.mark.parametrize("kind", ["stl", "3mf", "glb"])
def test_equal_bodies_give_equal_files(tmp_path, carved, kind):
    digests = set()
    for number, body in enumerate((carved, Manifold(carved.to_mesh64()))):
        written = write_mesh(body, tmp_path / f"{number}.{kind}", "mm")
        digests.add(hashlib.sha256(written.path.read_bytes()).hexdigest())
    assert len(digests) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"0.{kind}", f"1.{kind}"]


def test_edges_that_single_precision_cannot_tell_are_taken_out(tmp_path):
    """A body far from the origin with a step of a tenth of a nanometre."""
    body = Manifold.cube((1e-2,) * 3).translate((1, 1, 1)) + Manifold.cube((1e-2,) * 3).translate((1 + 1e-10, 1.005, 1))
    written = write_mesh(body, tmp_path / "it.stl", "mm")
    mesh = trimesh.load_mesh(written.path)
    assert mesh.is_watertight
    assert mesh.euler_number == 2


def test_what_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match="written as"):
        write_mesh(Manifold.cube(), tmp_path / "it.step", "mm")
    with pytest.raises(InvalidInput, match="empty"):
        write_mesh(Manifold(), tmp_path / "it.stl", "mm")
    # Two cubes of a micrometre, a kilometre off: single precision has one place for each.
    speck = Manifold.cube((1e-6,) * 3).translate((1e3,) * 3)
    with pytest.raises(InvalidInput, match="single precision"):
        write_mesh(speck, tmp_path / "it.stl", "m")
    assert list(tmp_path.iterdir()) == []
