"""The streaming app's pages: fit for a phone, and working."""

from pathlib import Path

import pytest

from loopwright.agents.pages.offline.studio import details as resources
from loopwright.agents.pages.offline.studio.contracts import PageRequest, SitemapEntry
from loopwright.agents.pages.offline.studio.design_system import render_design_system
from loopwright.agents.pages.offline.studio.rendering import render_page
from loopwright.agents.pages.workspace import Workspace
from tests.support.browser import evaluate_in_chromium

SITEMAP = tuple(
    SitemapEntry(slug, title)
    for slug, title in (
        ("index", "Home"),
        ("search", "Search"),
        ("player", "Player"),
        ("title", "Details"),
        ("favorites", "My list"),
        ("downloads", "Downloads"),
        ("new", "New"),
        ("profile", "Profile"),
    )
)
SLUGS = [entry.slug for entry in SITEMAP]


def write_page(folder: Path, slug: str) -> Path:
    """Write one page of the app with its style sheet and return its path."""
    page = folder / "pages" / f"{slug}.html"
    page.parent.mkdir()
    css = render_design_system("streaming", brand_colors=("#E50914",), mode="dark")
    (folder / "design-system.css").write_text(css, encoding="utf-8")
    title = next(entry.title for entry in SITEMAP if entry.slug == slug)
    html = render_page(PageRequest(slug, title, "", "streaming", "Nightreel", SITEMAP))
    Workspace(folder).write_page(page.stem, html)
    return page


def test_everything_shown_refers_to_titles_and_episodes_that_exist() -> None:
    """The content is sound: rows, seeds and downloads name titles, and positions lie inside their episodes."""
    content = resources.read_json("products/streaming.json")
    titles = {title["id"]: title for title in content["items"]}
    named = {name for row in content["rows"] for name in row["ids"]}
    named |= {*content["featured"], *content["saved"], *content["top"], *content["popular"]}

    assert named | {soon["title"] for soon in content["soon"]} <= titles.keys()
    for seed in (*content["watching"], *content["downloads"]):
        episode = titles[seed["id"]]["episodes"][seed["episode"]]
        assert seed.get("seconds", 0) < 60 * episode["minutes"]


async def test_the_clock_of_the_player_runs_and_is_kept(tmp_path: Path) -> None:
    """Playing for ten seconds and jumping on ten more is remembered, with the episode."""
    script = """async () => {
      let now = Date.now();
      Date.now = () => now;
      location.hash = 'neon-saints/1';
      await new Promise((done) => setTimeout(done, 50));
      document.getElementById('toggle').click();
      now += 10000;
      await new Promise((done) => setTimeout(done, 400));
      document.querySelector('[data-jump="10"]').click();
      document.getElementById('toggle').click();
      const kept = App.load('progress', {})['neon-saints'];
      return [document.getElementById('time-now').textContent, kept.episode, kept.seconds];
    }"""

    assert await evaluate_in_chromium(write_page(tmp_path, "player"), script) == ["0:20", 1, 20]


async def test_the_last_second_leads_to_the_next_episode(tmp_path: Path) -> None:
    """At the end of an episode the next one is offered and is what will be resumed."""
    script = """async () => {
      document.getElementById('toggle').click();
      const scrub = document.getElementById('scrub');
      scrub.value = scrub.max;
      scrub.dispatchEvent(new Event('input', { bubbles: true }));
      await new Promise((done) => setTimeout(done, 400));
      const offered = document.getElementById('ended-name').textContent;
      const next = App.load('progress', {})['velvet-interstate'];
      document.getElementById('ended-play').click();
      return [offered, next.episode, next.seconds, document.getElementById('now-code').textContent];
    }"""

    seen = await evaluate_in_chromium(write_page(tmp_path, "player"), script)

    assert seen == ["Slow lane", 3, 0, "Season 1 · Episode 4"]


