"""The conversation: messages from the command line or from a prompt, each one a run."""

import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from loopwright.cli.running import has_terminal, run_in_house

if TYPE_CHECKING:
    from loopwright.app.loopwright import Loopwright

HELP = """Design printable geometry by conversation: every patch and every run waits for your yes.

\b
Examples:
  loopwright designspec --project-dir part --message "Create a box domain 20x60x30mm"
  loopwright designspec --project-dir part --message "add two inlets on top and grow a tree with 64 tips" --approve all
  loopwright designspec --project-dir part --message "run it" --approve runs --json
  loopwright designspec --project-dir part                     (a conversation on the terminal)
  loopwright designspec run part/spec.json --out result        (the pipeline alone)

Questions and approvals are asked on the terminal. Without one, name what is approved with --approve; else the run waits
(exit 3) and the command that answers is printed.
"""

app = typer.Typer(help=HELP, invoke_without_command=True, rich_markup_mode=None, add_completion=False)

APPROVALS = {"patches": ("patch",), "runs": ("run",), "all": ("patch", "run"), "none": ()}
PROVIDERS = {
    "openai": None,
    "ollama": "http://127.0.0.1:11434/v1",
    "lmstudio": "http://127.0.0.1:1234/v1",
    "vllm": "http://127.0.0.1:8000/v1",
}


@app.callback(invoke_without_command=True)
def designspec(
    context: typer.Context,
    project_dir: Path | None = typer.Option(None, "--project-dir", "-p", help="The project's folder; made if missing."),
    message: list[str] = typer.Option([], "--message", "-m", help="What you want; may be given several times."),
    approve: str = typer.Option("none", "--approve", help="What needs no further yes: patches, runs, all, none."),
    run_until: str | None = typer.Option(None, "--run-until", help="Run the pipeline up to this stage at the end."),
    legacy_agent: bool = typer.Option(False, "--legacy-agent", help="Use the rule-based agent, no language model."),
    provider: str | None = typer.Option(None, "--provider", help="openai, ollama, lmstudio, vllm, offline, or a URL."),
    model: str | None = typer.Option(None, "--model", help="The model's name."),
    api_key: str | None = typer.Option(None, "--api-key", help="The key; better set OPENAI_API_KEY."),
    answers: Path | None = typer.Option(None, "--answers", help="JSON object: question text or index → answer."),
    yes: bool = typer.Option(False, "--yes", "-y", help="Approve everything and take the defaults of all questions."),
    as_json: bool = typer.Option(False, "--json", help="Print the runs' events as JSON lines."),
) -> None:
    """Carry on the conversation about a project."""
    if context.invoked_subcommand is not None:
        return
    kinds = approved_kinds(approve)
    overrides = model_overrides(provider, model, api_key)
    options = {"legacy_agent": True} if legacy_agent or provider == "offline" else {}

    async def work(house: "Loopwright") -> int:
        from loopwright.agents.designspec.pipeline.stages import resolve_stage
        from loopwright.cli.answers import AnswerSource, read_answers
        from loopwright.cli.designspec.turns import Conversation

        if run_until is not None:
            resolve_stage(run_until)
        terminal = has_terminal()
        source = AnswerSource(
            read_answers(answers), accept_defaults=yes, approved=kinds, interactive=terminal and not as_json
        )
        conversation = Conversation(house, _folder(project_dir), source, as_json, options, run_until)
        return await conversation.hold(_said(message) if message else _typed(terminal and not as_json))

    run_in_house(work, as_json=as_json, overrides=overrides)


def approved_kinds(approve: str) -> frozenset[str]:
    """The kinds of gates that a list such as `patches,runs` approves."""
    kinds: set[str] = set()
    for name in filter(None, (part.strip() for part in approve.split(","))):
        if name not in APPROVALS:
            raise typer.BadParameter(f"{name!r} is none of {', '.join(APPROVALS)}.", param_hint="--approve")
        kinds.update(APPROVALS[name])
    return frozenset(kinds)


def model_overrides(provider: str | None, model: str | None, api_key: str | None) -> dict[str, Any]:
    """The settings that the options replace, by field name."""
    overrides: dict[str, Any] = {}
    if provider not in (None, "offline"):
        url = provider if provider.startswith(("http://", "https://")) else PROVIDERS.get(provider, "")
        if url == "":
            raise typer.BadParameter(
                f"{provider!r} is none of {', '.join([*PROVIDERS, 'offline'])}, and no URL.", param_hint="--provider"
            )
        overrides["openai_base_url"] = url
    if model is not None:
        overrides |= {"model_fast": model, "model_standard": model, "model_powerful": model}
    if api_key is not None:
        overrides["openai_api_key"] = api_key
    return overrides


def _folder(project_dir: Path | None) -> Path:
    from loopwright.kernel.errors import InvalidInput

    if project_dir is None:
        raise InvalidInput("No project was named.", hint="Give its folder: --project-dir DIR.")
    return project_dir


async def _said(messages: list[str]) -> AsyncIterator[str]:
    for message in messages:
        yield message


async def _typed(terminal: bool) -> AsyncIterator[str]:
    """Lines that a person types, until `exit` or the end of the input."""
    import asyncio

    from loopwright.kernel.errors import InvalidInput

    if not terminal:
        raise InvalidInput(
            "There is no terminal for a conversation.", hint='Say what you want with --message "…" (several in order).'
        )
    typer.echo('What shall it be? For example: Create a box domain 20x60x30mm. "exit" ends.', err=True)
    while True:
        typer.echo("\ndesignspec> ", nl=False, err=True)
        line = await asyncio.to_thread(sys.stdin.readline)
        if not line or line.strip().lower() in ("exit", "quit", ":q"):
            return
        if line.strip():
            yield line.strip()
