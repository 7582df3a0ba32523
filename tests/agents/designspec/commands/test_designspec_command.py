"""`loopwright designspec`: documents on the command line, good and bad; approvals; options that make no sense."""

import copy
import json
from pathlib import Path

import pytest
import trimesh

PORT = {"name": "top", "position": [0, 0, 5], "direction": [0, 0, -1], "radius": 0.5}
DOCUMENT = {
    "schema": {"name": "aog_designspec", "version": "1.0.0", "compatible_with": ["1.0.x"]},
    "meta": {"name": "block", "seed": 1, "input_units": "mm"},
    "policies": {},
    "domains": {"body": {"type": "box", "x_min": -5, "x_max": 5, "y_min": -5, "y_max": 5, "z_min": -5, "z_max": 5}},
    "components": [
        {
            "id": "channel",
            "domain_ref": "body",
            "ports": {"inlets": [PORT], "outlets": []},
            "build": {"type": "primitive_channels"},
        }
    ],
}


def written(folder: Path, name: str = "spec.json", **changes) -> Path:
    """The document in a file, with values at `a/b/0/c` replaced."""
    document = copy.deepcopy(DOCUMENT)
    for pointer, value in changes.items():
        *way, last = [int(token) if token.isdigit() else token for token in pointer.split("/")]
        place = document
        for token in way:
            place = place[token]
        place[last] = value
    path = folder / name
    path.write_text(json.dumps(document))
    return path


def test_the_schema_is_a_json_schema(loopwright_command):
    schema = loopwright_command("designspec", "schema").last
    assert schema["$schema"].startswith("https://json-schema.org/")
    assert set(schema["required"]) == {"schema", "meta", "policies", "domains", "components"}


def test_a_good_document_is_valid_and_has_a_hash(loopwright_command, tmp_path):
    done = loopwright_command("designspec", "validate", str(written(tmp_path)), "--json")
    assert done.last["valid"] is True
    assert len(done.last["spec_hash"]) == 16
    assert "is valid" in loopwright_command("designspec", "validate", str(tmp_path / "spec.json")).out


BAD = [
    ({"components/0/domain_ref": "nowhere"}, "/components/0/domain_ref", "nowhere"),
    ({"components/0/ports/inlets/0/radius": -0.5}, "/components/0/ports/inlets/0/radius", "greater than 0"),
    ({"domains/body/x_max": -5}, "/domains/body/x_max", "no size"),
    ({"domains/body/x_max": "wide"}, "/domains/body/x_max", ""),
    ({"schema/version": "2.0.0"}, "/schema/version", "2.0.0"),
    ({"meta/input_units": "furlong"}, "/meta/input_units", "mm"),
    ({"components/0/build/type": "printing"}, "/components/0/build/type", "primitive_channels"),
]


@pytest.mark.parametrize(("changes", "pointer", "told"), BAD)
def test_a_bad_document_is_refused_with_the_pointer_to_the_culprit(
    loopwright_command, tmp_path, changes, pointer, told
):
    path = str(written(tmp_path, **changes))
    issues = loopwright_command("designspec", "validate", path, "--json", code=2).last["issues"]
    fitting = [issue for issue in issues if issue["pointer"] == pointer and issue["severity"] == "error"]
    assert fitting, issues
    assert told in fitting[0]["message"] + fitting[0]["hint"]
    refused = loopwright_command("designspec", "run", path, "--out", str(tmp_path / "out-of-it"), "--json", code=4)
    assert refused.last["success"] is False
    assert pointer in json.dumps(refused.last)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"schema": {"name": NaN}}', "NaN"),
        ('{"a": 1, "a": 2}', "twice"),
        ("[1, 2]", ""),
        ("{", "line 1"),
        ("a: &x [*x]", ""),
    ],
)
def test_text_that_is_no_document_is_refused(loopwright_command, tmp_path, text, told):
    path = tmp_path / ("spec.yaml" if text.startswith("a:") else "spec.json")
    path.write_text(text)
    done = loopwright_command("designspec", "validate", str(path), "--json", code=2)
    assert told in json.dumps(done.last)


