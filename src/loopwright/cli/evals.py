"""`loopwright eval`: cases with checks over any agent, several models side by side; recorded runs as cases."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from loopwright.cli.running import (
    CANCELLED,
    guarded,
    load_settings,
    print_error,
    print_json,
    run_in_application,
    run_to_end,
)

if TYPE_CHECKING:
    from loopwright.app.loopwright import Loopwright
    from loopwright.evals.statistics import TrialResult

BELOW, FAILED = 1, 4
"""Exit codes: a pass rate lies below `--fail-under`; trials could not be carried out."""
RUN = "run"
"""The hidden command that takes cases."""
CASES_FIRST = "loopwright.cases_first"
"""In the context: the user has given cases, and not the hidden command's name."""
FOLDERS = Path("loopwright-evals")
"""Where evaluations lie when nothing else is said, each in a folder with a number."""

MODEL_HELP = "offline, recorded, local, a name at the endpoint that is set, or NAME@ADDRESS. [the one that is set]"
OUT_HELP = "The evaluation's folder; one that is there goes on. [loopwright-evals/NUMBER]"


class CasesContext(click.Context):
    """The context of the hidden command, which names in messages what the user has typed."""

    @property
    def command_path(self) -> str:
        """`loopwright eval`, unless the command's own name was given."""
        hidden = self.parent is not None and self.meta.get(CASES_FIRST)
        return self.parent.command_path if hidden and self.parent is not None else super().command_path


class CasesCommand(click.Command):
    """The hidden command that takes cases."""

    context_class = CasesContext


class CasesGroup(click.Group):
    """A first word that is a command is one; everything else names cases."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the hidden command before cases."""
        if args and args[0] not in self.commands and args[0] not in ("--help", "-h"):
            args = [RUN, *args]
            ctx.meta[CASES_FIRST] = True
        return super().parse_args(ctx, args)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Show how cases are run."""
        formatter.write_usage(ctx.command_path, "CASES [--model NAME]… [OPTIONS]  |  record RUN [OPTIONS]")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options are those of running cases."""
        self.commands[RUN].format_options(ctx, formatter)
        self.format_commands(ctx, formatter)


@click.group(cls=CasesGroup, name="eval")
def app() -> None:
    """Evaluate agents: run cases with checks, several models side by side.

    CASES is a file of cases (YAML, JSON, JSON Lines) or a folder of them. An evaluation that was killed goes on where
    it was when the same command is given again.

    \b
    Examples:
      loopwright eval cases.yaml --model offline
      loopwright eval cases/ --model gpt-4.1 --model qwen3@http://127.0.0.1:11434/v1 --repeat 3 --fail-under 0.9
      loopwright eval cases/ --model recorded
      loopwright eval record RUN --out cases/coffee.yaml
    """  # noqa: D301 - Click reads the mark


