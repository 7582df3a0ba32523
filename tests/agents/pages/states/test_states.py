"""Generated apps in every state that their scripts reach, on every weekday, in light and dark: text stays readable."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from loopwright.agents.pages.compliance import validate_page
from tests.agents.pages.briefs.building import build_app
from tests.agents.pages.briefs.expectations import Brief, briefs
from tests.agents.pages.compliance.contrast.test_states import PAIRED, ROW_OF_TODAY, WRITERS, page
from tests.agents.pages.states.driving import faint_texts
from tests.support.clock import WEEK

SAMPLE = ("home-workout", "marathon", "barber", "japan", "agency-board")
"""Apps whose pages depend on the day, with rows of today, diaries and calendars."""
ODD_DAYS = tuple(
    datetime.fromisoformat(f"{moment}+01:00")
    for moment in (
        "2026-12-31T23:59:30",
        "2027-01-01T00:00",
        "2028-02-29T12:00",
        "2027-06-06T06:30",
        "2028-02-29T23:50",
    )
)
"""The turn of the year, the leap day, an early morning and a late evening."""


@pytest.mark.browser
@pytest.mark.parametrize(
    "brief",
    [pytest.param(each, id=each.id, marks=() if each.id in SAMPLE else pytest.mark.soak) for each in briefs()],
)
async def test_text_stands_out_in_every_state_of_an_app(brief: Brief, tmp_path: Path) -> None:
    """Buttons, tabs, boxes, dialogs and forms are tapped; then each weekday is today, and some odd days are."""
    app = await build_app(brief.brief, tmp_path)

    found = await faint_texts(app.folder, app.slugs, (*WEEK, *ODD_DAYS))

    assert not found, "\n" + "\n".join(found)


FADING = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Week</title><style>
:root { --bg: #fff; --text: #111 } :root[data-mode="dark"] { --bg: #111; --text: #eee; color-scheme: dark }
body { background: var(--bg); color: var(--text) } p.is-today { background: #222; color: #333 }
button { background: #fff; color: #111 } button[aria-pressed="true"] { background: var(--bg) } .done { color: #777 }
dialog { background: #fff; color: #111 }
</style></head><body><main><h1>Week</h1><div id="week"></div>
<button id="keep" aria-pressed="false">Keep</button><button id="open">Open</button>
<dialog id="sheet"><p>Sure?</p><button id="yes">Yes</button></dialog><p id="done" class="done" hidden>Thank you</p>
<form id="form"><label>Name <input id="name"></label><button type="submit">Send</button></form><p id="sent"></p>
</main><script>
const $ = (id) => document.getElementById(id), today = (new Date().getDay() + 6) % 7;
$("week").innerHTML = "Mo Tu We Th Fr Sa Su".split(" ").map((day, at) =>
  `<p class="${at === today && at === 6 ? "is-today" : ""}">${day}</p>`).join("");
$("keep").onclick = () => $("keep").setAttribute("aria-pressed", "true");
$("open").onclick = () => $("sheet").showModal();
$("yes").onclick = () => { $("sheet").close(); $("done").hidden = false; };
$("form").onsubmit = (event) => { event.preventDefault(); if ($("name").value) { $("sent").outerHTML =
  '<p style="color: #bbb">Sent</p>'; } };
</script></body></html>"""


@pytest.mark.browser
async def test_faint_text_is_found_behind_taps_forms_dialogs_and_days(tmp_path: Path) -> None:
    """The drive itself can fail: faint only on Sunday, once pressed, after a dialog, once sent, in one scheme."""
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "index.html").write_text(FADING, encoding="utf-8")

    found = "\n".join(await faint_texts(tmp_path, ["index"], WEEK))

    assert "Sun 22 Nov 14:07: index, light: .is-today: " in found
    assert "Sat" not in found
    assert "dark: #keep: " in found
    assert "light: #keep: " not in found
    assert "light: #done: " in found
    assert "#bbbbbb" in found


@pytest.mark.browser
async def test_the_static_rule_says_what_chromium_shows(tmp_path: Path) -> None:
    """Rows that scripts write in six ways: found faint by both, or by neither once the rules set both colours."""
    days = 'const now = 0, days = [{ name: "Monday", isToday: true, plan: "" }];'
    (tmp_path / "pages").mkdir()
    for kind, css in (("faint", ROW_OF_TODAY), ("paired", PAIRED)):
        for number, script in enumerate(WRITERS):
            html = page(css, '<ul id="days"></ul>', days + script)
            is_faint = any(issue.rule == "state-contrast" for issue in validate_page(html).issues)
            assert is_faint == (kind == "faint"), script
            (tmp_path / "pages" / f"{kind}-{number}.html").write_text(html, encoding="utf-8")
    slugs = sorted(path.stem for path in (tmp_path / "pages").iterdir())

    found = await faint_texts(tmp_path, slugs, WEEK[:1])

    assert {text.split(": ")[1].partition(",")[0] for text in found} == {f"faint-{n}" for n in range(len(WRITERS))}


def test_the_days_have_each_weekday() -> None:
    assert {day.weekday() for day in WEEK} == set(range(7))
    assert ODD_DAYS[1] - ODD_DAYS[0] < timedelta(minutes=1)
