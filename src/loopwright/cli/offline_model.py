"""`loopwright offline-model`: the built-in model as a server of its own."""

import typer

from loopwright.cli.running import guarded

HELP = """Serve the offline model as an OpenAI-compatible endpoint.

It is rules, not an LLM. Any client of the OpenAI wire can talk to it.

\b
Example:
  loopwright offline-model --port 8034
  OPENAI_BASE_URL=http://127.0.0.1:8034/v1 loopwright pages "a coffee shop app" --yes
"""


def offline_model(
    port: int = typer.Option(8034, "--port", min=1, max=65535, help="Port on the loopback address."),
) -> None:
    """Serve until stopped."""

    def work() -> int:
        import uvicorn

        from loopwright.app.models import offline_app

        typer.echo(f"offline model on http://127.0.0.1:{port}/v1 (stop with Ctrl-C)")
        uvicorn.run(offline_app(), host="127.0.0.1", port=port, log_level="warning")
        return 0

    raise typer.Exit(guarded(work))
