"""What is unfinished is an issue, not a comment."""

import re

import pytest

from tests.shape.source import repository_files, shown

# Put together here, so that this file does not find itself.
MARKS = re.compile(rf"\b({'|'.join(('TO' + 'DO', 'FIX' + 'ME', 'HA' + 'CK', 'X' * 3))})\b")


def marks(text: str) -> list[str]:
    """The marks in the text, in their order."""
    return MARKS.findall(text)


def test_no_mark_is_left_over() -> None:
    """Whatever can be read as text is looked at, prompts and documents too."""
    problems = [
        f"{shown(path)}:{number}: {line.strip()}"
        for path in repository_files()
        if path.suffix in {".py", ".md", ".toml", ".html", ".css", ".js", ".yaml", ""}
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if marks(line)
    ]
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("word", ["TO" + "DO", "FIX" + "ME", "HA" + "CK"])
def test_the_rule_itself(word: str) -> None:
    """A mark is found; a word that only contains one is not."""
    assert marks(f"# {word}: later") == [word]
    assert marks(f"{word}S {word.lower()} Todo") == []
