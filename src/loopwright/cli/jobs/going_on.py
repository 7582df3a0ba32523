"""Going on with jobs: resume, rewind, cancel."""

from typing import TYPE_CHECKING

import typer

from loopwright.cli.jobs.looking import JOB, JSON
from loopwright.cli.program import program
from loopwright.cli.running import print_json, run_in_house

if TYPE_CHECKING:
    from loopwright.app.loopwright import Loopwright


def resume(job: str = JOB, as_json: bool = typer.Option(False, "--json", help="Print the run's events.")) -> None:
    """Carry on a job that was interrupted, cancelled or has failed, in the middle of its phase."""

    async def work(house: "Loopwright") -> int:
        from loopwright.app.answering import claim_for_resume
        from loopwright.app.jobs import find_job, resume_job
        from loopwright.app.starting import NewRun, create_run
        from loopwright.cli.answers import AnswerSource
        from loopwright.cli.follow import follow
        from loopwright.cli.jobs.progress import resumed_view

        found = await find_job(house, job)
        going_on = await resume_job(house, found)
        if isinstance(going_on, NewRun):
            record = await create_run(house, going_on)
            return await follow(house, record.run_id, resumed_view(as_json, found), AnswerSource())
        claim = await claim_for_resume(house, going_on.run_id)
        view = resumed_view(as_json, found)
        return await follow(
            house, going_on.run_id, view, AnswerSource(), claim=claim, reason="resumed by the user", since=going_on.seq
        )

    run_in_house(work, as_json=as_json)


def rewind(
    job: str = JOB,
    to_phase: int = typer.Option(..., "--to-phase", min=1, help="The number of the phase to begin again."),
    as_json: bool = JSON,
) -> None:
    """Go back to where a phase began: files, todos and requirements as they were then. `jobs resume` goes on."""

    async def work(house: "Loopwright") -> int:
        from loopwright.app.job_rewinding import rewind_job, rewound_object
        from loopwright.app.jobs import find_job

        done = await rewind_job(house, await find_job(house, job), to_phase)
        if as_json:
            print_json({"type": "complete", **rewound_object(done)})
            return 0
        job_id = done.job.session.session_id
        typer.echo(f"Job {job_id} stands where phase {done.phase} began.")
        typer.echo(f"Requirements: {done.removed} taken back, {done.reopened} pending again.")
        typer.echo(f"The workspace as it was before is kept as {done.kept_as}.")
        typer.echo(f"Go on with: {program()} jobs resume {job_id}")
        return 0

    run_in_house(work, as_json=as_json)


def cancel(job: str = JOB, as_json: bool = JSON) -> None:
    """Stop a job: at once when it rests, within seconds when it works. `jobs resume` goes on."""

    async def work(house: "Loopwright") -> int:
        from loopwright.app.jobs import cancel_job, describe_job, find_job

        stopped = await cancel_job(house, await find_job(house, job))
        if as_json:
            print_json(describe_job(stopped))
        else:
            soon = " It stops in a moment." if stopped.run.status == "running" else ""
            typer.echo(f"Job {job} is {stopped.status}.{soon}")
        return 0

    run_in_house(work, as_json=as_json)
