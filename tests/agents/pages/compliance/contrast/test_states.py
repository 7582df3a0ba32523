"""Text stands out in every state that scripts and taps bring about: what loads well and turns faint later is found."""

import time

import pytest

from loopwright.agents.pages.compliance import validate_page
from loopwright.agents.pages.compliance.javascript.variants import written_markup
from loopwright.agents.pages.compliance.page import Issue

HEAD = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Plan</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>
:root { --bg: #fff; --text: #111; --brand: #6d28d9; color-scheme: light }
body { margin: 0; background: var(--bg); color: var(--text) }
"""
DARK = ':root[data-mode="dark"] { --bg: #111; --text: #eee; color-scheme: dark }'
ROW_OF_TODAY = """
.day { background: #f2f2f5; color: #222 }
.day.today { background: var(--brand); color: #fff }
.day.rest { background: transparent }
"""
PAIRED = """
.day { background: #f2f2f5; color: #222 }
.day.rest { background: transparent; color: var(--text) }
.day.today { background: var(--brand); color: #fff }
"""
SUM = """document.getElementById("days").innerHTML = days.map(function (day, at) {
  return '<li class="day' + (at === now ? " today" : "") + (day.plan ? "" : " rest") + '"><b>' + day.name + "</b></li>";
}).join("");"""
TEMPLATE = """const list = document.querySelector("#days");
const row = (day) => `<li class="day ${day.isToday ? "today" : ""} ${day.plan ? "" : "rest"}"><b>${day.name}</b></li>`;
list.innerHTML = days.map(row).join("");"""
ADDED = """let html = "";
for (const day of days) {
  let names = "day";
  if (day.isToday) names += " today";
  if (!day.plan) { names += " rest"; }
  html += `<li class="${names}"><b>${day.name}</b></li>`;
}
document.querySelector("#days").innerHTML = html;"""
MADE = """const list = document.getElementById("days");
days.forEach((day) => {
  const row = document.createElement("li");
  row.className = "day";
  if (day.isToday) row.classList.add("today");
  row.classList.toggle("rest", !day.plan);
  row.innerHTML = `<b>${day.name}</b>`;
  list.appendChild(row);
});"""
LISTED = """const names = (day) => ["day", day.isToday && "today", !day.plan && "rest"].filter(Boolean).join(" ");
document.querySelector("#days").innerHTML = days.map((day) => `<li class="${names(day)}">${day.name}</li>`).join("");"""
OWN = """function render(place, html) { document.querySelector(place).innerHTML = html; }
function row(day) {
  const names = "day" + (day.isToday ? " today" : "") + (day.plan ? "" : " rest");
  return '<li class="' + names + '">' + day.name + "</li>";
}
render("#days", days.map(row).join(""));"""

WRITERS = (SUM, TEMPLATE, ADDED, MADE, LISTED, OWN)
"""The same rows written in six ways."""


def page(css: str, body: str, script: str) -> str:
    return f"{HEAD}{css}</style></head><body><main><h1>Plan</h1>{body}</main><script>{script}</script></body></html>"


def faint(css: str, body: str, script: str = "") -> list[Issue]:
    """What is said of states; nothing may be said of the page as it loads."""
    issues = validate_page(page(css, body, script)).issues
    assert not [issue for issue in issues if issue.rule == "contrast"]
    return [issue for issue in issues if issue.rule == "state-contrast"]


@pytest.mark.parametrize("script", WRITERS)
def test_two_states_that_a_script_writes_together_are_seen_together(script: str) -> None:
    """The row of today on a day of rest: white of the one state on the ground of the other."""
    found = faint(ROW_OF_TODAY, '<ul id="days"></ul>', script)
    assert found, script
    assert all(issue.selector and "li.day.today.rest" in issue.selector for issue in found)
    assert {issue.severity for issue in found} == {"error"}
    assert found[0].measured == "1.00:1"
    assert not faint(PAIRED, '<ul id="days"></ul>', script)


def test_a_state_that_sets_one_colour_only_in_the_other_scheme_is_found() -> None:
    css = (
        f"{DARK} .tab[aria-selected=true] {{ background: #ffe }} .tab {{ background: none; border: 0; color: inherit }}"
    )
    tabs = '<div role="tablist"><button class="tab" role="tab" aria-selected="false">One</button></div>'
    script = (
        'document.querySelectorAll(".tab").forEach((tab) => tab.setAttribute("aria-selected", String(tab === it)));'
    )
    (issue,) = faint(css, tabs, script)
    assert "dark scheme" in issue.message
    assert "[aria-selected=true]" in issue.message


REACHED = {
    "a class that is toggled": (
        ".chip { color: #222 } .chip.on { background: #333 }",
        '<button class="chip">One</button>',
        'document.querySelectorAll(".chip").forEach((chip) => (chip.onclick = () => chip.classList.toggle("on")));',
    ),
    "a class that is taken away": (
        ".chip { background: #333; color: #444 } .chip.on { color: #fff }",
        '<button class="chip on">One</button>',
        'document.querySelector(".chip").classList.remove("on");',
    ),
    "a state of an ancestor": (
        ".row p { color: #333 } .row.done { background: #444; color: #fff }",
        '<div class="row" id="row"><p>Words</p></div>',
        'document.getElementById("row").classList.add("done");',
    ),
    "a state that fades": (
        ".row { color: #555; background: #fff } .row.done { opacity: .4 }",
        '<div class="row" id="row">Words</div>',
        'document.getElementById("row").classList.add("done");',
    ),
    "a box that is ticked": (
        ".task:has(input:checked) { background: #444 } .task { color: #222 }",
        '<label class="task"><input type="checkbox"> Water the plants</label>',
        "",
    ),
    "an attribute of data": (
        '.state { color: #222 } .state[data-state="late"] { background: #300 }',
        '<p class="state" data-state="ok">Order</p>',
        'document.querySelector(".state").dataset.state = late ? "late" : "ok";',
    ),
    "what is shown later": (
        ".done { background: #222 } .done p { color: #333 }",
        '<div class="done" id="done" hidden><p>Thank you</p></div>',
        'document.getElementById("done").hidden = false;',
    ),
    "a dialog": (
        "dialog { background: #222; color: #333 }",
        '<dialog id="sheet"><p>Choose</p></dialog>',
        'document.getElementById("sheet").showModal();',
    ),
}


@pytest.mark.parametrize("case", REACHED.values(), ids=REACHED)
def test_what_a_script_or_a_tap_changes_is_judged(case: tuple[str, str, str]) -> None:
    assert len(faint(*case)) == 1


UNREACHED = {
    "no script sets it": (
        ".chip { color: #222 } .chip.on { background: #333 }",
        '<button class="chip">One</button>',
        "",
    ),
    "other elements get it": (
        ".chip.on { color: #fff; background: #333 } .on { background: #333 }",
        '<p class="note">Words</p><button class="chip">One</button>',
        'document.querySelectorAll(".chip").forEach((chip) => chip.classList.toggle("on"));',
    ),
    "one state or the other": (
        ".mark { color: #222 } .mark.right { background: #060; color: #fff } .mark.wrong { color: #a00 }",
        '<ul id="days"></ul>',
        """days.innerHTML = ""; document.querySelector("#days").innerHTML =
           all.map((each) => `<li class="mark ${each.ok ? "right" : "wrong"}">${each.text}</li>`).join("");""",
    ),
    "conditions that exclude each other": (
        ".day { color: #222 } .hot { background: #a00; color: #fff } .cold { color: #00a }",
        '<ul id="days"></ul>',
        """document.querySelector("#days").innerHTML = all.map((each) =>
           `<li class="day ${each.degrees > 25 ? "hot" : ""} ${each.degrees < 5 ? "cold" : ""}">${each.text}</li>`);""",
    ),
    "a status that is one of several": (
        ".late { background: #a00; color: #fff } .open { color: #00a }",
        '<ul id="days"></ul>',
        """document.querySelector("#days").innerHTML = all.map((each) => '<li class="' +
           (each.is === "late" ? "late" : "") + (each.is === "open" ? " open" : "") + '">' + each.name + '</li>');""",
    ),
    "a colour that is not known": (
        ".tag { color: #777 }",
        '<ul id="days"></ul>',
        """document.querySelector("#days").innerHTML =
           all.map((each) => `<li class="tag" style="background: ${each.colour}">${each.name}</li>`).join("");""",
    ),
    "a class that is not known": (
        ".tag { color: #777; background: #666 } .tag-work { background: #fff; color: #111 }",
        '<ul id="days"></ul>',
        """document.querySelector("#days").innerHTML =
           all.map((each) => `<li class="tag tag-${each.kind}">${each.name}</li>`);""",
    ),
    "a picture of its own": (
        ".day i { color: #eee }",
        '<ul id="days"></ul>',
        """document.querySelector("#days").innerHTML =
           all.map((each) => `<li class="day"><i>${icon(each)}</i></li>`);""",
    ),
    "a button that cannot be used": (
        "button[disabled] { opacity: .3 }",
        '<button id="send">Send</button>',
        'document.getElementById("send").disabled = true;',
    ),
}


@pytest.mark.parametrize("case", UNREACHED.values(), ids=UNREACHED)
def test_nothing_is_said_of_what_cannot_be_or_is_not_known(case: tuple[str, str, str]) -> None:
    assert faint(*case) == []


def test_conditions_of_a_loop_give_each_row_that_can_be() -> None:
    rows = written_markup(ADDED, "classic")[0].variants
    assert [row.partition('"')[2].partition('"')[0] for row in rows] == [
        "day today rest",
        "day today",
        "day rest",
        "day",
    ]


def test_many_conditions_take_no_time() -> None:
    """Forty conditions have a trillion outcomes; so many states and rows are not looked at."""
    names = " ".join(f"${{day.x{number} ? 'c{number}' : ''}}" for number in range(40))
    script = f'document.querySelector("#days").innerHTML = all.map((day) => `<li class="{names}">${{day.name}}</li>`);'
    css = "".join(f".c{number} {{ color: #{number:03d} }} " for number in range(40))
    assert len(written_markup(script, "classic")[0].variants) == 64
    assert validate_page(page(css, '<ul id="days"></ul>', script)).rules_checked


WRITE = "document.querySelector('#u').innerHTML = "
DOUBLING = "".join(f"const f{n} = () => f{n + 1}() + (a{n} ? 'x' : 'y') + f{n + 1}();" for n in range(40))
HOSTILE = {
    "functions that call each other twice": f"{DOUBLING} const f40 = () => '<b>'; {WRITE} f0();",
    "a function that calls itself": "const f = (x) => '<li>' + f(x) + f(x);" + WRITE + "f(1);",
    "conditions of conditions": "".join(f"const a{n} = a{n + 1} && a{n + 1};" for n in range(40))
    + WRITE
    + "`<b class='${a0 ? 1 : 2}'>x</b>`;",
    "a thousand places": "const t = `<b>${'x'.repeat(9)}${`"
    + "word " * 3000
    + "`}</b>`;"
    + "".join(f"document.querySelector('#u{n}').innerHTML = t;" for n in range(1000)),
    "ten thousand searches": "".join(f"document.querySelectorAll('* * * * .c{n} *');" for n in range(5000)),
    "nested choices": "document.querySelector('#u').innerHTML = '<b>' + "
    + "(a ? 'x' : " * 300
    + "'y'"
    + ")" * 300
    + ";",
}


@pytest.mark.parametrize("script", HOSTILE.values(), ids=HOSTILE)
def test_scripts_that_would_keep_the_rule_busy_are_cut_short(script: str) -> None:
    css = "".join(f".c{number} .on-{number} {{ color: #{number:03d} }} " for number in range(500))
    body = "<ul id=u>" + "".join(f'<li class="c{number}" id="u{number}">Item</li>' for number in range(500)) + "</ul>"
    begun = time.process_time()
    assert validate_page(page(css, body, script)).rules_checked
    assert time.process_time() - begun < 20
