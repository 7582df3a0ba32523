"""Tables and project files, read back."""

import csv
import io
import shutil
import subprocess
from datetime import date, timedelta
from xml.etree import ElementTree as ET

import pytest

from loopwright.agents.planner.contracts import Appointment, Schedule
from loopwright.agents.planner.exports import write_csv, write_mspdi, write_taskjuggler
from tests.agents.planner.exports.plans import OUTLINE, SCHEDULE, block

NS = {"p": "http://schemas.microsoft.com/project"}
WITH_EXAM = SCHEDULE.model_copy(update={"appointments": [Appointment(title='The "exam"', date=date(2027, 4, 9))]})
ORDER = [
    "UID",
    "ID",
    "Name",
    "Type",
    "OutlineLevel",
    "Start",
    "Finish",
    "Duration",
    "DurationFormat",
    "Milestone",
    "Summary",
    "ConstraintType",
    "CalendarUID",
    "ConstraintDate",
    "PredecessorLink",
]
"""As mspdi_pj12.xsd has them."""


def test_the_table_has_a_row_for_each_time_in_order():
    rows = list(csv.DictReader(io.StringIO(write_csv(OUTLINE, WITH_EXAM))))
    assert [(row["date"], row["start"], row["end"], row["minutes"]) for row in rows] == [
        ("2027-03-25", "18:00", "19:00", "60"),
        ("2027-03-26", "18:00", "18:30", "30"),
        ("2027-03-30", "18:00", "19:00", "60"),
        ("2027-04-06", "23:00", "01:00", "120"),
        ("2027-04-09", "", "", ""),
    ]
    assert rows[0]["notes"] == "Line one\nline, two"
    assert rows[0]["part"] == "Basics"
    assert rows[0]["starts_at"] == "2027-03-25T18:00:00+01:00"


def test_a_title_is_no_formula():
    schedule = Schedule(timezone="Europe/Berlin", blocks=[block(3, "=1+1", SCHEDULE.blocks[0].start, 30)])
    (row,) = csv.DictReader(io.StringIO(write_csv(OUTLINE, schedule)))
    assert row["title"] == "'=1+1"


def tasks(text: str) -> list[dict[str, str]]:
    root = ET.fromstring(text)
    return [{child.tag.partition("}")[2]: child.text for child in task} for task in root.findall("p:Tasks/p:Task", NS)]


def test_project_gets_the_times_as_they_are():
    found = tasks(write_mspdi(OUTLINE, WITH_EXAM))
    times = [(task["Name"], task["Start"][5:16], task["Duration"]) for task in found if task["Summary"] == "0"]
    assert times == [
        ("Read; a, b: \\ *chapter* 1 (1)", "03-25T18:00", "PT1H0M0S"),
        ("Read; a, b: \\ *chapter* 1 (2)", "03-26T18:00", "PT0H30M0S"),
        ("Speak with Ana (1)", "03-30T18:00", "PT1H0M0S"),
        ("Speak with Ana (2)", "04-06T23:00", "PT2H0M0S"),
        ('The "exam"', "04-09T00:00", "PT0H0M0S"),
    ]
    assert all(task["ConstraintDate"] == task["Start"] for task in found if task["Summary"] == "0")
    assert [task["OutlineLevel"] for task in found] == ["1", "2", "3", "3", "1", "2", "3", "3", "1"]
    assert len({task["UID"] for task in found}) == len(found)
    for task in found:
        assert list(task) == [name for name in ORDER if name in task]


def test_links_that_the_times_keep_are_links_and_others_are_not():
    link = "p:Tasks/p:Task/p:PredecessorLink/p:PredecessorUID"
    kept = ET.fromstring(write_mspdi(OUTLINE, SCHEDULE)).findall(link, NS)
    by_name = {task["UID"]: task["Name"] for task in tasks(write_mspdi(OUTLINE, SCHEDULE))}
    assert [by_name[each.text] for each in kept] == ["Read; a, b: \\ *chapter* 1"]
    early = block(5, "Speak with Ana", SCHEDULE.blocks[1].start - timedelta(days=3), 60)
    before = SCHEDULE.model_copy(update={"blocks": [early, *SCHEDULE.blocks[1:3]]})
    assert ET.fromstring(write_mspdi(OUTLINE, before)).findall(link, NS) == []
    assert "depends" in write_taskjuggler(OUTLINE, SCHEDULE)
    assert "depends" not in write_taskjuggler(OUTLINE, before)


@pytest.mark.parametrize("title", ['a "b" \\', "${macro} $(HOME)", "x\ny", "# no comment", "日本語"])
def test_taskjuggler_schedules_the_plan_as_it_is(tmp_path, title):
    program = shutil.which("tj3")
    if program is None:
        pytest.skip("TaskJuggler (tj3) is not installed")
    schedule = WITH_EXAM.model_copy(
        update={"blocks": [*SCHEDULE.blocks, block(6, title, SCHEDULE.blocks[1].start, 45)]}
    )
    nodes = [node.model_copy(update={"title": title}) if node.id.int == 6 else node for node in OUTLINE.nodes]
    text = write_taskjuggler(OUTLINE.model_copy(update={"nodes": nodes}), schedule)
    (tmp_path / "plan.tjp").write_text(text)
    done = subprocess.run([program, "--silent", "plan.tjp"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(io.StringIO((tmp_path / "plan.csv").read_text(encoding="utf-8")), delimiter=";"))
    times = {(row["Start"], row["End"]) for row in rows}
    assert {("2027-03-25 18:00", "2027-03-25 19:00"), ("2027-04-06 23:00", "2027-04-07 01:00")} <= times
    assert len(rows) == 10
