"""The other works by rules: imports, stubs, edits, formatters, tests, memories, undo."""

import ast
from pathlib import Path

import pytest

from loopwright.agents.ide.offline.layout import Configuration, Excerpt, command_of_tests, format_commands
from loopwright.kernel.gates import Waiting
from tests.agents.ide.offline.playing import SHOP, Played, play, project

LACKING = (
    '"""Needs things."""\n\nimport os\n\n\n'
    "def here() -> Path:\n    return Path(json.dumps(Basket([1]).amount()), os.sep)\n"
)


def configured(**texts: str) -> Configuration:
    """A project with these files in its root; underscores stand for dots."""
    files = {name.replace("__", "."): text for name, text in texts.items()}
    lines = {path: Excerpt(path, dict(enumerate(text.splitlines(), 1)), whole=True) for path, text in files.items()}
    return Configuration((*files, "tests/test_a.py"), lines)


def delivered(played: Played) -> bool:
    """Whether the delivery check has found everything."""
    return bool(played.delivery["state"] == "DONE")


def test_missing_imports_are_found_and_added(tmp_path: Path) -> None:
    root = project(tmp_path, {**SHOP, "shop/extra.py": LACKING})
    played = play(root, "fix the missing imports in shop/extra.py")
    assert delivered(played), played.answer
    text = (root / "shop/extra.py").read_text()
    added = "import os\nfrom pathlib import Path\nimport json\nfrom shop.orders import Basket\n"
    assert text == LACKING.replace("import os\n", added)
    again = play(root, "fix the missing imports in shop/extra.py")
    assert "no name that lacks an import" in again.answer


@pytest.mark.parametrize(
    ("before", "message", "after"),
    [
        ("x = 1\n", "add `import os` to a.py", "import os\n\n\nx = 1\n"),
        ('"""Words."""\n\nx = 1\n', "add `import os` to a.py", '"""Words."""\n\nimport os\n\nx = 1\n'),
        ("", "add `import os` to a.py", "import os\n"),
        ("import sys\n", "add the import of Path from pathlib to a.py", "import sys\nfrom pathlib import Path\n"),
        ("#!/usr/bin/python\nx = 1\n", "add `import os` to a.py", "#!/usr/bin/python\nimport os\nx = 1\n"),
    ],
)
def test_an_import_is_put_where_imports_are(tmp_path: Path, before: str, message: str, after: str) -> None:
    root = project(tmp_path, {"a.py": before})
    played = play(root, message)
    assert delivered(played), played.answer
    assert (root / "a.py").read_text() == after
    ast.parse(after)


def test_texts_and_files_are_changed_to_the_letter(tmp_path: Path) -> None:
    root = project(tmp_path)
    played = play(
        root, 'replace "adds up" with "sums up" in README.md, create notes.txt with "one"; delete pyproject.toml'
    )
    assert delivered(played), played.answer
    assert (root / "README.md").read_text() == SHOP["README.md"].replace("adds up", "sums up")
    assert (root / "notes.txt").read_text() == "one\n"
    assert not (root / "pyproject.toml").exists()
    refused = play(root, 'replace "adds  up" with "x" in README.md')
    assert not delivered(refused), "what is not there to the letter is not replaced by something like it"


def test_what_was_changed_is_shown_and_undone_to_the_byte(tmp_path: Path) -> None:
    root = project(tmp_path)
    play(root, "rename total to sum_of")
    shown = play(root, "show what was changed").answer
    assert "shop/orders.py" in shown
    assert "+def sum_of(prices):" in shown
    undone = play(root, "undo")
    assert delivered(undone), undone.answer
    assert all((root / path).read_text() == text for path, text in SHOP.items())
    assert not delivered(play(root, "undo")), "there is nothing more to undo"


def test_facts_are_remembered_told_and_forgotten(tmp_path: Path) -> None:
    root = project(tmp_path)
    assert delivered(play(root, "remember that orders come from the warehouse"))
    assert delivered(play(root, "remember that we decided to keep prices in cents"))
    told = play(root, "what do you remember?").answer
    assert "orders come from the warehouse" in told
    assert "we decided to keep prices in cents" in told
    assert delivered(play(root, "forget the prices"))
    protected = play(root, "forget the warehouse")
    assert not delivered(protected)
    assert "only the user may delete it" in protected.answer, "facts of the project are the user's own to delete"
    assert "prices" not in play(root, "what do you remember?").answer


