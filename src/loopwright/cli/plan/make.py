"""Making a plan: a goal in the user's words, and what limits it."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

from loopwright.cli.running import has_terminal, run_in_house

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

    async def work(house: "Loopwright") -> int:
        from loopwright.app.planner import plan_run, present
        from loopwright.app.starting import create_run
        from loopwright.cli.answers import AnswerSource, read_answers
        from loopwright.cli.follow import follow
        from loopwright.cli.views import make_view

        new = plan_run(
            goal,
            start=start,
            deadline=deadline,
            zone=tz,
            calendars=calendar,
            policy=policy,
            session_id=session,
            out=out,
            now=present(house),
        )
        source = AnswerSource(
            read_answers(answers),
            accept_defaults=yes,
            approved=APPROVALS[approve],
            interactive=has_terminal() and not as_json,
        )
        record = await create_run(house, new)
        return await follow(house, record.run_id, make_view(as_json), source)

    run_in_house(work, as_json=as_json)


def first_line(data: dict[str, Any]) -> str:
    """A plan in one line."""
    ends = str(data.get("ends_at") or "")[:10]
    return f"{data['plan_id']}  {data['pattern_type']:<30}  {ends:<10}  {data['title'][:60]}"
