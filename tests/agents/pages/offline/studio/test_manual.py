"""Manuals: steps that stay done, words that are found, faults that are traced."""

from pathlib import Path

import pytest

from loopwright.agents.pages.offline.studio import details as resources
from loopwright.agents.pages.offline.studio.topics import product_content
from tests.agents.pages.offline.studio.phone_app import steps
from tests.agents.pages.offline.studio.sample_apps import APPS

MANUAL = APPS["manual"]
TOPICS = (None, *resources.names_in("topics/manual", ".json"))


@pytest.mark.parametrize("topic", TOPICS)
def test_every_way_through_the_tree_ends_in_advice(topic: str | None) -> None:
    """No question leads nowhere or in a circle, and what is recommended can be read."""
    content = product_content("manual")
    if topic is not None:
        content = {**content, **resources.read_json(f"topics/manual/{topic}.json")}
    tree, articles = content["tree"], {item["id"] for item in content["items"]}

    def walk(place: str, passed: tuple[str, ...]) -> set[str]:
        assert place not in passed, passed
        node = tree[place]
        if "result" in node:
            assert node.get("article", next(iter(articles))) in articles
            return {place}
        return {place}.union(*(walk(answer["to"], (*passed, place)) for answer in node["answers"]))

    assert walk("start", ()) == set(tree)


@pytest.mark.browser
async def test_ticking_all_steps_marks_the_article_as_read(tmp_path: Path) -> None:
    """Steps are kept one by one; the last one makes the article read."""
    seen = await steps(
        MANUAL,
        "article",
        tmp_path,
        """
        location.hash = 'clean'; await tick();
        $$('[data-step-number]').slice(0, 2).forEach((box) => box.click());
        const half = [$('#step-count').textContent, App.reading.isRead('clean')];
        $$('[data-step-number]').slice(2).forEach((box) => box.click());
        const pressed = $('#mark').getAttribute('aria-pressed');
        return [...half, App.reading.isRead('clean'), pressed, App.load('last-article')];
        """,
    )

    assert seen == ["2 / 4", False, True, "true", "clean"]


@pytest.mark.browser
async def test_search_marks_what_it_finds_and_never_makes_markup(tmp_path: Path) -> None:
    """Words inside steps are found; hostile words stay words."""
    seen = await steps(
        MANUAL,
        "search",
        tmp_path,
        """
        fill('#sought', 'serial'); const hits = $$('#found mark').map((mark) => mark.textContent);
        fill('#sought', '<img src=x>'); const none = [$('#nothing').hidden, $$('#recent img').length];
        return [hits, none, App.load('searched')];
        """,
    )

    assert seen == [["serial"], [False, 0], ["<img src=x>", "serial"]]


@pytest.mark.browser
async def test_three_answers_lead_to_a_cause_and_back(tmp_path: Path) -> None:
    seen = await steps(
        MANUAL,
        "troubleshooting",
        tmp_path,
        """
        tap('[data-answer="1"]'); tap('[data-answer="0"]');
        const cause = [$('#verdict-title').textContent, $('#verdict-article').hash, $$('#trail li').length];
        tap('#step-back'); return [...cause, $('#question-text').textContent];
        """,
    )

    assert seen == ["It has lost its way.", "#reset", 2, "Does it react to the front button?"]
