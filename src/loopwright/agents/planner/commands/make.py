"""Making a plan: a goal in the user's words, and what limits it."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

from loopwright.agents.planner.services import planner_stores
from loopwright.cli.running import has_terminal, print_json, run_in_application

if TYPE_CHECKING:
    from loopwright.app.loopwright import Loopwright


HELP = """Turn a goal into an outline, a roadmap and a schedule that hold, with a calendar file.

\b
Examples:
  loopwright plan "learn Spanish to B1 by June, 5 hours a week, no Sundays" --yes
  loopwright plan "launch a bakery website by March 15" --tz Europe/Berlin --calendar work.ics --approve milestones
  loopwright plan replan PLAN "I lost Tuesday"
  loopwright plan why PLAN "the second interview"
  loopwright plan export PLAN --out plans

Questions and approvals are asked on the terminal. Without one, name what is approved with --approve; else the run waits
(exit 3) and the command that answers is printed.
"""

APPROVALS = {
    "none": frozenset[str](),
    "milestones": frozenset({"plan:outline", "plan:roadmap"}),
    "final": frozenset({"plan:final"}),
    "all": frozenset({"plan"}),
}
MAKE = "make"


class PlanGroup(TyperGroup):
    """A first word that is a sub-command is one; everything else is a goal."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the hidden `make` before a goal; `--` before a goal forces one."""
        if args and args[0] not in self.commands and args[0] != "--help":
            args = [MAKE, *args]
        return super().parse_args(ctx, args)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """The options that go with a goal stand before the sub-commands."""
        command = self.commands[MAKE]
        records = [record for each in command.get_params(ctx) if (record := each.get_help_record(ctx)) is not None]
        with formatter.section("Options with a GOAL"):
            formatter.write_dl(
                [record for record in records if record[0].startswith("-") and "--help" not in record[0]]
            )
        super().format_options(ctx, formatter)


app = typer.Typer(
    help=HELP,
    cls=PlanGroup,
    subcommand_metavar="GOAL | COMMAND [ARGS]...",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
)


@app.command(MAKE, help=HELP, hidden=True)
def make(
    goal: str = typer.Argument(..., metavar="GOAL", help="What you want to reach, in your words."),
    start: str | None = typer.Option(None, "--start", help="First day, such as 2027-01-04. [today]"),
    deadline: str | None = typer.Option(None, "--deadline", help="Last day; wins over one in the goal."),
    tz: str | None = typer.Option(None, "--tz", help="Time zone, such as Europe/Berlin. [this machine's]"),
    calendar: list[Path] = typer.Option([], "--calendar", help="An .ics file with times that are taken; repeatable."),
    policy: Path | None = typer.Option(None, "--policy", help="JSON or YAML: the interaction policy."),
    approve: str = typer.Option("none", "--approve", help="What needs no further yes: none, milestones, final, all."),
    yes: bool = typer.Option(False, "--yes", "-y", help="Approve everything and take the defaults of all questions."),
    answers: Path | None = typer.Option(None, "--answers", help="JSON object: question text or index → answer."),
    session: str | None = typer.Option(None, "--session", help="Go on in this session instead of beginning a new one."),
    out: Path | None = typer.Option(None, "--out", help="Folder for the session's own folder. [loopwright-out]"),
    as_json: bool = typer.Option(False, "--json", help="Print the run's events as JSON lines."),
) -> None:
    """Make a plan for a goal."""
    if approve not in APPROVALS:
        raise typer.BadParameter(f"{approve!r} is none of {', '.join(APPROVALS)}.", param_hint="--approve")

    async def work(application: "Loopwright") -> int:
        from loopwright.agents.planner.usecases import plan_run, present
        from loopwright.app.starting import create_run
        from loopwright.cli.answers import AnswerSource, read_answers
        from loopwright.cli.views import follow, make_view

        new = plan_run(
            goal,
            start=start,
            deadline=deadline,
            zone=tz,
            calendars=calendar,
            policy=policy,
            session_id=session,
            out=out,
            now=present(application),
            tell=lambda note: typer.echo(f"note: {note}", err=True),
        )
        source = AnswerSource(
            read_answers(answers),
            accept_defaults=yes,
            approved=APPROVALS[approve],
            interactive=has_terminal() and not as_json,
        )
        record = await create_run(application, new)
        return await follow(application, record.run_id, make_view(as_json), source)

    run_in_application(work, as_json=as_json)


def first_line(data: dict[str, Any]) -> str:
    """A plan in one line."""
    ends = str(data.get("ends_at") or "")[:10]
    return f"{data['plan_id']}  {data['pattern_type']:<30}  {ends:<10}  {data['title'][:60]}"


# Settled plans: show, list, change, explain, export.

PLAN = typer.Argument(..., metavar="PLAN", help="The plan's id, or its session's.")
JSON = typer.Option(False, "--json", help="Print JSON.")


