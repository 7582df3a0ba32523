"""Each kind of effect: a page that has it is taken, and every page that lacks it is refused."""

from dataclasses import replace
from typing import get_args

import pytest

from loopwright.agents.pages.account.effects import Effect, contrast, near
from loopwright.agents.pages.account.effects_places import sorted_lists
from loopwright.agents.pages.account.judging import JUDGES, judge
from loopwright.agents.pages.account.looks import Element
from tests.agents.pages.account.effect_cases import BUTTON, CASES, ROUND, effect
from tests.agents.pages.account.looked import element, look


def test_each_operation_property_relation_and_place_has_a_page_that_is_refused() -> None:
    """What has no case here cannot be known to fail where it should."""
    effects = [case.effect for case in CASES.values() if case.bad]
    asked = {
        "operation": {each.operation for each in effects},
        "property": {each.property for each in effects} - {""},
        "relation": {each.relation for each in effects} - {""},
        "place": {each.place for each in effects} - {""},
        "amount": {each.amount for each in effects} - {""},
    }
    known = {name: set(get_args(Effect.model_fields[name].annotation)) - {""} for name in asked}
    assert asked == known
    assert set(JUDGES) == known["operation"]


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


def test_a_list_is_the_one_under_the_heading_that_names_it() -> None:
    def part(of: str, at: int) -> list[Element]:
        rows = [element("row", text=f"{of} {n}", tag="li", y=100 * at - 20 * n, inside=at + 1) for n in (1, 2)]
        return [element("heading", text=of, tag="h2", y=10 * at), element(tag="ul", y=10 * at), *rows]

    wines = effect("sort", words="wines", value="name", relation="more")
    page = look(*part("Wines", 0), *part("News", 4))["index"]
    assert [[each.text for each in entries] for entries in sorted_lists(wines, page)] == [["Wines 2", "Wines 1"]]
    tiles = [element("card", text=text, tag="article", y=n) for n, text in enumerate(("Wines", "News"))]
    heads = [element("heading", text=text, tag="h3", inside=2 * n) for n, text in enumerate(("Wines", "News"))]
    home = look(tiles[0], heads[0], tiles[1], heads[1])["index"]
    assert sorted_lists(wines, home) == []  # a heading of an entry is none of a list
