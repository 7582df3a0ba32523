"""What the README says is so: its example runs, its settings exist, its links lead somewhere."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import AliasChoices

from loopwright.app.settings import Settings
from tests.shape.source import ROOT, repository_files, shown

README = (ROOT / "README.md").read_text(encoding="utf-8")
LINK = re.compile(r"\]\((?!https?://|#)([^)#\s]+)[^)]*\)")


def blocks(text: str, language: str) -> list[str]:
    """The fenced blocks of a language."""
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def settings_in_code() -> dict[str, str]:
    """Every environment variable that the settings read, with its default as a reader writes it."""
    found: dict[str, str] = {}
    for field in Settings.model_fields.values():
        default = f"{field.default:g}" if isinstance(field.default, float) else str(field.default or "")
        aliases = field.validation_alias.choices if isinstance(field.validation_alias, AliasChoices) else []
        found |= {str(name): default for name in aliases}
    return found


def settings_in_table(text: str) -> dict[str, str]:
    """Every variable named in the table of settings, capitals in backquotes, with the text of its row's second cell."""
    rows = re.findall(r"^\| (.*?) \| (.*?) \|", text, re.MULTILINE)
    return {name: default for names, default in rows for name in re.findall(r"`([A-Z][A-Z_]+)`", names)}


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


@pytest.mark.parametrize("path", [path for path in repository_files() if path.suffix == ".md"], ids=shown)
def test_links_lead_somewhere(path: Path) -> None:
    """Links and pictures point at files of the repository."""
    targets = LINK.findall(path.read_text(encoding="utf-8"))
    assert [target for target in targets if not (path.parent / target).exists()] == []


def test_the_rule_itself() -> None:
    """A missing picture, a link and a table's row are seen; addresses outside are left alone."""
    assert LINK.findall("![x](a.png) [y](b.md#z) [z](https://example.com) [here](#top)") == ["a.png", "b.md"]
    assert settings_in_table("| `A_B`, `C` | 3 |\n| no | `E_F` |") == {"A_B": "3"}
