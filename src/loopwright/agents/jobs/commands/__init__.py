"""`loopwright jobs`: long jobs in strategic and tactical phases, over a folder of their own."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from loopwright.cli.running import BAD_INPUT, guarded, print_json, program, run_in_application

if TYPE_CHECKING:
    from loopwright.app.loopwright import Loopwright


# Looking at jobs: list, show, requirements.
#
# Commands on job configs: schema, validate.


def schema() -> None:
    """Print the JSON Schema of job configs."""

    def work() -> int:
        from loopwright.agents.jobs.configs import config_schema

        print_json(config_schema())
        return 0

    raise typer.Exit(guarded(work))


def validate(
    config: str = typer.Argument(..., metavar="FILE", help="A config file, a folder with config.json, a shipped name."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """Check a job config and what it extends; each problem is told with its pointer. Exit 2 when it cannot be used."""

    def work() -> int:
        from loopwright.agents.jobs.configs import examine_config

        report = examine_config(config)
        valid = report.config is not None
        if as_json:
            issues = [asdict(issue) for issue in report.issues]
            print_json({"type": "complete", "valid": valid, "layers": report.layers, "issues": issues})
        else:
            for issue in report.issues:
                typer.echo(f"{issue.severity:<8} {issue.advice}")
            typer.echo(f"{config} is {'valid' if valid else 'not valid'} ({' → '.join(report.layers)})")
        return 0 if valid else BAD_INPUT

    raise typer.Exit(guarded(work, as_json=as_json))


# `loopwright jobs run`: a config, documents and an order.


def run(
    config: str = typer.Argument(..., metavar="CONFIG", help="creator, validator, or a config file."),
    document: list[Path] = typer.Option([], "--document", "-d", help="A file that the job reads; repeatable."),
    prompt: str = typer.Option("", "--prompt", "-p", help="What you want of this job, in your words."),
    workspace: Path | None = typer.Option(None, "--workspace", help="The job's folder. [a new one in loopwright-out]"),
    language: str | None = typer.Option(None, "--language", help="en or de; wins over the config's own."),
    as_json: bool = typer.Option(False, "--json", help="Print the run's events as JSON lines."),
) -> None:
    """Begin a job and carry it on until it is complete. Ctrl-C stops it; `jobs resume` goes on."""

    async def work(application: "Loopwright") -> int:
        from loopwright.agents.jobs.commands.progress import make_job_view
        from loopwright.agents.jobs.configs import examine_config
        from loopwright.agents.jobs.usecases.documents import job_run, read_documents
        from loopwright.app.starting import create_run
        from loopwright.cli.answers import AnswerSource
        from loopwright.cli.views import follow

        report = examine_config(config, language=language)
        settled = report.usable()
        for issue in report.issues:
            typer.echo(f"note: {issue.advice}", err=True)
        documents = read_documents(document, settled.workspace.max_file_bytes)
        new = await job_run(application, settled, documents=documents, prompt=prompt, workspace=workspace)
        record = await create_run(application, new)
        view = make_job_view(as_json, record.session_id, str(new.folder))
        return await follow(application, record.run_id, view, AnswerSource())

    run_in_application(work, as_json=as_json)


JOB = typer.Argument(..., metavar="JOB", help="The job's id.")
JSON = typer.Option(False, "--json", help="Print JSON lines.")
SHOWN_TEXT = 100


def list_jobs(limit: int = typer.Option(50, "--limit", min=1, max=1_000), as_json: bool = JSON) -> None:
    """List jobs, newest first."""

    async def work(application: "Loopwright") -> int:
        from loopwright.agents.jobs.usecases import describe_job, find_jobs

        jobs = [describe_job(job) for job in await find_jobs(application, limit)]
        for job in jobs:
            print_json(job) if as_json else typer.echo(_line(job))
        if not jobs and not as_json:
            typer.echo("No jobs yet. Try: loopwright jobs run creator --document FILE.pdf")
        return 0

    run_in_application(work, as_json=as_json)


def show(job: str = JOB, as_json: bool = JSON) -> None:
    """Show where a job stands: its phases with their todos, and what it has found."""

    async def work(application: "Loopwright") -> int:
        from loopwright.agents.jobs.usecases import find_job, show_job

        shown = await show_job(application, await find_job(application, job))
        if as_json:
            print_json({"type": "complete", **shown})
            return 0
        typer.echo(_line(shown))
        typer.echo(f"Workspace  {shown['workspace']}")
        for phase in shown["phases"]:
            title = f": {phase['title']}" if phase["title"] else ""
            done = f"{phase['todos_done']}/{phase['todos']}"
            typer.echo(f"\nPhase {phase['number']} ({phase['kind']}){title}  {done}")
            for todo in phase["todo_list"]:
                typer.echo(
                    f"  {'✓' if todo['status'] == 'completed' else '·'} {todo['id']}. {todo['content'][:SHOWN_TEXT]}"
                )
        typer.echo("")
        for name in ("requirements", "settled"):
            typer.echo(f"{name:<13} {_counted(shown[name])}")
        typer.echo(f"{'sources':<13} {shown['sources']}")
        if shown["completion"]:
            typer.echo(f"\n{shown['completion']['summary']}")
        return 0

    run_in_application(work, as_json=as_json)


def requirements(
    job: str = JOB,
    csv: Path | None = typer.Option(None, "--csv", help="Write them into this file instead."),
    as_json: bool = JSON,
) -> None:
    """Print the requirements that a job has added or settled, with the quotes that bear them."""

    async def work(application: "Loopwright") -> int:
        from loopwright.agents.jobs.usecases import find_job, requirements_of, write_csv

        found = requirements_of(application, await find_job(application, job))
        if csv is not None:
            count = write_csv(csv, [requirement async for requirement in found])
            print_json({"type": "complete", "requirements": count, "csv": str(csv)}) if as_json else typer.echo(
                f"{count} requirements in {csv}"
            )
            return 0
        async for requirement in found:
            print_json(requirement) if as_json else typer.echo(_requirement_line(requirement))
        return 0

    run_in_application(work, as_json=as_json)


def _line(job: dict[str, Any]) -> str:
    phase = job["phase"]
    stands = (
        f"phase {phase['number']} ({phase['kind']}) {phase['todos_done']}/{phase['todos']}" if phase else "not begun"
    )
    return f"{job['job_id']}  {job['job_type'] or '?':<12}  {job['status']:<13}  {stands:<28}  {job['title'][:50]}"


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {status}" for status, count in counts.items() if count) or "none"


def _requirement_line(requirement: dict[str, Any]) -> str:
    cited = requirement["citations"]
    place = (
        f"{cited[0]['source']}" + (f" p. {cited[0]['page']}" if cited[0]["page"] else "") if cited else "no citation"
    )
    text = " ".join(requirement["text"].split())[:SHOWN_TEXT]
    short = requirement["requirement_id"][:8]
    return f"{short}  {requirement['status']:<10}  {requirement['priority']:<6}  {text}  [{place}]"


# Going on with jobs: resume, rewind, cancel.


def resume(job: str = JOB, as_json: bool = typer.Option(False, "--json", help="Print the run's events.")) -> None:
    """Carry on a job that was interrupted, cancelled or has failed, in the middle of its phase."""

    async def work(application: "Loopwright") -> int:
        from loopwright.agents.jobs.commands.progress import resumed_view
        from loopwright.agents.jobs.usecases import find_job, resume_job
        from loopwright.app.answering import claim_for_resume
        from loopwright.app.starting import NewRun, create_run
        from loopwright.cli.answers import AnswerSource
        from loopwright.cli.views import follow

        found = await find_job(application, job)
        going_on = await resume_job(application, found)
        if isinstance(going_on, NewRun):
            record = await create_run(application, going_on)
            return await follow(application, record.run_id, resumed_view(as_json, found), AnswerSource())
        claim = await claim_for_resume(application, going_on.run_id)
        view = resumed_view(as_json, found)
        return await follow(
            application,
            going_on.run_id,
            view,
            AnswerSource(),
            claim=claim,
            reason="resumed by the user",
            since=going_on.seq,
        )

    run_in_application(work, as_json=as_json)


def rewind(
    job: str = JOB,
    to_phase: int = typer.Option(..., "--to-phase", min=1, help="The number of the phase to begin again."),
    as_json: bool = JSON,
) -> None:
    """Go back to where a phase began: files, todos and requirements as they were then. `jobs resume` goes on."""

    async def work(application: "Loopwright") -> int:
        from loopwright.agents.jobs.usecases import find_job, rewind_job, rewound_object

        done = await rewind_job(application, await find_job(application, job), to_phase)
        if as_json:
            print_json({"type": "complete", **rewound_object(done)})
            return 0
        job_id = done.job.session.session_id
        typer.echo(f"Job {job_id} stands where phase {done.phase} began.")
        typer.echo(f"Requirements: {done.removed} taken back, {done.reopened} pending again.")
        typer.echo(f"The workspace as it was before is kept as {done.kept_as}.")
        typer.echo(f"Go on with: {program()} jobs resume {job_id}")
        return 0

    run_in_application(work, as_json=as_json)


def cancel(job: str = JOB, as_json: bool = JSON) -> None:
    """Stop a job: at once when it rests, within seconds when it works. `jobs resume` goes on."""

    async def work(application: "Loopwright") -> int:
        from loopwright.agents.jobs.usecases import cancel_job, describe_job, find_job

        stopped = await cancel_job(application, await find_job(application, job))
        if as_json:
            print_json(describe_job(stopped))
        else:
            soon = " It stops in a moment." if stopped.run.status == "running" else ""
            typer.echo(f"Job {job} is {stopped.status}.{soon}")
        return 0

    run_in_application(work, as_json=as_json)


# The group of commands.

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
