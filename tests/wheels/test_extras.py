"""Each extra brings what the main job of its agent needs, and nothing else is there to help."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.wheels.conftest import Environment

pytestmark = [pytest.mark.wheels, pytest.mark.timeout(3_600)]


def builds_an_app(here: Environment) -> None:
    """Of several pages, out of one line."""
    done = here.last("pages", "A coffee shop app: menu, cart and loyalty card", "--yes")
    assert done["type"] == "complete"
    assert len(list(here.work.rglob("*.html"))) > 2


def makes_a_plan(here: Environment) -> None:
    """With its calendar."""
    done = here.last("plan", "learn Spanish to B1 in ten weeks, 5 hours a week, no Sundays", "--yes")
    assert done["type"] == "complete"
    assert list(here.work.rglob("*.ics"))


def designs_a_part(here: Environment) -> None:
    """And runs it to a mesh."""
    said = (
        "Create a box domain 20x60x30mm",
        "add a straight channel of 3 mm from the left face to the right face",
        "run it",
    )
    words = [word for each in said for word in ("--message", each)]
    done = here.last("designspec", "--project-dir", "part", *words, "--approve", "all", "--yes")
    assert done["type"] == "complete"
    assert list((here.work / "part").rglob("*.stl"))


def answers_about_code(here: Environment) -> None:
    """In chat mode, which changes nothing."""
    project = here.work / "project"
    project.mkdir()
    (project / "shop.py").write_text("def total(prices):\n    return sum(prices)\n")
    done = here.last("ide", "--root", "project", "--mode", "chat", "where is total defined?")
    assert done["type"] == "complete"
    assert "shop.py" in done["message"]


def finds_requirements(here: Environment) -> None:
    """In a small policy."""
    (here.work / "policy.md").write_text(
        "# House policy\n\nThe cashier must hand every customer a receipt, and must keep a copy of it for ten years.\n"
    )
    done = here.last("jobs", "run", "creator", "--document", "policy.md")
    assert done["type"] == "complete"
    assert here.run("jobs", "requirements", done["job_id"], "--json").stdout.splitlines()


JOBS: dict[str, Callable[[Environment], None]] = {
    "pages": builds_an_app,
    "planner": makes_a_plan,
    "designspec": designs_a_part,
    "ide": answers_about_code,
    "jobs": finds_requirements,
}


@pytest.mark.parametrize("extra", JOBS)
def test_an_extra_brings_the_main_job_of_its_agent(
    extra: str, make_environment: Callable[[str], Environment], tmp_path: Path
) -> None:
    here = make_environment(extra)
    JOBS[extra](here)
    listed = here.run("agents", "list").stdout
    assert f'pip install "loopwright[{extra}]"' not in listed
