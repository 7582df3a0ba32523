"""A model's plan held against the brief: what is said stands, what is not goes, what was asked for comes along."""

from typing import Any

import pytest

from loopwright.agents.pages.domain.joining import Joined, by_titles, join
from loopwright.agents.pages.domain.proposal import EMPTY, Proposal
from loopwright.agents.pages.domain.said import Said

BRIEF = "An app for my orchard: trees by row with planting year, a map of the orchard, and note what I pruned."


def plan(**changed: Any) -> Proposal:
    """A plan of the orchard's app."""
    tree = {"name": "Tree", "fields": ["Row", "Planting year"], "examples": []}
    pages = [{"title": "Trees", "kind": "gallery", "thing": "Tree"}]
    given = {"name": "", "language": "en", "things": [tree], "actions": [], "pages": pages}
    return Proposal.model_validate(given | changed)


def blocks(joined: Joined) -> dict[str, str]:
    return {block.title: block.kind for block in joined.model.blocks()}


def test_the_plan_overrules_the_kind_and_the_rules_add_what_it_lacks() -> None:
    found = join(plan(), BRIEF)
    assert blocks(found)["Trees"] == "gallery"
    assert "map" in blocks(found).values()
    trees = next(block for block in found.model.blocks() if block.title == "Trees")
    assert {"Row", "Planting year"} <= {field.label for field in trees.fields}


def test_an_empty_plan_is_the_rules_own_reading() -> None:
    assert "map" in blocks(join(EMPTY, BRIEF)).values()


@pytest.mark.parametrize(
    ("brief", "proposed", "name"),
    [
        ("An app called Row & Root: trees by row", "Orchard Pro", "Row & Root"),
        ("A log for the hives Maple, Willow and Birch: inspections with date", "Hives log", "Hives log"),
        ("An app for Pell Orchard: trees by row", "Pell Orchard App", "Pell Orchard"),
        ("An app for my orchard: trees by row", "OrchardPro 3000", "Orchard"),
    ],
)
def test_a_given_name_stands_and_an_invented_one_never(brief: str, proposed: str, name: str) -> None:
    assert join(plan(name=proposed), brief).model.name == name


def test_figures_and_examples_are_the_users() -> None:
    things = [{"name": "Tree", "fields": ["Row", "Price", "Bark"], "examples": ["Boskoop", "Row 7: 12 trees"]}]
    pages = [{"title": "The 40 best trees", "kind": "list", "thing": "Tree"}]
    found = join(plan(things=things, pages=pages), f"{BRIEF} One is a Boskoop.")
    shown = [str(record["name"]) for block in found.model.blocks() for record in block.records]
    assert "Boskoop" in shown
    assert "Row 7: 12 trees" not in shown
    assert "“The 40 best trees”" in found.dropped
    labels = {field.label for block in found.model.blocks() for field in block.fields}
    assert "Bark" in labels
    assert "Price" not in labels
    assert "the field “Bark”" in found.invented


@pytest.mark.parametrize("wanted", [1, 2, 5])
def test_the_number_of_pages_is_the_users(wanted: int) -> None:
    pages = [{"title": title, "kind": "list", "thing": "Tree"} for title in ("Trees", "Rows", "Pruned", "Planting")]
    assert len(join(plan(pages=pages), f"{BRIEF} {wanted} pages.").model.pages) == wanted


def test_pages_that_the_user_lists_stay() -> None:
    found = join(plan(), "An orchard app with trees by row. Pages: Trees, Harvest, Team")
    assert [page.title for page in found.model.pages][-3:] == ["Trees", "Harvest", "Team"]


def test_a_language_is_not_argued_away() -> None:
    assert join(plan(language="de"), BRIEF).model.language == "en"
    assert join(EMPTY, "做一个果园应用：记录果树和地图").model.language == "zh"


def test_a_small_models_kinds_are_those_of_its_titles() -> None:
    pages = [
        {"title": "Map of the orchard", "kind": "form", "thing": ""},
        {"title": "Trees", "kind": "form", "thing": "Tree"},
    ]
    assert [part.kind for part in by_titles(plan(pages=pages)).pages] == ["map", "list"]


@pytest.mark.parametrize(
    ("text", "phrase", "said"),
    [
        ("see vaccination records", "Vaccinations", True),
        ("Termine buchen", "Terminbuchung", True),
        ("drills and ladders", "Drill", True),
        ("drills and ladders", "Loyalty", False),
        ("看地图，收藏蘑菇", "地图", True),
        ("看地图，收藏蘑菇", "积分", False),
    ],
)
def test_stems_of_the_brief_support_a_phrase(text: str, phrase: str, said: bool) -> None:
    language = "zh" if "看" in text else "de" if "buchen" in text else "en"
    assert (Said(text, language).share(phrase) >= 0.5) is said
