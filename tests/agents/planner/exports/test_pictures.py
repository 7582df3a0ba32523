"""Pictures of a plan: what a browser is given, read as XML and as text."""

import re
from datetime import date, datetime
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.planner.contracts import Appointment, Schedule
from loopwright.agents.planner.exports import draw_png, files, write_html, write_svg
from loopwright.kernel.errors import InvalidInput
from tests.agents.planner.exports.plans import BERLIN, OUTLINE, SCHEDULE, block

SVG = "{http://www.w3.org/2000/svg}"
EXAM = Appointment(title="Exam <b>&", date=date(2027, 4, 9))


def bars(svg: str) -> list[str]:
    return [
        rect.findtext(f"{SVG}title")
        for rect in ET.fromstring(svg).iter(f"{SVG}rect")
        if rect.get("class", "").startswith("bar")
    ]


def test_the_chart_has_a_bar_for_each_occurrence_in_the_order_of_the_plan():
    assert bars(write_svg(OUTLINE, SCHEDULE)) == [
        "Read; a, b: \\ *chapter* 1: Thu 25 Mar 2027, 18:00–19:00",
        "Read; a, b: \\ *chapter* 1: Fri 26 Mar 2027, 18:00–18:30",
        "Speak with Ana: Tue 30 Mar 2027, 18:00–19:00",
        "Speak with Ana: Tue 6 Apr 2027, 23:00–01:00",
    ]


def test_bars_lie_where_their_time_lies():
    """A day later is a day further right; twice as long is twice as wide."""
    day = datetime(2027, 3, 22, 9, tzinfo=BERLIN)
    blocks = [block(3, "a", day, 600), block(3, "b", day.replace(day=23), 1_200)]
    rects = [
        (float(rect.get("x")), float(rect.get("width")))
        for rect in ET.fromstring(write_svg(OUTLINE, Schedule(timezone="Europe/Berlin", blocks=blocks))).iter(
            f"{SVG}rect"
        )
        if rect.get("class", "").startswith("bar")
    ]
    assert rects[1][0] - rects[0][0] == pytest.approx(900 / 7, abs=0.2)
    assert rects[1][1] == pytest.approx(2 * rects[0][1], abs=0.2)


def test_the_page_has_a_week_calendar_whose_blocks_lie_on_their_days():
    page = write_html(OUTLINE, SCHEDULE.model_copy(update={"appointments": [EXAM]}))
    assert re.findall(r"<h2>(.*?)</h2>", page) == ["Week 12 of 2027", "Week 13 of 2027", "Week 14 of 2027"]
    thursday = page.split("Thu 25 Mar</div>")[1].split('<div class="day">')[0]
    assert "18:00 Read; a, b" in thursday
    # Work past midnight is shown on both days.
    assert page.count("Speak with Ana, ") == 3
    assert '<div class="appointment">Exam &lt;b&gt;&amp;</div>' in page.split("<h2>")[-1].split("Fri 9 Apr")[1]


def test_nothing_is_loaded_from_anywhere_and_colours_follow_the_reader():
    for picture in (write_svg(OUTLINE, SCHEDULE), write_html(OUTLINE, SCHEDULE)):
        assert set(re.findall(r"https?://[^\"' ]*", picture)) == {"http://www.w3.org/2000/svg"}
        assert "prefers-color-scheme: dark" in picture
        assert "url(" not in picture.replace("background-image", "")
    assert "default-src &#x27;none&#x27;" in write_html(OUTLINE, SCHEDULE)


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=2, max_size=60))
def test_no_title_breaks_out_of_the_picture(title):
    hostile = block(3, title, datetime(2027, 3, 25, 18, tzinfo=BERLIN), 60)
    schedule = Schedule(timezone="Europe/Berlin", blocks=[hostile])
    svg = write_svg(OUTLINE, schedule)
    assert len(bars(svg)) == 1
    page = write_html(OUTLINE, schedule)
    plain = write_html(OUTLINE, Schedule(timezone="Europe/Berlin", blocks=[block(3, "plain", hostile.start, 60)]))
    assert page.count("<") == plain.count("<")
    assert page.count('"') == plain.count('"')


def test_an_empty_schedule_is_a_picture_too():
    assert bars(write_svg(OUTLINE, Schedule())) == []
    assert "<h2>" not in write_html(OUTLINE, Schedule())


def test_a_png_needs_a_browser(monkeypatch):
    monkeypatch.setattr(files, "find_browser", lambda: None)
    with pytest.raises(InvalidInput, match="drawn by a browser"):
        draw_png(write_svg(OUTLINE, SCHEDULE))