def show(
    plan: str = PLAN,
    picture: Path | None = typer.Option(None, "--picture", help="Folder for the plan as a page and as an SVG."),
    as_json: bool = JSON,
) -> None:
    """Show a plan: what it is made of, and when."""

    async def work(application: "Loopwright") -> int:
        from loopwright.agents.planner.usecases import export_files, plan_of, planning_of, show_plan

        record = await plan_of(application, plan)
        planning = await planning_of(application, record)
        shown = show_plan(record, planning)
        if picture is not None:
            shown["artifacts"] = export_files(planning, picture, ("html", "svg"))
        if as_json:
            print_json({"type": "complete", **shown})
            return 0
        typer.echo(first_line(record.model_dump(mode="json")))
        for line in shown["lines"]:
            typer.echo(line)
        for kind, path in shown.get("artifacts", {}).items():
            typer.echo(f"{kind:<10} {picture / path if picture is not None else path}")
        return 0

    run_in_application(work, as_json=as_json)


def list_plans(limit: int = typer.Option(50, "--limit", min=1, max=1_000), as_json: bool = JSON) -> None:
    """List plans, newest first."""

    async def work(application: "Loopwright") -> int:
        records = await (await planner_stores(application)).plans.find(limit=limit)
        for record in records:
            data = record.model_dump(mode="json")
            print_json(data) if as_json else typer.echo(first_line(data))
        if not records and not as_json:
            typer.echo('No plans yet. Try: loopwright plan "run a 10k in May, three evenings a week"')
        return 0

    run_in_application(work, as_json=as_json)


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

    async def work(application: "Loopwright") -> int:
        from loopwright.agents.planner.usecases import change_run, plan_of, present
        from loopwright.app.starting import create_run
        from loopwright.cli.answers import AnswerSource
        from loopwright.cli.views import follow, make_view

        record = await create_run(
            application, change_run(await plan_of(application, plan), change, now=present(application))
        )
        source = AnswerSource(
            accept_defaults=yes, approved=APPROVALS[approve], interactive=has_terminal() and not as_json
        )
        return await follow(application, record.run_id, make_view(as_json), source)

    run_in_application(work, as_json=as_json)


def facts(
    plan: str = PLAN,
    drop: int | None = typer.Option(None, "--drop", min=1, metavar="N", help="Plan without constraint N."),
    change: int | None = typer.Option(None, "--set", min=1, metavar="N", help="Put other words in the place of N."),
    words: str | None = typer.Option(None, "--to", help="The words that take its place."),
    yes: bool = typer.Option(False, "--yes", "-y", help="Approve the change that this makes."),
    as_json: bool = JSON,
) -> None:
    r"""Show what you have said, and the constraint that each fact has become; change one or drop it.

    \b
    Examples:
      loopwright plan facts PLAN
      loopwright plan facts PLAN --set 3 --to "6 hours a week"
      loopwright plan facts PLAN --drop 4
    """
    if (change is None) != (words is None) or (drop is not None and change is not None):
        raise typer.BadParameter("give --set N with --to WORDS, or --drop N alone")

    async def work(application: "Loopwright") -> int:
        from loopwright.agents.planner.usecases import (
            change_run,
            fact_change,
            facts_shown,
            plan_of,
            planning_of,
            present,
        )
        from loopwright.app.starting import create_run
        from loopwright.cli.answers import AnswerSource
        from loopwright.cli.views import follow, make_view

        record = await plan_of(application, plan)
        state = await planning_of(application, record)
        number = change if change is not None else drop
        if number is not None:
            told = change_run(record, fact_change(state, number, words), now=present(application))
            run = await create_run(application, told)
            source = AnswerSource(accept_defaults=yes, interactive=has_terminal() and not as_json)
            return await follow(application, run.run_id, make_view(as_json), source)
        shown = facts_shown(state)
        if as_json:
            print_json({"type": "complete", "facts": shown["facts"]})
            return 0
        for line in shown["lines"]:
            typer.echo(line)
        return 0

    run_in_application(work, as_json=as_json)


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

    async def work(application: "Loopwright") -> int:
        from loopwright.agents.planner.usecases import explain_task, plan_of, planning_of

        told = explain_task(await planning_of(application, await plan_of(application, plan)), question)
        if as_json:
            print_json({"type": "complete", **told})
            return 0
        for line in told["reasons"]:
            typer.echo(line)
        return 0

    run_in_application(work, as_json=as_json)


def export(
    plan: str = PLAN,
    out: Path = typer.Option(Path(), "--out", help="Folder for the files."),
    formats: str = typer.Option(
        "ics,markdown,json,gantt,html,svg",
        "--format",
        help="Which of ics, markdown, json, gantt (Mermaid), html, svg, png, csv, taskjuggler, msproject.",
    ),
    as_json: bool = JSON,
) -> None:
    r"""Write a plan's files: calendar, text, data, pictures, project files.

    A calendar file that lies in the folder is what the new one is a change of: what is gone is cancelled in it.

    \b
    Examples:
      loopwright plan export PLAN --out files
      loopwright plan export PLAN --format ics
      loopwright plan export PLAN --format html,png
      loopwright plan export PLAN --format csv,taskjuggler,msproject
    """

    async def work(application: "Loopwright") -> int:
        from loopwright.agents.planner.usecases import export_files, plan_of, planning_of

        files = export_files(await planning_of(application, await plan_of(application, plan)), out, formats.split(","))
        if as_json:
            print_json({"type": "complete", "artifacts": files})
            return 0
        for kind, path in files.items():
            typer.echo(f"{kind:<10} {out / path}")
        return 0

    run_in_application(work, as_json=as_json)
