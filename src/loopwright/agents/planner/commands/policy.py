"""How you want to be asked and told, for all plans to come: show, set, clear."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from loopwright.cli.running import print_json, run_in_application

if TYPE_CHECKING:
    from loopwright.app.loopwright import Loopwright

HELP = """How you want to be asked and told, for all plans to come. What --policy sets for one plan wins over it."""
JSON = typer.Option(False, "--json", help="Print JSON.")

policy = typer.Typer(help=HELP, no_args_is_help=True, rich_markup_mode=None, add_completion=False)


@policy.command("show")
def show(as_json: bool = JSON) -> None:
    """Show the policy that new plans begin with; what you have set is marked."""
    from loopwright.agents.planner.usecases import show_policy

    _told(show_policy, as_json)


@policy.command("set")
def set_(
    file: Path = typer.Argument(..., metavar="FILE", help="JSON or YAML with the fields to remember."),
    as_json: bool = JSON,
) -> None:
    """Remember a policy, in the place of the one that was remembered."""
    from loopwright.agents.planner.usecases import policy_file, set_policy

    _told(lambda application: set_policy(application, policy_file(file)), as_json)


@policy.command("clear")
def clear(as_json: bool = JSON) -> None:
    """Forget it; the defaults hold again."""
    from loopwright.agents.planner.usecases import clear_policy

    _told(clear_policy, as_json)


def _told(use_case: "Callable[[Loopwright], Awaitable[dict[str, Any]]]", as_json: bool) -> None:
    async def work(application: "Loopwright") -> int:
        told = await use_case(application)
        if as_json:
            print_json({"type": "complete", **told})
            return 0
        for field, value in told["policy"].items():
            typer.echo(f"{field:<26} {value}{'  (yours)' if field in told['remembered'] else ''}")
        return 0

    run_in_application(work, as_json=as_json)
