"""Each kind of effect: a page that has it is taken, and every page that lacks it is refused."""

from dataclasses import dataclass, replace
from typing import Any

import pytest

from loopwright.agents.pages.account.effects import Effect, contrast, near
from loopwright.agents.pages.account.judging import judge
from loopwright.agents.pages.account.looks import Looks
from tests.agents.pages.account.looked import element, look

RED, WHITE = "rgb(200, 0, 0)", "rgb(255, 255, 255)"


@dataclass
class Case:
    """An effect, the page before, a page that has the effect, and pages that have not."""

    effect: Effect
    before: Looks
    good: Looks
    bad: dict[str, Looks]


def effect(operation: str, **given: Any) -> Effect:
    return Effect.model_validate({"operation": operation, **given})


BUTTON, CARD = element("button", text="Send"), element("card", text="A card", width=300, height=200)
OTHER, ROUND = replace(BUTTON, text="Other"), element("button", text="Send", radius=12.0)
TWO = element("heading", text="Two", tag="h2", size=20.0)
HEAD, PARTS = (
    element("headline", "heading", "text", text="Shop", tag="h1", size=30.0),
    element("text", text="Words " * 20),
)
PRICE, NAV = element("price", "text", text="$38"), element("menu item", text="Home", href="index.html", tag="a")
MAP, ADDRESS = element("text", text="Map", y=0), element("text", text="Address", y=100)
PAGE = element("page", tag="body", ground=WHITE)
TURNED = {"#s": ("rgb(255, 255, 255)", "rgb(10, 10, 10)", "rgb(255, 255, 255)")}

