"""`loopwright pages tokens` and `loopwright pages token`: the design system's values, and changing them."""

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from loopwright.cli.running import has_terminal, printable, run_in_application

if TYPE_CHECKING:
    from loopwright.agents.pages.compliance.cascade.colours import Scheme
    from loopwright.agents.pages.design.change import SchemeChoice
    from loopwright.agents.pages.design.tokens import Token
    from loopwright.agents.pages.usecases.design_tokens import Change, Design
    from loopwright.app.loopwright import Loopwright


# `loopwright pages export`: take the app along.

HELP = """Take a session's app along; every form works without a network.

\b
Examples:
  loopwright pages export 3f2a9c                       (a zip: unpack it, open index.html)
  loopwright pages export 3f2a9c --as html --out app.html   (the whole app in one file)
  loopwright pages export 3f2a9c --as pwa               (put it on any web server; phones can install it)
  loopwright pages export 3f2a9c --as project           (Vite and TypeScript, to be developed further)
"""


class Form(StrEnum):
    """What is made of the app."""

    ZIP = "zip"
    PWA = "pwa"
    HTML = "html"
    PROJECT = "project"


def export(
    session: str = typer.Argument(..., metavar="SESSION", help="The session, as a run's last lines name it."),
    form: Form = typer.Option(
        Form.ZIP, "--as", help="A zip of pages, an installable web app, one HTML file, or a project."
    ),
    out: Path | None = typer.Option(None, "--out", help="File to write. [the app's name, in this folder]"),
    force: bool = typer.Option(False, "--force", help="Write over a file that exists."),
    as_json: bool = typer.Option(False, "--json", help="Print the outcome as one JSON object."),
) -> None:
    """Write the export and tell where it is."""

    async def work(application: "Loopwright") -> int:
        import json

        from loopwright.agents.pages.usecases.export import export_app
        from loopwright.kernel.errors import InvalidInput

        made = await export_app(application, session, form.value)
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

    run_in_application(work, as_json=as_json)


UNCONFIRMED = 3
"""Exit code when a change waits for a yes."""

TOKENS_HELP = """List the tokens of a session's design system in light and dark, and each page's drift from it.

\b
Examples:
  loopwright pages tokens 3f2a9c
  loopwright pages tokens 3f2a9c --versions     (every version of the style sheet)
"""
CHANGE_HELP = """Change tokens: what the change touches is shown first, then you are asked.

\b
Examples:
  loopwright pages token 3f2a9c --color-accent=#0a7d5c
  loopwright pages token 3f2a9c --color-muted=#8a8f98 --scheme dark --yes
  loopwright pages token 3f2a9c --undo

Without a terminal and without --yes nothing is changed (exit 3).
"""
WITH_TOKENS = {"allow_extra_args": True, "ignore_unknown_options": True}
"""Every option that is not the command's own names a token."""
_SWATCH = "    "