@app.command(RUN, cls=CasesCommand, hidden=True)
@click.argument("cases", type=click.Path(exists=True, path_type=Path))
@click.option("--model", "models", multiple=True, metavar="NAME", help=MODEL_HELP)
@click.option("--repeat", type=click.IntRange(min=1), default=1, help="Trials of each case with each model. [1]")
@click.option("--jobs", type=click.IntRange(min=1), default=4, help="Trials at once. [4]")
@click.option("--tag", "tags", multiple=True, help="Only cases with this tag; again for more.")
@click.option("--judge", metavar="NAME", help="The model that judges, for cases that want one.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help=OUT_HELP)
@click.option("--max-usd", type=click.FloatRange(0), metavar="USD", help="Begin no trial once this much is spent.")
@click.option("--fail-under", type=click.FloatRange(0, 1), metavar="RATE", help="Exit with 1 if a model passes less.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines: each trial, then the whole.")
def run(cases: Path, models: tuple[str, ...], out: Path | None, as_json: bool, **options: Any) -> None:
    """Run cases."""

    async def work() -> int:
        from loopwright.evals.evaluation import evaluate, folder_for

        plan = _plan(cases, models, options)
        root = out or folder_for(plan, FOLDERS)
        if not as_json:
            going_on = " (going on)" if (root / "evaluation.json").exists() else ""
            click.echo(f"{len(plan.trials)} trials in {root}{going_on}", err=True)
        report = await evaluate(plan, root, _TellResult(as_json))
        page = _write_report(report, root, cases)
        return _finish(report, page, options["fail_under"], as_json=as_json)

    def work_or_stop() -> int:
        try:
            return run_to_end(work())
        except KeyboardInterrupt:
            print_error("interrupted", "Interrupted.", "Give the same command again to go on.", as_json=as_json)
            return CANCELLED

    sys.exit(guarded(work_or_stop, as_json=as_json))


def _plan(cases: Path, models: tuple[str, ...], options: dict[str, Any]) -> Any:
    """What the user wants evaluated.

    Raises:
        InvalidInput: the cases cannot be used, or none has one of the tags.
    """
    from loopwright.app.endpoints import with_choice
    from loopwright.evals.cases import load_cases
    from loopwright.evals.evaluation import Plan
    from loopwright.kernel.errors import InvalidInput

    wanted = set(options["tags"])
    chosen = [case for case in load_cases(cases) if not wanted or wanted & set(case.tags)]
    if not chosen:
        raise InvalidInput(f"No case of {cases} has a tag of {', '.join(sorted(wanted))}.")
    settings = with_choice(load_settings())
    return Plan(chosen, models, settings, options["repeat"], options["jobs"], options["judge"], options["max_usd"])


class _TellResult:
    """Prints each result as it comes."""

    def __init__(self, as_json: bool) -> None:
        self._as_json = as_json

    def __call__(self, result: "TrialResult", done: int, total: int) -> None:
        if self._as_json:
            print_json({"type": "trial", **result.model_dump(mode="json", exclude={"excerpt"})})
            return
        sign = {"passed": "✓", "failed": "✗", "error": "!"}[result.status]
        click.echo(f"{sign} {done:>3}/{total}  {result.case}  {result.model}  {_why(result)}", err=True)


def _why(result: "TrialResult") -> str:
    if result.error:
        return result.error[:200]
    failed = [verdict.check for verdict in result.verdicts if verdict.passed is False]
    return f"{result.seconds:.1f} s" + (f"  {'; '.join(failed)[:200]}" if failed else "")


def _write_report(report: Any, root: Path, cases: Path) -> Path:
    from datetime import UTC, datetime

    from loopwright.evals.report import html
    from loopwright.kernel.files import write_whole

    return write_whole(root / "report.html", html(report, cases.name or str(cases), datetime.now(UTC)).encode())


def _finish(report: Any, page: Path, fail_under: float | None, *, as_json: bool) -> int:
    """Print the whole, and give the exit code."""
    from dataclasses import asdict

    from loopwright.evals.report import table

    if as_json:
        models, pairs = [asdict(each) for each in report.summaries], [asdict(each) for each in report.comparisons]
        counts = {"trials": report.total, "cases": len(report.cases)}
        print_json({"type": "evaluation", **counts, "models": models, "comparisons": pairs, "report": str(page)})
    else:
        click.echo("")
        for line in table(report):
            click.echo(line)
        click.echo(f"\nReport: {page}")
    if report.left:
        told = f"{report.left} trials were not begun: what may be spent is spent."
        print_error("not_begun", told, "Give the same command with --out and a higher --max-usd.", as_json=False)
    if errors := sum(each.errors for each in report.summaries):
        told = f"{errors} trials could not be carried out; the rates leave them out."
        print_error("trials_failed", told, "Give the same command with --out to try them again.", as_json=False)
    if errors or report.left:
        return FAILED
    low = [each for each in report.summaries if fail_under is not None and (each.rate or 0.0) < fail_under]
    for each in low:
        print_error(
            "below", f"{each.model} reaches {each.rate or 0:.0%}, less than {fail_under:.0%}.", "", as_json=False
        )
    return BELOW if low else 0


@app.command()
@click.argument("run_id", metavar="RUN")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="The case's file. [AGENT-RUN.yaml]")
@click.option("--no-files", is_flag=True, help="Leave out the files that lay in the session's folder at the start.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines.")
def record(run_id: str, out: Path | None, no_files: bool, as_json: bool) -> None:
    """Make a case of a recorded run, and of those before it in its session."""

    async def work(application: "Loopwright") -> int:
        from loopwright.evals.recording import record_case

        named = out or Path(f"{(await application.stores.runs.get(run_id)).agent}-{run_id[:8]}.yaml")
        made = await record_case(application, run_id, named, files=not no_files)
        if as_json:
            print_json({"type": "case", "id": made.case.id, "file": str(made.path), "notes": made.notes})
            return 0
        for note in made.notes:
            click.echo(f"note: {note}", err=True)
        click.echo(f"{made.path}: {len(made.case.checks)} checks are proposed; edit them, then")
        click.echo(f"  loopwright eval {made.path} --model recorded")
        return 0

    run_in_application(work, as_json=as_json)
