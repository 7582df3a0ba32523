"""`loopwright designspec`: geometry by conversation, and the same pipeline without one."""

import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from loopwright.cli.running import FAILED, guarded, has_terminal, print_json, run_in_application

if TYPE_CHECKING:
    from loopwright.app.loopwright import Loopwright


# The commands: messages from the command line or a prompt, each one a run; and spec documents without a project.
#
# `loopwright designspec run FILE`: the pipeline on a spec document, without a conversation.


def run(
    file: Path = typer.Argument(..., metavar="FILE", help="A spec document, JSON or YAML."),
    out: Path = typer.Option(..., "--out", help="The project folder for the results; made if missing."),
    run_until: str = typer.Option("full", "--run-until", help="The last stage, inclusive."),
    run_only: list[str] = typer.Option([], "--run-only", help="Only this stage (what it needs must be cached)."),
    skip: list[str] = typer.Option([], "--skip", help="Leave this stage out."),
    component: list[str] = typer.Option([], "--component", help="Only this component; may be given several times."),
    as_json: bool = typer.Option(False, "--json", help="Print the run's events as JSON lines."),
) -> None:
    """Run a spec document through the pipeline: exit 0 when it succeeded and is valid, 4 when not."""

    async def work(application: "Loopwright") -> int:
        from loopwright.agents.designspec.pipeline.reports import RunPlan, resolve_stage
        from loopwright.agents.designspec.usecases import (
            describe_plan,
            message_for,
            project_from,
            read_spec_file,
            run_options,
        )
        from loopwright.app.starting import create_run
        from loopwright.cli.answers import AnswerSource
        from loopwright.cli.views import LastLine, follow, make_view

        for stage in (run_until, *run_only, *skip):
            resolve_stage(stage)
        project_from(read_spec_file(file), out, beside=file)
        plan = RunPlan(run_until=run_until, run_only=run_only, skip=skip, components_subset=component or None)
        record = await create_run(
            application, await message_for(application, out, describe_plan(plan), run_options(plan))
        )
        view = LastLine(make_view(as_json))
        code = await follow(application, record.run_id, view, AnswerSource())
        return code if code or view.line.get("success") else FAILED

    run_in_application(work, as_json=as_json)


# Commands on a project's history: undo, history.

PROJECT = typer.Option(..., "--project-dir", "-p", help="The project's folder.")
JSON = typer.Option(False, "--json", help="Print JSON lines.")


def undo(project_dir: Path = PROJECT, as_json: bool = JSON) -> None:
    """Take back the newest change of the spec; again goes one change further back."""

    def work() -> int:
        from loopwright.agents.designspec.patches import describe_patch
        from loopwright.agents.designspec.project.folder import ProjectFolder

        record = ProjectFolder.open(project_dir).undo()
        if as_json:
            print_json({"type": "complete", "undone": record.undoes, **record.model_dump(mode="json")})
        else:
            typer.echo(f"Undone: {record.note}.")
            for line in describe_patch(record.patches):
                typer.echo(f"  {line}")
        return 0

    raise typer.Exit(guarded(work, as_json=as_json))


def history(
    project_dir: Path = PROJECT,
    limit: int = typer.Option(50, "--limit", min=1, max=1_000, help="At most so many."),
    as_json: bool = JSON,
) -> None:
    """List the changes of the spec, newest first."""

    def work() -> int:
        from loopwright.agents.designspec.patches import describe_patch
        from loopwright.agents.designspec.project.folder import ProjectFolder

        for record in ProjectFolder.open(project_dir).history()[:limit]:
            if as_json:
                print_json(record.model_dump(mode="json"))
                continue
            typer.echo(f"{record.timestamp}  {record.author:<8} {record.old_hash} → {record.new_hash}  {record.note}")
            for line in describe_patch(record.patches)[:8]:
                typer.echo(f"    {line}")
        return 0

    raise typer.Exit(guarded(work, as_json=as_json))


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

    async def work(application: "Loopwright") -> int:
        from loopwright.agents.designspec.commands.turns import Conversation
        from loopwright.agents.designspec.pipeline.reports import resolve_stage
        from loopwright.cli.answers import AnswerSource, read_answers

        if run_until is not None:
            resolve_stage(run_until)
        terminal = has_terminal()
        source = AnswerSource(
            read_answers(answers), accept_defaults=yes, approved=kinds, interactive=terminal and not as_json
        )
        conversation = Conversation(application, _folder(project_dir), source, as_json, options, run_until)
        return await conversation.hold(_said(message) if message else _typed(terminal and not as_json))

    run_in_application(work, as_json=as_json, overrides=overrides)


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


# Commands on spec documents, without a project: schema, validate, diff.

ONE_JSON = typer.Option(False, "--json", help="Print JSON.")
FILE = typer.Argument(..., metavar="FILE", help="A spec document, JSON or YAML.")
BAD_INPUT = 2


def schema() -> None:
    """Print the JSON Schema of spec documents."""

    def work() -> int:
        from loopwright.agents.designspec.document.checking import json_schema

        print_json(json_schema())
        return 0

    raise typer.Exit(guarded(work))


def validate(file: Path = FILE, as_json: bool = ONE_JSON) -> None:
    """Check a spec document; each problem is told with the pointer to the culprit. Exit 2 when it cannot run."""

    def work() -> int:
        from loopwright.agents.designspec.document.checking import check_document
        from loopwright.agents.designspec.usecases import read_spec_file

        report = check_document(read_spec_file(file))
        valid = report.ok and report.complete
        if as_json:
            issues = [issue.model_dump(mode="json") for issue in report.issues]
            print_json(
                {
                    "type": "complete",
                    "valid": valid,
                    "spec_hash": report.spec_hash,
                    "input_units": report.input_units,
                    "issues": issues,
                }
            )
        else:
            for issue in report.issues:
                typer.echo(f"{issue.severity:<10} {issue.code:<24} {issue}")
            typer.echo(f"{file} is {'valid' if valid else 'not valid'}" + (f" ({report.spec_hash})" if valid else ""))
        return 0 if valid else BAD_INPUT

    raise typer.Exit(guarded(work, as_json=as_json))


def diff(
    before: Path = typer.Argument(..., metavar="A", help="The older document."),
    after: Path = typer.Argument(..., metavar="B", help="The newer document."),
    as_json: bool = ONE_JSON,
) -> None:
    """Tell in words what has changed between two spec documents."""

    def work() -> int:
        from loopwright.agents.designspec.document.difference import diff_documents
        from loopwright.agents.designspec.usecases import read_spec_file

        changes = diff_documents(read_spec_file(before), read_spec_file(after))
        if as_json:
            print_json({"type": "complete", "changes": [change.model_dump(mode="json") for change in changes]})
        else:
            for change in changes:
                typer.echo(change.text)
            if not changes:
                typer.echo("The two mean the same.")
        return 0

    raise typer.Exit(guarded(work, as_json=as_json))


for command in (schema, validate, run, diff, undo, history):
    app.command()(command)
