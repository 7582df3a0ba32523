"""The task board's pages: fit for a phone, and working."""

import json
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
        ("board", "Board"),
        ("task", "Task"),
        ("projects", "Projects"),
        ("calendar", "Calendar"),
        ("team", "Team"),
        ("stats", "Statistics"),
        ("settings", "Settings"),
    )
)
SLUGS = [entry.slug for entry in SITEMAP]


def write_app(folder: Path) -> Path:
    """Write the whole app and return the folder of its pages."""
    pages = folder / "pages"
    pages.mkdir()
    (folder / "design-system.css").write_text(render_design_system("kanban"), encoding="utf-8")
    for entry in SITEMAP:
        html = render_page(PageRequest(entry.slug, entry.title, "", "kanban", "Taskline", SITEMAP))
        Workspace(folder).write_page(entry.slug, html)
    return pages


def test_tasks_refer_to_columns_people_and_projects_that_exist() -> None:
    """The content is sound: the scripts look these ids up."""
    content = resources.read_json("products/kanban.json")
    known = {name: {entry["id"] for entry in content[name]} for name in ("columns", "people", "projects")}

    for task in content["items"]:
        assert task["column"] in known["columns"]
        assert task["owner"] in known["people"]
        assert task["category"] in known["projects"]
        assert {comment["who"] for comment in task["comments"]} <= known["people"]


async def test_a_task_moves_on_a_tap_and_stays_moved(tmp_path: Path) -> None:
    """The arrow moves the card, the counts follow and the storage knows."""
    script = """() => {
      const before = document.querySelectorAll('#column-doing [data-task]').length;
      document.querySelector('[data-task=t44] [data-step-to=doing]').click();
      const saved = JSON.parse(localStorage.getItem('taskline:tasks')).find((task) => task.id === 't44');
      return JSON.stringify({before, after: document.querySelectorAll('#column-doing [data-task]').length,
        column: saved.column, full: document.querySelector('#column-doing').classList.contains('is-full')});
    }"""

    seen = json.loads(await evaluate_in_chromium(write_app(tmp_path) / "board.html", script))

    assert seen == {"before": 3, "after": 4, "column": "doing", "full": True}


async def test_dragging_a_card_into_another_column_moves_it(tmp_path: Path) -> None:
    """Pointer events, as a mouse or a finger sends them."""
    script = """() => {
      const handle = document.querySelector('[data-task=t44] [data-drag]');
      handle.setPointerCapture = () => {};
      const send = (type, x, y) => handle.dispatchEvent(
        new PointerEvent(type, {bubbles: true, pointerId: 1, clientX: x, clientY: y}));
      const goal = document.querySelector('#column-doing .column-cards').getBoundingClientRect();
      send('pointerdown', 200, 250);
      send('pointermove', goal.left + 10, goal.top + 30);
      send('pointerup', goal.left + 10, goal.top + 30);
      return [App.load('tasks', []).find((task) => task.id === 't44').column,
        document.querySelectorAll('.is-moving, .is-ghost').length];
    }"""

    assert await evaluate_in_chromium(write_app(tmp_path) / "board.html", script) == ["doing", 0]


async def test_the_sheet_adds_a_task(tmp_path: Path) -> None:
    """Without a name it asks for one; with a name the task is on the board and numbered on."""
    script = """() => {
      document.querySelector('.add-fab').click();
      const form = document.querySelector('#add-form');
      form.requestSubmit();
      const asked = !document.querySelector('[data-error-for=task-name]').hidden;
      form.elements['task-name'].value = 'Ring <b>Ada</b>';
      form.requestSubmit();
      const card = document.querySelector('#column-todo [data-task]');
      const open = document.querySelector('#add-sheet').open;
      return [asked, open, card.querySelector('h3').textContent, card.dataset.task];
    }"""

    seen = await evaluate_in_chromium(write_app(tmp_path) / "board.html", script)

    assert seen == [True, False, "Ring <b>Ada</b>", "t53"]


async def test_checking_a_step_moves_the_bar(tmp_path: Path) -> None:
    """The task page counts and keeps what is ticked."""
    script = """() => {
      document.querySelector('[data-check="2"]').click();
      return [document.querySelector('#check-count').textContent, document.querySelector('#check-bar').style.width];
    }"""

    assert await evaluate_in_chromium(write_app(tmp_path) / "task.html", script) == ["3/4", "75%"]
