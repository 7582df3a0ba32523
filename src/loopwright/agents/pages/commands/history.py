"""`loopwright pages history`, `diff`, `undo`, `redo`, `restore` and `delete`: what changed, and the ways back."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from loopwright.cli.messages import SAY, MessageGroup
from loopwright.cli.running import has_terminal, print_json, printable, run_in_application

if TYPE_CHECKING:
    from loopwright.agents.pages.editing.differences import ElementChange, PageDifference
    from loopwright.agents.pages.usecases.history import HistoryStep, PageHistory
    from loopwright.app.loopwright import Loopwright


# `loopwright pages`: a brief becomes a linked mobile app prototype.

HELP = """Build or refine a multi-page mobile app prototype from a brief.

\b
Examples:
  loopwright pages "A coffee shop app for a neighbourhood roastery" --yes
  loopwright pages "Netflix clone, 5 pages, dark theme, red accent"
  loopwright pages "A shop like this one" --image screenshot.png
  loopwright pages --session 3f2a9c "make the header green"

Questions are asked on the terminal. Without one, answer with --answers or --yes; else the run waits (exit 3) and
the command that answers is printed.
"""


app = typer.Typer(help=HELP, cls=MessageGroup, rich_markup_mode=None, add_completion=False)


@app.command(SAY, help=HELP, hidden=True, no_args_is_help=True)
def say(
    message: str = typer.Argument(..., metavar="BRIEF", help="What you want, in your words."),
    out: Path | None = typer.Option(None, "--out", help="Folder for the session's own folder. [loopwright-out]"),
    session: str | None = typer.Option(None, "--session", help="Refine this session instead of beginning a new one."),
    answers: Path | None = typer.Option(None, "--answers", help="JSON object: question text or index → answer."),
    yes: bool = typer.Option(False, "--yes", "-y", help="Take the agent's own defaults for all questions."),
    image: list[Path] = typer.Option([], "--image", help="Reference picture; may be given up to three times."),
    as_json: bool = typer.Option(False, "--json", help="Print the run's events as JSON lines."),
) -> None:
    """Start a run of the pages agent and follow it."""

    async def work(application: "Loopwright") -> int:
        from loopwright.app.starting import NewRun, create_run
        from loopwright.cli.answers import AnswerSource, read_answers
        from loopwright.cli.views import follow, make_view

        source = AnswerSource(read_answers(answers), accept_defaults=yes, interactive=has_terminal() and not as_json)
        new = NewRun(message=message, session_id=session, output_dir=out, images=image)
        record = await create_run(application, new)
        return await follow(application, record.run_id, make_view(as_json), source)

    run_in_application(work, as_json=as_json)


SESSION = typer.Argument(..., metavar="SESSION", help="The session, as a run's last lines name it.")
PAGE = typer.Argument(None, metavar="[PAGE]", help="The page's slug. [all pages]")
JSON = typer.Option(False, "--json", help="Print JSON.")

_SIGNS = {"added": "+", "removed": "-", "moved": "→", "changed": "~"}


def history(session: str = SESSION, page: str | None = PAGE, as_json: bool = JSON) -> None:
    """List the versions of a session's pages, newest first."""

    async def work(application: "Loopwright") -> int:
        from loopwright.agents.pages.usecases.history import page_history

        found = await page_history(application, session, page)
        for each in found:
            if as_json:
                print_json(each.model_dump(mode="json"))
            else:
                typer.echo("\n".join(_history_lines(each)))
        if not found and not as_json:
            typer.echo("This session has no pages yet.")
        return 0

    run_in_application(work, as_json=as_json)


def diff(
    session: str = SESSION,
    page: str | None = PAGE,
    old: int | None = typer.Option(None, "--from", min=1, help="Version to compare from. [before the last change]"),
    new: int | None = typer.Option(None, "--to", min=1, help="Version to compare to. [the page as it is now]"),
    elements: bool = typer.Option(False, "--elements", help="Only the elements that differ, without the source."),
    as_json: bool = JSON,
) -> None:
    """Show what differs between two versions: the elements, then the source as a unified diff."""

    async def work(application: "Loopwright") -> int:
        from loopwright.agents.pages.usecases.history import page_difference, page_history
        from loopwright.kernel.errors import InvalidInput

        if page is None and (old is not None or new is not None):
            raise InvalidInput("Versions are numbered per page: name the page with --from and --to.")
        slugs = [page]
        if page is None:
            histories = await page_history(application, session)
            slugs = [each.slug for each in histories if (each.undo_to or each.changed_on_disk) and not each.deleted]
        for slug in slugs:
            found = await page_difference(application, session, slug or "", old, new)
            if as_json:
                print_json(found.model_dump(mode="json") | {"counts": found.counts})
            else:
                typer.echo("\n".join(_difference_lines(found, with_source=not elements)))
        if not slugs and not as_json:
            typer.echo("No page that is there now has a change that could be undone.")
        return 0

    run_in_application(work, as_json=as_json)


