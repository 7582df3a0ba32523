"""A preview tells, without making anything, what a change and a run will mean."""

import copy
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.designspec.pipeline.preview import estimate_run, preview_change
from loopwright.agents.designspec.pipeline.reports import RunPlan
from loopwright.kernel.errors import InvalidInput
from tests.agents.designspec.pipeline.documents import component, two_channels
from tests.agents.designspec.pipeline.test_conductor import remade, run

AFTER_A_VOID = ["union_voids", "embed", "port_recarve", "validity", "export"]


def edited(**edits: Any) -> dict[str, Any]:
    """The document with values set; `__` separates the keys."""
    document = copy.deepcopy(two_channels())
    for path, value in edits.items():
        *above, last = path.split("__")
        part: Any = document
        for key in above:
            part = part[int(key)] if isinstance(part, list) else part.setdefault(key, {})
        part[last] = value
    return document


def affected(tmp_path: Path, **edits: Any) -> list[str]:
    """The stages that an edit affects, without the first, which reads everything."""
    stages = preview_change(two_channels(), edited(**edits), tmp_path).affected_stages
    return [stage for stage in stages if stage != "compile_policies"]


def test_what_an_edit_affects(tmp_path: Path) -> None:
    """Exactly what depends on it."""
    solid = ["mesh_domain", "embed", "port_recarve", "validity", "export"]
    assert affected(tmp_path) == []
    assert affected(tmp_path, meta__name="x", meta__tags=["y"]) == ["export"]
    assert affected(tmp_path, policies__output__output_png=False) == ["export"]
    assert affected(tmp_path, policies__output__output_units="m") == ["validity", "export"]
    assert affected(tmp_path, policies__ridge__height=2) == solid
    assert affected(tmp_path, policies__validity__check_bounds=False) == ["validity", "export"]
    assert affected(tmp_path, policies__embedding__carve_depth=1) == ["embed", "port_recarve", "validity", "export"]
    tree = ["component_build:tree", "component_mesh:tree", *AFTER_A_VOID]
    assert affected(tmp_path, policies__growth__step_size=0.2) == tree
    assert affected(tmp_path, meta__seed=1) == tree
    assert affected(tmp_path, components__0__policies={"radius": {"murray_exponent": 2.5}}) == tree
    assert affected(tmp_path, domains__spare__radius=4) == ["compile_domains", "validity", "export"]
    whole_body = affected(tmp_path, domains__block__z_max=6)
    assert "component_ports:drill" in whole_body
    assert "mesh_domain" in whole_body


def test_a_network_depends_on_what_it_keeps_clear_of(tmp_path: Path) -> None:
    """Unless collisions are switched off."""
    drill = ["component_ports:drill", "component_build:drill"]
    radius = {"components__1__ports__inlets__0__radius": 0.6}
    meshes = ["component_mesh:drill", "component_mesh:tree"]
    assert affected(tmp_path, **radius) == [*drill, "component_build:tree", *meshes, *AFTER_A_VOID]
    free = edited(policies__collision__enabled=False)
    wider = edited(policies__collision__enabled=False, **radius)
    assert "component_build:tree" not in preview_change(free, wider, tmp_path).affected_stages


async def test_the_preview_agrees_with_the_run(tmp_path: Path) -> None:
    """What it announces is what is made again."""
    await run(tmp_path, two_channels())
    for edits in ({"policies__ridge__thickness": 0.5}, {"components__1__ports__inlets__0__radius": 0.6}):
        announced = preview_change(two_channels(), edited(**edits), tmp_path).affected_stages
        kept = estimate_run(edited(**edits), RunPlan(), tmp_path).kept
        report = await run(tmp_path, edited(**edits))
        assert remade(report) == announced
        assert [stage.stage for stage in report.stage_reports if stage.cached] == kept


def test_issues_new_and_solved(tmp_path: Path) -> None:
    """A change that breaks the document says so; a change that repairs it as well."""
    broken = edited(domains__spare__radius=-1)
    preview = preview_change(two_channels(), broken, tmp_path)
    assert not preview.valid
    assert [issue.pointer for issue in preview.new_issues] == ["/domains/spare/radius"]
    assert preview.affected_stages == []
    back = preview_change(broken, two_channels(), tmp_path)
    assert back.valid
    assert [issue.pointer for issue in back.solved_issues] == ["/domains/spare/radius"]
    assert len(back.affected_stages) == 14


def test_components_come_and_go(tmp_path: Path) -> None:
    """A new component brings its stages, a removed one takes them along."""
    more = two_channels()
    more["components"].append(component("second", 0.0, "primitive_channels"))
    preview = preview_change(two_channels(), more, tmp_path)
    assert "component_ports:second" in preview.affected_stages
    assert "component_ports:drill" not in preview.affected_stages
    assert preview.estimate.segments > 0
    gone = preview_change(more, two_channels(), tmp_path)
    assert gone.removed_stages == ["component_ports:second", "component_build:second", "component_mesh:second"]


def test_an_imported_file_counts_by_its_content(tmp_path: Path) -> None:
    """The name may stay, the content not."""
    document = two_channels()
    document["domains"]["spare"] = {"type": "mesh", "path": "body.stl"}
    (tmp_path / "body.stl").write_bytes(b"one")
    first = estimate_run(document, RunPlan(), tmp_path)
    assert first.stages[0] == "compile_policies"
    before = preview_change(two_channels(), document, tmp_path)
    assert "compile_domains" in before.affected_stages
    outside = copy.deepcopy(document)
    outside["domains"]["spare"]["path"] = "../body.stl"
    assert preview_change(document, outside, tmp_path) is not None


def test_a_run_is_estimated_or_refused(tmp_path: Path) -> None:
    """The same errors as the run itself would give."""
    estimate = estimate_run(two_channels(), RunPlan(run_until="component_build"))
    assert estimate.stages[-1] == "component_build:tree"
    assert estimate.estimate.seconds > 0
    with pytest.raises(InvalidInput, match="no pipeline stage"):
        estimate_run(two_channels(), RunPlan(run_until="embd"))
    with pytest.raises(InvalidInput, match="/domains/spare/radius"):
        estimate_run(edited(domains__spare__radius=-1), RunPlan())


def test_previews_are_quick_and_light(tmp_path: Path) -> None:
    """Milliseconds, and no geometry library is loaded for them."""
    preview_change(two_channels(), edited(meta__seed=1), tmp_path)
    began = time.thread_time()
    for seed in range(10):
        preview_change(two_channels(), edited(meta__seed=seed), tmp_path)
    assert (time.thread_time() - began) / 10 < 0.1
    code = (
        "import sys, loopwright.agents.designspec.pipeline.preview as p, loopwright.agents.designspec.pipeline.runner\n"
    )
    code += "print(sorted({'numpy', 'scipy', 'manifold3d', 'trimesh', 'pyvista'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"
