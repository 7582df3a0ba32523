"""The recipe of every result: the hash of exactly what it depends on, without making it.

A recipe names its inputs by their own recipes, so that it can be told before a run what an edit will change.
"""

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from loopwright.agents.designspec.document.domains import (
    Component,
    CompositeDomain,
    Domain,
    MeshDomain,
    TransformDomain,
)
from loopwright.agents.designspec.document.policies import POLICY_NAMES, OutputPolicy, Policies, RidgePolicy
from loopwright.agents.designspec.document.spec import DesignSpec
from loopwright.agents.designspec.document.validation import effective_policies
from loopwright.kernel.errors import InvalidInput

# What each stage reads: the one table by which results are kept, previews are made, and stages are fed.

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


FOLDERS = ("document", "geometry", "network", "validity", "pipeline")
LIBRARIES = ("manifold3d", "numpy", "scipy", "trimesh")
DESCRIPTIVE = {"name", "description", "tags"}
"""What of `meta` no geometry depends on."""


@dataclass(frozen=True)
class Recipe:
    """One result: what it is called, the hash of all that it depends on, and the results it is made from."""

    name: str
    key: str
    needs: tuple[str, ...] = ()

    @property
    def report_key(self) -> str:
        """Under which key the report of the step is kept, beside its result."""
        return self.key + "-report"


@cache
def code_version() -> str:
    """A hash of the code that makes the results: an update never serves results of the code before it."""
    digest = hashlib.sha256()
    agent = Path(__file__).parents[1]
    for path in sorted(path for folder in FOLDERS for path in (agent / folder).rglob("*.py")):
        digest.update(path.relative_to(agent).as_posix().encode() + b"\0" + path.read_bytes())
    digest.update(" ".join(f"{library}={version(library)}" for library in LIBRARIES).encode())
    return digest.hexdigest()[:16]


def recipes(spec: DesignSpec, project_dir: Path) -> dict[str, Recipe]:
    """The recipes of all results of a document, by name, each after those that it needs.

    Args:
        spec: normalised.
        project_dir: where the files that the document names lie; their content counts, not their name.

    Raises:
        InvalidInput: a domain refers to one that does not exist, or to itself.
    """
    book = _Book(spec, project_dir)
    book.compile()
    for name in build_order(spec):
        book.component(spec.component(name))
    book.solid()
    return book.recipes


def body_domain(spec: DesignSpec) -> str:
    """The domain out of which the void is carved.

    Raises:
        InvalidInput: the document has several and does not say which, or names one that it lacks.
    """
    named = spec.embedding.domain_ref
    if named is not None and named not in spec.domains:
        raise InvalidInput(
            f"/embedding/domain_ref: there is no domain {named!r}.", hint=f"The domains are: {', '.join(spec.domains)}."
        )
    used = {component.domain_ref for component in spec.components}
    candidates = [named] if named else list(spec.domains) if len(spec.domains) == 1 else sorted(used)
    if len(candidates) != 1:
        raise InvalidInput(
            "/embedding/domain_ref: it must say which domain is the body, since there are several.",
            hint=f"The domains are: {', '.join(spec.domains)}.",
        )
    return candidates[0]


