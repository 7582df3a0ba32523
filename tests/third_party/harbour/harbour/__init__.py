"""An agent that nobody here knows: it comes as a wheel of its own, with a table, a route, a command and a gate."""

from loopwright.kernel.package import AgentPackage, Command

PACKAGE = AgentPackage(
    name="harbour",
    title="Harbour",
    description="Keeps a harbour's log.",
    spec="harbour.agent:SPEC",
    offline="harbour.agent:PLAYBOOK",
    services="harbour.store:open_services",
    tables="harbour.store",
    routers=("harbour.surfaces:router",),
    commands={"harbour": Command("harbour.surfaces:log", "Print the harbour's log.")},
    ending="harbour.surfaces:ending_lines",
    gate_views={"permission": "harbour.surfaces:gate_lines"},
    settings="harbour.store:HarbourSettings",
)
