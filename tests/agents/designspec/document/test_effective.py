"""What holds for one component."""

import pytest

from loopwright.agents.designspec.document import backend_parameters, check_document, effective_policies
from loopwright.agents.designspec.document.backends import ScaffoldParams, SpaceColonizationParams
from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.document.spec import DesignSpec
from loopwright.kernel.errors import InvalidInput
from tests.agents.designspec.document.documents import tree


def spec_of(**changes: object) -> DesignSpec:
    report = check_document(tree(**changes))
    assert report.spec is not None, report.errors
    return report.spec


def effective(**changes: object) -> Policies:
    spec = spec_of(**changes)
    return effective_policies(spec, spec.components[0])


def test_component_over_document_over_default() -> None:
    policies = effective(**{"policies.collision": {"collision_clearance": 0.2, "check_collisions": False}})
    assert policies.collision.collision_clearance == 1.1e-4  # the component's
    assert policies.collision.check_collisions is False  # the document's, beside it
    assert policies.growth.min_segment_length == 3e-4  # the document's
    assert policies.growth.max_segment_length == 2e-3  # the default
    assert "max_segment_length" not in policies.growth.model_fields_set  # nobody has said it


def test_lists_are_replaced() -> None:
    policies = effective(
        **{
            "policies.unified_collision": {"strategy_order": ["reroute", "shrink"]},
            "components.0.policies.unified_collision": {"strategy_order": ["terminate"]},
        }
    )
    assert policies.unified_collision.strategy_order == ("terminate",)


def test_build_parameters_are_merged_deeply_over_the_policy() -> None:
    policies = effective(
        **{"components.0.build.backend_params": {"spread": 0.5, "collision_online": {"rotation_attempts": 3}}}
    )
    params = backend_parameters(policies)
    assert isinstance(params, ScaffoldParams)
    assert (params.spread, params.step_length) == (5e-4, 1.7e-3)
    assert params.collision_online.rotation_attempts == 3
    assert params.collision_online.buffer_abs_m == 3e-5
    assert params.model_fields_set == {"spread", "step_length", "collision_online"}


def test_another_backend_does_not_get_the_policy_parameters() -> None:
    policies = effective(
        **{
            "components.0.build": {
                "type": "backend_network",
                "backend": "space_colonization",
                "backend_params": {"kill_radius": 1},
            }
        }
    )
    assert policies.growth.backend_params == {"kill_radius": 1e-3}
    assert isinstance(backend_parameters(policies), SpaceColonizationParams)


def test_a_deprecated_backend_is_its_successor() -> None:
    policies = effective(**{"components.0.build.backend": "kary_tree"})
    assert policies.growth.backend == "scaffold_topdown"
    assert policies.growth.backend_params["step_length"] == 1.7e-3


def test_an_unknown_backend_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no backend 'dreams'"):
        backend_parameters(Policies.model_validate({"growth": {"backend": "dreams"}}))
