"""How long a file may be, and how much one folder may hold."""

from pathlib import Path

from tests.shape.source import python_files, repository_files

MOST_LINES = {".py": 500, ".md": 200}
MOST_MODULES = 40
"""In one folder, without those below it (docs/decisions/0037-fuller-files-and-lanes.md)."""
MOST_LINES_OF_A_FOLDER = 7_000


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


def test_no_folder_holds_too_much() -> None:
    """A folder is seen at a glance."""
    lines: dict[Path, list[int]] = {}
    for path in python_files("src"):
        lines.setdefault(path.parent, []).append(len(path.read_text(encoding="utf-8").splitlines()))
    problems = [
        f"{folder}: {len(each)} modules, {sum(each)} lines"
        for folder, each in lines.items()
        if len(each) > MOST_MODULES or sum(each) > MOST_LINES_OF_A_FOLDER
    ]
    assert not problems, "\n".join(problems)


def test_the_rule_itself(tmp_path: Path) -> None:
    """500 lines pass, 501 do not."""
    for name, lines in (("fits.py", 500), ("long.py", 501), ("long.md", 201)):
        (tmp_path / name).write_text("x = 1\n" * lines, encoding="utf-8")
    assert too_long(sorted(tmp_path.iterdir())) == ["long.md: 201 lines", "long.py: 501 lines"]
