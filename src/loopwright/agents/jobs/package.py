"""What the jobs agent brings."""

from loopwright.kernel.package import AgentPackage, Command

PACKAGE = AgentPackage(
    name="jobs",
    title="Jobs",
    description="Does long jobs in strategic and tactical phases: requirements out of documents, and more.",
    spec="loopwright.agents.jobs.spec:AGENT",
    offline="loopwright.agents.jobs.offline:PLAYBOOK",
    services="loopwright.agents.jobs.services:open_services",
    tables="loopwright.agents.jobs.store.tables",
    migrations="loopwright.agents.jobs.store.migrations",
    routers=("loopwright.agents.jobs.routes:router",),
    commands={
        "jobs": Command(
            "loopwright.agents.jobs.commands:app", "Do long jobs in phases: plan, work, look back, plan again."
        )
    },
    ending="loopwright.agents.jobs.commands.terminal:ending_lines",
    settings="loopwright.agents.jobs.settings:JobsSettings",
    requires=(
        "aiohttp",
        "alembic",
        "docx",
        "graphqlite",
        "jsonschema",
        "neo4j",
        "pypdf",
        "pypdfium2",
        "selectolax",
        "semchunk",
        "typer",
        "yaml",
    ),
    extra="loopwright[jobs]",
    entry="POST /api/jobs",
    home_names=frozenset({"graph.db"}),
)
