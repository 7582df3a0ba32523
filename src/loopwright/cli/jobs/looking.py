"""Looking at jobs: list, show, requirements."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from loopwright.cli.running import print_json, run_in_house

if TYPE_CHECKING:
    from loopwright.app.loopwright import Loopwright

JOB = typer.Argument(..., metavar="JOB", help="The job's id.")
JSON = typer.Option(False, "--json", help="Print JSON lines.")
SHOWN_TEXT = 100


def list_jobs(limit: int = typer.Option(50, "--limit", min=1, max=1_000), as_json: bool = JSON) -> None:
    """List jobs, newest first."""

    async def work(house: "Loopwright") -> int:
        from loopwright.app.jobs import describe_job, find_jobs

        jobs = [describe_job(job) for job in await find_jobs(house, limit)]
        for job in jobs:
            print_json(job) if as_json else typer.echo(_line(job))
        if not jobs and not as_json:
            typer.echo("No jobs yet. Try: loopwright jobs run creator --document FILE.pdf")
        return 0

    run_in_house(work, as_json=as_json)


def show(job: str = JOB, as_json: bool = JSON) -> None:
    """Show where a job stands: its phases with their todos, and what it has found."""

    async def work(house: "Loopwright") -> int:
        from loopwright.app.jobs import find_job, show_job

        shown = await show_job(house, await find_job(house, job))
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

    run_in_house(work, as_json=as_json)


def requirements(
    job: str = JOB,
    csv: Path | None = typer.Option(None, "--csv", help="Write them into this file instead."),
    as_json: bool = JSON,
) -> None:
    """Print the requirements that a job has added or settled, with the quotes that bear them."""

    async def work(house: "Loopwright") -> int:
        from loopwright.app.job_requirements import requirements_of, write_csv
        from loopwright.app.jobs import find_job

        found = requirements_of(house, await find_job(house, job))
        if csv is not None:
            count = write_csv(csv, [requirement async for requirement in found])
            print_json({"type": "complete", "requirements": count, "csv": str(csv)}) if as_json else typer.echo(
                f"{count} requirements in {csv}"
            )
            return 0
        async for requirement in found:
            print_json(requirement) if as_json else typer.echo(_requirement_line(requirement))
        return 0

    run_in_house(work, as_json=as_json)


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
