"""Every kind of mistake has a code, and a pointer to the culprit in the document as it was written."""

from typing import Any

import pytest

from loopwright.agents.designspec.document import check_document, minimal_document, require_spec
from loopwright.kernel.errors import InvalidInput
from tests.agents.designspec.document.documents import tree

BOX = {"type": "box", "x_min": 0, "x_max": 1, "y_min": 0, "y_max": 1, "z_min": 0, "z_max": 1}
PORT = {"name": "in_1", "radius": 0.4}
IN_1, OUT_1 = "components.0.ports.inlets.0", "components.0.ports.outlets.0"
ERRORS: list[tuple[str, Any, str, str]] = [
    # where it is put, what, the code, the pointer of the complaint (where it is put, if empty)
    ("schema.version", "2.0.0", "UNSUPPORTED_VERSION", ""),
    ("schema.version", "1.1.0", "UNSUPPORTED_VERSION", ""),
    ("schema.name", "another", "UNKNOWN_SCHEMA", ""),
    ("schema.name", None, "MISSING_FIELD", ""),
    ("components", None, "MISSING_FIELD", ""),
    ("meta.input_units", "inch", "INVALID_VALUE", ""),
    ("meta.seed", -1, "INVALID_VALUE", ""),
    ("meta.name", "", "INVALID_VALUE", ""),
    ("components.0.domain_ref", "mian", "INVALID_DOMAIN_REF", ""),
    ("embedding", {"domain_ref": "gone"}, "INVALID_DOMAIN_REF", "/embedding/domain_ref"),
    ("domains.other.children.0", "gone", "INVALID_DOMAIN_REF", ""),
    ("domains.main.radius", -1, "INVALID_VALUE", ""),
    ("domains.main.radius", 0, "INVALID_VALUE", ""),
    ("domains.main.radius", float("nan"), "NOT_FINITE", ""),
    ("domains.main.radius", float("inf"), "NOT_FINITE", ""),
    ("domains.main.radius", 10**30, "NUMBER_TOO_LARGE", ""),
    ("domains.main.radius", 20_000, "DOMAIN_NOT_NORMALIZED", "/domains/main"),
    ("domains.main.height", 1e-4, "DOMAIN_NOT_NORMALIZED", "/domains/main"),
    ("domains.main.radius", None, "MISSING_FIELD", ""),
    ("domains.main.type", "cilinder", "INVALID_VALUE", "/domains/main"),
    ("domains.other.children.1.base_domain.radius", -3, "INVALID_VALUE", ""),
    ("domains.other.children.1.matrix.3.3", 2, "INVALID_MATRIX", "/domains/other/children/1/matrix/3"),
    ("domains.other.children.1.matrix.2.2", 0, "INVALID_MATRIX", "/domains/other/children/1/matrix"),
    ("domains.box", BOX | {"x_max": 0}, "EMPTY_BOX", "/domains/box/x_max"),
    ("domains.box", BOX | {"z_max": -1}, "EMPTY_BOX", "/domains/box/z_max"),
    ("domains.a b", BOX, "INVALID_NAME", ""),
    ("domains.MAIN", BOX, "DUPLICATE_NAME", ""),
    ("domains.con", BOX, "RESERVED_NAME", ""),
    ("domains.me", {"type": "transform", "base_domain": "me"}, "DOMAIN_CYCLE", ""),
    (
        "domains.both",
        {"type": "composite", "operation": "intersection", "children": ["main", BOX | {"z_min": 50, "z_max": 60}]},
        "EMPTY_DOMAIN",
        "",
    ),
    (
        "domains.foam",
        {"type": "implicit", "surface": "gyroid", "bounds": [5, 5, 5], "period": 1},
        "MISSING_FIELD",
        "/domains/foam/thickness",
    ),
    ("domains.file", {"type": "mesh", "path": "/etc/passwd"}, "ABSOLUTE_PATH", "/domains/file/path"),
    ("domains.file", {"type": "mesh", "path": "a/../../b.stl"}, "ESCAPING_PATH", "/domains/file/path"),
    ("domains.file", {"type": "mesh", "path": "..\\b.stl"}, "ESCAPING_PATH", "/domains/file/path"),
    ("domains.file", {"type": "mesh", "path": "C:\\b.stl"}, "ABSOLUTE_PATH", "/domains/file/path"),
    ("domains.file", {"type": "mesh", "path": "~root/b.stl"}, "ABSOLUTE_PATH", "/domains/file/path"),
    ("domains.file", {"type": "mesh", "path": "a\x00b"}, "UNSAFE_PATH", "/domains/file/path"),
    ("outputs", {"artifacts_dir": "../elsewhere"}, "ESCAPING_PATH", "/outputs/artifacts_dir"),
    ("outputs", {"named": {"run_report": "/tmp/x"}}, "ABSOLUTE_PATH", "/outputs/named/run_report"),
    ("embedding", {"outputs": {"shell": "../x"}}, "ESCAPING_PATH", "/embedding/outputs/shell"),
    ("policies.output", {"output_dir": "/root"}, "ABSOLUTE_PATH", "/policies/output/output_dir"),
    (
        "components.0.save_artifacts",
        {"network": "x.json", "void_mesh": "./X.json"},
        "DUPLICATE_ARTIFACT",
        "/components/0/save_artifacts/void_mesh",
    ),
    ("components.0.build.mesh_path", "../x.stl", "ESCAPING_PATH", ""),
    ("components.0.build.type", "magic", "INVALID_VALUE", ""),
    ("components.0.build.backend", "scafold_topdown", "UNKNOWN_BACKEND", ""),
    ("components.0.build.backend", "cco_hybrid", "UNSUPPORTED_BACKEND", ""),
    ("policies.growth.backend", "nlp", "UNSUPPORTED_BACKEND", ""),
    ("components.0.build.backend_params.levels", "many", "INVALID_VALUE", ""),
    ("components.0.build.backend_params.depth", -1, "INVALID_VALUE", ""),
    ("policies.growth.backend_params.collision_online.buffer_abs_m", -1, "INVALID_VALUE", ""),
    ("components.0.build.backend_params.primary_axis", [0, 0, 0], "ZERO_DIRECTION", ""),
    ("components.0.policies.collision.collision_clearance", -1, "INVALID_VALUE", ""),
    ("components.0.policies.ridge", {"face": "under"}, "INVALID_VALUE", "/components/0/policies/ridge/face"),
    ("components.0.id", "a/b", "INVALID_VALUE", ""),
    ("components.0.id", "..", "INVALID_VALUE", ""),
    ("components.0.id", "12", "RESERVED_NAME", ""),
    ("components.0.id", "full", "RESERVED_NAME", ""),
    (f"{IN_1}.radius", -0.5, "INVALID_VALUE", ""),
    (f"{IN_1}.radius", 500, "PORT_RADIUS_NOT_NORMALIZED", ""),
    (f"{IN_1}.radius", 5.2, "PORT_LARGER_THAN_DOMAIN", ""),
    (f"{IN_1}.position", [0, 0, 4_950], "PORT_OUTSIDE_DOMAIN", ""),
    (f"{IN_1}.position", [0, 0], "MISSING_FIELD", "/components/0/ports/inlets/0/position/2"),
    (f"{IN_1}.direction", [0, 0, 0], "ZERO_DIRECTION", ""),
    (f"{OUT_1}.name", "in_1", "DUPLICATE_PORT", ""),
    (f"{OUT_1}.vessel_type", "both", "INVALID_VALUE", ""),
    ("policies.embedding", {"voxel_pitch": 50}, "PITCH_NOT_NORMALIZED", "/policies/embedding/voxel_pitch"),
    ("policies.growth.step_size", 20_000, "LENGTH_NOT_NORMALIZED", ""),
    ("policies.growth.max_segment_length", 0.1, "CONTRADICTORY_LIMITS", ""),
    ("policies.repair.min_component_volume", 1e6, "VOLUME_NOT_NORMALIZED", ""),
    ("policies.growth.target_terminals", 10**9, "INVALID_VALUE", ""),
    ("policies.growth", 5, "INVALID_VALUE", ""),
    ("policies.tissue_sampling.mixture_components.0.policy.strategy", "x", "INVALID_VALUE", ""),
    (
        "policies.tissue_sampling.mixture_components.0.policy.exclude_spheres.0.radius",
        -1,
        "INVALID_VALUE",
        "",
    ),
]