def undo(session: str = SESSION, page: str | None = PAGE, as_json: bool = JSON) -> None:
    """Undo the last change of a session, or of one page; redo brings it again."""
    _step("undo", session, page, as_json=as_json)


def redo(session: str = SESSION, page: str | None = PAGE, as_json: bool = JSON) -> None:
    """Bring again what the last undo took away."""
    _step("redo", session, page, as_json=as_json)


def restore(
    session: str = SESSION,
    page: str = typer.Argument(..., metavar="PAGE", help="The page's slug."),
    version: int = typer.Option(..., "--version", min=1, help="The version to bring back."),
    element: str | None = typer.Option(None, "--element", help="CSS selector: bring back only this element of it."),
    as_json: bool = JSON,
) -> None:
    """Bring back an older version of a page, or one element of it, as a new version."""

    async def work(application: "Loopwright") -> int:
        from loopwright.agents.pages.usecases.history import restore_page

        return _report(await restore_page(application, session, page, version, element), as_json=as_json)

    run_in_application(work, as_json=as_json)


def delete(
    session: str = SESSION,
    page: str = typer.Argument(..., metavar="PAGE", help="The page's slug."),
    as_json: bool = JSON,
) -> None:
    """Delete a page and the ways to it; undo brings all of it back."""

    async def work(application: "Loopwright") -> int:
        from loopwright.agents.pages.usecases.history import delete_page

        done = await delete_page(application, session, page)
        code = _report(done, as_json=as_json)
        if not as_json:
            typer.echo(
                "\n".join(
                    [
                        *map(printable, [*done.links, *done.promises]),
                        f"To have it back: loopwright pages undo {session}",
                    ]
                )
            )
        return code

    run_in_application(work, as_json=as_json)


def _step(step: Literal["undo", "redo"], session: str, page: str | None, *, as_json: bool) -> None:
    async def work(application: "Loopwright") -> int:
        from loopwright.agents.pages.usecases.history import step_pages

        return _report(await step_pages(application, session, step, page), as_json=as_json)

    run_in_application(work, as_json=as_json)


def _report(done: "HistoryStep", *, as_json: bool) -> int:
    if as_json:
        print_json({"type": "complete", **done.model_dump(mode="json")})
        return 0
    for version in done.versions:
        typer.echo(f"{version.slug}: {printable(version.description)}, as version {version.version}")
    for promise in done.withdrawn:
        typer.echo(printable(f"{promise['promise_id']} is withdrawn with it: “{promise['request'][:100]}”"))
    for promise in done.renewed:
        typer.echo(printable(f"{promise['promise_id']} counts again: “{promise['request'][:100]}”"))
    return 0


def _history_lines(history: "PageHistory") -> list[str]:
    lines = [printable(f"{history.slug} ({history.title})") + (", deleted" if history.deleted else "")]
    if history.changed_on_disk:
        lines.append("     changed on disk since; the next change or undo stores that as a version first")
    for version in history.versions:
        mark = "*" if version.current else " "
        marks = [
            word
            for word, told in (
                ("pinned", version.pinned),
                ("text given up", version.released and version.source not in ("undo", "redo")),
            )
            if told
        ]
        marks += ["undo leads here"] if version.version == history.undo_to else []
        marks += ["redo leads here"] if version.version == history.redo_to else []
        moment = version.created_at.astimezone().strftime("%Y-%m-%d %H:%M:%S")
        told = f" [{', '.join(marks)}]" if marks else ""
        said = " ".join(version.description.split())[:70]
        lines.append(printable(f"{mark} {version.version:>3}  {moment}  {version.source:<8} {said}{told}"))
    return lines


def _difference_lines(found: "PageDifference", *, with_source: bool) -> list[str]:
    counts = ", ".join(f"{count} {kind}" for kind, count in found.counts.items() if count)
    lines = [f"{found.slug}: {found.old} → {found.new}: {counts or 'no element differs'}"]
    lines += [printable(f"  {_SIGNS[change.kind]} {change.selector}{_told(change)}") for change in found.elements]
    return [*lines, *([printable(line) for line in found.lines] if with_source else [])]


def _told(change: "ElementChange") -> str:
    parts = [f"{name}: {old!r} → {new!r}" for name, (old, new) in change.attributes.items()]
    if change.words is not None:
        parts.append(f"“{change.words[0]}” → “{change.words[1]}”")
    elif change.text:
        parts.append(f"“{change.text}”")
    return f"  {'; '.join(parts)}" if parts else ""
