"""A plan becomes exactly the steps that were asked for, or an error that names what may be asked for."""

import pytest

from loopwright.agents.designspec.pipeline.reports import RunPlan, plan_steps, skipped_steps
from loopwright.kernel.errors import InvalidInput

IDS = ("net_1", "chan_1")


def names(**plan: object) -> list[str]:
    """The names of the steps of a plan over two components."""
    return [step.name for step in plan_steps(IDS, RunPlan.model_validate(plan))]


def test_full_is_every_stage_in_order() -> None:
    """Component stages once for each component, a stage for all before the next."""
    assert names() == [
        "compile_policies",
        "compile_domains",
        "component_ports:net_1",
        "component_ports:chan_1",
        "component_build:net_1",
        "component_build:chan_1",
        "component_mesh:net_1",
        "component_mesh:chan_1",
        "union_voids",
        "mesh_domain",
        "embed",
        "port_recarve",
        "validity",
        "export",
    ]


@pytest.mark.parametrize("until", ["union_voids", "union_void", "mesh_merge"])
def test_run_until_is_inclusive_and_knows_the_other_names(until: str) -> None:
    """The stage named is the last."""
    assert names(run_until=until)[-1] == "union_voids"


def test_run_until_one_component_ends_with_its_step() -> None:
    """A later network keeps clear of earlier ones, so those are made as well; without components little is left."""
    assert names(run_until="component_build:net_1")[-2:] == ["component_ports:chan_1", "component_build:net_1"]
    assert names(run_until="component_build:chan_1") == names(run_until="component_build")
    assert [step.name for step in plan_steps((), RunPlan(run_until="component_mesh"))] == [
        "compile_policies",
        "compile_domains",
    ]


def test_only_skip_and_subset() -> None:
    """The filters apply together; a component stage without a component means all."""
    assert names(run_only=["component_mesh"]) == ["component_mesh:net_1", "component_mesh:chan_1"]
    assert names(run_only=["component_mesh", "embed"], components_subset=["chan_1"]) == [
        "component_mesh:chan_1",
        "embed",
    ]
    assert names(run_only=["component_mesh"], skip=["component_mesh:net_1"]) == ["component_mesh:chan_1"]
    assert "validity" not in names(skip=["validity"])
    assert names(components_subset=[]) == names()


def test_what_is_left_out_is_told() -> None:
    """Steps up to `run_until` that do not run are the skipped ones."""
    plan = RunPlan(run_until="component_ports", skip=["compile_policies"], components_subset=["net_1"])
    assert [step.name for step in skipped_steps(IDS, plan)] == ["compile_policies", "component_ports:chan_1"]


@pytest.mark.parametrize(
    ("plan", "message", "hint"),
    [
        ({"run_until": "everything"}, "no pipeline stage 'everything'", "compile_policies, compile_domains"),
        ({"run_until": "embd"}, "Did you mean 'embed'", "port_recarve"),
        ({"run_only": ["union"]}, "no pipeline stage 'union'", "union_voids"),
        ({"skip": ["validty"]}, "Did you mean 'validity'", "full"),
        ({"run_until": "component_build:net_2"}, "no component 'net_2'", "net_1, chan_1"),
        ({"skip": ["component_mesh:net_2"]}, "no component 'net_2'", "net_1, chan_1"),
        ({"components_subset": ["net_1", "x"]}, "no component 'x'", "net_1, chan_1"),
        ({"run_only": ["export"], "run_until": "embed"}, "leaves nothing", "run_until='embed'"),
        ({"run_until": "embed:net_1"}, "no pipeline stage 'embed:net_1'", "embed"),
    ],
)
def test_a_wrong_plan_is_told(plan: dict[str, object], message: str, hint: str) -> None:
    """An unknown name never means everything, and never nothing."""
    with pytest.raises(InvalidInput, match=message) as refused:
        names(**plan)
    assert hint in refused.value.hint