def test_a_file_that_is_not_there_is_said_to_be_not_there(loopwright_command, tmp_path):
    done = loopwright_command("designspec", "run", "nothing.json", "--out", "x", code=2)
    assert "nothing.json cannot be read" in done.err
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("option", ["--run-until", "--run-only", "--skip"])
def test_an_unknown_stage_lists_those_there_are(loopwright_command, tmp_path, option):
    done = loopwright_command("designspec", "run", str(written(tmp_path)), "--out", "x", option, "meshing", code=2)
    assert "There is no pipeline stage 'meshing'" in done.err
    assert "component_mesh" in done.err


def test_a_run_until_a_stage(loopwright_command, tmp_path):
    path = str(written(tmp_path))
    done = loopwright_command("designspec", "run", path, "--out", "part", "--run-until", "union_void", "--json")
    last = done.last
    assert (last["type"], last["success"]) == ("complete", True)
    assert last["stages"] == [
        "compile_policies", "compile_domains", "component_ports:channel", "component_build:channel",
        "component_mesh:channel", "union_voids",
    ]  # fmt: skip
    assert json.loads((tmp_path / "part/spec.json").read_text()) == DOCUMENT


def test_a_mesh_beside_the_document_is_taken_along(loopwright_command, tmp_path):
    (tmp_path / "there").mkdir()
    trimesh.creation.box((10, 10, 10)).export(tmp_path / "there/body.stl")
    mesh = {"type": "mesh", "path": "body.stl", "scale": 1.0}
    path = str(written(tmp_path / "there", **{"domains/body": mesh}))
    done = loopwright_command("designspec", "run", path, "--out", "part", "--run-until", "compile_domains", "--json")
    assert done.last["success"] is True
    assert (tmp_path / "part/body.stl").is_file()


def test_a_self_intersecting_mesh_is_refused_by_name(loopwright_command, tmp_path):
    one, other = trimesh.creation.box((10, 10, 10)), trimesh.creation.box((10, 10, 10))
    other.apply_translation((4, 4, 4))
    trimesh.util.concatenate([one, other]).export(tmp_path / "body.stl")
    path = str(written(tmp_path, **{"domains/body": {"type": "mesh", "path": "body.stl"}}))
    done = loopwright_command(
        "designspec", "run", path, "--out", "part", "--run-until", "compile_domains", "--json", code=4
    )
    assert done.last["stage_failed"] == "compile_domains"
    assert "/domains/body" in " ".join(done.last["errors"])


def test_the_difference_of_two_documents_is_told_in_words(loopwright_command, tmp_path):
    one, other = written(tmp_path), written(tmp_path, "other.json", **{"components/0/ports/inlets/0/radius": 0.75})
    done = loopwright_command("designspec", "diff", str(one), str(other))
    assert "0.5" in done.out
    assert "0.75" in done.out
    assert loopwright_command("designspec", "diff", str(one), str(one)).out == "The two mean the same.\n"
    assert loopwright_command("designspec", "diff", str(one), str(other), "--json").last["changes"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--message", "hi"), "--project-dir"),
        (("-p", "part"), "--message"),
        (("-p", "part", "-m", "hi", "--approve", "everything"), "patches, runs, all, none"),
        (("-p", "part", "-m", "hi", "--provider", "nobody"), "openai"),
        (("-p", "part", "-m", "hi", "--run-until", "meshing"), "There is no pipeline stage"),
        (("-p", "part", "-m", " "), "message"),
        (("undo", "-p", "nowhere"), "no project at nowhere"),
        (("history", "-p", "nowhere"), "no project at nowhere"),
    ],
)
def test_what_makes_no_sense_is_refused_at_once(loopwright_command, tmp_path, arguments, told):
    done = loopwright_command("designspec", *arguments, code=2)
    assert told in done.err
    assert not (tmp_path / "part/artifacts").exists()