CASES = {
    "rounder": Case(
        effect("style", kind="button", property="radius", relation="more"),
        look(BUTTON, OTHER, CARD), look(ROUND, replace(OTHER, radius=12.0), CARD),
        {
            "nothing changed": look(BUTTON, OTHER, CARD),
            "another way": look(replace(BUTTON, radius=0.0), CARD),
            "the cards too": look(ROUND, replace(CARD, radius=30.0)),
            "only one of them": look(ROUND, OTHER, CARD),
        },
    ),
    "smaller headline": Case(
        effect("style", kind="headline", property="size", relation="less"),
        look(HEAD, TWO),
        look(replace(HEAD, size=24.0), TWO),
        {
            "nothing changed": look(HEAD, TWO),
            "smaller than what is below": look(replace(HEAD, size=16.0), TWO),
        },
    ),
    "red button": Case(
        effect("style", kind="button", words="send", property="ground", relation="set", value="#c80000"),
        look(BUTTON), look(replace(BUTTON, ground=RED, colour=WHITE)),
        {
            "a variable that nobody uses": look(BUTTON),
            "ink that cannot be read": look(replace(BUTTON, ground=RED, colour="rgb(180, 30, 30)")),
            "another colour": look(replace(BUTTON, ground="rgb(0, 0, 200)", colour=WHITE)),
        },
    ),
    "brand": Case(
        effect("brand", value="#c80000"),
        look(BUTTON), look(replace(BUTTON, ground=RED, colour=WHITE)), {"nothing changed": look(BUTTON)},
    ),
    "larger text": Case(
        effect("text_size", kind="text", property="size", relation="more"),
        look(PARTS, HEAD), look(replace(PARTS, size=18.0), HEAD),
        {"only the headline": look(PARTS, replace(HEAD, size=40.0))},
    ),
    "another name": Case(
        effect("rename", words="Cart", value="Basket"),
        look(element("text", text="Your cart"), element("button", label="Open Cart"), PARTS),
        look(element("text", text="Your basket"), element("button", label="Open Basket"), PARTS),
        {
            "a label is left": look(element("text", text="Your basket"), element("button", label="Open Cart"), PARTS),
            "only taken away": look(element("text", text="Your"), element("button", label="Open"), PARTS),
            "the title is left": look(element("text", text="basket"), element("text", text="basket"), title="Cart"),
        },
    ),
    "no prices": Case(
        effect("remove", kind="price"),
        look(PRICE, PARTS), look(PARTS),
        {"one is left": look(PRICE, PARTS), "all went": look(element("text", text="x"))},
    ),
    "no link to what went": Case(
        effect("remove", words="Team"),
        look(element("section", text="Team", path="#team"), element("link", text="See", href="#team", tag="a"), PARTS),
        look(PARTS),
        {"a link is left": look(element("link", text="See", href="#team", tag="a"), PARTS)},
    ),
    "a number to call": Case(
        effect("show", kind="phone", value="Emergency: 555 0199"),
        look(PARTS), look(PARTS, element("link", "text", text="Emergency: 555 0199", href="tel:5550199", tag="a")),
        {"not there": look(PARTS), "no link": look(PARTS, element("text", text="Emergency: 555 0199"))},
    ),
    "code under the headline": Case(
        effect("show", kind="code", value="curl x | sh", place="after_headline"),
        look(replace(HEAD, y=0), replace(PARTS, y=50)),
        look(replace(HEAD, y=0), element("text", text="curl x | sh", mono=True, y=50), replace(PARTS, y=100)),
        {
            "no code": look(replace(HEAD, y=0), element("text", text="curl x | sh", y=50), replace(PARTS, y=100)),
            "far below": look(
                replace(HEAD, y=0), replace(PARTS, y=50), replace(PARTS, y=100, text="More"),
                replace(PARTS, y=150, text="Even more"), element("text", text="curl x | sh", mono=True, y=250),
            ),
        },
    ),
    "below": Case(
        effect("move", words="Map", place="below", anchor="Address"),
        look(MAP, ADDRESS), look(replace(ADDRESS, y=0), replace(MAP, y=100)),
        {"not moved": look(MAP, ADDRESS), "two": look(MAP, ADDRESS, replace(MAP, y=200)), "gone": look(ADDRESS)},
    ),
    "two columns": Case(
        effect("columns", kind="card", value="2"),
        look(CARD, replace(CARD, text="B", y=300)),
        look(replace(CARD, width=150), replace(CARD, text="B", x=160, width=150)),
        {
            "below each other": look(CARD, replace(CARD, text="B", y=300)),
            "off the screen": look(CARD, replace(CARD, text="B", x=500)),
        },
    ),
    "a switch": Case(
        effect("switch", kind="button"),
        look(PAGE, PARTS), look(PAGE, PARTS, taps=TURNED),
        {
            "none": look(PAGE, PARTS),
            "one that does nothing": look(PAGE, PARTS, taps={"#s": (WHITE, WHITE, WHITE)}),
            "one that never goes back": look(PAGE, PARTS, taps={"#s": (WHITE, "rgb(0, 0, 0)", "rgb(0, 0, 0)")}),
            "the theme turned over": look(replace(PAGE, ground="rgb(0, 0, 0)"), PARTS, taps=TURNED),
        },
    ),
    "francs": Case(
        effect("currency", value="CHF"),
        look(PRICE), look(replace(PRICE, text="CHF 38", own="CHF 38")),
        {
            "not all": look(replace(PRICE, text="CHF 38", own="CHF 38"), replace(PRICE, text="$4", own="$4")),
            "another figure": look(replace(PRICE, text="CHF 40", own="CHF 40")),
        },
    ),
    "an entry of the menu": Case(
        effect("menu", words="GitHub", value="https://github.com/"),
        look(NAV), look(NAV, replace(NAV, text="GitHub", href="https://github.com/")),
        {"elsewhere": look(NAV, element("link", text="GitHub", href="https://github.com/"))},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_an_effect_that_is_there_is_seen(name: str) -> None:
    case = CASES[name]
    assert judge(case.effect, case.before, case.good).holds


@pytest.mark.parametrize(("name", "wrong"), [(name, wrong) for name, case in CASES.items() for wrong in case.bad])
def test_a_page_without_the_effect_is_refused(name: str, wrong: str) -> None:
    case = CASES[name]
    assert not judge(case.effect, case.before, case.bad[wrong]).holds


@pytest.mark.parametrize("name", CASES)
def test_what_was_so_before_is_no_change(name: str) -> None:
    case = CASES[name]
    assert not judge(case.effect, case.good, case.good).holds


def test_a_page_that_scrolls_sideways_since_is_refused() -> None:
    case = CASES["rounder"]
    wide = {slug: replace(page, wide=True) for slug, page in case.good.items()}
    verdict = judge(case.effect, case.before, wide)
    assert not verdict.holds
    assert "sideways" in verdict.told


def test_a_page_that_was_not_meant_stays() -> None:
    asked = effect("style", kind="button", property="radius", relation="more", pages=("index",))
    before = {**look(BUTTON), **look(BUTTON, slug="cart")}
    assert judge(asked, before, {**look(ROUND), **look(BUTTON, slug="cart")}).holds
    assert "cart" in judge(asked, before, {**look(ROUND), **look(ROUND, slug="cart")}).told


def test_a_corner_that_is_round_cannot_be_rounder() -> None:
    full = look(replace(BUTTON, radius=20.0))
    verdict = judge(CASES["rounder"].effect, full, full)
    assert verdict.so_already
    assert not verdict.holds


def test_colours_of_one_name_are_near_and_others_are_not() -> None:
    assert near("rgb(217, 45, 39)", "#ff0000")
    assert not near("rgb(30, 60, 200)", "#ff0000")
    assert near("#fefefe", "#ffffff")
    assert not near("#ffffff", "#c80000")
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
