"""Settled plans: show, list, change, explain, export."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from loopwright.cli.plan.make import APPROVALS, first_line
from loopwright.cli.running import has_terminal, print_json, run_in_house

if TYPE_CHECKING:
    from loopwright.app.loopwright import Loopwright

PLAN = typer.Argument(..., metavar="PLAN", help="The plan's id, or its session's.")
JSON = typer.Option(False, "--json", help="Print JSON.")


def show(plan: str = PLAN, as_json: bool = JSON) -> None:
    """Show a plan: what it is made of, and when."""

    async def work(house: "Loopwright") -> int:
        from loopwright.app.planner import plan_of, planning_of, show_plan

        record = await plan_of(house, plan)
        shown = show_plan(record, await planning_of(house, record))
        if as_json:
            print_json({"type": "complete", **shown})
            return 0
        typer.echo(first_line(record.model_dump(mode="json")))
        for line in shown["lines"]:
            typer.echo(line)
        return 0

    run_in_house(work, as_json=as_json)


def list_plans(limit: int = typer.Option(50, "--limit", min=1, max=1_000), as_json: bool = JSON) -> None:
    """List plans, newest first."""

    async def work(house: "Loopwright") -> int:
        records = await house.stores.plans.find(limit=limit)
        for record in records:
            data = record.model_dump(mode="json")
            print_json(data) if as_json else typer.echo(first_line(data))
        if not records and not as_json:
            typer.echo('No plans yet. Try: loopwright plan "run a 10k in May, three evenings a week"')
        return 0

    run_in_house(work, as_json=as_json)


def replan(
    plan: str = PLAN,
    change: str = typer.Argument(..., metavar="CHANGE", help='What has changed, such as "I lost Tuesday".'),
    approve: str = typer.Option("none", "--approve", help="What needs no further yes: none, milestones, final, all."),
    yes: bool = typer.Option(False, "--yes", "-y", help="Approve everything and take the defaults of all questions."),
    as_json: bool = typer.Option(False, "--json", help="Print the run's events as JSON lines."),
) -> None:
    r"""Fit a plan to what has happened; as little as possible moves.

    \b
    Examples:
      loopwright plan replan PLAN "I am ill this week"
      loopwright plan replan PLAN "task 3 took twice as long"
      loopwright plan replan PLAN "I have only 3 hours a week from now on" --yes
      loopwright plan replan PLAN "move the exam to June 3"

    What was done before stays as it was. Tasks are named by words of their titles, or by their place in the plan.
    """
    if approve not in APPROVALS:
        raise typer.BadParameter(f"{approve!r} is none of {', '.join(APPROVALS)}.", param_hint="--approve")

    async def work(house: "Loopwright") -> int:
        from loopwright.app.planner import change_run, plan_of, present
        from loopwright.app.starting import create_run
        from loopwright.cli.answers import AnswerSource
        from loopwright.cli.follow import follow
        from loopwright.cli.views import make_view

        record = await create_run(house, change_run(await plan_of(house, plan), change, now=present(house)))
        source = AnswerSource(
            accept_defaults=yes, approved=APPROVALS[approve], interactive=has_terminal() and not as_json
        )
        return await follow(house, record.run_id, make_view(as_json), source)

    run_in_house(work, as_json=as_json)


def why(
    plan: str = PLAN,
    question: str = typer.Argument(..., metavar="TASK", help="A task's title, or words of it."),
    as_json: bool = JSON,
) -> None:
    r"""Say why a task is in the plan, and why it does not lie earlier.

    \b
    Example:
      loopwright plan why PLAN "mock exam"
    """

    async def work(house: "Loopwright") -> int:
        from loopwright.app.planner import explain_task, plan_of, planning_of

        told = explain_task(await planning_of(house, await plan_of(house, plan)), question)
        if as_json:
            print_json({"type": "complete", **told})
            return 0
        for line in told["reasons"]:
            typer.echo(line)
        return 0

    run_in_house(work, as_json=as_json)


def export(
    plan: str = PLAN,
    out: Path = typer.Option(Path(), "--out", help="Folder for the files."),
    formats: str = typer.Option("ics,markdown,json,gantt", "--format", help="Which of ics, markdown, json, gantt."),
    as_json: bool = JSON,
) -> None:
    r"""Write a plan's files: iCalendar, Markdown, JSON, Mermaid Gantt.

    \b
    Examples:
      loopwright plan export PLAN --out files
      loopwright plan export PLAN --format ics
    """

    async def work(house: "Loopwright") -> int:
        from loopwright.app.planner import export_files, plan_of, planning_of

        files = export_files(await planning_of(house, await plan_of(house, plan)), out, formats.split(","))
        if as_json:
            print_json({"type": "complete", "artifacts": files})
            return 0
        for kind, path in files.items():
            typer.echo(f"{kind:<10} {out / path}")
        return 0

    run_in_house(work, as_json=as_json)
