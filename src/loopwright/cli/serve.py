"""`loopwright serve`: the HTTP API."""

import typer

from loopwright.cli.running import guarded, load_settings

HELP = """Serve the HTTP API (docs at /docs).

Binding beyond loopback needs LOOPWRIGHT_TOKEN, which every request must then carry as a bearer token.

\b
Examples:
  loopwright serve
  LOOPWRIGHT_TOKEN=secret loopwright serve --host 0.0.0.0 --port 8080
"""


def serve(
    host: str | None = typer.Option(None, "--host", help="Address to bind. [127.0.0.1]"),
    port: int | None = typer.Option(None, "--port", min=0, max=65535, help="Port; 0 takes a free one. [8700]"),
) -> None:
    """Serve until stopped."""

    def work() -> int:
        import pkgutil

        settings = load_settings()
        changes = {name: value for name, value in (("host", host), ("port", port)) if value is not None}
        run_server = pkgutil.resolve_name("loopwright.server.serve:run_server")  # surfaces do not import each other
        run_server(settings.model_copy(update=changes))
        return 0

    raise typer.Exit(guarded(work))
