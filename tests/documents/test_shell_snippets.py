"""Every command in the documents exists with its options, and those that are marked so are executed."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.documents.command_lines import commands_of, problem_of, problem_of_loopwright
from tests.documents.snippets import Snippet, all_snippets, pages, snippets_in
from tests.documents.test_python_snippets import prepared
from tests.shape.source import shown

SHELL = [each for each in all_snippets() if each.language == "sh"]
EXECUTED = [path for path in pages() if any(each.kind == "run" for each in snippets_in(path.read_text(), path))]
PROGRAM = "from loopwright.cli.main import main; main()"


@pytest.mark.parametrize("snippet", SHELL, ids=lambda each: each.where)
def test_commands_are_taken(snippet: Snippet) -> None:
    """Commands, sub-commands, options, choices and the number of arguments are those of the program."""
    problems = [f"{shlex.join(words)}: {why}" for words in commands_of(snippet.body) if (why := problem_of(words))]
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("page", EXECUTED, ids=shown)
def test_marked_commands_succeed(page: Path, tmp_path: Path) -> None:
    """They run one after the other in a folder that holds the page's files, with the offline model."""
    place, snippets = prepared(page, tmp_path)
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, arguments in (("loopwright", f"-c {shlex.quote(PROGRAM)}"), ("python", "")):
        (programs / name).write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {arguments} "$@"\n')
        (programs / name).chmod(0o755)
    script = "\n".join(each.body for each in snippets if each.kind == "run")
    done = subprocess.run(
        ["/bin/sh", "-eu", "-c", script],
        cwd=tmp_path,
        env=place.environment(PATH=os.pathsep.join([str(programs), os.environ["PATH"]])),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("runs list --json", None),
        ("runs lists", "loopwright runs has no lists"),
        ("runs answer RUN --aprove", "--aprove"),
        ("runs answer", "run is missing"),
        ("runs show RUN RUN", "one argument too many"),
        ('ide "rename a to b" --mode chat', None),
        ('ide "rename a to b" --mode chatty', "mode is one of"),
        ('pages "a shop" --yess', "--yess"),
        ("plan replan PLAN words", None),
        ("frobnicate", "loopwright has no frobnicate"),
    ],
)
def test_the_rule_itself(line: str, problem: str | None) -> None:
    """Wrong commands, options, choices and arguments are found, also in commands that agents bring."""
    found = problem_of_loopwright(shlex.split(line))
    assert found is None if problem is None else problem in (found or "")