def test_without_permission_the_run_waits(tmp_path: Path) -> None:
    root = project(tmp_path)
    played = play(root, "rename total to sum_of", "read")
    assert isinstance(played.outcome, Waiting)
    gate = next(iter(played.run.state.gates.values()))
    assert (gate.kind, gate.details["tool"]) == ("permission", "rename_symbol_in")
    assert all((root / path).read_text() == text for path, text in SHOP.items())


@pytest.mark.parametrize(
    ("found", "command"),
    [
        (configured(pyproject__toml="[tool.pytest.ini_options]\n"), "python3 -m pytest -q --tb=short"),
        (configured(setup__cfg="[tool:pytest]\n"), "python3 -m pytest -q --tb=short"),
        (configured(package__json='{"scripts": {"test": "jest"}}'), "npm test --silent"),
        (configured(go__mod="module shop\n"), "go test ./..."),
        (configured(Cargo__toml="[package]\n"), "cargo test"),
        (configured(Makefile="test: build\n\tcheck\n"), "make test"),
        (configured(pyproject__toml="not [ toml"), "python3 -m unittest discover -q -s tests"),
        (configured(package__json='{"scripts": "no"}'), "python3 -m unittest discover -q -s tests"),
        (Configuration(("README.md",), {}), None),
    ],
)
def test_the_project_tells_how_it_is_tested(found: Configuration, command: str | None) -> None:
    assert command_of_tests(found) == command


@pytest.mark.parametrize(
    ("found", "commands"),
    [
        (configured(pyproject__toml="[tool.ruff]\n"), ["ruff check --fix .", "ruff format ."]),
        (configured(pyproject__toml="[tool.black]\n[tool.isort]\n"), ["isort .", "black ."]),
        (configured(go__mod="module shop\n"), ["gofmt -l -w ."]),
        (
            configured(package__json='{"devDependencies": {"prettier": "3"}}', eslint__config__js=""),
            ["npx --no-install eslint --fix .", "npx --no-install prettier --write ."],
        ),
        (configured(README__md="# a"), []),
    ],
)
def test_only_formatters_that_the_project_configures_are_run(found: Configuration, commands: list[str]) -> None:
    assert format_commands(found) == commands


@pytest.mark.sandbox
def test_a_stub_test_is_written_and_run_and_can_fail(tmp_path: Path) -> None:
    root = project(tmp_path)
    played = play(root, "write a stub test for Basket.amount")
    assert delivered(played), played.answer
    assert "passed, 0 failed" in played.answer
    path = root / "tests/test_orders_amount.py"
    assert 'self.assertEqual(list(parameters), ["self"])' in path.read_text()
    (root / "shop/orders.py").write_text(SHOP["shop/orders.py"].replace("def amount(self)", "def amount(self, tax)"))
    failed = play(root, "run the tests in tests/test_orders_amount.py")
    assert "1 failed" in failed.answer
    assert delivered(failed), "the tests were run, and that is what was asked for"
    (finding,) = failed.findings
    assert (finding["file"], finding["severity"]) == ("tests/test_orders_amount.py", "major")


@pytest.mark.sandbox
def test_no_test_run_is_not_all_tests_pass(tmp_path: Path) -> None:
    """A test in pytest's style, which Python's own runner does not find."""
    root = tmp_path / "project"
    root.mkdir()
    (root / "test_sum.py").write_text("def test_sum():\n    assert 1 + 1 == 3\n")
    played = play(root, "run the tests")
    assert "pass" not in played.answer
    assert "ran no test" in played.answer
    assert not delivered(played)


@pytest.mark.sandbox
def test_a_command_that_is_not_there_is_not_delivered(tmp_path: Path) -> None:
    played = play(project(tmp_path), "run `no-such-program-at-all`")
    assert not delivered(played)
    assert "exit code 127" in played.answer
