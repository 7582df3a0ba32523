"""Text is found in the project's own files alone, whatever the query, and no more of it than is wanted."""

import subprocess
from pathlib import Path

import pytest

from loopwright.kernel.errors import InvalidInput, NotFound
from tests.agents.ide.index.workshop import index_of, lay_out


def test_lines_are_found_by_text_and_by_expression(tmp_path: Path) -> None:
    index = index_of(tmp_path, {"a.py": "x = 1\nError = 2\n", "b/c.md": "an error (here)\n"})
    assert [(hit.path, hit.line, hit.text) for hit in index.search_text("error")] == [
        ("a.py", 2, "Error = 2"), ("b/c.md", 1, "an error (here)"),
    ]  # fmt: skip
    assert [hit.path for hit in index.search_text("Error")] == ["a.py"]
    assert [hit.path for hit in index.search_text("error (")] == ["b/c.md"]
    assert [hit.line for hit in index.search_text(r"^\w+ = \d$", regex=True)] == [1, 2]
    assert [hit.path for hit in index.search_text("error", glob="*.md")] == ["b/c.md"]
    assert len(index.search_text("r", limit=1)) == 1
    assert index.search_text("--files") == []


@pytest.mark.parametrize(("query", "regex", "glob"), [("", False, ""), ("(", True, ""), ("x", False, "{")])
def test_a_search_that_cannot_be_made_says_why(tmp_path: Path, query: str, regex: bool, glob: str) -> None:
    with pytest.raises(InvalidInput, match=r"empty|failed"):
        index_of(tmp_path, {"a.py": "x"}).search_text(query, regex=regex, glob=glob)


@pytest.mark.parametrize("git", [True, False], ids=["git", "no-git"])
def test_ignored_and_secret_files_are_neither_listed_nor_searched(tmp_path: Path, git: bool) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("needle")
    root = tmp_path / "project"
    lay_out(root, {
        ".gitignore": "*.log\n/made/\n", "a.py": "needle", "b.log": "needle", "made/c.py": "needle",
        "deep/made/d.py": "needle", ".env": "needle", "deep/.gitignore": "e.py\n", "deep/e.py": "needle",
    })  # fmt: skip
    (root / "linked.txt").hardlink_to(outside)
    (root / "link.txt").symlink_to(outside)
    if git:
        subprocess.run(["git", "init", "-q", str(root)], check=True)
    index = index_of(root)
    assert index.list_files(depth=9) == [".gitignore", "a.py", "deep/.gitignore", "deep/made/d.py"]
    for glob in ("", "*", "*.{log,txt,py,env}", ".env"):
        assert {hit.path for hit in index.search_text("needle", glob=glob)} <= {"a.py", "deep/made/d.py"}
    assert len(index.search_text("needle")) == 2


def test_a_match_in_a_long_line_is_shown(tmp_path: Path) -> None:
    (hit,) = index_of(tmp_path, {"a.js": "é" * 5_000 + "needle" + "y" * 5_000}).search_text("needle")
    assert "needle" in hit.text
    assert len(hit.text) < 400


def test_files_are_found_listed_and_read(tmp_path: Path) -> None:
    index = index_of(tmp_path, {"src/a.py": "one\ntwo\nthree\n", "src/deep/b.py": "", "c.md": ""})
    assert index.find_files("*.py") == ["src/a.py", "src/deep/b.py"]
    assert index.find_files("src/*.PY") == ["src/a.py", "src/deep/b.py"]
    assert index.find_files("A.p") == ["src/a.py"]
    assert index.find_files("*", limit=1) == ["c.md"]
    assert index.list_files(depth=1) == ["c.md", "src/"]
    assert index.list_files("src", depth=1) == ["src/a.py", "src/deep/"]
    assert index.read("src/a.py", 2, 3) == (["two", "three"], 3)
    assert index.read("src/deep/b.py") == ([], 0)
    with pytest.raises(InvalidInput, match="3 lines"):
        index.read("src/a.py", 4)
    with pytest.raises(NotFound):
        index.read("none.py")
    with pytest.raises(InvalidInput, match="no folder"):
        index.list_files("none")
