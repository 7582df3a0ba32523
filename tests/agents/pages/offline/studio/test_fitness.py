"""The fitness app's pages: fit for a phone, and working."""

from pathlib import Path

from loopwright.agents.pages.offline.studio import details as resources
from loopwright.agents.pages.offline.studio.contracts import PageRequest, SitemapEntry
from loopwright.agents.pages.offline.studio.design_system import render_design_system
from loopwright.agents.pages.offline.studio.rendering import render_page
from loopwright.agents.pages.workspace import Workspace
from tests.support.browser import evaluate_in_chromium

SITEMAP = tuple(
    SitemapEntry(slug, title)
    for slug, title in (
        ("index", "Today"),
        ("workouts", "Workouts"),
        ("workout", "Workout"),
        ("progress", "Progress"),
        ("plan", "Plan"),
        ("nutrition", "Nutrition"),
        ("community", "Community"),
        ("profile", "Profile"),
    )
)
SLUGS = [entry.slug for entry in SITEMAP]


def write_page(folder: Path, slug: str) -> Path:
    """Write one page of the app with its style sheet and return its path."""
    page = folder / "pages" / f"{slug}.html"
    page.parent.mkdir()
    (folder / "design-system.css").write_text(render_design_system("fitness"), encoding="utf-8")
    title = next(entry.title for entry in SITEMAP if entry.slug == slug)
    html = render_page(PageRequest(slug, title, "", "fitness", "Pulse", SITEMAP))
    Workspace(folder).write_page(page.stem, html)
    return page


def test_plan_and_sessions_refer_to_workouts_that_exist() -> None:
    """The content is sound, and every exercise is either counted or timed."""
    content = resources.read_json("products/fitness.json")
    known = {workout["id"] for workout in content["items"]}

    assert {name for name in content["schedule"] if name} <= known
    assert {session["id"] for session in content["sessions"]} <= known
    for workout in content["items"]:
        assert all(("reps" in exercise) != ("seconds" in exercise) for exercise in workout["exercises"])


async def test_the_timer_counts_down_and_goes_on_to_the_next_step(tmp_path: Path) -> None:
    """A timed set ends by itself: half a minute of jumping jacks, then ten seconds of rest."""
    script = """async () => {
      let now = Date.now();
      Date.now = () => now;
      const tick = (seconds) => { now += 1000 * seconds; return new Promise((done) => setTimeout(done, 450)); };
      const text = (id) => document.getElementById(id).textContent;
      location.hash = 'seven-minutes';
      await tick(0);
      document.getElementById('start').click();
      const seen = [text('player-title'), text('dial-value')];
      await tick(10);
      seen.push(text('dial-value'));
      await tick(21);
      return seen.concat([text('player-title'), App.load('player', null).at]);
    }"""

    seen = await evaluate_in_chromium(write_page(tmp_path, "workout"), script)

    assert seen == ["Jumping jacks", "0:30", "0:20", "Rest", 1]


async def test_a_finished_workout_is_kept(tmp_path: Path) -> None:
    """Skipping to the end shows the summary and saves a session of today."""
    script = """() => {
      document.getElementById('start').click();
      while (document.getElementById('player-summary').hidden) { document.getElementById('player-skip').click(); }
      const kept = App.load('sessions', []);
      return [kept.length, kept[0].id, App.load('player', 'none')];
    }"""

    seen = await evaluate_in_chromium(write_page(tmp_path, "workout"), script)

    assert seen == [1, "heavy-legs", None]


async def test_a_goal_of_the_profile_is_kept(tmp_path: Path) -> None:
    """The stepper of the profile changes what the rings are measured by."""
    script = """() => {
      document.querySelector('[data-goal=move][data-by="50"]').click();
      return [document.getElementById('goal-move').textContent, App.load('targets', {}).move];
    }"""

    assert await evaluate_in_chromium(write_page(tmp_path, "profile"), script) == ["650", 650]


async def test_a_glass_of_water_fills_and_empties(tmp_path: Path) -> None:
    """Tapping the fifth glass fills five, tapping it again leaves four."""
    script = """() => {
      const full = () => document.querySelectorAll('[data-glass][aria-pressed=true]').length;
      const fifth = document.querySelector('[data-glass="5"]');
      const counts = [full()];
      fifth.click(); counts.push(full());
      fifth.click(); counts.push(full());
      return counts;
    }"""

    assert await evaluate_in_chromium(write_page(tmp_path, "nutrition"), script) == [3, 5, 4]
