"""Whole jobs in a small world: whatever tools answer, a job comes to an end, and the end is honest."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.jobs.configs import load_config
from tests.agents.jobs.offline.world import World

ANSWERS = st.sampled_from(
    [
        "Fine.",
        "",
        "Error: it is broken",
        "Not run: the stage changed first.",
        '{"text": "The taxpayer must keep it.", "quote": "must keep it", "page": 3}',
        "CIT-001: “must keep it”\nok: " + "a" * 32,
        "[1, 2",
        "9" * 50,
    ]
)


@pytest.mark.parametrize("job_type", ["creator", "validator", "contracts"])
@settings(max_examples=15)
@given(data=st.data())
def test_every_job_ends_whatever_its_tools_answer(job_type: str, data: st.DataObject) -> None:
    def others(name: str, arguments: Mapping[str, Any]) -> str:
        return data.draw(ANSWERS, label=name)

    world = World(job_type, others=others).play()
    assert world.completion is not None, world.words
    assert world.completion["summary"]


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_job_without_rules_follows_its_instructions_and_admits_what_is_left(language: str) -> None:
    instructions = (
        load_config("defaults", language=language).instructions + "\n\n## Order\n\nFind the retention rules.\n"
    )
    snippet = '<data source="documents/a.pdf#page=2">\nRecords are kept for ten years.\n</data>'
    world = World(
        "research",
        language=language,
        others=lambda name, given: snippet if name == "web_search" else "Error: no",
        files={"instructions.md": instructions},
    ).play()
    assert world.completion is not None
    assert world.completion["deliverables"] == ["output/understanding.md", "output/result.md", "output/summary.md"]
    assert "documents/a.pdf#page=2: Records are kept for ten years." in world.files["output/result.md"]
    assert {given["query"] for name, given, _ in world.calls if name == "web_search"} == {"retention", "rules"}
    assert world.files["main_plan.md"].count("- [x] G") == 3


def test_a_damaged_plan_is_made_anew() -> None:
    world = World("research")
    lost = {"done": False}

    def others(name: str, arguments: Mapping[str, Any]) -> str:
        if not lost["done"] and world.number == 2:
            world.files["main_plan.md"] = "nothing of use"
            lost["done"] = True
        return "Fine."

    world.others = others
    world.play()
    assert world.completion is not None
    assert lost["done"]
