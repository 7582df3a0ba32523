"""The state that older versions kept in the folder they were called in."""

from pathlib import Path

from typer import echo

from loopwright.cli.program import program

_told: set[Path] = set()


def tell_of_old_state(home: Path, folder: Path) -> None:
    """Say on stderr how the state of an older version comes along, if there is one; it is not looked into."""
    from loopwright.app.importing import old_state

    old = old_state(folder.resolve(), home)
    if old is not None and old not in _told:
        _told.add(old)
        echo(f"{old} is not used any more; `{program()} import {folder}` takes over its runs.", err=True)
