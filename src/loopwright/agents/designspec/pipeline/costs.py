"""What a run will about take. An estimate: the figures were measured on two cores, and networks are not known before.

No voxels are counted, since no stage works with voxels: bodies are cut exactly.
"""

from collections.abc import Iterable, Mapping

from pydantic import BaseModel, Field

from loopwright.agents.designspec.document.backends import ScaffoldParams, SpaceColonizationParams
from loopwright.agents.designspec.document.components import Component
from loopwright.agents.designspec.document.effective import backend_parameters, effective_policies
from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.document.spec import DesignSpec
from loopwright.agents.designspec.pipeline.dependencies import wants_shell
from loopwright.agents.designspec.pipeline.plan import Step

START_S = 1.5
"""Until the worker is there, its libraries loaded."""
STAGE_S = {"compile_domains": 0.05, "mesh_domain": 0.05, "embed": 0.1, "validity": 0.1, "export": 2.0}
"""Per stage, whatever the design; most of the export's is the picture."""
SEGMENT_S = {
    "component_build": 5e-4,
    "component_mesh": 6e-4,
    "union_voids": 1e-4,
    "embed": 4e-4,
    "validity": 3e-4,
    "export": 1.5e-3,
}
"""Per segment of a network."""
SHELL_S = 1.8e-3
"""Embedding with a wall around the void, more per segment."""
SEGMENTS_PER_TIP = 6
"""Steps of space colonisation per tip, trunk included."""
TIPS_PER_POINT = 0.4
"""Tips that a point of tissue to be reached brings forth, where the document wants no number."""
TRIANGLES_PER_SIDE = 3.2
"""Triangles per segment and corner of its section: two along the tube, the rest at junctions and ends."""
BODY_TRIANGLES = 2_000


class Estimate(BaseModel):
    """About how long, how many segments of networks and how many triangles of voids; by stage, seconds."""

    seconds: float = 0.0
    segments: int = 0
    triangles: int = 0
    by_stage: dict[str, float] = Field(default_factory=dict)
    note: str = "An estimate; networks differ by a factor of two or three."


def estimate_steps(spec: DesignSpec, steps: Iterable[Step]) -> Estimate:
    """What these steps will about take; segments and triangles are those of the components among them."""
    sizes = {component.id: segments_of(spec, component) for component in spec.components}
    by_stage = {step.name: _seconds(step, sizes, shell=wants_shell(spec)) for step in steps}
    made = {step.component for step in steps if step.stage in ("component_build", "component_mesh")}
    triangles = sum(_triangles(spec, spec.component(name), sizes[name]) for name in made)
    if any(step.stage in ("mesh_domain", "embed") for step in steps):
        triangles += BODY_TRIANGLES
    return Estimate(
        seconds=round(START_S + sum(by_stage.values()), 1) if by_stage else 0.0,
        segments=sum(sizes[name] for name in made),
        triangles=triangles,
        by_stage={name: round(seconds, 2) for name, seconds in by_stage.items()},
    )


def segments_of(spec: DesignSpec, component: Component) -> int:
    """About how many segments the component's network will have."""
    ports = len(component.ports.all)
    if component.build.type == "import_void_mesh" or not component.ports.all:
        return 0
    policies = effective_policies(spec, component)
    if component.build.type == "primitive_channels":
        return ports * (policies.channels.path_samples if policies.channels.profile == "fang_hook" else 1)
    return max(_network_segments(policies, ports), ports) if policies.growth.enabled else 0


def _network_segments(policies: Policies, ports: int) -> int:
    params, target = backend_parameters(policies), policies.growth.target_terminals
    if isinstance(params, ScaffoldParams):
        tips = ports * float(params.splits) ** params.levels
        tips = min(tips, target or tips)
        return int(tips * 2 * max(1, params.curve_samples))
    if isinstance(params, SpaceColonizationParams):
        tips = target or params.num_attraction_points * TIPS_PER_POINT
        return int(min(tips * SEGMENTS_PER_TIP, ports * policies.growth.max_iterations * SEGMENTS_PER_TIP))
    return len(params.steps)


def _seconds(step: Step, sizes: Mapping[str, int], *, shell: bool) -> float:
    size = sizes[step.component] if step.component else sum(sizes.values())
    per_segment = SEGMENT_S.get(step.stage, 0.0) + (SHELL_S if shell and step.stage == "embed" else 0.0)
    return STAGE_S.get(step.stage, 0.01) + per_segment * size


def _triangles(spec: DesignSpec, component: Component, segments: int) -> int:
    policies = effective_policies(spec, component)
    straight = component.build.type == "primitive_channels"
    sections = policies.channels.radial_sections if straight else policies.mesh_synthesis.radial_sections
    return int(segments * sections * TRIANGLES_PER_SIDE)
