"""Exports into a folder."""

import json
from pathlib import Path

import pytest

from loopwright.agents.planner.contracts import PlanOutline, Roadmap, Schedule
from loopwright.agents.planner.exports import FORMATS, export_plan
from loopwright.kernel.errors import InvalidInput
from tests.agents.planner.exports.plans import OUTLINE, ROADMAP, SCHEDULE


def test_every_format_has_its_file(tmp_path):
    written = export_plan(tmp_path / "a" / "plan", OUTLINE, ROADMAP, SCHEDULE)
    assert {name: path.rsplit("/", 1)[1] for name, path in written.items()} == {
        "ics": "plan.ics",
        "markdown": "plan.md",
        "gantt": "plan.mmd",
        "json": "plan.json",
        "html": "plan.html",
        "svg": "plan.svg",
    }
    assert sorted(path.name for path in (tmp_path / "a" / "plan").iterdir()) == [
        "plan.html",
        "plan.ics",
        "plan.json",
        "plan.md",
        "plan.mmd",
        "plan.svg",
    ]


def test_the_json_is_the_contracts(tmp_path):
    path = export_plan(tmp_path, OUTLINE, ROADMAP, SCHEDULE, ["json"])["json"]
    with open(path, encoding="utf-8") as file:
        plan = json.load(file)
    assert (plan["format"], plan["version"]) == ("loopwright-plan", 1)
    assert PlanOutline.model_validate(plan["outline"]) == OUTLINE
    assert Roadmap.model_validate(plan["roadmap"]) == ROADMAP
    assert Schedule.model_validate(plan["schedule"]) == SCHEDULE


def test_the_same_plan_gives_the_same_bytes_and_an_old_file_is_replaced(tmp_path):
    first = {path: Path(path).read_bytes() for path in export_plan(tmp_path, OUTLINE, ROADMAP, SCHEDULE).values()}
    (tmp_path / "plan.md").write_text("old")
    second = {path: Path(path).read_bytes() for path in export_plan(tmp_path, OUTLINE, ROADMAP, SCHEDULE).values()}
    assert first == second


def test_a_plan_without_dates_is_written_where_that_makes_sense(tmp_path):
    assert set(export_plan(tmp_path, OUTLINE, formats=["markdown", "json"])) == {"markdown", "json"}
    for name in ("ics", "gantt", "svg", "csv"):
        with pytest.raises(InvalidInput, match="needs a schedule"):
            export_plan(tmp_path, OUTLINE, formats=[name])


def test_nothing_is_written_when_one_format_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match="no export format 'pdf'") as refusal:
        export_plan(tmp_path / "new", OUTLINE, ROADMAP, SCHEDULE, ["json", "pdf"])
    assert ", ".join(FORMATS) in refusal.value.hint
    with pytest.raises(InvalidInput, match="no time zone"):
        export_plan(tmp_path / "new", OUTLINE, ROADMAP, SCHEDULE.model_copy(update={"timezone": "Mars/Olympus"}))
    assert not (tmp_path / "new").exists()


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInput, match="cannot be written"):
        export_plan(tmp_path / "file" / "folder", OUTLINE, ROADMAP, SCHEDULE)
