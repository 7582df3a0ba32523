"""What the README says is so: its example runs, its settings exist and have these defaults."""

import re

from pydantic import AliasChoices

from loopwright.app.agents import packages
from loopwright.app.settings import Settings
from tests.shape.source import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    """The fenced blocks of a language."""
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def settings_in_code() -> dict[str, str]:
    """Every environment variable that the settings read, with its default as a reader writes it."""
    found: dict[str, str] = {}
    brought = [each.load(each.settings) for each in packages() if each.settings]
    for field in (field for settings in (Settings, *brought) for field in settings.model_fields.values()):
        given = "" if field.default_factory else field.default
        default = f"{given:g}" if isinstance(given, float) else str(given or "")
        alias = field.validation_alias
        aliases = alias.choices if isinstance(alias, AliasChoices) else [alias]
        found |= {str(name): default for name in aliases}
    return found


def settings_in_table(text: str) -> dict[str, str]:
    """Every variable named in the table of settings, capitals in backquotes, with the text of its row's second cell."""
    rows = re.findall(r"^\| (.*?) \| (.*?) \|", text, re.MULTILINE)
    return {name: default for names, default in rows for name in re.findall(r"`([A-Z][A-Z0-9_]+)`", names)}


def test_the_first_example_is_short_and_is_the_file_that_is_checked() -> None:
    """A whole agent with a tool in at most 15 lines; `tests/api/test_documents.py` runs it."""
    lines = [line for line in blocks(README, "python")[0].splitlines() if line]
    example = (ROOT / "docs" / "examples" / "letters.py").read_text(encoding="utf-8").splitlines()
    assert lines == [line for line in example if line]
    assert len(blocks(README, "python")[0].splitlines()) <= 15


def test_the_settings_are_all_told() -> None:
    """No variable is read that the table does not name, none is named that nothing reads; the defaults are those."""
    code, table = settings_in_code(), settings_in_table(README)
    assert set(table) == set(code)
    assert {name: default for name, default in code.items() if default not in table[name]} == {}


def test_the_rule_itself() -> None:
    """A row of the table is seen, and nothing but its first two cells."""
    assert settings_in_table("| `A_B`, `C` | 3 | `G_H` |\n| no | `E_F` |") == {"A_B": "3"}
