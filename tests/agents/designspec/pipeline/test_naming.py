"""A document may name its files, within the run's folder and each once."""

from typing import Any

import pytest

from loopwright.agents.designspec.document.checking import require_spec
from loopwright.agents.designspec.document.spec import DesignSpec
from loopwright.agents.designspec.pipeline.preview import output_names, unknown_names
from loopwright.kernel.errors import InvalidInput
from tests.agents.designspec.pipeline.documents import two_channels


def spec_with(**named: Any) -> DesignSpec:
    """Two channels, with files named."""
    document = two_channels()
    document["outputs"] = {"named": named}
    document["components"][0]["save_artifacts"] = {"network": "artifacts/tree.json"}
    spec = require_spec(document).spec
    assert spec is not None
    return spec


def test_names_are_read_with_what_they_hold() -> None:
    """Labels and pointers as reports write them; what is not known is left aside and told."""
    spec = spec_with(
        domain_mesh="./bodies/domain.STL", run_report="run_report.json", hologram="h.stl", network="n.json"
    )
    assert [(name.label, name.name, name.pointer) for name in output_names(spec)] == [
        ("network:tree", "artifacts/tree.json", "/components/0/save_artifacts/network"),
        ("domain_mesh", "bodies/domain.STL", "/outputs/named/domain_mesh"),
        ("run_report", "run_report.json", "/outputs/named/run_report"),
    ]
    assert unknown_names(spec) == ["hologram", "network"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("../solid.stl", ""),
        ("/tmp/solid.stl", ""),
        ("a/../../b.stl", ""),
        (".hidden.stl", ""),
        ("a\\b.stl", ""),
        ("a\nb.stl", ""),
        ("x" * 300 + ".stl", ""),
        ("solid.exe", "must end in"),
        ("artifacts", "must end in"),
    ],
)
def test_a_name_that_leads_elsewhere_is_refused(name: str, said: str) -> None:
    """With the pointer to it, by the document's check already where that knows better."""
    with pytest.raises(InvalidInput) as refused:
        output_names(spec_with(domain_mesh=name))
    assert refused.value.message.startswith("/outputs/named/domain_mesh")
    assert said in refused.value.message + refused.value.hint


def test_two_things_cannot_have_one_name() -> None:
    """The second would overwrite the first; the same thing may be named twice."""
    for other in ("a.stl", "./a.stl"):
        with pytest.raises(InvalidInput, match=r"/outputs/named/shell: .*/outputs/named/domain_mesh"):
            output_names(spec_with(domain_mesh="a.stl", shell=other))
