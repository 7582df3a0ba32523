"""What the designspec agent brings."""

from loopwright.kernel.package import AgentPackage, Command

PACKAGE = AgentPackage(
    name="designspec",
    title="DesignSpec",
    description="Builds a geometry spec by conversation and approved patches, and runs it to printable meshes.",
    spec="loopwright.agents.designspec.spec:AGENT",
    offline="loopwright.agents.designspec.offline:PLAYBOOK",
    routers=("loopwright.agents.designspec.routes:router",),
    commands={
        "designspec": Command(
            "loopwright.agents.designspec.commands:app",
            "Design printable geometry by conversation: you approve every patch.",
        )
    },
    ending="loopwright.agents.designspec.commands.terminal:ending_lines",
    gate_views={
        "patch": "loopwright.agents.designspec.commands.terminal:patch_lines",
        "run": "loopwright.agents.designspec.commands.terminal:run_lines",
    },
    requires=(
        "embreex",
        "jsonpatch",
        "manifold3d",
        "networkx",
        "numpy",
        "pyvista",
        "rtree",
        "scipy",
        "trimesh",
        "typer",
        "yaml",
    ),
    extra="loopwright[designspec]",
)