@pytest.mark.parametrize(("where", "value", "code", "pointer"), ERRORS, ids=lambda each: str(each)[:40])
def test_errors(where: str, value: Any, code: str, pointer: str) -> None:
    document = tree(**{where: value})
    report = check_document(document)
    assert (code, pointer or "/" + where.replace(".", "/")) in [(each.code, each.pointer) for each in report.errors]
    assert len(report.errors) == 1  # no flood behind the one mistake
    assert report.spec is None
    assert report.spec_hash == ""
    with pytest.raises(InvalidInput, match=r"^/"):
        require_spec(document)


WARNINGS: list[tuple[str, Any, str, str, str]] = [
    ("meta.seed", None, "MISSING_SEED", "", "42"),
    ("polices", {}, "UNKNOWN_FIELD", "", "'policies'"),
    ("domains.main.radus", 3, "UNKNOWN_FIELD", "", "'radius'"),
    ("policies.growth.target_terminal", 3, "UNKNOWN_FIELD", "", "'target_terminals'"),
    ("components.0.policies.collission", {}, "UNKNOWN_FIELD", "", "'collision'"),
    ("components.0.build.backend_params.influence_radius", 3, "UNKNOWN_FIELD", "", "no effect"),
    ("policies.growth.backend_params.lvels", 3, "UNKNOWN_FIELD", "", "'levels'"),
    (f"{IN_1}.radii", 3, "UNKNOWN_FIELD", "", "'radius'"),
    ("components.0.build.backend", "kary_tree", "DEPRECATED_BACKEND", "", "'scaffold_topdown'"),
    ("policies.embedding", {"voxel_pitch": 1.2}, "PITCH_TOO_LARGE", "/policies/embedding/voxel_pitch", "0.099 mm"),
    ("domains.main.radius", 600, "DOMAIN_NOT_NORMALIZED", "/domains/main", "more than a metre"),
    (f"{IN_1}.position", [0, 0, 6], "PORT_OUTSIDE_DOMAIN", "", "1.05 mm"),
    ("components.0.build.backend_params.wall_margin_m", 1e-4, "SUSPICIOUS_UNITS", "", "in mm"),
    ("policies.growth", None, "MISSING_REQUIRED_POLICY", "", "defaults"),
]


