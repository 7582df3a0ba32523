"""The project that a developer goes on with: what it holds, and that its parts fit each other."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from posixpath import dirname, normpath

import pytest

from loopwright.agents.pages.export.app_files import ExportedApp, read_theme
from loopwright.agents.pages.export.project import vite_project
from tests.agents.pages.offline.studio.rendered_app import COFFEE, render_app
from tests.agents.pages.studio import CSS, page

PROMISES = [
    {
        "id": "P1",
        "request": "a cart",
        "checks": [{"kind": "link", "slug": "index", "target": "cart", "says": "a link from index to cart"}],
    }
]
OWN = page("faq", body="<style>.faq { color: red }</style><script>document.title += '!'</script>")


def as_text(files: dict[str, bytes]) -> dict[str, str]:
    return {path: content.decode() for path, content in files.items()}


@pytest.fixture(scope="module")
def project() -> dict[str, str]:
    """A coffee shop's project, with a page that a model wrote beside the studio's."""
    made = render_app(COFFEE)
    app = ExportedApp('Bean "There"', "Coffee.", {**made.pages, "faq": OWN}, made.css, read_theme(made.css))
    return as_text(vite_project(app, PROMISES))


def test_every_file_that_is_named_is_there(project: dict[str, str]) -> None:
    for path, text in project.items():
        if path.endswith(".html"):
            addresses = re.findall(r'(?:src|href)="(/[^"]+)"', text)
            assert {each for each in addresses if each[1:] not in project and f"public{each}" not in project} == set()
            assert "../runtime" not in text
            assert "../design-system.css" not in text
        if path.startswith("src/") and path.endswith((".ts", ".js")):
            for name in re.findall(r'^import (?:[\w{} ]+ from )?"(\.[^"]+)";$', text, re.MULTILINE):
                wanted = normpath(f"{dirname(path)}/{name}")
                assert {wanted, f"{wanted}.ts", f"{wanted}/index.ts"} & project.keys(), (path, name)


def test_what_the_pages_share_is_there_once(project: dict[str, str]) -> None:
    assert sum("window.App = (function" in text for text in project.values()) == 1
    assert json.loads(project["src/data/app.json"])["items"][0]["id"]
    assert 'id="app-data"' not in project["index.html"]
    assert "getElementById" not in project["src/runtime/app.js"].split("App.toast")[0]
    assert project["menu.html"].count("<script") == 1
    assert "<style>" not in project["menu.html"]


def test_pages_of_a_kind_share_a_component_only_where_they_are_alike(project: dict[str, str]) -> None:
    component = {slug: re.findall(r"/src/components/([\w-]+)/index", project[f"{slug}.html"]) for slug in COFFEE}
    assert all(len(names) == 1 for names in component.values())
    assert component["menu"] == ["list"]
    alike = as_text(
        vite_project(
            ExportedApp(
                "A",
                "",
                {"a": project_page("one"), "b": project_page("one"), "c": project_page("two")},
                CSS,
                read_theme(CSS),
            ),
            [],
        )
    )
    assert {path for path in alike if path.endswith("/index.ts")} == {
        "src/components/list/index.ts",
        "src/components/list-c/index.ts",
        "src/runtime/index.ts",
    }


def project_page(word: str) -> str:
    return page(
        "list",
        body='<script type="application/json" id="app-data">{"items": []}</script>'
        f'<script src="../runtime/app.js"></script><script>console.log("{word}")</script>',
    ).replace("<body>", '<body data-archetype="list">')


def test_a_page_that_a_model_wrote_keeps_its_styles_and_scripts(project: dict[str, str]) -> None:
    assert "<style>.faq { color: red }</style>" in project["faq.html"]
    assert "<script>document.title += '!'</script>" in project["faq.html"]
    assert 'href="/src/styles/design-system.css"' in project["faq.html"]


def test_data_that_differs_stays_with_its_page() -> None:
    other = project_page("one").replace('"items": []', '"items": [1]')
    made = as_text(vite_project(ExportedApp("A", "", {"a": project_page("one"), "b": other}, CSS, read_theme(CSS)), []))
    assert '{"items": [1]}' in made["b.html"]
    assert 'getElementById("app-data")' in made["src/runtime/app.js"]


def test_names_are_safe_in_json_and_promises_come_along(project: dict[str, str]) -> None:
    assert json.loads(project["package.json"])["name"] == "bean-there"
    assert json.loads(project["src/promises.json"]) == PROMISES
    assert "# Bean" in project["README.md"]


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
def test_every_script_is_a_module_that_node_can_read(project: dict[str, str], tmp_path: Path) -> None:
    paths = []
    for name, text in project.items():
        if name.endswith(".js"):
            path = tmp_path / f"{name.replace('/', '_')}.mjs"
            path.write_text(text, encoding="utf-8")
            paths.append(path)
    check = (
        "for (const p of process.argv.slice(1)) require('child_process').execFileSync(process.execPath, ['--check', p])"
    )
    done = subprocess.run(["node", "-e", check, *map(str, paths)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
