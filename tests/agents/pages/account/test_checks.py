"""Each check holds of an app that keeps what was said, and of none of the apps in which it is otherwise."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.pages.account import ACCOUNT
from loopwright.agents.pages.account.pages import SHEET
from loopwright.kernel.account import Measured, NothingThereYet, NotMeasurable
from tests.agents.pages.account.apps import HOME, SHEET_TEXT, TEAM, app, page, run_with
from tests.support.shared_browser import shared_browser

Files = dict[str, str]
CLAIMS: dict[str, dict[str, Any]] = {
    "titled": {"name": "Otterbrook Clinic", "words": ["animals"]},
    "visible": {"words": ["opening", "hours"], "values": ["Tuesday", "Saturday", "9", "18"]},
    "taking": {"words": ["appointment"], "done": ["book"]},
    "kept_here": {"words": ["pet"], "each": ["each"]},
    "beside": {"words": ["first", "visit"], "values": ["45 euros"]},
    "entered": {"words": ["litres"], "choices": ["2 litres"]},
    "given_out": {"words": ["price"], "values": []},
    "follows": {"words": ["visits"]},
    "lives": {"words": ["closing"], "live": "live"},
    "field": {"field": ["pet"]},
    "ticked": {"each": True},
    "ground": {"relation": ">", "named": "light background"},
    "page": {"page": ["team"]},
    "pages": {"relation": "==", "count": 2, "about": ["animals"]},
    "colour": {"where": "main", "colour": "green"},
    "tone": {"tone": "cool", "named": "cool colours"},
    "absent": {"absent": ["newsletter"]},
    "renamed": {"old": "Make a date", "new": "Book now", "scope": "everywhere"},
    "language": {"language": "en", "named": "English"},
}
SEEN_ONLY = (
    "taking",
    "kept_here",
    "colour",
    "tone",
    "entered",
    "given_out",
    "follows",
    "lives",
    "field",
    "ticked",
    "ground",
)
OTHERWISE: dict[str, list[Files]] = {
    "titled": [
        app(HOME.replace("Otterbrook Clinic", "Otterbrook")),
        app(HOME.replace("animals", "people")),
        app(HOME.replace("<h1>", "<h1 hidden>").replace("<header>", "<header class=gone>")),
    ],
    "visible": [
        app(HOME.replace("Tuesday", "Wednesday")),
        app(HOME.replace("18:00", "20:00")),
        app(HOME.replace("<p>Tuesday", '<p class="gone">Tuesday')),
        app(HOME.replace("Opening hours", "Closed")),
        app(HOME.replace("<p>Tuesday to Saturday, 9:00 – 18:00</p>", "<!-- Tuesday to Saturday, 9:00 – 18:00 -->")),
        app(HOME.replace("<p>Tuesday to Saturday, 9:00 – 18:00</p>", "<p>Tuesday, 9:00</p>")),
    ],
    "taking": [
        app(HOME.replace("<form>", '<form class="gone">')),
        app(HOME.replace('<input name="pet">', "")),
        app(HOME.replace("<button>Book now</button>", "")),
        app(HOME.replace("Book an appointment", "Our visits").replace("Book now", "Add")),
        app(HOME[: HOME.index("<form>")] + "</section><p>Book an appointment</p></main>"),
        {**app(), "pages/index.html": page("Otterbrook Clinic", HOME, script="")},
    ],
    "kept_here": [
        app(HOME.replace("<form>", '<form class="gone">')),
        app(HOME.replace("pet", "name").replace("Pet", "Name")),
        {**app(), "pages/index.html": page("Otterbrook Clinic", HOME, script="")},
    ],
    "beside": [
        app(HOME.replace("45 euros", "54 euros")),
        app(HOME.replace("First", "Other").replace("Second", "First")),
        app(HOME.replace("First visit", "Operation")),
        app(HOME.replace("<tr><td>First visit</td>", "<tr class=gone><td>First visit</td>")),
    ],
    "entered": [
        app(HOME.replace("<option>2 litres", "<option>3 litres")),
        app(HOME.replace("parseInt(litres.value)", "1")),
        app(HOME.replace("<select", "<select hidden")),
        app(HOME.replace('oninput="', 'data-oninput="')),
    ],
    "given_out": [
        app(HOME.replace("Price of the food", "Result")),
        app(HOME.replace("<output", "<output class=gone")),
        app(HOME.replace('oninput="', 'data-oninput="')),
        app(HOME.replace("sum.value =", "sum.title =")),
    ],
    "follows": [
        app(HOME.replace('id="booked"', 'id="closed"')),
        app(HOME.replace("visits are booked", "dogs are booked")),
        app(HOME.replace("<button>Book now</button>", "")),
    ],
    "lives": [
        app(HOME.replace('id="closing"', 'id="closed"')),
        app(HOME.replace('<p><b id="closing">', '<p class="gone"><b id="closing">')),
        app(HOME.replace("until closing", "until noon")),
    ],
    "field": [
        app(HOME.replace('Pet <input name="pet">', 'Pet <input type="hidden" name="pet">')),
        app(HOME.replace("<label>Pet", "<label>Name")),
        {**app(), "pages/index.html": page("Otterbrook Clinic", HOME, script="")},
    ],
    "ticked": [
        app(HOME.replace('<li><label><input type="checkbox"> Leash</label></li>', "<li>Leash</li>")),
        app(HOME.replace('type="checkbox"> Leash', 'type="checkbox" onclick="return false"> Leash')),
        app(HOME.replace('<input type="checkbox">', "")),
    ],
    "ground": [
        app(sheet=SHEET_TEXT.replace("background: #ffffff", "background: #14181d")),
        app(sheet=SHEET_TEXT.replace("background: #ffffff", "background: #555555")),
    ],
    "page": [
        {**app(), "pages/team.html": page("People", TEAM.replace("Our team", "People"))},
        {path: text.replace('href="team.html"', 'href="#"') for path, text in app().items()},
        {**app(), "pages/team.html": page("Team", "<header><h1>Team</h1></header>")},
    ],
    "pages": [
        app(more=page("More", TEAM)),
        app(HOME.replace("animals", "people")),
        {path: text for path, text in app().items() if "team" not in path},
        {path: text.replace('href="team.html"', 'href="#"') for path, text in app().items()},
    ],
    "colour": [
        app(sheet=SHEET_TEXT.replace("#1b7f3b", "#1b3b7f")),
        app(sheet=SHEET_TEXT.replace("#1b7f3b", "#d9efe0")),
        app(sheet=SHEET_TEXT.replace("background: #1b7f3b", "--unused: #1b7f3b")),
    ],
    "tone": [app(sheet=SHEET_TEXT.replace("#1b7f3b", "#9c4a1a")), app(sheet=SHEET_TEXT.replace("#1b7f3b", "#999"))],
    "absent": [
        app(HOME + "<p>Our newsletter</p>"),
        app(HOME + '<form><input placeholder="Newsletter: your address"><button>Go</button></form>'),
        app(team=TEAM + "<h2>Newsletters</h2>"),
    ],
    "renamed": [
        app(HOME.replace("Book now", "Make a date")),
        app(team=TEAM + "<p>Make a date</p>"),
        app(HOME.replace("Book now", "Book")),
    ],
    "language": [
        {**app(), "pages/team.html": page("Team", TEAM, lang="de")},
        app(TEAM.replace("Meet the people who care for you in this clinic", "Die Leute der Klinik und das Haus")),
    ],
}


async def measured(folder: Path, files: Files, check: str, browser: Any, said: str = "") -> Measured:
    found = ACCOUNT.by_name[check]
    run = run_with(folder, files, browser, [said] if said else [])
    return await found.measure(run, found.arguments.model_validate(CLAIMS[check]))


def test_every_check_has_results_in_which_it_is_false() -> None:
    compared = {"changed", "undone"}  # they compare two states, see test_effects.py and test_change_app.py
    assert set(OTHERWISE) == set(CLAIMS) == set(ACCOUNT.by_name) - compared


@pytest.mark.parametrize("check", CLAIMS)
async def test_a_check_holds_of_what_is_so(check: str, tmp_path: Path) -> None:
    found = await measured(tmp_path, app(), check, shared_browser())
    assert found.holds, found.value
    assert found.digest


@pytest.mark.parametrize(
    ("check", "files"),
    [
        pytest.param(check, files, id=f"{check}-{number}")
        for check, all_files in OTHERWISE.items()
        for number, files in enumerate(all_files)
    ],
)
async def test_a_check_does_not_hold_of_what_is_otherwise(check: str, files: Files, tmp_path: Path) -> None:
    found = await measured(tmp_path, files, check, shared_browser())
    assert not found.holds, found.value


@pytest.mark.parametrize("check", [check for check in CLAIMS if check not in SEEN_ONLY])
async def test_without_a_browser_the_saved_files_are_read(check: str, tmp_path: Path) -> None:
    good, bad = tmp_path / "good", tmp_path / "bad"
    found = await measured(good, app(), check, None)
    assert (found.holds, found.where) == (True, "read from the saved files, scripts not run"), found.value
    for number, files in enumerate(OTHERWISE[check]):
        assert not (await measured(bad / str(number), files, check, None)).holds


@pytest.mark.parametrize("check", SEEN_ONLY)
async def test_what_only_a_browser_shows_is_not_measured_without_one(check: str, tmp_path: Path) -> None:
    with pytest.raises(NotMeasurable, match="browser"):
        await measured(tmp_path, app(), check, None)


async def test_there_is_nothing_before_the_first_page(tmp_path: Path) -> None:
    with pytest.raises(NothingThereYet):
        await measured(tmp_path, {}, "titled", None)


async def test_a_page_that_repeats_the_sentence_of_the_user_shows_nothing(tmp_path: Path) -> None:
    said = "People see the opening hours of the clinic on Tuesday and Saturday from 9 to 18"
    files = app(HOME.replace("<p>Tuesday to Saturday, 9:00 – 18:00</p>", "").replace("Care for the animals", said))
    plain = await measured(tmp_path, files, "visible", None)
    echoed = await measured(tmp_path, files, "visible", None, said)
    assert (plain.holds, echoed.holds) == (True, False)


@pytest.mark.parametrize(
    ("change", "holds"),
    [
        (lambda html: html.replace("</body>", "<script>document.querySelector('h2').remove()</script></body>"), False),
        (lambda html: html, True),
    ],
)
async def test_what_a_script_takes_away_is_not_seen(change: Callable[[str], str], holds: bool, tmp_path: Path) -> None:
    files = app()
    files["pages/index.html"] = change(files["pages/index.html"])
    assert (await measured(tmp_path, files, "visible", shared_browser())).holds is holds


@pytest.mark.parametrize(
    ("shown", "holds"),
    [
        ("<h2>Shopping list</h2>", True),
        ('<a href="team.html">Shopping list</a>', True),
        ('<a href="#">Shopping list</a>', False),
        ("<button>Shopping list</button>", False),
    ],
)
async def test_the_name_of_a_control_with_nothing_behind_it_shows_nothing(
    shown: str, holds: bool, tmp_path: Path
) -> None:
    found = ACCOUNT.by_name["visible"]
    run = run_with(tmp_path, app(HOME + shown))
    wanted = found.arguments.model_validate({"words": ["shopping", "list"], "values": []})
    assert (await found.measure(run, wanted)).holds is holds


async def test_words_count_under_the_heading_of_their_section(tmp_path: Path) -> None:
    body = "<main><section><h2>Loans</h2><article><h3>Tables</h3><p>at the depot</p></article></section></main>"
    found = ACCOUNT.by_name["visible"]
    run = run_with(tmp_path, {SHEET: "", "pages/index.html": page("Club", body)}, shared_browser())
    for words, holds in ((["loans", "tables"], True), (["loans", "benches"], False)):
        assert (await found.measure(run, found.arguments.model_validate({"words": words, "values": []}))).holds is holds


@pytest.mark.parametrize(("title", "holds"), [("Weather", True), ("Whether", False)])
async def test_an_app_is_named_without_the_word_app(title: str, holds: bool, tmp_path: Path) -> None:
    found = ACCOUNT.by_name["visible"]
    files = {SHEET: "", "pages/index.html": page(title, f"<header><h1>{title}</h1></header>")}
    run = run_with(tmp_path, files, shared_browser())
    said = found.arguments.model_validate({"words": [], "values": ["Weather App"]})
    assert (await found.measure(run, said)).holds is holds
