"""Prompts: found in order, filled strictly."""

import pytest

from loopwright.kernel.errors import Misconfigured
from loopwright.kernel.prompts import PromptRepository


def write(root, name, text):
    path = root / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_the_first_place_that_has_a_prompt_wins(tmp_path):
    project, installation = tmp_path / "project", tmp_path / "installation"
    prompts = PromptRepository({}, [project, installation])
    packaged = prompts.source("kernel/compact")
    assert "eight keys" in packaged
    write(installation, "kernel/compact", "From the installation.")
    assert prompts.source("kernel/compact") == "From the installation."
    write(project, "kernel/compact", "From the project.\n\n")
    assert prompts.source("kernel/compact") == "From the project."


def test_the_first_line_names_the_task(tmp_path):
    write(tmp_path, "toys/hello", "Hello {{name}}, {{ name }} of {{place}}.")
    prompts = PromptRepository({}, [tmp_path])
    assert prompts.render("toys/hello", name="Bo", place="{{name}}") == "[task: toys/hello]\nHello Bo, Bo of {{name}}."


@pytest.mark.parametrize(
    ("given", "said"),
    [({}, "missing ['name']"), ({"name": "Bo", "age": "7"}, "unused ['age']"), ({"age": "7"}, "missing ['name']")],
)
def test_variables_fit_in_both_directions(tmp_path, given, said):
    write(tmp_path, "toys/hello", "Hello {{name}}.")
    with pytest.raises(Misconfigured) as error:
        PromptRepository({}, [tmp_path]).render("toys/hello", **given)
    assert said in error.value.message


def test_a_prompt_that_nobody_has_is_told_with_the_places(tmp_path):
    with pytest.raises(Misconfigured) as error:
        PromptRepository({}, [tmp_path]).source("toys/hello")
    assert str(tmp_path) in error.value.hint