async def test_what_was_played_leads_continue_watching(tmp_path: Path) -> None:
    """The home page shows what was watched last first, and how much of it is left."""
    page = write_page(tmp_path, "index")
    script = """() => {
      App.save('progress', { 'crow-hill': { episode: 0, seconds: 60, at: 1 },
        understudy: { episode: 1, seconds: 1320, at: 2 } });
      return document.querySelector('.watch-card').textContent;
    }"""

    assert await evaluate_in_chromium(page, script) == "UnderstudyS1 E2 · 20 min left"


async def test_search_finds_people_and_genres_as_one_types(tmp_path: Path) -> None:
    """Words and chips work together, and the count says what is left."""
    script = """() => {
      const field = document.querySelector('[data-search]');
      const type = (words) => { field.value = words; field.dispatchEvent(new Event('input', { bubbles: true })); };
      const count = () => document.getElementById('result-count').textContent;
      const seen = [];
      type('rin okabe'); seen.push(count());
      type(''); document.querySelector('[data-genre=docs]').click(); seen.push(count());
      type('naples'); seen.push(count(), document.querySelector('[data-no-results]').hidden);
      return seen;
    }"""

    seen = await evaluate_in_chromium(write_page(tmp_path, "search"), script)

    assert seen == ["1 title", "2 titles", "0 titles", False]


async def test_my_list_is_sorted_emptied_and_restored(tmp_path: Path) -> None:
    """Rows follow the chosen order; the last one removed leaves an empty page that can be undone."""
    script = """() => {
      const rows = () => Array.from(document.querySelectorAll('[data-kept]:not([hidden])'));
      const sort = document.getElementById('sort');
      sort.value = 'name';
      sort.dispatchEvent(new Event('change', { bubbles: true }));
      const first = rows()[0].getAttribute('data-kept');
      while (rows().length) { rows()[0].querySelector('[data-remove]').click(); }
      const empty = !document.getElementById('nothing').hidden;
      document.getElementById('undo-button').click();
      return [first, empty, rows().length];
    }"""

    page = write_page(tmp_path, "favorites")

    assert await evaluate_in_chromium(page, script) == ["neon-saints", True, 1]


async def test_a_title_is_kept_from_its_page(tmp_path: Path) -> None:
    """The address chooses the title; My list and downloads remember it."""
    script = """async () => {
      location.hash = 'line-zero';
      await new Promise((done) => setTimeout(done, 50));
      document.querySelector('.film-actions [data-save]').click();
      document.querySelector('[data-fetch]').click();
      return [document.querySelector('h1').textContent, document.getElementById('play-label').textContent,
        App.favorites.has('line-zero'), App.load('downloads', []).some((each) => each.id === 'line-zero')];
    }"""

    seen = await evaluate_in_chromium(write_page(tmp_path, "title"), script)

    assert seen == ["Line Zero", "Play", True, True]


async def test_a_reminder_and_a_viewer_are_kept(tmp_path: Path) -> None:
    """What is coming can be waited for."""
    script = """() => {
      const button = document.querySelector('[data-remind]');
      button.click();
      return [button.getAttribute('aria-pressed'), App.load('reminders', [])];
    }"""

    assert await evaluate_in_chromium(write_page(tmp_path, "new"), script) == ["true", ["soon-glasshouse"]]


async def test_clearing_the_history_leaves_my_list(tmp_path: Path) -> None:
    """The profile counts what was watched and can forget it."""
    script = """() => {
      const before = document.getElementById('figure-hours').textContent;
      document.getElementById('clear').click();
      return [before, document.getElementById('figure-hours').textContent, App.favorites.all().length];
    }"""

    assert await evaluate_in_chromium(write_page(tmp_path, "profile"), script) == ["6.7", "0.0", 3]


@pytest.mark.parametrize("slug", SLUGS)
async def test_the_header_takes_a_colour(slug: str, tmp_path: Path) -> None:
    """A rule for the header at the end of a page's styles wins, even where the header lies over a picture."""
    page = write_page(tmp_path, slug)
    html = page.read_text(encoding="utf-8").replace("</style>", ".app-bar { background: rgb(0, 128, 0); }</style>")
    page.write_text(html, encoding="utf-8")

    colour = await evaluate_in_chromium(page, "getComputedStyle(document.querySelector('.app-bar')).backgroundColor")

    assert colour == "rgb(0, 128, 0)"
