"""A family of goals is meant only where the goal's head names it, and nothing beside it."""

from datetime import date

import pytest

from loopwright.agents.planner.offline.goal import understand_goal

TODAY = date(2026, 11, 23)


@pytest.mark.parametrize(
    "text",
    [
        "assemble a wedding arch from old doors",
        "lay out a garden labyrinth of stones by June",
        "build a canoe in the garage: paint the walls of the hull, varnish the seats",
        "sell my saxophone before we leave",
        "restore the cello of my uncle",
        "build a mandolin from a kit",
        "knit a cardigan for the baby, practise the pattern every week",
        "translate a Polish crime novel",
        "photograph a marathon for the club",
        "set up a reading room, with a guitar on the wall",
        "stage a musical in April, rehearse the dances, learn the lines",
        "start a monthly newsletter for the chess club",
        "carve a chess set, learn to use the lathe first",
    ],
)
def test_a_thing_that_only_touches_a_family_gets_the_neutral_plan(text: str) -> None:
    goal = understand_goal(text, TODAY, "Europe/Berlin")
    assert goal.family in ("generic_project", "generic_habit")


@pytest.mark.parametrize(
    ("text", "family"),
    [
        ("saxophone lessons twice a week", "learn_instrument"),
        ("I want to get better at the saxophone", "learn_instrument"),
        ("get ready for my first half marathon", "run_race"),
        ("in March, learn Polish", "learn_language"),
        ("my shoulder is injured until January, I want to run a marathon", "run_race"),
        ("my uncle turns 70 in June, organise a party", "organise_event"),
        ("learn to knit a cardigan", "creative_skill"),
        ("build muscle with the gym at work", "strength_training"),
        ("plan the garden behind our house", "build_garden"),
        ("Klavierunterricht nehmen und jeden Tag üben", "learn_instrument_de"),
        ("Hochzeitsfeier planen bis Mai", "plan_wedding_de"),
    ],
)
def test_what_the_head_names_has_its_family(text: str, family: str) -> None:
    assert understand_goal(text, TODAY, "Europe/Berlin").family == family


@pytest.mark.parametrize(
    "text", ["Hochzeitskleid für Jule nähen bis Mai", "ich will bis Mai das Klavier meiner Tante verkaufen"]
)
def test_a_german_compound_and_a_german_verb_at_the_end_decide_too(text: str) -> None:
    assert understand_goal(text, TODAY, "Europe/Berlin").family == "generic_project_de"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "Bis 15. März den Antrag auf Elterngeld stellen: erst die Belege sammeln",
            "Den Antrag auf Elterngeld stellen",
        ),
        ("Unser Sommerfest ist am 5. Juni 2027, Ralf grillt und ich besorge die Getränke", "Unser Sommerfest"),
        ("五月六号之前修好屋顶,周末干活", "修好屋顶"),
        ("my back hurts, learn the crawl by May", "learn the crawl"),
    ],
)
def test_a_plan_is_called_by_the_head_without_its_days(text: str, title: str) -> None:
    assert understand_goal(text, TODAY, "Europe/Berlin").title == title
