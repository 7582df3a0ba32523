"""`loopwright new`: what it makes works as it is, and nothing of the user's is overwritten."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.commands import Installation


def test_the_package_that_it_makes_passes_its_own_tests_and_runs(tmp_path: Path) -> None:
    place = Installation(tmp_path, {"OPENAI_BASE_URL": "offline"})
    made = place.run("new", "corner-shop")
    assert made.code == 0, made.err
    folder = tmp_path / "corner-shop"
    assert 'corner-shop = "corner_shop.agent:agent"' in (folder / "pyproject.toml").read_text()
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=folder,
        env=place.environment(),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout
    ran = place.run("run", "corner-shop/corner_shop/agent.py", "What does a tea cost?", "--json")
    assert (ran.code, ran.last["agent"]) == (0, "corner-shop"), ran.err
    assert "{{" not in "".join(
        path.read_text() for path in folder.rglob("*.*") if path.suffix in (".py", ".md", ".toml")
    )


@pytest.mark.parametrize("name", ["Corner Shop", "1shop", "pages", "shop/..", ""])
def test_a_name_that_cannot_be_used_is_refused(name: str, tmp_path: Path) -> None:
    done = Installation(tmp_path).run("new", name)
    assert done.code == 2
    assert not (tmp_path / name).exists() or name in ("", "shop/..")


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "mine.txt").write_text("mine")
    done = Installation(tmp_path).run("new", "shop")
    assert done.code == 2
    assert "shop exists already" in done.err
    assert [path.name for path in (tmp_path / "shop").iterdir()] == ["mine.txt"]
