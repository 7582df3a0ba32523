"""`loopwright pages promises` and `loopwright pages withdraw`: what the app has promised, and taking it back."""

from typing import TYPE_CHECKING

import typer

from loopwright.cli.printable import printable
from loopwright.cli.running import run_in_house

if TYPE_CHECKING:
    from loopwright.agents.pages.ledger.promise import Promise
    from loopwright.agents.pages.ledger.verdict import PromiseVerdict
    from loopwright.app.loopwright import Loopwright

BROKEN = 4
"""Exit code when a promise does not hold."""

PROMISES_HELP = """List what a session's app has promised: each accepted request, and the checks that watch it.

\b
Examples:
  loopwright pages promises 3f2a9c             (the ledger)
  loopwright pages promises 3f2a9c --check     (replay it on the pages as they are now; exit 4 if one is broken)
"""
WITHDRAW_HELP = """Take a promise back; edits may then remove or change what it was about.

\b
Examples:
  loopwright pages withdraw 3f2a9c P7 --reason "no newsletter after all"
  loopwright pages withdraw 3f2a9c P7 --check 2    (only that check, by its number in the ledger)
"""
_MARKS = {"kept": "✓", "broken": "✗", "unclear": "?"}


def promises(
    session: str = typer.Argument(..., metavar="SESSION", help="The session, as a run's last lines name it."),
    check: bool = typer.Option(False, "--check", help="Run every check on the pages as they are now."),
    withdrawn: bool = typer.Option(False, "--all", help="Also those of which nothing counts any more."),
    as_json: bool = typer.Option(False, "--json", help="Print the ledger as one JSON object."),
) -> None:
    """Print the ledger."""

    async def work(house: "Loopwright") -> int:
        import json

        from loopwright.app.promises import read_ledger

        ledger = await read_ledger(house, session, check=check, withdrawn=withdrawn)
        broken = ledger.report.broken if ledger.report else ()
        if as_json:
            typer.echo(json.dumps(ledger.to_wire(), ensure_ascii=False))
            return BROKEN if broken else 0
        if not ledger.promises:
            typer.echo("Nothing is promised yet: the ledger is empty.")
            return 0
        verdicts = {each.promise.number: each for each in ledger.report.promises} if ledger.report else {}
        for promise in ledger.promises:
            typer.echo("\n".join(_lines(promise, verdicts.get(promise.number))))
        if ledger.report:
            typer.echo(_summary(ledger.report.summary()))
        return BROKEN if broken else 0

    run_in_house(work, as_json=as_json)


def withdraw(
    session: str = typer.Argument(..., metavar="SESSION", help="The session, as a run's last lines name it."),
    promise: str = typer.Argument(..., metavar="PROMISE", help="The promise, such as P7."),
    check: int | None = typer.Option(None, "--check", min=1, help="Only this check, by its number. [all of them]"),
    reason: str = typer.Option("", "--reason", help="Why; it is kept with the promise."),
    as_json: bool = typer.Option(False, "--json", help="Print the promise as one JSON object."),
) -> None:
    """Withdraw one promise, or one check of it."""

    async def work(house: "Loopwright") -> int:
        import json

        from loopwright.app.promises import Ledger, withdraw_promise

        found = await withdraw_promise(house, session, promise, reason, check=check)
        if as_json:
            typer.echo(json.dumps(Ledger((found,)).to_wire()["promises"][0], ensure_ascii=False))
        else:
            what = found.id if check is None else f"Check {check} of {found.id}"
            typer.echo(f"{what} is withdrawn: {printable(found.request)}")
        return 0

    run_in_house(work, as_json=as_json)


def _lines(promise: "Promise", verdict: "PromiseVerdict | None") -> list[str]:
    """A promise: its id, pages and request, then each check by its number: what it expects, and what was found."""
    from loopwright.agents.pages.ledger.wording import describe, describe_given_up

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
    text = f"{counts['kept']} kept, {number} broken"
    text += f", {counts['unclear']} unclear" if counts["unclear"] else ""
    if counts["static"]:
        text += f"; {counts['static']} behaviours by their source alone (no browser acted them out)"
    return text
