"""Every Python snippet of the documents is run: those of a page in order, as one program, in a folder of their own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.documents.snippets import Snippet, all_snippets, pages, snippets_in
from tests.shape.source import ROOT, shown
from tests.support.commands import Installation

MOST_NOT_RUN = 0
PAGES = [path for path in pages() if any(each.language == "python" for each in snippets_in(path.read_text(), path))]
PYTEST_INI = "[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function\npythonpath = .\n"


def python(place: Installation, *arguments: str) -> str:
    """Run Python in the page's folder, with warnings as errors; gives what it printed."""
    done = subprocess.run(
        [sys.executable, "-W", "error", *arguments],
        cwd=place.folder,
        env=place.environment(PATH=os.pathsep.join([str(place.folder / "bin"), os.environ["PATH"]])),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def files_of(snippets: list[Snippet]) -> dict[str, str]:
    """The page's files; blocks of one name stand together."""
    files: dict[str, str] = {}
    for each in snippets:
        if each.file:
            files[each.file] = files.get(each.file, "") + each.content
    return files


def prepared(page: Path, folder: Path) -> tuple[Installation, list[Snippet]]:
    """An installation of the page's own, with the files that the page shows."""
    snippets = snippets_in(page.read_text(encoding="utf-8"), page)
    for name, content in files_of(snippets).items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content, encoding="utf-8")
    (folder / "pytest.ini").write_text(PYTEST_INI)
    return Installation(folder, {"OPENAI_BASE_URL": "offline"}), snippets


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_the_python_of_a_page_runs(page: Path, tmp_path: Path) -> None:
    """Files can be imported, tests in them pass; the rest runs as one program, and prints what the page says."""
    place, snippets = prepared(page, tmp_path)
    files = [name for name in files_of(snippets) if name.endswith(".py")]
    tests = [name for name in files if Path(name).name.startswith("test_")]
    modules = [name.removesuffix(".py").replace("/", ".") for name in files if name not in tests]
    if tests:
        assert " passed" in python(place, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests)
    elif modules:
        python(place, "-c", f"import {', '.join(modules)}")
    loose = [each for each in snippets if each.language == "python" and not each.file and not each.kind]
    if loose:
        (tmp_path / "page.py").write_text("\n".join(each.body for each in loose))
        printed = python(place, "page.py")
        outputs = [each.body for each in snippets if each.kind == "output"]
        if outputs:
            assert printed == "".join(outputs)


def test_what_is_not_run_says_why_and_is_little() -> None:
    """A snippet that a test of its own runs names that test, and the test reads the page."""
    for each in all_snippets():
        if each.kind == "tested by":
            test = ROOT / each.value
            assert each.page.name in test.read_text(encoding="utf-8"), f"{each.where}: {each.value} does not read it"
    not_run = [f"{each.where}: {each.value}" for each in all_snippets() if each.kind == "not run"]
    assert all(line.partition(": ")[2] for line in not_run)
    assert len(not_run) <= MOST_NOT_RUN, "\n".join(not_run)


def test_every_block_names_its_language() -> None:
    """A block without a language is neither run nor coloured."""
    unnamed = [each.where for each in all_snippets() if not each.language]
    assert not unnamed, "\n".join(unnamed)


def test_the_rule_itself() -> None:
    """Comments, names of files, and blocks within longer fences are read; an unknown comment is refused."""
    page = ROOT / "README.md"
    text = "<!-- output -->\n```text\nx\n```\n\n```python\n# a/b.py\nx = 1\n```\n````md\n```sh\n```\n````\n"
    first, second, third = snippets_in(text, page)
    assert (first.kind, first.body, first.line) == ("output", "x\n", 2)
    assert (second.file, third.language) == ("a/b.py", "md")
    with pytest.raises(ValueError, match="unknown comment"):
        snippets_in("<!-- runs -->\n```sh\n```\n", page)
