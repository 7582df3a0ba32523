"""The public API changes only on purpose: its signatures are kept beside its names."""

import ast
import tomllib

import loopwright
from tests.api.signatures import FILE, lines_of, signatures
from tests.shape.source import ROOT


def test_the_signatures_change_only_on_purpose() -> None:
    """Whoever changes one writes the file anew (`python -m tests.api.signatures`), and a line in CHANGELOG.md."""
    assert signatures() == FILE.read_text(encoding="utf-8")


def test_a_change_of_any_kind_is_seen() -> None:
    """Names, types, defaults and order of parameters, fields, methods and overloads stand in the text."""
    (plain,) = lines_of("loopwright.run", loopwright.run)
    assert "message: str, *, session: str | None=None" in plain
    assert "    steps: int = 30" in lines_of("loopwright.Budget", loopwright.Budget)
    done = list(lines_of("loopwright.Done", loopwright.Done))
    assert "    cost_usd: float | None = None" in done, "what a base has is public too"
    assert not [line for line in done if line.strip().startswith("_") and "__init__" not in line]
    assert len(list(lines_of("loopwright.tool", loopwright.tool))) == 3, "overloads"


def test_the_version_is_one() -> None:
    """The packaging metadata and the package name the same version."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    source = (ROOT / "src" / "loopwright" / "__init__.py").read_text(encoding="utf-8")
    (version,) = [
        ast.literal_eval(node.value)
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__version__"
    ]
    assert version == project["version"]
