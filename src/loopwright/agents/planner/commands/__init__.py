"""`loopwright plan`: a goal becomes an outline, a roadmap and a schedule that hold."""

from loopwright.agents.planner.commands.make import PlanGroup, app, export, facts, list_plans, replan, show, why
from loopwright.agents.planner.commands.policy import policy
from loopwright.agents.planner.commands.sync import pull, push

app.command("show")(show)
app.command("list")(list_plans)
app.command("replan")(replan)
app.command("facts")(facts)
app.command("why")(why)
app.command("export")(export)
app.command("push")(push)
app.command("pull")(pull)
app.add_typer(policy, name="policy")

__all__ = ["PlanGroup", "app"]
