"""`loopwright pages export`: take the app along."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from loopwright.cli.running import run_in_house

if TYPE_CHECKING:
    from loopwright.app.loopwright import Loopwright

HELP = """Take a session's app along; every form works without a network.

\b
Examples:
  loopwright pages export 3f2a9c                       (a zip: unpack it, open index.html)
  loopwright pages export 3f2a9c --as html --out app.html   (the whole app in one file)
  loopwright pages export 3f2a9c --as pwa               (put it on any web server; phones can install it)
"""


class Form(StrEnum):
    """What is made of the app."""

    ZIP = "zip"
    PWA = "pwa"
    HTML = "html"


def export(
    session: str = typer.Argument(..., metavar="SESSION", help="The session, as a run's last lines name it."),
    form: Form = typer.Option(Form.ZIP, "--as", help="A zip of pages, an installable web app, or one HTML file."),
    out: Path | None = typer.Option(None, "--out", help="File to write. [the app's name, in this folder]"),
    force: bool = typer.Option(False, "--force", help="Write over a file that exists."),
    as_json: bool = typer.Option(False, "--json", help="Print the outcome as one JSON object."),
) -> None:
    """Write the export and tell where it is."""

    async def work(house: "Loopwright") -> int:
        import json

        from loopwright.app.page_export import export_app
        from loopwright.kernel.errors import InvalidInput

        made = await export_app(house, session, form.value)
        path = out or Path(made.file_name)
        try:
            with path.open("wb" if force else "xb") as file:
                file.write(made.data)
        except FileExistsError:
            raise InvalidInput(f"{path} is there already.", hint="Choose another with --out, or add --force.") from None
        except OSError as error:
            raise InvalidInput(
                f"{path} cannot be written: {error.strerror}.", hint="Choose another with --out."
            ) from error
        told = {"path": str(path), "bytes": len(made.data), "pages": list(made.pages), "notes": list(made.notes)}
        if as_json:
            typer.echo(json.dumps(told, ensure_ascii=False))
            return 0
        typer.echo(f"{path} · {len(made.data):,} bytes · {len(made.pages)} pages")
        for note in made.notes:
            typer.echo(f"Note: {note}")
        return 0

    run_in_house(work, as_json=as_json)
