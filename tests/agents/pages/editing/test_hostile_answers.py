"""Answers of models that do not do as they are told: a good edit, or a clear refusal and the page as it was."""

import json
import re

import pytest

from tests.agents.pages.editing import oracle
from tests.agents.pages.studio import CSS, SESSION, Studio, fenced, page

BODY = "\n".join(
    f'<section id="s{n}" class="card"><h2>Section {n}</h2><p>Words of section {n}.</p></section>' for n in range(12)
)
PAGE = page("menu", ["index"], body=BODY)


def block(search: str, replace: str) -> str:
    return f"<<<<<<< SEARCH\n{search}\n=======\n{replace}\n>>>>>>> REPLACE\n"


def operations(*items: object) -> str:
    return fenced("operations", json.dumps(list(items)))


async def edit(studio: Studio, *answers: str, wish: str = "call the third section Coffee", **settings: object):
    (studio.folder / "design-system.css").write_text(CSS)
    await studio.stores.pages.save(SESSION, "menu", PAGE, source="generate", title="Menu", run_id="first", call_id="c")
    arguments = {"slug": "menu", "edit_instructions": wish}
    return await studio.call("edit_page", arguments, *answers, user_message=wish, settings=settings)


GOOD = [
    block("<h2>Section 2</h2>", "<h2>Coffee</h2>") + "Named.",
    operations({"op": "set_text", "selector": "#s2 h2", "text": "Coffee"}) + "\nNamed.",
    fenced("html", PAGE.replace("Section 2<", "Coffee<")),
    "Here is the page:\n" + PAGE.replace("Section 2<", "Coffee<").replace("\n", "\n  "),
    fenced(
        "html", PAGE.replace("Section 2<", "Coffee<").replace('<link rel="stylesheet" href="../design-system.css">', "")
    ),
    fenced("html", PAGE.replace("Section 2<", "Coffee<").replace('"', "'")),
]


@pytest.mark.parametrize("answer", GOOD, ids=range(len(GOOD)))
async def test_every_form_of_a_good_edit_changes_the_same_bytes(studio: Studio, answer: str) -> None:
    result = await edit(studio, answer)
    assert result.success, result.output
    assert studio.file("menu") == PAGE.replace("Section 2<", "Coffee<")
    assert result.artifacts is not None
    assert result.artifacts["preserved"]["changed"] == ["#s2 > h2:nth-of-type(1)"]
    oracle.untouched(PAGE, studio.file("menu"), result.artifacts["preserved"]["changed"])


BAD = {
    "an open tag": (block("<h2>Section 2</h2>", "<h2>Coffee</h2><div>"), "#s2"),
    "one end tag too many": (block("<h2>Section 2</h2>", "<h2>Coffee</h2></section>"), "leave alone"),
    "an open comment": (block("<h2>Section 2</h2>", "<h2>Coffee</h2><!-- "), "whole HTML document"),
    "an open quote": (operations({"op": "replace", "selector": "#s2 h2", "html": '<h2 title="Coffee>'}), ""),
    "a wrapper around what follows": (block('<section id="s2"', '<section><section id="s2"'), "stands in"),
    "a selector of many": (operations({"op": "set_text", "selector": "h2", "text": "Coffee"}), "12 elements match"),
    "a selector of none": (operations({"op": "set_text", "selector": "#nope", "text": "Coffee"}), "no element matches"),
    "no JSON": (fenced("operations", "[{op: set_text}]"), "not JSON"),
    "a whole page with a section lost": (
        fenced("html", re.sub(r"<section id=\"s7\".*?</section>\n", "", PAGE).replace("Section 2<", "Coffee<")),
        "`#s7` is missing",
    ),
    "a whole page, abbreviated": (
        fenced("html", re.sub(r"<section id=\"s3\".*</section>", "<!-- ... rest unchanged ... -->", PAGE, flags=re.S)),
        "missing",
    ),
    "a block, abbreviated": (
        block('<section id="s2"', '<!-- ... existing header ... -->\n<section id="s2"'),
        "Write out",
    ),
    "a whole page, cut off": (fenced("html", PAGE[: len(PAGE) // 2]).removesuffix("```"), "cut off"),
    "another page altogether": (fenced("html", page("menu", body="<p>All new and entirely different.</p>")), "missing"),
    "a rewrite by blocks": (
        block(BODY, "\n".join(f'<div class="new"><h3>New {n}</h3><p>Other words {n}.</p></div>' for n in range(12))),
        "That is a rewrite",
    ),
}


@pytest.mark.parametrize("name", BAD)
async def test_what_would_do_harm_is_sent_back_and_refused(studio: Studio, name: str) -> None:
    answer, said = BAD[name]
    result = await edit(studio, answer, answer)
    assert not result.success, studio.file("menu")
    assert said in (result.error or ""), result.error
    assert said in studio.requests[1].messages[-1].content
    assert await studio.stores.pages.html(SESSION, "menu") == PAGE
    assert not (studio.folder / "pages" / "menu.html").exists()
    assert len(await studio.stores.pages.versions(SESSION, "menu")) == 1


async def test_the_second_answer_may_mend_the_first(studio: Studio) -> None:
    result = await edit(studio, BAD["an open tag"][0], GOOD[0])
    assert result.success
    assert studio.file("menu") == PAGE.replace("Section 2<", "Coffee<")


@pytest.mark.parametrize(
    ("wish", "settings"),
    [
        ("please rewrite the menu page", {}),
        ("start over with this page", {}),
        ("重新设计这个页面", {}),
        ("more coffee", {"rewrite_pages": ["menu"]}),
        ("more coffee", {"rewrite_pages": True}),
    ],
)
async def test_a_rewrite_that_was_asked_for(studio: Studio, wish: str, settings: dict[str, object]) -> None:
    result = await edit(studio, BAD["a rewrite by blocks"][0], wish=wish, **settings)
    assert result.success, result.output


async def test_what_is_taken_away_on_request_is_no_rewrite(studio: Studio) -> None:
    away = operations(*({"op": "remove", "selector": f"#s{n}"} for n in range(1, 11)))
    result = await edit(studio, away + "\nGone.", wish="remove the sections 1 to 10")
    assert result.success, result.output
    assert result.artifacts is not None
    oracle.untouched(PAGE, studio.file("menu"), result.artifacts["preserved"]["changed"])
