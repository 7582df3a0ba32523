"""Real documents, and a design of 3,000 segments within seconds."""

import json
from pathlib import Path
from time import perf_counter

import numpy as np
import pytest

from loopwright.agents.designspec.validity.checking import check_design
from tests.agents.designspec.validity.foundry import found
from tests.agents.designspec.validity.workshop import MM, UP, Drawing, failed, make

FOLDER = Path(__file__).parents[5] / "shared" / "data" / "designspec"


def report_of(name: str):
    path = FOLDER / f"{name}.json"
    if not path.is_file():
        pytest.skip(f"{path.name} is not here")
    return check_design(found(json.loads(path.read_text())))


def test_nine_blind_channels() -> None:
    report = report_of("malaria_venule_vertical_channels")
    assert report.status == "ok"
    measured = {check.name: check.measured for check in report.checks}
    assert (measured["void_components"], measured["topology"], measured["sealed_cavities"]) == (9, 0, 0)


def test_a_body_without_any_void() -> None:
    report = report_of("malaria_venule_control_ridge_only")
    assert report.status == "ok"
    assert [check.name for check in report.checks if not check.skipped] == ["domain_watertight", "bounds"]


@pytest.mark.soak
@pytest.mark.parametrize(
    "name", ["malaria_venule_bifurcating_tree", "malaria_venule_space_colonization", "golden_example_v1"]
)
def test_a_grown_design_has_the_genus_that_its_graph_asks_for(name: str) -> None:
    report = report_of(name)
    assert report.success, failed(report)
    topology = next(check for check in report.checks if check.name == "topology")
    assert topology.measured == topology.required


def comb(columns: int, pieces: int) -> tuple[Drawing, float]:
    """Wavy channels from top to bottom, side by side, in so many pieces each; and their radius in mm."""
    side = int(np.ceil(np.sqrt(columns)))
    places, radius = np.linspace(-4.0, 4.0, side), min(0.5, 2.0 / side)
    nodes, edges, ports, directions = [], [], {}, {}
    for column in range(columns):
        first, wave = len(nodes), 0.1 * radius * np.sin(np.arange(pieces + 1) * np.pi / pieces * 8)
        x, y = places[column % side], places[column // side]
        nodes += [(x + wave[k], y, z) for k, z in enumerate(np.linspace(5, -5, pieces + 1))]
        edges += [(first + k, first + k + 1) for k in range(pieces)]
        ports |= {f"in_{column}": first, f"out_{column}": first + pieces}
        directions[f"out_{column}"] = UP
    return Drawing(nodes, edges, radius=radius, ports=ports, directions=directions), radius


def test_many_channels_pass_and_the_same_design_gives_the_same_report() -> None:
    drawing, radius = comb(4, 20)
    subject = make({"a": drawing}, {"resolution": {"min_channel_diameter": radius / 2}})
    report = check_design(subject)
    assert report.status == "ok", failed(report)
    assert report.model_dump_json() == check_design(subject).model_dump_json()


@pytest.mark.soak
def test_three_thousand_segments_are_checked_within_four_seconds() -> None:
    drawing, radius = comb(30, 100)
    subject = make({"a": drawing}, {"resolution": {"min_channel_diameter": radius / 2}})
    begin = perf_counter()
    report = check_design(subject)
    assert perf_counter() - begin < 4.0
    assert report.status == "ok", failed(report)
    assert next(check for check in report.checks if check.name == "topology").measured == 30
    assert all(check.location is None or max(map(abs, check.location)) < 6 * MM for check in report.checks)
