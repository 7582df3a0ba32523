"""Mesh files: sound ones become bodies, others are refused with what is wrong and where."""

import numpy as np
import pytest
import trimesh

from loopwright.agents.designspec.document.domains import Build, Component
from loopwright.agents.designspec.document.policies import ImportedMeshing
from loopwright.agents.designspec.geometry.mesh_files import import_void, read_body
from loopwright.kernel.errors import InvalidInput
from tests.agents.designspec.geometry.workpieces import body_of


def ball():
    return trimesh.creation.icosphere(subdivisions=3, radius=5.0)


def from_file(folder, name="it.stl", **policy):
    return read_body(folder, name, "/domains/it/path", scale=1e-3, policy=ImportedMeshing(**policy))


def refused(folder, name="it.stl"):
    with pytest.raises(InvalidInput) as caught:
        from_file(folder, name)
    assert str(caught.value).startswith("/domains/it/path")
    return str(caught.value)


def test_a_domain_may_be_a_file(tmp_path):
    ball().export(tmp_path / "it.stl")
    body = body_of({"type": "mesh", "path": "it.stl", "scale": 1e-3}, tmp_path)
    assert body.volume() == pytest.approx(ball().volume * 1e-9, rel=1e-5)


@pytest.mark.parametrize("kind", ["stl", "obj", "ply", "3mf", "glb"])
def test_every_format_gives_the_same_body(tmp_path, kind):
    mesh = ball()
    mesh.export(tmp_path / f"it.{kind}")
    body = from_file(tmp_path, f"it.{kind}")
    assert body.volume() == pytest.approx(mesh.volume * 1e-9, rel=1e-5)
    assert body.genus() == 0


def test_a_body_that_is_inside_out_is_turned(tmp_path):
    mesh = ball()
    mesh.invert()
    mesh.export(tmp_path / "it.stl")
    assert from_file(tmp_path).volume() > 0


def test_a_body_with_a_hollow_stays_hollow(tmp_path):
    inner = ball()
    inner.apply_scale(0.5)
    inner.invert()
    trimesh.util.concatenate([ball(), inner]).export(tmp_path / "it.stl")
    assert from_file(tmp_path).volume() == pytest.approx(7 / 8 * ball().volume * 1e-9, rel=1e-4)


def test_an_open_surface_is_refused(tmp_path):
    mesh = ball()
    mesh.update_faces(np.arange(len(mesh.faces)) != 7)
    mesh.export(tmp_path / "it.stl")
    assert "is open: 3 edges" in refused(tmp_path)


def test_a_surface_that_cuts_through_itself_is_refused(tmp_path):
    other = ball()
    other.apply_translation([6, 0.1, 0.2])
    trimesh.util.concatenate([ball(), other]).export(tmp_path / "it.stl")
    assert "cuts through itself near (0.00" in refused(tmp_path)


def test_a_fin_is_no_manifold(tmp_path):
    mesh = ball()
    a, b = mesh.faces[0][:2]
    fin = trimesh.Trimesh(
        np.vstack([mesh.vertices, mesh.vertices[a] * 1.5]),
        np.vstack([mesh.faces, [a, b, len(mesh.vertices)]]),
        process=False,
    )
    fin.export(tmp_path / "it.obj")
    message = refused(tmp_path, "it.obj")
    assert "is open" in message or "is not a manifold" in message


def test_a_flipped_face_is_refused(tmp_path):
    mesh = ball()
    mesh.faces[5] = mesh.faces[5][::-1]
    mesh.export(tmp_path / "it.obj")
    assert "different sides along 3 edges" in refused(tmp_path, "it.obj")


@pytest.mark.parametrize(
    "name", ["../it.stl", "/etc/passwd", "sub/../../it.stl", "gone.stl", "it.txt", "it\0.stl", "."]
)
def test_only_mesh_files_of_the_project_are_read(tmp_path, name):
    ball().export(tmp_path / "it.stl")
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "it.txt").write_text("solid")
    refused(tmp_path / "project", name)


def test_a_link_that_leads_outside_is_not_followed(tmp_path):
    ball().export(tmp_path / "secret.stl")
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "it.stl").symlink_to(tmp_path / "secret.stl")
    assert "outside the project folder" in refused(tmp_path / "project")


@pytest.mark.parametrize("content", [b"", b"solid\n", b"\0" * 84, b"\xff" * 200, b"glTF" + b"\0" * 30])
@pytest.mark.parametrize("kind", ["stl", "obj", "ply", "3mf", "glb"])
def test_rubbish_is_refused(tmp_path, kind, content):
    (tmp_path / f"it.{kind}").write_bytes(content)
    refused(tmp_path, f"it.{kind}")


def test_a_body_of_too_many_faces_is_simplified_or_refused(tmp_path):
    trimesh.creation.icosphere(subdivisions=5, radius=5.0).export(tmp_path / "it.stl")

    assert from_file(tmp_path, max_faces=15_000).num_tri() <= 15_000
    with pytest.raises(InvalidInput, match="20480 faces, more than the 15000"):
        from_file(tmp_path, max_faces=15_000, simplify_if_over_max=False)


def test_imported_voids_have_units(tmp_path):
    ball().export(tmp_path / "void.stl")
    build = Build(type="import_void_mesh", mesh_path="void.stl", mesh_units="mm")
    void = import_void(Component(id="part", domain_ref="it", build=build), tmp_path)
    assert void.volume() == pytest.approx(ball().volume * 1e-9, rel=1e-5)
    with pytest.raises(InvalidInput, match="/components/part/build/mesh_path"):
        import_void(Component(id="part", domain_ref="it", build=Build(type="import_void_mesh")), tmp_path)
