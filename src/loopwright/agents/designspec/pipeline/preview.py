"""What a change of the document, or a run of it, will mean: told within milliseconds, without making anything."""

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic import BaseModel, Field

from loopwright.agents.designspec.document.backends import ScaffoldParams, SpaceColonizationParams
from loopwright.agents.designspec.document.checking import check_document, require_spec
from loopwright.agents.designspec.document.domains import Component
from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.document.spec import DesignSpec
from loopwright.agents.designspec.document.validation import (
    DocumentReport,
    Issue,
    backend_parameters,
    effective_policies,
)
from loopwright.agents.designspec.pipeline.recipes import Recipe, build_order, recipes, wants_shell
from loopwright.agents.designspec.pipeline.reports import RunPlan, Step, all_steps, chosen_components, plan_steps
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.files import write_whole

# The files that a document names: what each is to hold, and whether it may be written there.

MESH_FORMATS = (".stl", ".3mf", ".glb")
NETWORK_FORMATS = (".json", ".graphml")
REPORTS = ("run_report", "validity_report", "artifact_manifest", "mesh_stats", "network_stats")
FORMATS = {
    "domain_mesh": MESH_FORMATS,
    "domain_with_void": MESH_FORMATS,
    "void_mesh": MESH_FORMATS,
    "union_void": MESH_FORMATS,
    "shell": MESH_FORMATS,
    "component_void": MESH_FORMATS,
    "network": NETWORK_FORMATS,
    "preview": (".png",),
    **dict.fromkeys(REPORTS, (".json",)),
}
"""What can be named, and the endings that its file may have."""
OF_A_COMPONENT = ("component_void", "network")
LONGEST_NAME = 200


@dataclass(frozen=True)
class OutputName:
    """A file: `kind` is one of `FORMATS`, of one component or of the whole; `name` is relative to the run's folder."""

    kind: str
    name: str
    pointer: str
    component: str = ""

    @property
    def label(self) -> str:
        """What the file is, as the list of artifacts writes it."""
        return f"{self.kind}:{self.component}" if self.component else self.kind


def output_names(spec: DesignSpec) -> list[OutputName]:
    """The files that the document names.

    Raises:
        InvalidInput: a name leads out of the run's folder, has an ending that does not fit, or stands for two different
            things.
    """
    names = [_checked(name) for name in _named(spec)]
    taken: dict[str, OutputName] = {}
    for name in names:
        other = taken.setdefault(name.name, name)
        if other.label != name.label:
            raise InvalidInput(f"{name.pointer}: {name.name!r} is the name of {other.pointer} already.")
    return names


def unknown_names(spec: DesignSpec) -> list[str]:
    """What `outputs.named` asks for that no run writes. A component's things can be, if it is the only one."""
    several = len(spec.components) != 1
    return [kind for kind in spec.outputs.named if kind not in FORMATS or (several and kind in OF_A_COMPONENT)]


def _named(spec: DesignSpec) -> Iterator[OutputName]:
    for number, component in enumerate(spec.components):
        saved, place = component.save_artifacts, f"/components/{number}/save_artifacts"
        if saved.network:
            yield OutputName("network", saved.network, f"{place}/network", component.id)
        if saved.void_mesh:
            yield OutputName("component_void", saved.void_mesh, f"{place}/void_mesh", component.id)
    if spec.composition.save_union:
        yield OutputName("union_void", spec.composition.save_union, "/composition/save_union")
    for kind in ("domain_with_void", "void_mesh", "shell"):
        name = getattr(spec.embedding.outputs, kind)
        if name:
            yield OutputName(kind, name, f"/embedding/outputs/{kind}")
    if spec.validity.save_report:
        yield OutputName("validity_report", spec.validity.save_report, "/validity/save_report")
    for kind, name in spec.outputs.named.items():
        if name and kind not in unknown_names(spec):
            owner = spec.components[0].id if kind in OF_A_COMPONENT else ""
            yield OutputName(kind, name, f"/outputs/named/{kind}", owner)


def _checked(output: OutputName) -> OutputName:
    path = PurePosixPath(output.name)
    strange = "\\" in output.name or any(ord(letter) < 32 for letter in output.name)
    hidden = any(part == ".." or part.startswith(".") for part in path.parts)
    if path.is_absolute() or hidden or strange or len(output.name) > LONGEST_NAME:
        raise InvalidInput(
            f"{output.pointer}: {output.name[:80]!r} is not a name of a file within the run's folder.",
            hint="Name it relative to that folder, as in 'artifacts/void.stl'.",
        )
    if path.suffix.lower() not in FORMATS[output.kind]:
        raise InvalidInput(
            f"{output.pointer}: {output.name!r} cannot hold this.",
            hint=f"Its name must end in {' or '.join(FORMATS[output.kind])}.",
        )
    return OutputName(output.kind, path.as_posix(), output.pointer, output.component)


# Results kept between runs, one file for each, under the hash of what it was made from.

FOLDER = "cache"
MARK = b"loopwright-result-1\n"
SUFFIX = ".result"