@pytest.mark.parametrize(("where", "value", "code", "pointer", "told"), WARNINGS, ids=lambda each: str(each)[:40])
def test_warnings(where: str, value: Any, code: str, pointer: str, told: str) -> None:
    """They are seen and stop nothing."""
    report = check_document(tree(**{where: value}))
    assert report.complete, report.issues
    assert [(each.code, each.pointer) for each in report.warnings] == [(code, pointer or "/" + where.replace(".", "/"))]
    assert told in str(report.warnings[0])


INCOMPLETE: list[tuple[str, Any, str, str]] = [
    ("components", [], "NO_COMPONENTS", ""),
    ("components.0.ports.inlets", [], "NO_INLETS", ""),
    ("policies.growth.enabled", False, "MISSING_REQUIRED_POLICY", ""),
    ("components.0.build", {"type": "import_void_mesh"}, "MISSING_MESH", "/components/0/build/mesh_path"),
    (
        "components.0.build",
        {"type": "backend_network", "backend": "programmatic"},
        "NO_STEPS",
        "/components/0/build/backend_params/steps",
    ),
]


@pytest.mark.parametrize(("where", "value", "code", "pointer"), INCOMPLETE, ids=lambda each: str(each)[:40])
def test_a_draft_may_lack_things_and_a_run_may_not(where: str, value: Any, code: str, pointer: str) -> None:
    document = tree(**{where: value, "domains.other": None})
    report = check_document(document)
    assert report.ok
    assert report.spec is not None
    at = pointer or "/" + where.replace(".", "/")
    assert [(each.code, each.pointer) for each in report.incomplete] == [(code, at)]
    with pytest.raises(InvalidInput, match=f"^{at}: "):
        require_spec(document)


