"""What the README says is so: its example runs, its settings exist and have these defaults."""

import re
import subprocess
import sys

from pydantic import AliasChoices

from loopwright.app.settings import Settings
from tests.shape.source import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    """The fenced blocks of a language."""
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def settings_in_code() -> dict[str, str]:
    """Every environment variable that the settings read, with its default as a reader writes it."""
    found: dict[str, str] = {}
    for field in Settings.model_fields.values():
        given = "" if field.default_factory else field.default
        default = f"{given:g}" if isinstance(given, float) else str(given or "")
        aliases = field.validation_alias.choices if isinstance(field.validation_alias, AliasChoices) else []
        found |= {str(name): default for name in aliases}
    return found


def settings_in_table(text: str) -> dict[str, str]:
    """Every variable named in the table of settings, capitals in backquotes, with the text of its row's second cell."""
    rows = re.findall(r"^\| (.*?) \| (.*?) \|", text, re.MULTILINE)
    return {name: default for names, default in rows for name in re.findall(r"`([A-Z][A-Z0-9_]+)`", names)}


def test_the_example_is_the_one_that_runs() -> None:
    """The code shown is part of the example's file, and the file prints what is shown."""
    example = ROOT / "docs" / "examples" / "letters.py"
    (code,) = blocks(README, "python")
    assert code in example.read_text(encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", example], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout in blocks(README, "text")


def test_the_settings_are_all_told() -> None:
    """No variable is read that the table does not name, none is named that nothing reads; the defaults are those."""
    code, table = settings_in_code(), settings_in_table(README)
    assert set(table) == set(code)
    assert {name: default for name, default in code.items() if default not in table[name]} == {}


def test_the_rule_itself() -> None:
    """A row of the table is seen, and nothing but its first two cells."""
    assert settings_in_table("| `A_B`, `C` | 3 | `G_H` |\n| no | `E_F` |") == {"A_B": "3"}
