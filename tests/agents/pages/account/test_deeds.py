"""Each kind of deed holds where a section lets people do it, and not where only its name is there."""

from pathlib import Path

import pytest

from loopwright.agents.pages.account import ACCOUNT
from loopwright.agents.pages.account.deeds import deeds_in
from tests.agents.pages.account.apps import app, run_with
from tests.support.shared_browser import shared_browser

MARK = "onclick=\"this.setAttribute('aria-pressed', this.getAttribute('aria-pressed') !== 'true')\""
SHEET = (
    '<button type="button" onclick="sheet.showModal()">Add</button><dialog id="sheet"><form onsubmit="'
    'event.preventDefault(); sheet.close(); out.textContent = title.value"><label>Title <input id=title></label>'
    '<button>Save</button></form></dialog><p id="out">None</p>'
)
SIGNING = (
    '<form onsubmit="event.preventDefault(); by.textContent = who.value"><label>Signature <input id=who></label>'
    '<button>Sign</button></form><p id="by">Open</p>'
)
LIST = '<ul><li id="row">Otters</li><li>Badgers</li></ul>'

DEEDS: dict[str, tuple[str, str, str]] = {
    # verb: what lets people do it, and what is changed for it not to
    "choose": ("<label>Otters <select><option>One<option>Two</select></label>", "<option>Two", ""),
    "play": ('<button type="button" onclick="this.textContent = \'Pause\'">Play: Otters</button>', "onclick", "data-x"),
    "save": (f'<button type="button" {MARK}>Save: Otters</button>', "onclick", "data-x"),
    "drag": ('<ul><li draggable="true">Otters</li></ul>', 'draggable="true"', ""),
    "swipe": (
        f'<button type="button" {MARK}>Like</button><button type="button" {MARK}>Pass</button>',
        f'<button type="button" {MARK}>Pass</button>',
        "",
    ),
    "search": (f'{LIST}<input type=search aria-label=Search oninput="row.remove()">', "oninput", "data-x"),
    "tick": ("<label><input type=checkbox> Otters</label>", "type=checkbox", "type=text"),
    "edit": (SHEET.replace("Add", "Edit: Otters"), "sheet.showModal()", ""),
    "delete": (f'{LIST}<button type="button" onclick="row.remove()">Delete</button>', "row.remove()", ""),
    "track": (SHEET, "sheet.showModal()", ""),
    "record": (SHEET, "event.preventDefault(); sheet.close(); out.textContent = title.value", "event.preventDefault()"),
    "calculate": (
        '<label>Otters <input type="number" oninput="sum.value = 2 * this.value"></label><output id="sum">0</output>',
        "2 * this.value",
        "7",
    ),
    "hand over": (SIGNING, "by.textContent = who.value", ""),
    "borrow": (f'<button type="button" {MARK}>Borrow</button>', "Borrow", "Look"),
    "report": (SIGNING.replace("Sign", "Report"), "Report<", "Go<"),
    "links": ('<a href="https://example.org/otters">Otters</a>', "https://example.org/otters", "#"),
}
OTTERS = "<section><h2>Our otters</h2>{}</section>"


async def let(folder: Path, body: str, verb: str) -> bool:
    """Whether the account finds that the section lets people do it."""
    files = {path: text for path, text in app(OTTERS.format(body)).items() if "team" not in path}
    check = ACCOUNT.by_name["taking"]
    wanted = check.arguments.model_validate({"words": ["otters"], "done": [verb]})
    return (await check.measure(run_with(folder, files, shared_browser()), wanted)).holds


@pytest.mark.parametrize("verb", DEEDS)
async def test_a_deed_is_kept_where_it_was_done_and_not_where_its_effect_is_absent(verb: str, tmp_path: Path) -> None:
    body, part, instead = DEEDS[verb]
    assert part in body
    assert await let(tmp_path / "good", body, verb)
    assert not await let(tmp_path / "bad", body.replace(part, instead), verb)


@pytest.mark.parametrize(
    ("text", "deeds"),
    [
        ("visitors choose a floor", ["choose"]),
        ("tap an exhibit number to listen", ["tap", "listen"]),
        ("track rent", ["track"]),
        ("elevator maintenance log", []),
        ("vital signs", []),
        ("borrow checker", []),
        ("I would like something for the garden", []),
        ("open one to read its date", ["open"]),
        ("Messwerte erfassen", ["erfassen"]),
        ("les membres empruntent des outils", ["empruntent"]),
        ("los vecinos reservan parcelas", ["reservan"]),
        ("选择楼层", ["选择"]),
    ],
)
def test_a_word_is_a_deed_where_it_stands_as_a_verb(text: str, deeds: list[str]) -> None:
    assert [text[each.start : each.end] for each in deeds_in(text)] == deeds


async def test_a_word_in_a_row_of_labels_shows_nothing(tmp_path: Path) -> None:
    visible = ACCOUNT.by_name["visible"]
    wanted = visible.arguments.model_validate({"words": ["driver's", "name"], "values": []})
    bare = OTTERS.format("<p><span>Driver's name</span> <span>Notes</span></p>")
    shown = OTTERS.format("<dl><dt>Driver's name</dt><dd>Nora Lindahl</dd></dl>")
    found = [
        (await visible.measure(run_with(tmp_path / str(at), app(body), shared_browser()), wanted)).holds
        for at, body in enumerate((bare, shown))
    ]
    assert found == [False, True]


@pytest.mark.parametrize(
    ("said", "holds"),
    [
        ({"field": ["title"]}, True),
        ({"field": ["colour"]}, False),
        ({"field": ["title"], "of": ["otters"]}, True),
        ({"field": ["title"], "of": ["donations"]}, False),
    ],
)
async def test_a_form_behind_a_button_has_fields_too(said: dict[str, list[str]], holds: bool, tmp_path: Path) -> None:
    files = {path: text for path, text in app(OTTERS.format(SHEET)).items() if "team" not in path}
    check = ACCOUNT.by_name["field"]
    wanted = check.arguments.model_validate(said)
    assert (await check.measure(run_with(tmp_path, files, shared_browser()), wanted)).holds is holds
