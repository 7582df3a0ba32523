"""`loopwright designspec run FILE`: the pipeline on a spec document, without a conversation."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from loopwright.cli.running import FAILED, run_in_house

if TYPE_CHECKING:
    from loopwright.app.loopwright import Loopwright


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

    async def work(house: "Loopwright") -> int:
        from loopwright.agents.designspec.pipeline.reports import RunPlan
        from loopwright.agents.designspec.pipeline.stages import resolve_stage
        from loopwright.app.designspec import describe_plan, message_for, project_from, read_spec_file, run_options
        from loopwright.app.starting import create_run
        from loopwright.cli.answers import AnswerSource
        from loopwright.cli.follow import follow
        from loopwright.cli.views import LastLine, make_view

        for stage in (run_until, *run_only, *skip):
            resolve_stage(stage)
        project_from(read_spec_file(file), out, beside=file)
        plan = RunPlan(run_until=run_until, run_only=run_only, skip=skip, components_subset=component or None)
        record = await create_run(house, await message_for(house, out, describe_plan(plan), run_options(plan)))
        view = LastLine(make_view(as_json))
        code = await follow(house, record.run_id, view, AnswerSource())
        return code if code or view.line.get("success") else FAILED

    run_in_house(work, as_json=as_json)
