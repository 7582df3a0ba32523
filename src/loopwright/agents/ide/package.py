"""What the ide agent brings."""

from loopwright.kernel.package import AgentPackage, Command

PACKAGE = AgentPackage(
    name="ide",
    title="IDE",
    description="Works on code in a repository: finds, explains, changes, runs; mode and reasoning are the user's.",
    spec="loopwright.agents.ide.spec:AGENT",
    offline="loopwright.agents.ide.offline:PLAYBOOK",
    services="loopwright.agents.ide.services:open_services",
    routers=("loopwright.agents.ide.routes:router", "loopwright.agents.ide.routes:project_router"),
    commands={
        "ide": Command(
            "loopwright.agents.ide.commands:app", "Work on the code of a repository: find, explain, change, run."
        ),
        "import": Command(
            "loopwright.agents.ide.commands.projects:import_state",
            "Take over what an older version has left in a folder's .loopwright.",
        ),
    },
    ending="loopwright.agents.ide.commands.terminal:ending_lines",
    gate_views={"permission": "loopwright.agents.ide.commands.terminal:permission_lines"},
    requires=("acp", "tree_sitter", "tree_sitter_language_pack", "typer", "watchfiles"),
    extra="loopwright[ide]",
    home_names=frozenset({"projects"}),
)
