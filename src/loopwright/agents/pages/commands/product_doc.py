"""`loopwright pages doc`: what the agent remembers of a project, its history, and a user's edits of it."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from loopwright.cli.running import printable, run_in_application

if TYPE_CHECKING:
    from loopwright.agents.pages.contracts import SectionPatch
    from loopwright.agents.pages.store.product_docs import PatchRecord, ProductDocRecord
    from loopwright.app.loopwright import Loopwright

HELP = """Show the product doc of a session: what the agent knows and decided, section by section.

\b
Examples:
  loopwright pages doc 3f2a9c                              (the project card and all sections)
  loopwright pages doc 3f2a9c --history                    (who changed what, newest first)
  loopwright pages doc 3f2a9c --set audience=people.md     (replace a section by a file; - is standard input)
  loopwright pages doc 3f2a9c --remove later
  loopwright pages doc 3f2a9c --merge shop=prices,delivery (one section of several; the history keeps their words)

What is marked "controller" is read from the pages after every change.
"""


def doc(
    session: str = typer.Argument(..., metavar="SESSION", help="The session, as a run's last lines name it."),
    history: bool = typer.Option(False, "--history", help="The patches, newest first, instead of the sections."),
    put: list[str] = typer.Option([], "--set", metavar="NAME=FILE", help="Replace a section by a file's text."),
    remove: list[str] = typer.Option([], "--remove", metavar="NAME", help="Remove a section."),
    merge: list[str] = typer.Option([], "--merge", metavar="NAME=OTHERS", help="Put other sections into one."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Print or edit the product doc."""

    async def work(application: "Loopwright") -> int:
        import json

        from loopwright.agents.pages.usecases.promises import doc_history, edit_doc, read_doc

        if put or remove or merge:
            await edit_doc(application, session, [*map(_section, put), *map(_removal, remove), *map(_merger, merge)])
        if history:
            patches = await doc_history(application, session)
            told = {"patches": [patch.model_dump(mode="json") for patch in patches]}
            typer.echo(json.dumps(told, ensure_ascii=False) if as_json else "\n".join(map(_patch_line, patches)))
            return 0
        record = await read_doc(application, session)
        typer.echo(record.model_dump_json() if as_json else _shown(record))
        return 0

    run_in_application(work, as_json=as_json)


def _section(assignment: str) -> "SectionPatch":
    """`name=file` as a patch.

    Raises:
        InvalidInput: it is none, or the file cannot be read.
    """
    from loopwright.kernel.errors import InvalidInput

    name, given, file = assignment.partition("=")
    if not given or not file:
        raise InvalidInput(f"--set {assignment!r} is no NAME=FILE.", hint="For example --set audience=people.md")
    try:
        text = typer.get_text_stream("stdin").read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{file} cannot be read: {error}.") from error
    return _patch(name=name, op="set", content=text.strip())


def _removal(name: str) -> "SectionPatch":
    return _patch(name=name, op="remove")


def _merger(assignment: str) -> "SectionPatch":
    """`name=one,other` as a patch.

    Raises:
        InvalidInput: it is none.
    """
    name, _, others = assignment.partition("=")
    return _patch(name=name, op="merge", sources=[other.strip() for other in others.split(",") if other.strip()])


def _patch(**values: object) -> "SectionPatch":
    from pydantic import ValidationError

    from loopwright.agents.pages.contracts import SectionPatch
    from loopwright.kernel.errors import InvalidInput

    try:
        return SectionPatch.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        raise InvalidInput(f"The section {values['name']!r} cannot be changed: {first['msg']}.") from error


def _shown(record: "ProductDocRecord") -> str:
    parts = [printable(record.project_card)]
    for name, section in record.sections.items():
        when = f"{section.updated_at:%Y-%m-%d %H:%M}"
        parts.append(f"## {name} · {printable(section.title)}  ({section.updated_by}, {when})")
        parts.append(printable(section.content))
    for name, facts in record.facts.items():
        parts.append(f"## {name}  (controller, {facts.updated_at:%Y-%m-%d %H:%M})")
        parts.append(printable(facts.content))
    return "\n\n".join(parts)


def _patch_line(patch: "PatchRecord") -> str:
    before, after = len(patch.before or ""), len(patch.after or "")
    run = f"  run {patch.run_id}" if patch.run_id else ""
    into = f" into {patch.merged_into}" if patch.merged_into else ""
    what = f"{patch.author:<10}  {patch.op:<6}  {patch.section}{into}  ({before} → {after} signs)"
    return f"{patch.number:>4}  {patch.at:%Y-%m-%d %H:%M}  {what}{run}"