def tokens(
    session: str = typer.Argument(..., metavar="SESSION", help="The session, as a run's last lines name it."),
    versions: bool = typer.Option(False, "--versions", help="List the versions of the style sheet instead."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Print the tokens, or the versions."""

    async def work(application: "Loopwright") -> int:
        from loopwright.agents.pages.usecases.design_tokens import design_of, design_versions

        if versions:
            records = await design_versions(application, session)
            if as_json:
                typer.echo(json.dumps({"versions": [each.model_dump(mode="json") for each in records]}))
            for each in [] if as_json else records:
                when = f"{each.created_at:%Y-%m-%d %H:%M}"
                typer.echo(printable(f"{each.version:>4}  {when}  {each.source:<8} {each.description}".rstrip()))
            return 0
        design = await design_of(application, session)
        if as_json:
            typer.echo(json.dumps(design.to_wire(), ensure_ascii=False))
        else:
            typer.echo("\n".join(_table(design)))
        return 0

    run_in_application(work, as_json=as_json)


def token(
    parts: list[str] = typer.Argument(..., metavar="SESSION --TOKEN=VALUE…", help="The session, and new values."),
    scheme: str = typer.Option("both", "--scheme", help="light, dark or both."),
    yes: bool = typer.Option(False, "--yes", "-y", help="Change them without asking."),
    undo: bool = typer.Option(False, "--undo", help="Take the newest change of the style sheet back."),
    to: int | None = typer.Option(None, "--to", min=1, help="Make this version of the style sheet current again."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object; without --yes nothing is changed."),
) -> None:
    """Show what a change touches, ask, change."""

    async def work(application: "Loopwright") -> int:
        from loopwright.agents.pages.usecases.design_tokens import apply_change, measure_change, restore_design

        session, changes = read_parts(parts, going_back=undo or to is not None)
        if undo or to is not None:
            record = await restore_design(application, session, to)
            told = record.model_dump(mode="json")
            typer.echo(json.dumps(told) if as_json else f"{record.description}, saved as version {record.version}.")
            return 0
        choice = read_scheme(scheme)
        change = await measure_change(application, session, changes, choice)
        if not as_json:
            typer.echo("\n".join(_impact(change)))
        if not yes and (as_json or not has_terminal() or not typer.confirm("Change it?", err=True)):
            if as_json:
                typer.echo(json.dumps(change.to_wire() | {"applied": False}, ensure_ascii=False))
            else:
                typer.echo("Nothing was changed." if has_terminal() else "Nothing was changed; say --yes to change it.")
            return UNCONFIRMED
        change, record = await apply_change(application, session, changes, choice)
        if as_json:
            told = change.to_wire() | {"applied": True, "version": record.model_dump(mode="json")}
            typer.echo(json.dumps(told, ensure_ascii=False))
        else:
            typer.echo(f"Saved as version {record.version}; `loopwright pages token {session} --undo` takes it back.")
        return 0

    run_in_application(work, as_json=as_json)


def read_parts(parts: list[str], *, going_back: bool = False) -> tuple[str, dict[str, str]]:
    """The session and the changes of a command line: `--name=value` or `--name value`, in any order.

    Raises:
        InvalidInput: the session or a value is missing, or there is too much.
    """
    from loopwright.kernel.errors import InvalidInput

    plain: list[str] = []
    changes: dict[str, str] = {}
    waiting = ""
    for part in parts:
        if waiting:
            changes[waiting], waiting = part, ""
        elif part.startswith("--"):
            name, sign, value = part.partition("=")
            waiting = "" if sign else name
            changes |= {name: value} if sign else {}
        else:
            plain.append(part)
    if waiting or len(plain) != 1 or bool(changes) == going_back:
        raise InvalidInput(
            "Say one session and at least one --TOKEN=VALUE.", hint="For example: 3f2a9c --color-accent=#0a7d5c"
        )
    return plain[0], changes


def read_scheme(text: str) -> "SchemeChoice":
    """The scheme that an option names.

    Raises:
        InvalidInput: it is none.
    """
    from loopwright.kernel.errors import InvalidInput

    choices: dict[str, SchemeChoice] = {"light": "light", "dark": "dark", "both": "both"}
    if text in choices:
        return choices[text]
    raise InvalidInput(f"{text!r} is no scheme.", hint="Say light, dark or both.")


def _table(design: "Design") -> list[str]:
    lines: list[str] = []
    kind = ""
    for each in sorted(design.system.tokens.values(), key=lambda token: _ORDER.index(token.kind)):
        if each.kind != kind:
            lines += [*([""] if lines else []), typer.style(_TITLES[each.kind], bold=True)]
            kind = each.kind
        lines.append(_row(each))
    lines += ["", typer.style("Drift of the pages (0 is none)", bold=True)]
    lines += [f"  {slug:<24} {report.score:>3}" for slug, report in design.drift.items()]
    if not design.system.has_both_schemes:
        lines.append("The design system has one colour scheme only.")
    return lines


def _row(each: "Token") -> str:
    light, dark = each.light or "–", each.dark or "–"
    if each.kind == "colour":
        return f"  {each.name:<28} {_swatch(each, 'light')} {light:<24} {_swatch(each, 'dark')} {dark}"
    values = light if light == dark else f"{light}  (dark: {dark})"
    return printable(f"  {each.name:<28} {values}")


def _swatch(each: "Token", scheme: "Scheme") -> str:
    colour = each.colour(scheme)
    if colour is None:
        return _SWATCH
    red, green, blue = (int(colour.hex[at : at + 2], 16) for at in (1, 3, 5))
    return typer.style(_SWATCH, bg=(red, green, blue))


def _impact(change: "Change") -> list[str]:
    return [typer.style(printable(line), fg="red") if "✗" in line else printable(line) for line in change.lines]


_ORDER = ("colour", "font", "size", "space", "radius", "shadow", "duration", "other")
_TITLES = {
    "colour": "Colours                          light                         dark",
    "font": "Fonts",
    "size": "Font sizes",
    "space": "Spaces",
    "radius": "Radii",
    "shadow": "Shadows",
    "duration": "Durations",
    "other": "Other",
}
