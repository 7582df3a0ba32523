"""What the planner brings."""

from loopwright.kernel.package import AgentPackage, Command

PACKAGE = AgentPackage(
    name="planner",
    title="Planner",
    description="Turns a goal into an outline, a roadmap and a schedule that hold, with a calendar file.",
    spec="loopwright.agents.planner.spec:AGENT",
    offline="loopwright.agents.planner.offline:PLAYBOOK",
    services="loopwright.agents.planner.services:open_services",
    tables="loopwright.agents.planner.store.tables",
    migrations="loopwright.agents.planner.store.migrations",
    routers=("loopwright.agents.planner.routes:router",),
    commands={
        "plan": Command(
            "loopwright.agents.planner.commands:app", "Turn a goal into an outline, a roadmap and a schedule that hold."
        )
    },
    ending="loopwright.agents.planner.commands.terminal:ending_lines",
    gate_views={"plan": "loopwright.agents.planner.commands.terminal:plan_lines"},
    settings="loopwright.agents.planner.settings:PlannerSettings",
    requires=("alembic", "dateutil", "holidays", "icalendar", "ortools", "recurring_ical_events", "typer", "yaml"),
    extra="loopwright[planner]",
)
