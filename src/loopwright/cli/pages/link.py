"""`loopwright pages link`: an address under which a page opens without the server's token, for a while."""

from typing import TYPE_CHECKING

import typer

from loopwright.cli.running import print_json, run_in_house

if TYPE_CHECKING:
    from loopwright.app.loopwright import Loopwright

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

    async def work(house: "Loopwright") -> int:
        from loopwright.app.preview_links import preview_link

        made = await preview_link(house, session, slug, live=live, seconds=minutes * 60)
        address = (base or f"http://{house.settings.host}:{house.settings.port}").rstrip("/") + made.url
        if as_json:
            print_json({"url": address, "expires_at": made.expires_at.isoformat() if made.expires_at else None})
            return 0
        typer.echo(address)
        if made.expires_at:
            typer.echo(f"Opens until {made.expires_at.astimezone():%Y-%m-%d %H:%M}.", err=True)
        return 0

    run_in_house(work, as_json=as_json)
