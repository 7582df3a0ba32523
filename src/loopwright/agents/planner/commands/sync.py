"""A plan on a calendar server: push it, and pull what was changed there."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from loopwright.agents.planner.commands.make import JSON, PLAN
from loopwright.cli.running import has_terminal, print_json, printable, run_in_application

if TYPE_CHECKING:
    from loopwright.agents.planner.exports.caldav import CalendarServer
    from loopwright.app.loopwright import Loopwright

PASSWORD = "LOOPWRIGHT_CALDAV_PASSWORD"  # noqa: S105 - the variable's name
URL = typer.Option(..., "--url", help="The calendar's own address (CalDAV), https.")
USER = typer.Option("", "--user", help="Who asks.")
SECRET = typer.Option("", "--password", envvar=PASSWORD, help="Asked on the terminal where it is not set.")


def push(plan: str = PLAN, url: str = URL, user: str = USER, password: str = SECRET, as_json: bool = JSON) -> None:
    r"""Make a calendar on a server (CalDAV) show the plan as it is.

    Events that the plan does not have any more are deleted there. What somebody has changed there stays and is told.

    \b
    Example:
      loopwright plan push PLAN --url https://dav.example.org/anna/plans/ --user anna
    """

    async def work(application: "Loopwright") -> int:
        from loopwright.agents.planner.exports import caldav
        from loopwright.agents.planner.usecases import plan_of, planning_of, present, scheduled

        outline, schedule = scheduled(await planning_of(application, await plan_of(application, plan)))
        done = caldav.push(_server(url, user, password), outline, schedule, now=present(application))
        if as_json:
            print_json({"type": "complete", **vars(done)})
            return 0
        told = [f"{len(getattr(done, kind))} {kind}" for kind in ("created", "changed", "deleted")]
        typer.echo(f"{', '.join(told)}, {done.unchanged} as they were")
        for title in done.conflicts:
            typer.echo(f"left as it is, because it was changed on the server: {printable(title)}")
        return 0

    run_in_application(work, as_json=as_json)


def pull(
    plan: str = PLAN,
    url: str = URL,
    user: str = USER,
    password: str = SECRET,
    busy: Path | None = typer.Option(None, "--busy", help="Write the calendar's other events to this .ics file."),
    as_json: bool = JSON,
) -> None:
    r"""Show what a calendar on a server has else than the plan; the plan itself is changed by `plan replan`.

    \b
    Example:
      loopwright plan pull PLAN --url https://dav.example.org/anna/plans/ --user anna --busy busy.ics
    """

    async def work(application: "Loopwright") -> int:
        from loopwright.agents.planner.exports import caldav
        from loopwright.agents.planner.usecases import plan_of, planning_of, scheduled
        from loopwright.kernel.files import write_whole

        outline, schedule = scheduled(await planning_of(application, await plan_of(application, plan)))
        found = caldav.pull(_server(url, user, password), outline, schedule)
        if busy is not None:
            write_whole(busy, found.others.encode())
        if as_json:
            print_json({"type": "complete", "busy": str(busy) if busy is not None else None, **_told(found)})
            return 0
        for line in _lines(found, busy):
            typer.echo(line)
        return 0

    run_in_application(work, as_json=as_json)


def _server(url: str, user: str, password: str) -> "CalendarServer":
    from loopwright.agents.planner.exports.caldav import CalendarServer

    if user and not password and has_terminal():
        password = typer.prompt("Password", hide_input=True, default="", show_default=False)
    return CalendarServer(url, user, password)


def _told(found: Any) -> dict[str, Any]:
    return {"moved": found.moved, "deleted": found.deleted, "other_events": found.other_count}


def _lines(found: Any, busy: Path | None) -> Iterator[str]:
    yield from (f"changed on the server: {printable(line)}" for line in found.moved)
    yield from (f"not on the server: {printable(line)}" for line in found.deleted)
    if not found.moved and not found.deleted:
        yield "The plan's events are as they were pushed."
    if busy is not None:
        yield f"{found.other_count} other events in {busy}; plan around them with --calendar {busy}"
