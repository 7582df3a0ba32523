"""The recipe of every result: the hash of exactly what it depends on, without making it.

A recipe names its inputs by their own recipes, so that it can be told before a run what an edit will change.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from loopwright.agents.designspec.document.components import Component
from loopwright.agents.designspec.document.domains import CompositeDomain, Domain, MeshDomain, TransformDomain
from loopwright.agents.designspec.document.spec import DesignSpec
from loopwright.agents.designspec.pipeline.dependencies import (
    DOMAIN,
    POLICIES_READ,
    build_order,
    obstacles_of,
    row_of,
    shown,
    visible_policies,
    wants_shell,
)
from loopwright.kernel.errors import InvalidInput

ROOMS = ("document", "geometry", "network", "validity", "pipeline")
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
    for path in sorted(path for room in ROOMS for path in (agent / room).rglob("*.py")):
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