class ResultCache:
    """The results of a project, at most `limit_bytes` of them; the longest unused go first.

    Every entry carries its checksum: one that was cut short or altered counts as absent. Entries that this object has
    read or written stay while it lives, so that a run never loses what it builds on.
    """

    def __init__(self, project_dir: Path, limit_bytes: int) -> None:
        """Keep results under `project_dir/cache`; a limit of zero keeps none."""
        self.folder = project_dir / FOLDER
        self.limit_bytes = limit_bytes
        self._in_use: set[str] = set()

    def has(self, key: str) -> bool:
        """Whether there is a whole entry of this key."""
        return (key in self._in_use and self._path(key).is_file()) or self.get(key) is not None

    def holds(self, key: str) -> bool:
        """Whether there is an entry of this key, whole or not: for estimates, which read nothing."""
        return self._path(key).is_file()

    def get(self, key: str) -> bytes | None:
        """The content of this key, or None when there is none that is whole; a broken entry is removed."""
        path = self._path(key)
        try:
            entry = path.read_bytes()
        except FileNotFoundError:
            return None
        content = entry[len(MARK) + 32 :]
        if entry[: len(MARK)] != MARK or hashlib.sha256(content).digest() != entry[len(MARK) : len(MARK) + 32]:
            path.unlink(missing_ok=True)
            return None
        # What is used last is evicted last.
        os.utime(path)
        self._in_use.add(key)
        return content

    def put(self, key: str, content: bytes) -> None:
        """Keep the content; older content is dropped for it."""
        if len(content) > self.limit_bytes:
            return
        self._in_use.add(key)
        write_whole(self._path(key), MARK + hashlib.sha256(content).digest() + content)
        self._evict()

    def _evict(self) -> None:
        entries = sorted(
            (entry.stat().st_mtime_ns, entry.stat().st_size, entry) for entry in self.folder.glob("*" + SUFFIX)
        )
        total = sum(size for _, size, _ in entries)
        for _, size, path in entries:
            if total <= self.limit_bytes:
                return
            if path.name.removesuffix(SUFFIX) not in self._in_use:
                path.unlink(missing_ok=True)
                total -= size

    def _path(self, key: str) -> Path:
        return self.folder / (key + SUFFIX)


# What a run will about take. An estimate: the figures were measured on two cores, and networks are not known before.

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


class ChangePreview(BaseModel):
    """What a change of the document means.

    `affected_stages` are those whose results depend on what has changed, in order; what they need besides is kept.
    `issues` are all that the check has to say of the changed document; `new_issues` those that it did not have before.
    `estimate` is about a run of the affected stages.
    """

    valid: bool
    complete: bool
    affected_stages: list[str] = Field(default_factory=list)
    removed_stages: list[str] = Field(default_factory=list)
    issues: list[Issue] = Field(default_factory=list)
    new_issues: list[Issue] = Field(default_factory=list)
    solved_issues: list[Issue] = Field(default_factory=list)
    estimate: Estimate = Estimate()
    inverse_summary: str = ""
    """How to undo it, in words; who knows the patch fills it in."""


class RunEstimate(BaseModel):
    """What a run means: its stages, which of them are kept from earlier runs, and about what the others take."""

    stages: list[str]
    kept: list[str] = Field(default_factory=list)
    estimate: Estimate = Estimate()


def preview_change(before: dict[str, Any], after: dict[str, Any], project_dir: Path) -> ChangePreview:
    """What it means to go from one document to the other.

    Args:
        before: the document as it is.
        after: the document as it would be.
        project_dir: where the files that the documents name lie.
    """
    was, now = check_document(before), check_document(after)
    known = {_same(issue) for issue in was.issues}
    left = {_same(issue) for issue in now.issues}
    old, new = _recipes(was, project_dir), _recipes(now, project_dir)
    steps = _steps_of(now.spec) if new else ()
    affected = [step for step in steps if step.name not in old or old[step.name].key != new[step.name].key]
    return ChangePreview(
        valid=now.ok,
        complete=now.complete,
        affected_stages=[step.name for step in affected],
        removed_stages=[step.name for step in _steps_of(was.spec) if step.name in old and step.name not in new],
        issues=now.issues,
        new_issues=[issue for issue in now.issues if _same(issue) not in known],
        solved_issues=[issue for issue in was.issues if _same(issue) not in left],
        estimate=estimate_steps(now.spec, affected) if now.spec is not None and affected else Estimate(),
    )


def estimate_run(document: dict[str, Any], plan: RunPlan, project_dir: Path | None = None) -> RunEstimate:
    """What a run of the document after this plan will do.

    Args:
        document: valid and complete.
        plan: which stages.
        project_dir: where kept results and the document's files lie; without it every stage counts as to be made.

    Raises:
        InvalidInput: the document or the plan cannot be run; the message says why.
    """
    whole = require_spec(document).spec
    if whole is None:
        raise InvalidInput("The document has no spec.")
    ids = build_order(whole)
    steps, chosen = plan_steps(ids, plan), chosen_components(ids, plan)
    spec = whole.model_copy(update={"components": [whole.component(name) for name in chosen]})
    kept: list[Step] = []
    if project_dir is not None:
        cache, book = ResultCache(project_dir, 0), recipes(spec, project_dir)
        kept = [step for step in steps if step.stage != "export" and cache.holds(book[step.name].report_key)]
    return RunEstimate(
        stages=[step.name for step in steps],
        kept=[step.name for step in kept],
        estimate=estimate_steps(spec, [step for step in steps if step not in kept]),
    )


def _recipes(report: DocumentReport, project_dir: Path) -> dict[str, Recipe]:
    """The recipes of a document that could run; none of one that could not."""
    return recipes(report.spec, project_dir) if report.spec is not None and report.complete else {}


def _steps_of(spec: DesignSpec | None) -> tuple[Step, ...]:
    return all_steps(build_order(spec)) if spec is not None else ()


def _same(issue: Issue) -> tuple[str, str, str]:
    return issue.code, issue.pointer, issue.message
