"""What each stage reads: the one table by which results are kept, previews are made, and stages are fed.

A stage sees the policies of its row and no others, so that a result can never depend on what its key leaves out.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from loopwright.agents.designspec.document.components import Component
from loopwright.agents.designspec.document.effective import effective_policies
from loopwright.agents.designspec.document.policies import POLICY_NAMES, Policies
from loopwright.agents.designspec.document.policies.openings import RidgePolicy
from loopwright.agents.designspec.document.policies.results import OutputPolicy
from loopwright.agents.designspec.document.spec import DesignSpec

DOMAIN = "domain"
"""Results that are no steps: one body for each domain, made by `compile_domains`."""

_NETWORK = ("growth", "radius", "collision", "unified_collision", "network_cleanup", "tissue_sampling", "pathfinding")

POLICIES_READ: Mapping[str, tuple[str, ...]] = {
    "compile_policies": POLICY_NAMES,
    DOMAIN: ("domain_meshing", "resolution"),
    "component_ports": ("ports", "ridge"),
    "component_build/backend_network": (*_NETWORK, "resolution"),
    "component_build/primitive_channels": ("channels", "radius", "collision", "resolution"),
    "component_build/import_void_mesh": ("domain_meshing", "repair", "resolution"),
    "component_mesh/backend_network": ("mesh_synthesis", "resolution"),
    "component_mesh/primitive_channels": ("mesh_synthesis", "channels", "resolution"),
    "component_mesh/import_void_mesh": (),
    "union_voids": ("composition", "mesh_merge", "repair", "resolution"),
    "mesh_domain": ("ridge", "domain_meshing", "resolution"),
    "embed": ("embedding", "ridge", "channels", "mesh_synthesis", "resolution"),
    "port_recarve": ("embedding",),
    "validity": POLICY_NAMES,
    "export": POLICY_NAMES,
}
"""By stage, or by stage and type of build. A component stage reads the component's effective policies."""


class VisiblePolicies(Policies):
    """The policies as one stage sees them: reading one that its row does not name is a defect of the program."""

    _row: str = ""

    def __getattribute__(self, name: str) -> Any:
        """The policy, if the stage may read it."""
        if name in POLICY_NAMES:
            row = (super().__getattribute__("__pydantic_private__") or {}).get("_row")
            if row and name not in POLICIES_READ[row]:
                raise RuntimeError(f"{row} reads the policy {name!r}, which its row in POLICIES_READ does not name")
        return super().__getattribute__(name)


def row_of(stage: str, component: Component | None = None) -> str:
    """Which row of `POLICIES_READ` holds."""
    by_build = stage in ("component_build", "component_mesh")
    return f"{stage}/{component.build.type}" if by_build and component else stage


def visible_policies(spec: DesignSpec, stage: str, component: Component | None = None) -> Policies:
    """The effective policies as the stage sees them: the component's, or the document's."""
    policies = effective_policies(spec, component) if component else spec.policies
    values = {name: getattr(policies, name) for name in POLICY_NAMES}
    if stage == "component_ports" and component:
        values["ridge"] = _ridge_for_ports(component, policies)
    if stage == "validity":
        values["output"] = OutputPolicy(output_units=policies.output.output_units)
    seen = VisiblePolicies.model_construct(**values)
    seen._row = row_of(stage, component)
    return seen


def build_order(spec: DesignSpec) -> tuple[str, ...]:
    """The components in the order of their steps: what is given first, then what grows and can keep clear of it."""
    given = [component.id for component in spec.components if component.build.type != "backend_network"]
    grown = [component.id for component in spec.components if component.build.type == "backend_network"]
    return (*given, *grown)


def obstacles_of(spec: DesignSpec, component: Component) -> tuple[str, ...]:
    """The components whose channels this one's network keeps clear of: those before it, in the same domain.

    Components that share a port are one system by the document's own word, and do not keep clear of each other.
    """
    if (
        component.build.type != "backend_network"
        or not visible_policies(spec, "component_build", component).collision.enabled
    ):
        return ()
    order = build_order(spec)
    before = [spec.component(name) for name in order[: order.index(component.id)]]
    return tuple(
        other.id
        for other in before
        if other.domain_ref == component.domain_ref
        and other.build.type != "import_void_mesh"
        and not _share_a_port(component, other)
    )


def _share_a_port(one: Component, other: Component) -> bool:
    pairs = [(a, b) for a in one.ports.all for b in other.ports.all]
    return any(
        a.position is not None
        and b.position is not None
        and math.dist(a.position, b.position) < min(a.radius, b.radius)
        for a, b in pairs
    )


def wants_shell(spec: DesignSpec) -> bool:
    """Whether anything asks for the wall around the void; it is costly and made only then."""
    policies, named = spec.policies, spec.embedding.outputs.shell is not None
    return policies.embedding.shell_thickness > 0 and (
        named or policies.embedding.output_shell or policies.output.output_shell
    )


def shown(names: Iterable[str], policies: Policies, *, only_given: bool = False) -> dict[str, Any]:
    """These policies as reports and keys write them; with `only_given` just what the document says itself."""
    dumped = {name: getattr(policies, name).model_dump(mode="json", exclude_unset=only_given) for name in names}
    return {name: values for name, values in dumped.items() if values or not only_given}


def _ridge_for_ports(component: Component, policies: Policies) -> RidgePolicy:
    """Of the ridge, the foot that ports without a position keep clear of; given positions do not move for it."""
    ridge = policies.ridge
    placed = any(port.position is None for port in component.ports.all)
    if not (ridge.enabled and placed and policies.ports.ridge_constraint_enabled):
        return RidgePolicy()
    return RidgePolicy(enabled=True, face=ridge.face, inset=ridge.inset, thickness=ridge.thickness)
