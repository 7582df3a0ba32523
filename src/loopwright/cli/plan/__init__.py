"""`loopwright plan`: a goal becomes an outline, a roadmap and a schedule that hold."""

from loopwright.cli.plan.make import PlanGroup, app
from loopwright.cli.plan.policy import policy
from loopwright.cli.plan.settled import export, list_plans, replan, show, why

app.command("show")(show)
app.command("list")(list_plans)
app.command("replan")(replan)
app.command("why")(why)
app.command("export")(export)
app.add_typer(policy, name="policy")

__all__ = ["PlanGroup", "app"]
