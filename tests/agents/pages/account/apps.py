"""Apps whose pages the checks are held against: one that keeps what was said, and what makes it otherwise."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from loopwright.agents.pages.account.pages import SHEET
from loopwright.kernel.run import AgentRun

SHEET_TEXT = """
body { margin: 0; background: #ffffff; color: #222; font: 16px sans-serif }
header { background: #1b7f3b; color: #fff; padding: 20px }
button { background: #c21f1f; color: #fff; padding: 12px; border: 0 }
.gone { display: none }
"""
SCRIPT = """<script>
for (const form of document.querySelectorAll("form")) form.addEventListener("submit", (event) => {
  event.preventDefault();
  const item = document.createElement("li");
  item.textContent = [...form.querySelectorAll("input")].map((field) => field.value).join(", ");
  form.closest("section").querySelector("ul").append(item);
  booked.textContent = [...form.closest("section").querySelectorAll("li")].filter((each) => each.textContent).length;
});
if (window.closing) setInterval(() => { closing.textContent = Number(closing.textContent) - 1; }, 300);
</script>"""


def page(title: str, body: str, lang: str = "en", script: str = SCRIPT) -> str:
    """A page that links to the others."""
    links = '<nav><a href="index.html">Start</a> <a href="team.html">Team</a></nav>'
    return (
        f'<!doctype html><html lang="{lang}"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="../{SHEET}"></head>'
        f"<body>{body}{links}{script}</body></html>"
    )


HOME = """<header><h1>Otterbrook Clinic</h1></header>
<main><p>Care for the animals of the town, and for you.</p>
<section><h2>Opening hours</h2><p>Tuesday to Saturday, 9:00 – 18:00</p><p>Telephone 030 123456</p></section>
<section id="visits"><h2>Book an appointment</h2><ul><li>Monday with Rex</li></ul>
<form><label>Pet <input name="pet"></label><button>Book now</button></form></section>
<section><h2>Today</h2><p><b id="booked">1</b> visits are booked</p><p><b id="closing">900</b> seconds until closing</p>
</section><section><h2>Prices</h2><table><tr><td>First visit</td><td>45 euros</td></tr>
<tr><td>Second visit</td><td>30 euros</td></tr></table></section>
<section><h2>Bring along</h2><ul><li><label><input type="checkbox"> Leash</label></li>
<li><label><input type="checkbox"> Papers</label></li></ul></section>
<section><h2>Food</h2>
<div oninput="sum.value = days.value * parseInt(litres.value) * 3"><label>Days <input id="days" type="number">
</label><label>Litres <select id="litres"><option>1<option>2 litres</select></label>
<p>Price of the food <output id="sum">0</output></p></div></section>
<p><a href="#visits">Book an appointment for your pet</a></p></main>"""
TEAM = """<header><h1>Our team</h1></header><main><p>Meet the people who care for you in this clinic.</p>
<ul><li>Dr. Lindqvist</li><li>Dr. Osei</li></ul></main>"""


def app(home: str = HOME, team: str = TEAM, *, sheet: str = SHEET_TEXT, **more: str) -> dict[str, str]:
    """The files of the app."""
    pages = {"index": page("Otterbrook Clinic", home), "team": page("Team | Otterbrook Clinic", team), **more}
    return {SHEET: sheet, **{f"pages/{slug}.html": html for slug, html in pages.items()}}


class _Sessions:
    async def get(self, session_id: str) -> Any:
        return SimpleNamespace(metadata={})


def run_with(folder: Path, files: dict[str, str], browser: Any = None, said: Sequence[str] = ()) -> AgentRun:
    """What a check sees of a run with these files."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    services = SimpleNamespace(browser=browser, sessions=_Sessions())
    state = SimpleNamespace(session_id="session", said=list(said))
    return cast(AgentRun, SimpleNamespace(output_dir=folder, services=services, state=state))
