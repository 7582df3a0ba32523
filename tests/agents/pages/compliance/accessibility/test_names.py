"""Roles and names of elements, by the standards and as Chromium gives them to screen readers."""

import asyncio
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.pages.compliance.accessibility import AccessibilityTree
from loopwright.agents.pages.compliance.page import Page
from tests.support.browser import find_chromium, shared_chromium

if TYPE_CHECKING:
    from playwright.async_api import Browser

PICTURE = '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=" alt="{}">'
CASES = [
    # markup with the element in question marked `data-t`, and its name; None for not exposed
    ("<button data-t>a <b>c</b>d</button>", "a cd"),
    ('<button data-t aria-label=" x ">y</button>', "x"),
    ('<button data-t title="tip"></button>', "tip"),
    (f"<button data-t>{PICTURE.format('pic')}</button>", "pic"),
    ("<button data-t><div>a</div><div>b</div></button>", "a b"),
    ("<button data-t><span>a</span><span>b</span></button>", "ab"),
    ("<button data-t>a<br>b</button>", "a b"),
    ("<button data-t>a<span hidden>b</span><span aria-hidden=true>c</span>d</button>", "ad"),
    ('<button data-t><i aria-label="icon"></i></button>', "icon"),
    ('<button data-t aria-label="">t</button>', "t"),
    ("<label>n <input data-t></label>", "n"),
    ("<label for=a>first</label><label for=a>second</label><input id=a data-t>", "first second"),
    ('<label for=a style="display:none">none</label><input id=a data-t>', ""),
    ("<label for=b>x</label><label>y <input id=a data-t></label>", "y"),
    ("<label>outer <input>text<input data-t></label>", ""),
    ('<input data-t placeholder="hint">', "hint"),
    ('<input data-t placeholder="hint" title="tip">', "tip"),
    ("<input type=submit data-t>", "Submit"),
    ("<input type=reset data-t>", "Reset"),
    ("<input type=button value=v data-t>", "v"),
    ('<input type=image alt="go" data-t>', "go"),
    ('<i id=a>one</i><i id=b hidden>two <b>3</b></i><p><b data-t role=button aria-labelledby="a b">', "one two 3"),
    ('<button id=me data-t aria-label=lab aria-labelledby="me s">x</button><i id=s>one</i>', "lab one"),
    ("<span id=e></span><button data-t aria-labelledby=e aria-label=fallback>t</button>", "fallback"),
    ('<span id=k>kk <span style="display:none">in</span></span><h1 aria-labelledby=k data-t>x</h1>', "kk"),
    (f'<a href="#" data-t>{PICTURE.format("")}</a>', ""),
    ('<a href="#" data-t><svg><title>S</title></svg></a>', "S"),
    ('<a href="#" data-t role="doc-biblioref">x</a>', "x"),
    ("<h2 data-t></h2>", ""),
    ("<h2 data-t role=presentation>p</h2>", None),
    ("<h2 role=none tabindex=0 data-t>q</h2>", "q"),
    ("<button role=none data-t>b</button>", "b"),
    ("<button role=none disabled data-t>b</button>", None),
    ('<style>.b::before{content:"before "}</style><button class=b data-t>x</button>', "before x"),
    ('<style>.b::before{content:"★" / "star"}</style><button class=b data-t></button>', "star"),
    ("<label><input type=checkbox data-t> every <input value=3 aria-label=n> days</label>", "every 3 days"),
    ("<label><input type=checkbox data-t> Play <select><option>x<option selected>all</select></label>", "Play all"),
    ("<fieldset data-t><legend>Leg</legend></fieldset>", "Leg"),
    ("<table data-t><caption>Cap</caption><tr><th>a<td>b</table>", "Cap"),
    ("<details><summary>s</summary><button data-t>x</button></details>", None),
    ("<dialog><button data-t>d</button></dialog>", None),
    ("<div inert><button data-t>i</button></div>", None),
    ("<div popover><button data-t>p</button></div>", None),
    ('<div style="visibility:hidden"><button style="visibility:visible" data-t>v</button></div>', "v"),
    ("<iframe data-t title=fr srcdoc=x></iframe>", "fr"),
    ("<div role=textbox data-t>content</div>", ""),
    ("<div role=switch data-t>sw</div>", "sw"),
    ('<div role="foo button" data-t>x</div>', "x"),
    ("<label for=p>prog</label><progress id=p data-t></progress>", "prog"),
    ('<svg data-t aria-label="A" role=img><circle r="3" /></svg>', "A"),
    ("<img data-t src=x alt='' aria-label=n>", "n"),
]  # fmt: skip


def exposed_name(html: str) -> str | None:
    page = Page.read(_document(html))
    tree = AccessibilityTree(page)
    (node,) = page.find("[data-t]")
    return tree.name(node) if tree.includes(node) else None


def _document(html: str) -> str:
    return f"<!doctype html><html lang=en><title>t</title><body>{html}"


@pytest.mark.parametrize(("html", "name"), CASES)
def test_an_element_is_exposed_under_its_name(html: str, name: str | None) -> None:
    assert exposed_name(html) == name


@pytest.mark.browser
def test_chromium_gives_the_same_names() -> None:
    chromium = shared_chromium(find_chromium())

    async def names() -> list[str | None]:
        browser = await chromium.started()
        return await _names_in(browser)

    found = chromium.submit(names()).result(timeout=60)
    wrong = [(html, name, theirs) for (html, name), theirs in zip(CASES, found, strict=True) if name != theirs]
    assert not wrong


async def _names_in(browser: "Browser") -> list[str | None]:
    page = await browser.new_page()
    session = await page.context.new_cdp_session(page)
    names: list[str | None] = []
    for html, _ in CASES:
        await page.set_content(_document(html))
        await asyncio.sleep(0)
        found = await session.send("Runtime.evaluate", {"expression": "document.querySelector('[data-t]')"})
        tree = await session.send(
            "Accessibility.getPartialAXTree", {"objectId": found["result"]["objectId"], "fetchRelatives": False}
        )
        node = tree["nodes"][0]
        names.append(None if node["ignored"] else " ".join(node.get("name", {}).get("value", "").split()))
    await page.close()
    return names


PIECES = st.sampled_from(
    ["<button>", "<label for=a>", "<input id=a>", "<a href=#>", "<p aria-owns='a b' id=b>", "x", "</p>", "</button>",
     "<b aria-labelledby='a b c' id=c role=link>", "<svg><title>t</title>", "<fieldset><legend>", "<select><option>",
     "<div role=none>", "<details><summary>", "<table><caption>", "</table>", "<i aria-hidden=true>", "<label>"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=20).map("".join))
@settings(max_examples=60)
def test_any_page_has_names(html: str) -> None:
    page = Page.read(html)
    tree = AccessibilityTree(page)
    for node in page.find("*"):
        assert tree.name(node) == " ".join(tree.name(node).split())
        assert isinstance(tree.includes(node), bool)


def test_references_to_references_come_to_an_end() -> None:
    circle = "".join(f'<button id=o{each} aria-owns="o{(each + 1) % 200} o{(each + 2) % 200}">x' for each in range(200))
    page = Page.read(circle)
    tree = AccessibilityTree(page)
    assert all(tree.name(node) is not None for node in page.find("button"))
    assert tree.names.is_exhausted
