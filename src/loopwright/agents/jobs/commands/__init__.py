"""`loopwright jobs`: long jobs in strategic and tactical phases, over a folder of their own."""

import typer

from loopwright.agents.jobs.commands.looking import (
    cancel,
    list_jobs,
    requirements,
    resume,
    rewind,
    run,
    schema,
    show,
    validate,
)

HELP = """Do long jobs in phases: plan, work, look back, plan again, until the job is complete.

\b
Examples:
  loopwright jobs run creator --document GoBD.pdf --language de
  loopwright jobs run validator
  loopwright jobs run my-job.json --prompt "Only chapter 3" --workspace chapter3
  loopwright jobs requirements JOB --csv requirements.csv
  loopwright jobs resume JOB
  loopwright jobs rewind JOB --to-phase 3

A config is a shipped name (creator, validator) or a JSON file that extends one; `jobs schema` has its form.
"""

app = typer.Typer(help=HELP, no_args_is_help=True, rich_markup_mode=None, add_completion=False)
for command in (run, validate, schema, show, resume, rewind, cancel, requirements):
    app.command()(command)
app.command("list")(list_jobs)

__all__ = ["app"]
