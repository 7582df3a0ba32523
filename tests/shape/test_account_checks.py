"""The checks of the account share nothing with the code that makes what they measure."""

import ast
from pathlib import Path

import pytest

import loopwright.agents

AGENTS = Path(loopwright.agents.__path__[0])
OWN = ("loopwright.kernel",)
"""What a check may import of this package besides its own folder: the account's types, and values read from words."""


def modules() -> list[Path]:
    """Everything in the agents' `account` folders that measures: all but the module that reads statements."""
    return [
        path for path in sorted(AGENTS.glob("*/account/**/*.py")) if path.stem not in ("__init__", "reading", "kit")
    ]


def imports_of(path: Path) -> set[str]:
    """The modules that a file imports, anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found.add(node.module or "")
    return found


@pytest.mark.parametrize("path", modules(), ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_a_check_imports_nothing_of_the_code_that_makes_the_result(path: Path) -> None:
    agent = path.relative_to(AGENTS).parts[0]
    allowed = (*OWN, f"loopwright.agents.{agent}.account")
    wrong = {name for name in imports_of(path) if name.startswith("loopwright") and not name.startswith(allowed)}
    assert not wrong, f"{path.name} imports {sorted(wrong)}: a check reads the result with code of its own"
