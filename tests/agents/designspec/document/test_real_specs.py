"""The specs that people have written load unchanged."""

import pytest

from loopwright.agents.designspec.document import (
    backend_parameters,
    check_document,
    effective_policies,
    require_spec,
    spec_hash,
)
from loopwright.agents.designspec.document.backends import ScaffoldParams
from tests.agents.designspec.document.documents import IN_MILLIMETRES, REAL, real


@pytest.mark.parametrize("name", REAL)
def test_no_complaints(name: str) -> None:
    """No error, nothing unknown, nothing missing, and every parameter is one that its backend knows."""
    report = require_spec(real(name))
    assert report.issues == []
    assert report.spec is not None
    assert report.spec_hash == spec_hash(report.spec)
    for component in report.spec.components:
        assert backend_parameters(effective_policies(report.spec, component)).unknown_fields == {}


def test_hashes_tell_designs_apart() -> None:
    assert len({check_document(real(name)).spec_hash for name in REAL}) == len(REAL)


def test_the_older_one_in_millimetres() -> None:
    """It becomes metres, and what is no longer known is named and does no harm."""
    report = require_spec(real(IN_MILLIMETRES))
    assert [(issue.code, issue.pointer) for issue in report.warnings] == [
        ("UNKNOWN_FIELD", "/policies/validation"),
        ("UNKNOWN_FIELD", "/policies/output/format"),
    ]
    assert report.input_units == "mm"
    assert "mm into metres" in report.normalisation
    spec = report.spec
    assert spec is not None
    body, port = spec.domains["cylinder_domain"], spec.components[0].ports.inlets[0]
    assert body.type == "cylinder"
    assert (body.radius, body.height, body.center) == (0.01, 0.05, (0.0, 0.0, 0.025))
    assert port.position == (0.0, 0.0, 0.05)
    assert port.position[2] == body.center[2] + body.height / 2  # on the top face, exactly
    policies = effective_policies(spec, spec.components[0])
    assert (policies.growth.step_size, policies.embedding.shell_thickness) == (5e-4, 3e-4)
    params = backend_parameters(policies)
    assert isinstance(params, ScaffoldParams)
    assert (params.levels, params.ratio, params.cone_angle_deg) == (6, 0.8, 45.0)
