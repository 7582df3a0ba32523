"""Working hours as people write them."""

from datetime import time
from time import thread_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.planner.schedule.hours import DEFAULT_HOURS, parse_hours
from loopwright.agents.planner.schedule.problem import Window
from loopwright.kernel.errors import InvalidInput

NAMES = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def shown(windows):
    """Windows in a few words: days with the same times, one after the other, stand together."""
    times = dict.fromkeys((window.weekday for window in windows), "")
    for window in windows:
        end = f"{window.end:%H:%M}" if window.end != time() else "24:00"
        times[window.weekday] += f" {window.start:%H:%M}–{end}"
    runs = [day for day in sorted(times) if times.get(day - 1) != times[day]]
    ends = [next(day for day in range(first, 8) if times.get(day + 1) != times[first]) for first in runs]
    names = [NAMES[a] if a == b else f"{NAMES[a]}–{NAMES[b]}" for a, b in zip(runs, ends, strict=True)]
    return ", ".join(name + times[first] for name, first in zip(names, runs, strict=True))


@pytest.mark.parametrize(
    ("text", "means"),
    [
        (DEFAULT_HOURS, "Mon–Fri 09:00–17:00"),
        ("Mon–Fri 18:00–21:00, no Sundays", "Mon–Fri 18:00–21:00"),
        ("no Sundays", "Mon–Sat 09:00–17:00"),
        ("Mon-Fri", "Mon–Fri 09:00–17:00"),
        ("weekday evenings", "Mon–Fri 18:00–21:00"),
        ("Tue and Sat 9-12 13-17", "Tue 09:00–12:00 13:00–17:00, Sat 09:00–12:00 13:00–17:00"),
        ("Mon-Tue 9-12, 13-17", "Mon–Tue 09:00–12:00 13:00–17:00"),
        ("Tuesdays and Thursdays from 7 to 9 pm", "Tue 19:00–21:00, Thu 19:00–21:00"),
        ("daily 6–8am", "Mon–Sun 06:00–08:00"),
        ("11-1pm", "Mon–Sun 11:00–13:00"),
        ("Mon-Fri 9 to 5", "Mon–Fri 09:00–17:00"),
        ("Saturday 12am-12pm", "Sat 00:00–12:00"),
        ("Fri 22:00-02:00", "Fri 22:00–24:00, Sat 00:00–02:00"),
        ("Sunday 22:00-02:00", "Mon 00:00–02:00, Sun 22:00–24:00"),
        ("Sat-Mon 10-12", "Mon 10:00–12:00, Sat–Sun 10:00–12:00"),
        ("18:00-21:00 on weekdays", "Mon–Fri 18:00–21:00"),
        ("every day 18.30-20.00 except Saturdays and Sundays", "Mon–Fri 18:30–20:00"),
        ("no Sat, Sun, Mon 8-10", "Mon 08:00–10:00"),
        ("evenings, weekends 9-12", "Mon–Fri 18:00–21:00, Sat–Sun 09:00–12:00 18:00–21:00"),
        ("24/7", "Mon–Sun 00:00–24:00"),
        ("Mon 9-11, Mon 10-12", "Mon 09:00–12:00"),
        ("Mon-Fri 18:00–21:00\nSat 10:00–12:00", "Mon–Fri 18:00–21:00, Sat 10:00–12:00"),
    ],
)
def test_what_people_write(text, means):
    assert shown(parse_hours(text)) == means


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("lunch", "not clear from 'lunch'"),
        ("weekdays after 6pm", "not clear from 'after 6pm'"),
        ("25-26", "not clear"),
        ("Mon 9-24:30", "no time 24:30"),
        ("13pm-14pm", "no 13pm"),
        ("9-9", "no length"),
        ("no evenings", "takes away"),
        ("no Sunday 8-10", "takes away"),
        ("", "no time"),
        ("Mon, no Mondays", "no time"),
        ("Mon " * 400, "longer than"),
        ("1" + " " * 990 + "x", "not clear"),
    ],
)
def test_what_is_not_clear_is_refused_with_an_example(text, why):
    begun = thread_time()
    with pytest.raises(InvalidInput, match=why) as refusal:
        parse_hours(text)
    assert "no Sundays" in refusal.value.hint
    assert thread_time() - begun < 1


quarters = st.integers(0, 95)


@st.composite
def weeks(draw):
    """Windows in order that do not touch."""
    found = []
    for day in range(7):
        ends = sorted(draw(st.sets(quarters | st.just(96), max_size=4)))
        for start, end in zip(ends[::2], ends[1::2], strict=False):
            found.append(Window(day, time(start // 4, start % 4 * 15), time(end // 4 % 24, end % 4 * 15)))
    return tuple(found)


@given(weeks().filter(bool))
def test_what_is_written_is_read_back(windows):
    assert parse_hours(shown(windows)) == windows
