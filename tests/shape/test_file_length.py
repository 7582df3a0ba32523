"""A file that grows wants a room of its own."""

from pathlib import Path

from tests.shape.source import python_files, repository_files

MOST_LINES = {".py": 300, ".md": 200}


def too_long(paths: list[Path]) -> list[str]:
    """The files above the limit of their kind, with their length."""
    counted = [(path, len(path.read_text(encoding="utf-8").splitlines())) for path in paths]
    return [f"{path.name}: {lines} lines" for path, lines in counted if lines > MOST_LINES[path.suffix]]


def test_no_python_file_is_too_long() -> None:
    """Source, tests, benchmarks and examples alike stay within one sitting."""
    problems = too_long(python_files())
    assert not problems, "\n".join(problems)


def test_no_prompt_is_too_long() -> None:
    """A prompt of many screens is read by nobody, the model included."""
    problems = too_long([path for path in repository_files("src") if path.suffix == ".md"])
    assert not problems, "\n".join(problems)


def test_the_rule_itself(tmp_path: Path) -> None:
    """300 lines pass, 301 do not."""
    for name, lines in (("fits.py", 300), ("long.py", 301), ("long.md", 201)):
        (tmp_path / name).write_text("x = 1\n" * lines, encoding="utf-8")
    assert too_long(sorted(tmp_path.iterdir())) == ["long.md: 201 lines", "long.py: 301 lines"]
