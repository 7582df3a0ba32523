"""What the pages agent brings."""

from loopwright.kernel.package import AgentPackage, Command

PACKAGE = AgentPackage(
    name="pages",
    title="Pages",
    description="Builds a multi-page mobile app prototype out of a brief: interview, design system, pages, versions.",
    spec="loopwright.agents.pages.spec:AGENT",
    offline="loopwright.agents.pages.offline:PLAYBOOK",
    services="loopwright.agents.pages.services:open_services",
    tables="loopwright.agents.pages.store.tables",
    migrations="loopwright.agents.pages.store.migrations",
    routers=("loopwright.agents.pages.routes:router",),
    open_paths=("/previews/",),
    commands={
        "pages": Command(
            "loopwright.agents.pages.commands:app", "Build or refine a multi-page mobile app prototype from a brief."
        )
    },
    ending="loopwright.agents.pages.commands.terminal:ending_lines",
    settings="loopwright.agents.pages.settings:PagesSettings",
    requires=(
        "aiohttp",
        "alembic",
        "bpe_openai",
        "esprima",
        "jinja2",
        "nh3",
        "PIL",
        "segno",
        "selectolax",
        "tinycss2",
        "typer",
    ),
    extra="loopwright[pages]",
)
