"""Prepares the pages of the site in `build/docs`: copies `docs/`, fills in what is generated, and adapts links.

`make docs` runs it with the environment of the project (the commands and the settings are asked, so they are
imported), and then builds the site in `build/site` with an environment of its own.
"""

import posixpath
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
BESIDE = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md", "README.md": "index.md"}
"""Pages at the top of the repository, and where the site has them; the README's place is the home page."""

LINK = re.compile(
    r"(?P<picture>!?)\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\((?!https?://|#)(?P<target>[^)#\s]*)(?P<place>#[^)\s]*)?\)"
)
FENCED = re.compile(r"(^`{3,}.*?^`{3,}$)", re.MULTILINE | re.DOTALL)
SETTINGS_TABLE = re.compile(r"^## Settings\n(.*?)(?=^## |\Z|^Apache)", re.MULTILINE | re.DOTALL)


# --- Commands ---------------------------------------------------------------------------------------------------


def program_of(command: Any) -> Any:
    """A command with its options and sub-commands; those of agents are imported only now."""
    from loopwright.cli.main import BroughtCommand

    return command.program() if isinstance(command, BroughtCommand) else command


def leaf_commands() -> Iterator[tuple[str, Any]]:
    """Every command that can be called, with its full name."""
    from loopwright.cli.main import app

    ctx = click.Context(app)
    for name in app.list_commands(ctx):
        yield from _leaves(f"loopwright {name}", program_of(app.get_command(ctx, name)))


def _leaves(path: str, command: Any) -> Iterator[tuple[str, Any]]:
    if not getattr(command, "hidden", False):
        yield path, command
    for name, each in getattr(command, "commands", {}).items():
        yield from _leaves(f"{path} {name}", each)


def commands_page() -> str:
    """A section for each command: what its `--help` prints."""
    return "\n".join(f"## {path}\n\n```text\n{help_of(path, command)}\n```\n" for path, command in leaf_commands())


def help_of(path: str, command: Any) -> str:
    """What `--help` prints, 88 columns wide."""
    ctx = command.context_class(command, info_name=path, terminal_width=88, max_content_width=88)
    lines = str(command.get_help(ctx)).rstrip().splitlines()
    return "\n".join(line.rstrip() for line in lines)


# --- Other generated parts --------------------------------------------------------------------------------------


def settings_page() -> str:
    """The README's table of settings; a test compares it with the code."""
    match = SETTINGS_TABLE.search((ROOT / "README.md").read_text(encoding="utf-8"))
    return match[1].strip() if match else ""


def decisions_page() -> str:
    """A link to each decision, the newest first."""
    notes = sorted((path for path in (DOCS / "decisions").glob("0*.md")), reverse=True)
    return "\n".join(f"- [{_title(path)}]({path.name})" for path in notes)


def _title(path: Path) -> str:
    return path.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")


GENERATED: dict[str, Callable[[], str]] = {
    "commands": commands_page,
    "settings": settings_page,
    "decisions": decisions_page,
}
"""What stands in the place of `<!-- generated: NAME -->`."""


# --- Pages ------------------------------------------------------------------------------------------------------


def adapted_links(text: str, page: Path) -> str:
    """The text with links that lead somewhere on the site; one to a file that the site does not have becomes its text.

    Args:
        text: the page.
        page: where it lies in the repository.
    """
    here = _place_on_site(page)

    def adapt(match: re.Match[str]) -> str:
        target, place = match["target"], match["place"] or ""
        if target == "../README.md" and place == "#settings":
            there: Path | None = Path("reference/settings.md")
            place = ""
        else:
            there = _place_on_site((page.parent / target).resolve())
        if there is None:
            return match["text"]
        return f"{match['picture']}[{match['text']}]({_relative(there, here)}{place})"

    parts = FENCED.split(text)
    return "".join(part if number % 2 else LINK.sub(adapt, part) for number, part in enumerate(parts))


def _place_on_site(path: Path) -> Path | None:
    if path.is_relative_to(DOCS):
        return path.relative_to(DOCS)
    return Path(BESIDE[path.name]) if path.parent == ROOT and path.name in BESIDE else None


def _relative(there: Path, here: Path | None) -> str:
    return posixpath.relpath(there, here.parent if here else ".")


def prepare(target: Path) -> list[Path]:
    """Write all pages and pictures into a folder that is made anew.

    Returns:
        The files that were written.
    """
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(DOCS, target, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    sources = {path: target / path.relative_to(DOCS) for path in DOCS.rglob("*.md")}
    sources |= {ROOT / name: target / place for name, place in BESIDE.items() if name != "README.md"}
    for source, place in sources.items():
        text = adapted_links(source.read_text(encoding="utf-8"), source)
        for name, generate in GENERATED.items():
            mark = f"<!-- generated: {name} -->"
            if mark in text:
                text = text.replace(mark, adapted_links(generate(), source))
        place.write_text(text, encoding="utf-8")
    return [path for path in target.rglob("*") if path.is_file()]


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "docs"
    print(f"{len(prepare(folder))} files in {folder}")
