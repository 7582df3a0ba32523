"""Renaming by rules: what belongs to a definition, and what only has its name."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.agents.ide.offline.playing import ORDERS, SHOP, play, project


def test_a_function_is_renamed_where_it_is_meant_and_nowhere_else(tmp_path: Path) -> None:
    root = project(tmp_path)
    played = play(root, "rename total to sum_of")
    assert played.delivery["state"] == "DONE", played.answer
    orders = ORDERS.replace("def total(", "def sum_of(").replace("return total(", "return sum_of(")
    assert (root / "shop/orders.py").read_text() == orders
    assert "self.total = 0" in orders
    assert (root / "shop/__init__.py").read_text() == SHOP["shop/__init__.py"].replace("total", "sum_of")
    assert (root / "shop/cli.py").read_text() == SHOP["shop/cli.py"].replace("book.total", "book.sum_of")
    done = subprocess.run([sys.executable, "-m", "unittest", "-q"], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "shop/orders.py:14" in played.answer, "what was left alone is told"
    assert played.payload("delivery_checked")["missing"] == []


def test_a_method_is_renamed_through_its_objects(tmp_path: Path) -> None:
    root = project(tmp_path)
    played = play(root, "please rename the method `Basket.amount` to `cost`.")
    assert played.delivery["state"] == "DONE", played.answer
    assert "def cost(self)" in (root / "shop/orders.py").read_text()
    assert "Basket([1, 2]).cost()" in (root / "tests/test_orders.py").read_text()


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("rename nothing_here to other", "no definition of nothing_here"),
        ("rename total to Basket", "defined already"),
        ("rename total to class", "not a name that code can use"),
        ("rename append to push", "Python's own types"),
        ("rename twice to once", "defined in several places"),
    ],
)
def test_what_cannot_be_renamed_safely_is_not(tmp_path: Path, message: str, told: str) -> None:
    extra = {
        "shop/one.py": "def twice(x):\n    return x * 2\n\n\nclass Log:\n    def append(self, x):\n        return x\n",
        "shop/two.py": "def twice(y):\n    return y + y\n",
    }
    root = project(tmp_path, {**SHOP, **extra})
    played = play(root, message)
    assert told in played.answer
    assert played.delivery["state"] == "NEEDS_WORK"
    assert all((root / path).read_text() == text for path, text in {**SHOP, **extra}.items())


def test_many_uses_in_many_files_are_all_renamed(tmp_path: Path) -> None:
    files = {"core.py": "def load(x):\n    return x\n"}
    for number in range(14):
        files[f"use_{number:02}.py"] = "from core import load\n\n" + "value = load(1)\n# load\n" * 7
    root = project(tmp_path, files)
    played = play(root, "rename load to fetch")
    assert played.delivery["state"] == "DONE", played.answer
    for number in range(14):
        text = (root / f"use_{number:02}.py").read_text()
        assert text == "from core import fetch\n\n" + "value = fetch(1)\n# load\n" * 7
    assert (root / "core.py").read_text() == "def fetch(x):\n    return x\n"


def test_every_definition_is_renamed_where_the_user_says_so(tmp_path: Path) -> None:
    root = project(tmp_path, {"one.ts": "export function go() { return 1 }\ngo()\n", "two.ts": "function go() {}\n"})
    played = play(root, "rename every go to run")
    assert played.delivery["state"] == "DONE", played.answer
    assert (root / "one.ts").read_text() == "export function run() { return 1 }\nrun()\n"
    assert (root / "two.ts").read_text() == "function run() {}\n"


def test_line_ends_and_a_missing_last_newline_stay(tmp_path: Path) -> None:
    root = project(tmp_path, {})
    root.mkdir()
    (root / "a.py").write_bytes(b"def load():\r\n    pass\r\n\r\n\r\nload()")
    played = play(root, "rename load to fetch")
    assert played.delivery["state"] == "DONE", played.answer
    assert (root / "a.py").read_bytes() == b"def fetch():\r\n    pass\r\n\r\n\r\nfetch()"


def test_in_chat_the_places_are_told_and_nothing_is_changed(tmp_path: Path) -> None:
    root = project(tmp_path)
    played = play(root, "rename total to sum_of", mode="chat")
    assert "shop/orders.py:4" in played.answer
    assert (root / "shop/orders.py").read_text() == ORDERS