class _Book:
    """Collects the recipes of one document."""

    def __init__(self, spec: DesignSpec, project_dir: Path) -> None:
        self.spec, self.project_dir = spec, project_dir
        self.recipes: dict[str, Recipe] = {}
        self.ids = [component.id for component in spec.components]

    def add(self, name: str, parts: Mapping[str, Any], needs: Sequence[str] = ()) -> None:
        """Add the recipe of a result whose stage is the name's first part."""
        whole = {
            "name": name,
            "code": code_version(),
            "parts": dict(parts),
            "needs": [self.recipes[need].key for need in needs],
        }
        text = json.dumps(whole, sort_keys=True, separators=(",", ":"))
        self.recipes[name] = Recipe(name, hashlib.sha256(text.encode()).hexdigest()[:32], tuple(needs))

    def policies(self, stage: str, component: Component | None = None) -> dict[str, Any]:
        """The effective policies as the stage sees them."""
        return shown(POLICIES_READ[row_of(stage, component)], visible_policies(self.spec, stage, component))

    def compile(self) -> None:
        """The policies and the domains."""
        everything = self.spec.model_dump(mode="json", exclude={"meta": DESCRIPTIVE, "outputs": True})
        self.add("compile_policies", {"spec": everything})
        for name, domain in self.spec.domains.items():
            parts = {"domain": _written_out(self.spec, domain, (name,)), "files": self._files(domain, (name,))}
            self.add(f"{DOMAIN}:{name}", {**parts, "policies": self.policies(DOMAIN)})
        self.add("compile_domains", {}, [f"{DOMAIN}:{name}" for name in self.spec.domains])

    def component(self, component: Component) -> None:
        """One component's ports, network and void."""
        name, domain = component.id, f"{DOMAIN}:{component.domain_ref}"
        if domain not in self.recipes:
            raise InvalidInput(
                f"/components/{self.ids.index(name)}/domain_ref: there is no domain {component.domain_ref!r}.",
                hint=f"The domains are: {', '.join(self.spec.domains)}.",
            )
        ports = {
            "ports": component.ports.model_dump(mode="json"),
            "policies": self.policies("component_ports", component),
        }
        self.add(f"component_ports:{name}", ports, [domain])
        build = {
            "build": component.build.model_dump(mode="json"),
            "policies": self.policies("component_build", component),
            "seed": self.spec.meta.seed if component.build.type == "backend_network" else None,
            "file": self._file(component.build.mesh_path),
        }
        obstacles = [f"component_build:{other}" for other in obstacles_of(self.spec, component)]
        self.add(f"component_build:{name}", build, [f"component_ports:{name}", domain, *obstacles])
        mesh = {"policies": self.policies("component_mesh", component)}
        self.add(f"component_mesh:{name}", mesh, [f"component_build:{name}", f"component_ports:{name}"])

    def solid(self) -> None:
        """The union, the body, the carved body, and what is told about it."""
        spec = self.spec
        parts = {"policies": self.policies("union_voids")}
        self.add("union_voids", parts, [f"component_mesh:{name}" for name in self.ids])
        try:
            bodies = [body_domain(spec)]
        except InvalidInput:
            # The stage itself says so, when a run comes that far.
            bodies = list(spec.domains)
        self.add("mesh_domain", {"policies": self.policies("mesh_domain")}, [f"{DOMAIN}:{body}" for body in bodies])
        switch = {"enable": spec.embedding.enable, "shell": wants_shell(spec)}
        ports = [f"component_ports:{name}" for name in self.ids]
        built = [f"component_build:{name}" for name in self.ids]
        needs = ["mesh_domain", "union_voids", *ports, *built]
        self.add("embed", {**switch, "policies": self.policies("embed")}, needs)
        self.add("port_recarve", {"policies": self.policies("port_recarve")}, ["embed"])
        checked = {
            "spec": spec.model_dump(mode="json", exclude={"meta": DESCRIPTIVE, "outputs": True, "policies": True}),
            "policies": self.policies("validity"),
        }
        self.add("validity", checked, ["mesh_domain", "union_voids", "embed", *ports, *built])
        self.add("export", {"spec": spec.model_dump(mode="json")}, ["validity"])

    def _files(self, domain: "str | Domain", path: tuple[str, ...]) -> list[str]:
        found = [self._file(part.path) for part in _inner(self.spec, domain, path) if isinstance(part, MeshDomain)]
        return [content for content in found if content is not None]

    def _file(self, name: str | None) -> str | None:
        """The hash of a file's content; what cannot be read is told by the stage that wants it."""
        if name is None:
            return None
        root = self.project_dir.resolve()
        path = (root / name).resolve()
        if not path.is_relative_to(root) or not path.is_file():
            return "missing"
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()


def _written_out(spec: DesignSpec, domain: "str | Domain", path: tuple[str, ...]) -> dict[str, Any]:
    """The domain with those that it refers to in the place of their names."""
    return {"parts": [part.model_dump(mode="json") for part in _inner(spec, domain, path)]}


def _inner(spec: DesignSpec, domain: "str | Domain", path: tuple[str, ...]) -> Iterator[Domain]:
    """The domain and all that it is made of.

    Raises:
        InvalidInput: a name leads nowhere or back to where it came from.
    """
    if isinstance(domain, str):
        if domain not in spec.domains:
            raise InvalidInput(f"/domains/{path[-1]}: there is no domain {domain!r}.")
        if domain in path:
            raise InvalidInput(f"/domains/{path[0]}: it is made of itself ({' → '.join((*path, domain))}).")
        path, domain = (*path, domain), spec.domains[domain]
    yield domain
    below = [domain.base_domain] if isinstance(domain, TransformDomain) else []
    below += domain.children if isinstance(domain, CompositeDomain) else []
    for child in below:
        yield from _inner(spec, child, path)
