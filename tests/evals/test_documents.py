"""What docs/evaluate.md shows is so: its cases run, its function checks, its commands are taken."""

import re
import shlex
from pathlib import Path

import click

from loopwright.cli.evals import app
from loopwright.evals.cases import Case
from loopwright.evals.checks import Check
from tests.shape.source import ROOT
from tests.shape.test_readme import blocks
from tests.support.commands import Installation

GUIDE = (ROOT / "docs" / "evaluate.md").read_text(encoding="utf-8")


def test_the_cases_run(tmp_path: Path) -> None:
    """The YAML and the Python of the guide, put where it says, pass with the offline model."""
    cases = tmp_path / "cases"
    cases.mkdir()
    for number, text in enumerate(blocks(GUIDE, "yaml")):
        (cases / f"{number}.yaml").write_text(text)
    (cases / "my_checks.py").write_text(blocks(GUIDE, "python")[0])
    first = blocks(GUIDE, "sh")[0].split()
    done = Installation(tmp_path).run(*first[1:], "--fail-under", "1", "--json")
    assert done.code == 0, (done.out, done.err)
    assert done.last["trials"] == len(blocks(GUIDE, "yaml")) == 2


def test_the_commands_are_taken() -> None:
    """Every option and command that the guide shows is one."""
    for line in "\n".join(blocks(GUIDE, "sh")).splitlines():
        words = shlex.split(line)
        if words[:2] != ["loopwright", "eval"]:
            continue
        name = words[2] if words[2] in app.commands else "run"
        known = {option for each in app.commands[name].params if isinstance(each, click.Option) for option in each.opts}
        assert {word for word in words if word.startswith("--")} <= known


def test_the_tables_name_every_key_and_check() -> None:
    """Nothing is left out, and nothing is told that is not there."""
    told = set(re.findall(r"`([a-z_]+)", "\n".join(re.findall(r"^\| (.*?) \|", GUIDE, re.MULTILINE))))
    assert told >= set(Check.model_fields) | set(Case.model_fields)
    assert told <= set(Check.model_fields) | set(Case.model_fields)
