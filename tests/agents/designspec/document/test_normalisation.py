"""Lengths become metres, all of them, once, and exactly."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.designspec.document import METRES, check_document
from loopwright.agents.designspec.document.backends import BACKEND_PARAMETERS, Dimension
from loopwright.agents.designspec.document.checking import normalise
from loopwright.agents.designspec.document.domains import lookup
from loopwright.agents.designspec.document.validation import EXPONENTS, fields_of, to_metres
from tests.agents.designspec.document.documents import IN_MILLIMETRES, REAL, in_metres, put, real, tree


def test_every_kind_of_length() -> None:
    """Also those in dicts, in mixtures, in domains within domains, in overrides, and volumes."""
    document = tree()
    before = copy.deepcopy(document)
    report = check_document(document)
    assert report.ok, report.issues
    assert document == before  # a second check finds the same
    spec = report.spec
    assert spec is not None
    growth, sampling = spec.policies.growth, spec.policies.tissue_sampling
    assert spec.policies.resolution.min_channel_diameter == 2e-4
    assert growth.backend_params == {"step_length": 1.7e-3, "collision_online": {"buffer_abs_m": 3e-5}}
    assert growth.max_segment_length == 2e-3  # a default, which is in metres already
    assert spec.policies.repair.min_component_volume == 1e-12
    assert spec.policies.composition.merge_policy == {"voxel_pitch": 7e-5}
    assert sampling.mixture_components[0]["policy"]["exclude_spheres"] == [
        {"center": (0.0, 0.0, 1.1e-3), "radius": 7e-4}
    ]
    other = spec.domains["other"]
    assert other.type == "composite"
    moved = other.children[1]
    assert not isinstance(moved, str)
    assert moved.type == "transform"
    assert moved.matrix == ((1, 0, 0, 4.7e-3), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))
    component = spec.components[0]
    assert component.ports.inlets[0].direction == (0, 0, -1)
    assert component.build.backend_params == {"spread": 9e-4}
    assert component.policies == {"collision": {"collision_clearance": 1.1e-4}}
    assert spec.meta.input_units == "mm"
    assert "/components/0/ports/inlets/0/radius" in report.scaled
    assert "/domains/other/children/1/matrix/3/3" not in report.scaled


@pytest.mark.parametrize("source", [*REAL, IN_MILLIMETRES, "tree"])
@pytest.mark.parametrize("units", ["cm", "mm", "um"])
def test_units_make_no_difference(source: str, units: str) -> None:
    """The same design in any units has the same values and the same hash."""
    original = tree() if source == "tree" else real(source)
    metres = in_metres(original)
    metres["policies"].get("resolution", {}).pop("input_units", None)
    other = copy.deepcopy(metres)
    for pointer, power in normalise(metres).lengths.items():
        put(other, pointer, to_metres(lookup(metres, pointer), -EXPONENTS[units] * power))
    other["meta"]["input_units"] = units
    first, second = check_document(metres), check_document(other)
    assert first.ok
    assert first.spec_hash == second.spec_hash
    assert first.spec is not None
    assert second.spec is not None
    assert first.spec.domains == second.spec.domains
    assert first.spec.components == second.spec.components
    assert first.spec_hash == check_document(original).spec_hash


@given(
    number=st.floats(min_value=1e-9, max_value=1e9) | st.integers(-(10**15), 10**15),
    units=st.sampled_from(sorted(METRES)),
    power=st.sampled_from([1, 3]),
)
def test_scaling_is_undone_exactly(number: float, units: str, power: int) -> None:
    """There and back is the same number up to the last digit that a float has; the value is right to 1e-15."""
    exponent = EXPONENTS[units] * power
    metres = to_metres(number, exponent)
    assert metres == pytest.approx(number * METRES[units] ** power, rel=1e-14)
    assert to_metres(metres, -exponent) == pytest.approx(number, rel=1e-15)


@given(digits=st.integers(1, 10**12), places=st.integers(0, 9))
def test_short_decimals_come_out_as_if_written_in_metres(digits: int, places: int) -> None:
    """0.3 mm are the float 0.0003, not 0.3 * 0.001 which is another one."""
    written = float(f"{digits}e-{places}")
    assert to_metres(written, -3) == float(f"{digits}e-{places + 3}")
    assert to_metres(0.3, -3) == 0.0003


def test_units_said_twice_must_agree() -> None:
    agreeing = tree(**{"policies.resolution.input_units": "mm"})
    assert check_document(agreeing).spec_hash == check_document(tree()).spec_hash
    report = check_document(tree(**{"policies.resolution.input_units": "m"}))
    assert [(issue.code, issue.pointer) for issue in report.errors] == [
        ("UNITS_CONFLICT", "/policies/resolution/input_units")
    ]


def test_units_said_in_the_resolution_only() -> None:
    document = tree(**{"policies.resolution.input_units": "mm", "meta.input_units": None})
    report = check_document(document)
    assert report.input_units == "mm"
    assert report.spec_hash == check_document(tree()).spec_hash
    assert [issue.code for issue in report.warnings if issue.pointer == "/meta/input_units"] == ["MISSING_UNITS"]


@pytest.mark.parametrize("value", ["0.0006", "0.6 mm", True, [0.6]])
def test_a_length_is_a_number(value: Any) -> None:
    """A text that looks like a number would not have been scaled."""
    report = check_document(tree(**{"components.0.ports.inlets.0.radius": value}))
    assert [(issue.code, issue.pointer) for issue in report.errors] == [
        ("INVALID_VALUE", "/components/0/ports/inlets/0/radius")
    ]


def test_backends_agree_on_what_a_name_measures() -> None:
    """Parameters are scaled by their names, before it is settled which backend will have them."""
    measures: dict[str, bool] = {}
    for model in BACKEND_PARAMETERS.values():
        for name, info in fields_of(model).items():
            length = "Dimension" in repr(info.annotation) or any(isinstance(each, Dimension) for each in info.metadata)
            assert measures.setdefault(name, length) == length, name
    assert measures["min_radius"]
    assert not measures["levels"]