def test_a_new_project_is_a_draft_and_grows_step_by_step() -> None:
    document = minimal_document("new")
    assert [issue.code for issue in check_document(document).issues] == ["NO_DOMAINS", "NO_COMPONENTS"]
    document["domains"]["main"] = {"type": "sphere", "radius": 0.01}
    assert [issue.code for issue in check_document(document).issues] == ["NO_COMPONENTS"]
    document["embedding"] = {"enable": False}
    assert require_spec(document).issues == []


def test_several_domains_need_a_body() -> None:
    document = tree(components=[], embedding={"enable": False})
    assert [issue.code for issue in check_document(document).incomplete] == ["AMBIGUOUS_DOMAIN"]
    document["embedding"]["domain_ref"] = "other"
    assert check_document(document).complete


def test_patches_of_the_version_are_read() -> None:
    assert check_document(tree(**{"schema.version": "1.0.17"})).issues == []


def test_null_means_the_default() -> None:
    """For policies as a whole and for their fields; a field that may be null keeps it."""
    nulls = tree()
    nulls["policies"]["growth"]["step_size"] = nulls["policies"]["ridge"] = nulls["policies"]["output"] = None
    nulls["components"][0]["save_artifacts"] = nulls["composition"] = nulls["features"] = None
    nulls["policies"]["resolution"]["max_pitch"] = None
    report = check_document(nulls)
    assert report.issues == []
    assert report.spec is not None
    assert report.spec.policies.growth.step_size == 3e-4
    assert not report.spec.policies.ridge.enabled


def test_too_many_and_too_complex() -> None:
    document = tree()
    document["domains"] |= {f"d{number}": BOX for number in range(64)}
    assert [issue.code for issue in check_document(document).errors] == ["TOO_MANY"]
    doubling = tree()
    for level in range(1, 60):
        below = f"d{level - 1}" if level > 1 else "main"
        doubling["domains"][f"d{level}"] = {"type": "composite", "operation": "union", "children": [below, below]}
    assert {issue.code for issue in check_document(doubling).errors} == {"DOMAIN_TOO_COMPLEX"}


def test_two_components_of_one_name() -> None:
    document = tree()
    document["components"].append(document["components"][0] | {"id": "NET_1"})
    assert [(each.code, each.pointer) for each in check_document(document).errors] == [
        ("DUPLICATE_ID", "/components/1/id")
    ]


def test_a_circle_through_several_domains() -> None:
    document = tree()
    document["domains"] |= {
        "a": {"type": "transform", "base_domain": "b"},
        "b": {"type": "composite", "operation": "union", "children": ["main", "a"]},
    }
    errors = check_document(document).errors
    assert {(each.code, each.pointer) for each in errors} == {
        ("DOMAIN_CYCLE", "/domains/a"),
        ("DOMAIN_CYCLE", "/domains/b"),
    }


def test_all_mistakes_are_told_at_once_with_the_values_as_written() -> None:
    report = check_document(tree(**{"domains.main.radius": -1, f"{IN_1}.radius": 0, "meta.seed": "x"}))
    assert [issue.pointer for issue in report.errors] == [
        "/meta/seed",
        "/domains/main/radius",
        "/components/0/ports/inlets/0/radius",
    ]
    assert "(it is -1)" in report.errors[1].message


@pytest.mark.parametrize(
    "junk", [None, 1, "x", [], [{}], {}, {"schema": 1}, {"meta": [], "policies": 7}, {1: 2}, {"a": {1}}]
)
def test_anything_is_answered(junk: Any) -> None:
    report = check_document(junk)
    assert not report.ok
    assert report.spec is None
