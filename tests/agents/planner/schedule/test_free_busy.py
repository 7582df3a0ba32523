"""Published busy times, and invitations that the calendar's owner has declined."""

from pathlib import Path

import pytest

from loopwright.kernel.errors import InvalidInput
from tests.agents.planner.schedule.test_busy_times import busy, raw, written

OWNER = "X-WR-CALNAME:me@example.org\n"
MEETING = "DTSTART:20270308T150000Z\nDURATION:PT1H\n"
TAKEN = ["08 10:00-08 11:00"]


def published(folder: Path, *lines: str) -> Path:
    """A calendar with one VFREEBUSY."""
    body = "".join(f"{line}\n" for line in lines)
    text = f"BEGIN:VFREEBUSY\nUID:1\nDTSTAMP:20270101T000000Z\n{body}END:VFREEBUSY\n"
    return raw(folder, f"BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:test\n{text}END:VCALENDAR\n")


@pytest.mark.parametrize(
    ("line", "times"),
    [
        ("FREEBUSY:20270308T150000Z/PT1H", TAKEN),
        ("FREEBUSY:20270308T150000Z/20270308T160000Z", TAKEN),
        ("FREEBUSY;FBTYPE=BUSY:20270308T150000Z/PT1H", TAKEN),
        ("FREEBUSY;FBTYPE=BUSY-UNAVAILABLE:20270308T150000Z/PT1H", TAKEN),
        ("FREEBUSY;FBTYPE=BUSY-TENTATIVE:20270308T150000Z/PT1H", TAKEN),
        ("FREEBUSY;FBTYPE=X-SOMETHING:20270308T150000Z/PT1H", TAKEN),
        ("FREEBUSY;FBTYPE=FREE:20270308T150000Z/PT1H", []),
        ("FREEBUSY:20270308T150000Z/PT1H,20270309T150000Z/PT30M", [*TAKEN, "09 10:00-09 10:30"]),
        ("FREEBUSY;TZID=Europe/Berlin:20270308T160000/PT1H", TAKEN),
        ("FREEBUSY:20270308T100000/PT1H", TAKEN),
        ("FREEBUSY:20260308T150000Z/PT1H", []),
    ],
)
def test_published_times_are_taken_but_for_the_free_ones(tmp_path: Path, line: str, times: list[str]) -> None:
    assert busy(published(tmp_path, line)) == times


@pytest.mark.parametrize("line", ["FREEBUSY:tomorrow", "FREEBUSY:20270308T15/PT1H"])
def test_a_period_that_cannot_be_read_is_refused(tmp_path: Path, line: str) -> None:
    with pytest.raises(InvalidInput):
        busy(published(tmp_path, line))


@pytest.mark.parametrize(
    ("attendees", "before", "times"),
    [
        ("ATTENDEE;PARTSTAT=DECLINED:mailto:me@example.org", OWNER, []),
        ("ATTENDEE;PARTSTAT=DECLINED:MAILTO:Me@Example.org", "X-OWNER:mailto:me@example.org\n", []),
        ("ATTENDEE;PARTSTAT=ACCEPTED:mailto:me@example.org", OWNER, TAKEN),
        ("ATTENDEE;PARTSTAT=DECLINED:mailto:you@example.org", OWNER, TAKEN),
        ("ATTENDEE;PARTSTAT=DECLINED:mailto:me@example.org", "", TAKEN),
        ("ATTENDEE;PARTSTAT=DECLINED:mailto:me@example.org", "X-WR-CALNAME:Work\n", TAKEN),
        (
            "ATTENDEE;PARTSTAT=ACCEPTED:mailto:you@example.org\nATTENDEE;PARTSTAT=DECLINED:mailto:me@example.org",
            OWNER,
            [],
        ),
    ],
)
def test_what_the_owner_has_declined_is_free(tmp_path: Path, attendees: str, before: str, times: list[str]) -> None:
    assert busy(written(tmp_path, MEETING + attendees, before=before)) == times
