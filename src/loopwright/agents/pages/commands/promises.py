"""`loopwright pages promises` and `loopwright pages withdraw`: what the app has promised, and taking it back."""

from typing import TYPE_CHECKING

import typer

from loopwright.cli.running import print_json, printable, run_in_application

if TYPE_CHECKING:
    from loopwright.agents.pages.promises.promise import Promise, PromiseVerdict
    from loopwright.app.loopwright import Loopwright


# `loopwright pages link`: an address under which a page opens without the server's token, for a while.

HELP = """Print an address under which a page opens on a phone or in a frame, while `loopwright serve` runs.

Whoever has it sees all pages of the session, and nothing else, until it expires.

\b
Examples:
  loopwright pages link 3f2a9c                        (the home page)
  loopwright pages link 3f2a9c menu --live            (the page while it is written)
  loopwright pages link 3f2a9c --minutes 10 --base http://192.168.0.7:8700
"""


def link(
    session: str = typer.Argument(..., metavar="SESSION", help="The session, as a run's last lines name it."),
    slug: str = typer.Argument("index", metavar="PAGE", help="The page."),
    live: bool = typer.Option(False, "--live", help="The page while it is written."),
    minutes: int = typer.Option(60, "--minutes", min=1, max=1_440, help="How long it opens."),
    base: str | None = typer.Option(None, "--base", help="The server's address. [where `serve` listens]"),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Print the address."""

    async def work(application: "Loopwright") -> int:
        from loopwright.agents.pages.usecases.live_pages import preview_link

        made = await preview_link(application, session, slug, live=live, seconds=minutes * 60)
        address = (base or f"http://{application.settings.host}:{application.settings.port}").rstrip("/") + made.url
        if as_json:
            print_json({"url": address, "expires_at": made.expires_at.isoformat() if made.expires_at else None})
            return 0
        typer.echo(address)
        if made.expires_at:
            typer.echo(f"Opens until {made.expires_at.astimezone():%Y-%m-%d %H:%M}.", err=True)
        return 0

    run_in_application(work, as_json=as_json)


BROKEN = 4
"""Exit code when a promise does not hold."""

PROMISES_HELP = """List what a session's app has promised: each accepted request, and the checks that watch it.

\b
Examples:
  loopwright pages promises 3f2a9c             (the record)
  loopwright pages promises 3f2a9c --check     (replay it on the pages as they are now; exit 4 if one is broken)
"""
WITHDRAW_HELP = """Take a promise back; edits may then remove or change what it was about.

\b
Examples:
  loopwright pages withdraw 3f2a9c P7 --reason "no newsletter after all"
  loopwright pages withdraw 3f2a9c P7 --check 2    (only that check, by its number in the record)
"""
_MARKS = {"kept": "✓", "broken": "✗", "unclear": "?"}


def promises(
    session: str = typer.Argument(..., metavar="SESSION", help="The session, as a run's last lines name it."),
    check: bool = typer.Option(False, "--check", help="Run every check on the pages as they are now."),
    withdrawn: bool = typer.Option(False, "--all", help="Also those of which nothing counts any more."),
    as_json: bool = typer.Option(False, "--json", help="Print the record as one JSON object."),
) -> None:
    """Print the record."""

    async def work(application: "Loopwright") -> int:
        import json

        from loopwright.agents.pages.usecases.promises import read_record

        promises = await read_record(application, session, check=check, withdrawn=withdrawn)
        broken = promises.report.broken if promises.report else ()
        if as_json:
            typer.echo(json.dumps(promises.to_wire(), ensure_ascii=False))
            return BROKEN if broken else 0
        if not promises.promises:
            typer.echo("Nothing is promised yet: the record is empty.")
            return 0
        verdicts = {each.promise.number: each for each in promises.report.promises} if promises.report else {}
        for promise in promises.promises:
            typer.echo("\n".join(_lines(promise, verdicts.get(promise.number))))
        if promises.report:
            typer.echo(_summary(promises.report.summary()))
        return BROKEN if broken else 0

    run_in_application(work, as_json=as_json)


def withdraw(
    session: str = typer.Argument(..., metavar="SESSION", help="The session, as a run's last lines name it."),
    promise: str = typer.Argument(..., metavar="PROMISE", help="The promise, such as P7."),
    check: int | None = typer.Option(None, "--check", min=1, help="Only this check, by its number. [all of them]"),
    reason: str = typer.Option("", "--reason", help="Why; it is kept with the promise."),
    as_json: bool = typer.Option(False, "--json", help="Print the promise as one JSON object."),
) -> None:
    """Withdraw one promise, or one check of it."""

    async def work(application: "Loopwright") -> int:
        import json

        from loopwright.agents.pages.usecases.promises import PromiseRecord, withdraw_promise

        found = await withdraw_promise(application, session, promise, reason, check=check)
        if as_json:
            typer.echo(json.dumps(PromiseRecord((found,)).to_wire()["promises"][0], ensure_ascii=False))
        else:
            what = found.id if check is None else f"Check {check} of {found.id}"
            typer.echo(f"{what} is withdrawn: {printable(found.request)}")
        return 0

    run_in_application(work, as_json=as_json)


def _lines(promise: "Promise", verdict: "PromiseVerdict | None") -> list[str]:
    """A promise: its id, pages and request, then each check by its number: what it expects, and what was found."""
    from loopwright.agents.pages.promises.wording import describe, describe_given_up

    mark = f"{_MARKS[verdict.state]} " if verdict else "" if promise.checks else "- "
    state = "" if promise.checks else f" ({promise.status})"
    request = " ".join(promise.request.split())
    lines = [f"{mark}{promise.id:<4} {', '.join(promise.slugs):<12} “{request[:100]}”{state}"]
    if verdict is None:
        expected = describe(promise)
        lines += [f"    {n + 1:>2} expects {each}" for n, each in zip(promise.places, expected, strict=True)]
    for n, each in zip(promise.places, verdict.verdicts if verdict else (), strict=verdict is not None):
        told = f"    {n + 1:>2} {_MARKS[each.state]} {each.expected}"
        told += f"; found {each.found}" if each.state != "kept" else ""
        told += " [static]" if each.check.kind == "behaviour" and each.method == "static" else ""
        lines.append(told)
    lines += [f"    {each.place + 1:>2} - {describe_given_up(each)}" for each in promise.given_up]
    return [printable(line) for line in lines]


def _summary(counts: "dict[str, object]") -> str:
    broken = counts["broken"]
    number = len(broken) if isinstance(broken, list) else 0
    text = f"{counts['kept']} checks hold, {number} do not"
    text += f", {counts['unclear']} unclear" if counts["unclear"] else ""
    if counts["static"]:
        text += f"; {counts['static']} behaviours by their source alone (no browser acted them out)"
    return text
