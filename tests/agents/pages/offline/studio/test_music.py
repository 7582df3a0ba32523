"""Music and podcasts: albums instead of films, and one thing playing on all pages."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.agents.pages.offline.studio.phone_app import steps
from tests.agents.pages.offline.studio.sample_apps import APPS

MUSIC = replace(APPS["streaming"], brief="A music app for lo-fi beats", name="Lofi")


@pytest.mark.parametrize("brief", ["a music app", "a podcast app", "播客应用"])
def test_no_page_of_a_listening_app_speaks_of_films(brief: str) -> None:
    app = replace(MUSIC, brief=brief)
    for slug in app.titles:
        assert re.findall(r"\b(?:films?|movies?|seasons?|trailers?)\b", app.render(slug), re.IGNORECASE) == [], slug


@pytest.mark.browser
async def test_the_clock_runs_from_page_to_page(tmp_path: Path) -> None:
    """A track started on its album is what the player shows; pausing, seeking and skipping are kept."""
    seen = await steps(
        MUSIC,
        "player",
        tmp_path,
        """
        let now = Date.now(); Date.now = () => now;
        App.listening.play('sunday-loops', 1); await tick();
        const started = [$('#tune').textContent, $('#toggle').getAttribute('aria-pressed')];
        now += 30000; tap('#toggle'); await tick();
        const paused = $('#time-now').textContent; now += 30000;
        fill('#scrub', '60'); tap('[data-step-track="1"]'); await tick();
        return [...started, paused, $('#tune').textContent, App.load('played')];
        """,
    )

    assert seen == ["Crumbs", "true", "0:30", "Window seat", ["sunday-loops"]]


@pytest.mark.browser
async def test_the_library_begins_with_two_albums_and_can_be_emptied(tmp_path: Path) -> None:
    seen = await steps(
        MUSIC,
        "favorites",
        tmp_path,
        """
        const kept = () => $$('[data-kept]:not([hidden])').length;
        const before = kept(); $$('[data-kept]:not([hidden]) [data-favorite]').forEach((heart) => heart.click());
        return [before, kept(), !$('#none-kept').hidden];
        """,
    )

    assert seen == [2, 0, True]
