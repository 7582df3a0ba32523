"""`loopwright serve`: the HTTP API."""

import sys

import click

from loopwright.cli.running import SHOW_DEFAULTS, guarded, load_settings


@click.command()
@click.argument("file", metavar="[FILE]", required=False)
@click.option("--host", help="Address to bind. [127.0.0.1]")
@click.option("--port", type=click.IntRange(0, 65535), help="Port; 0 takes a free one. [8700]")
def serve(file: str | None, host: str | None, port: int | None) -> None:
    """Serve the HTTP API (docs at /docs).

    Binding beyond loopback needs LOOPWRIGHT_TOKEN, which every request must then carry as a bearer token.

    \b
    Examples:
      loopwright serve
      loopwright serve clerk.py                    # and the agent that this file declares
      LOOPWRIGHT_TOKEN=secret loopwright serve --host 0.0.0.0 --port 8080
    """  # noqa: D301 – Click reads the mark

    def work() -> int:
        import pkgutil

        settings = load_settings()
        if file is not None:
            from loopwright.app.agent_files import adopt
            from loopwright.kernel.files import make_private_folder

            make_private_folder(settings.home.resolve())
            adopt(settings.home, file)
        changes = {name: value for name, value in (("host", host), ("port", port)) if value is not None}
        run_server = pkgutil.resolve_name("loopwright.server.serve:run_server")  # surfaces do not import each other
        run_server(settings.model_copy(update=changes))
        return 0

    sys.exit(guarded(work))


# --------------------------------------------------------------------------------------------------------------------
# `loopwright offline-model`: the built-in model as a server of its own.
# --------------------------------------------------------------------------------------------------------------------


@click.command(context_settings=SHOW_DEFAULTS)
@click.option("--port", type=click.IntRange(1, 65535), default=8034, help="Port on the loopback address.")
def offline_model(port: int) -> None:
    """Serve the offline model as an OpenAI-compatible endpoint.

    It is rules, not an LLM. Any client of the OpenAI wire can talk to it.

    \b
    Example:
      loopwright offline-model --port 8034
      OPENAI_BASE_URL=http://127.0.0.1:8034/v1 loopwright pages "a coffee shop app" --yes
    """  # noqa: D301 – Click reads the mark

    def work() -> int:
        import uvicorn

        from loopwright.app.models import offline_app

        click.echo(f"offline model on http://127.0.0.1:{port}/v1 (stop with Ctrl-C)")
        uvicorn.run(offline_app(), host="127.0.0.1", port=port, log_level="warning")
        return 0

    sys.exit(guarded(work))
