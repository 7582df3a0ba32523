"""The stages' names and their order (spec 001 and its notes)."""

import difflib

from loopwright.kernel.errors import InvalidInput

COMPONENT_STAGES = ("component_ports", "component_build", "component_mesh")
"""Run once for each component; with an id they name one: `component_build:net_1`."""

PIPELINE_STAGES = (
    "compile_policies",
    "compile_domains",
    *COMPONENT_STAGES,
    "union_voids",
    "mesh_domain",
    "embed",
    "port_recarve",
    "validity",
    "export",
)
FULL = "full"
ALIASES = {"mesh_merge": "union_voids", "union_void": "union_voids"}
"""Names of spec 001 for stages that its system calls otherwise."""


def resolve_stage(name: str) -> tuple[str, str | None]:
    """The stage's own name and the component it is narrowed to; `full` is the last stage.

    Raises:
        InvalidInput: there is no such stage; the message lists those there are.
    """
    base, _, component = name.strip().partition(":")
    stage = PIPELINE_STAGES[-1] if base == FULL else ALIASES.get(base, base)
    if stage not in PIPELINE_STAGES or (component and stage not in COMPONENT_STAGES):
        near = difflib.get_close_matches(base, [*PIPELINE_STAGES, *ALIASES, FULL], 1)
        raise InvalidInput(
            f"There is no pipeline stage {name!r}." + (f" Did you mean {near[0]!r}?" if near else ""),
            hint="The stages are: " + ", ".join((*PIPELINE_STAGES, FULL)) + ".",
        )
    return stage, component or None
