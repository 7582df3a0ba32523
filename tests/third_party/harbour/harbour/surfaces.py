"""A route, a command, and how its gates and endings read."""

from collections.abc import Iterator
from typing import Any

import click
from fastapi import APIRouter

from loopwright.app.loopwright import Loopwright
from loopwright.cli.running import run_in_application
from loopwright.server.dependencies import Application

router = APIRouter(prefix="/api/harbour", tags=["harbour"])


@router.get("")
async def ships(application: Application) -> list[dict[str, str]]:
    """Who lies where."""
    return await (await application.services("harbour")).ships()


@click.command()
def log() -> None:
    """Print the harbour's log."""

    async def work(app: Loopwright) -> int:
        for each in await (await app.services("harbour")).ships():
            click.echo(f"{each['ship']} at {each['berth']}")
        return 0

    run_in_application(work)


def gate_lines(details: dict[str, Any]) -> Iterator[str]:
    """The ship that wants to berth."""
    yield f"  Ship       {details['ship']}"


def ending_lines(line: dict[str, Any]) -> Iterator[str]:
    """Where to look."""
    yield "Log        loopwright harbour"
