"""`loopwright jobs run`: a config, documents and an order."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from loopwright.cli.running import run_in_house

if TYPE_CHECKING:
    from loopwright.app.loopwright import Loopwright


def run(
    config: str = typer.Argument(..., metavar="CONFIG", help="creator, validator, or a config file."),
    document: list[Path] = typer.Option([], "--document", "-d", help="A file that the job reads; repeatable."),
    prompt: str = typer.Option("", "--prompt", "-p", help="What you want of this job, in your words."),
    workspace: Path | None = typer.Option(None, "--workspace", help="The job's folder. [a new one in loopwright-out]"),
    language: str | None = typer.Option(None, "--language", help="en or de; wins over the config's own."),
    as_json: bool = typer.Option(False, "--json", help="Print the run's events as JSON lines."),
) -> None:
    """Begin a job and carry it on until it is complete. Ctrl-C stops it; `jobs resume` goes on."""

    async def work(house: "Loopwright") -> int:
        from loopwright.agents.jobs.configs import examine_config
        from loopwright.app.job_documents import read_documents
        from loopwright.app.job_starting import job_run
        from loopwright.app.starting import create_run
        from loopwright.cli.answers import AnswerSource
        from loopwright.cli.follow import follow
        from loopwright.cli.jobs.progress import make_job_view

        report = examine_config(config, language=language)
        settled = report.usable()
        for issue in report.issues:
            typer.echo(f"note: {issue.advice}", err=True)
        documents = read_documents(document, settled.workspace.max_file_bytes)
        new = await job_run(house, settled, documents=documents, prompt=prompt, workspace=workspace)
        record = await create_run(house, new)
        view = make_job_view(as_json, record.session_id, str(new.folder))
        return await follow(house, record.run_id, view, AnswerSource())

    run_in_house(work, as_json=as_json)
