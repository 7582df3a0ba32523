"""Results as bytes: what a stage has made, exactly, so that it can be kept and made use of again."""

import importlib
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
from manifold3d import Error, Manifold, Mesh64
from pydantic import BaseModel

from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.document.spec import DesignSpec
from loopwright.agents.designspec.document.validation import DocumentReport
from loopwright.agents.designspec.network import Progress
from loopwright.agents.designspec.pipeline.preview import ResultCache
from loopwright.agents.designspec.pipeline.recipes import Recipe, visible_policies
from loopwright.agents.designspec.pipeline.reports import RunReport, Step
from loopwright.agents.designspec.validity.report import ValidityReport
from loopwright.kernel.errors import InvalidInput

AGENT = "loopwright.agents.designspec."
PARTS = {"Network": "network", "Opening": "network", "Embedded": "geometry.embed"}
"""Dataclasses that results are made of, and their modules, which are loaded when one is met: some are heavy."""
REPORTS: dict[str, type[BaseModel]] = {"ValidityReport": ValidityReport}


def pack(result: Any) -> bytes:
    """The result as bytes: its numbers as arrays, the rest as JSON. The same result gives the same bytes.

    Raises:
        TypeError: no stage makes such a thing.
    """
    arrays: dict[str, Any] = {}
    outline = _outline(result, arrays)
    arrays["outline"] = np.frombuffer(json.dumps(outline).encode(), dtype=np.uint8)
    target = io.BytesIO()
    np.savez(target, allow_pickle=False, **arrays)
    return target.getvalue()


def unpack(content: bytes) -> Any:
    """What `pack` was given."""
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        return _filled(json.loads(arrays["outline"].tobytes()), arrays)


def _outline(value: Any, arrays: dict[str, Any]) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.ndarray):
        arrays[f"a{len(arrays)}"] = value
        return {"array": f"a{len(arrays) - 1}"}
    if isinstance(value, Manifold):
        mesh = value.to_mesh64()
        parts = [np.asarray(mesh.vert_properties)[:, :3], np.asarray(mesh.tri_verts)]
        return {"solid": [*(_outline(part, arrays) for part in parts), value.get_tolerance()]}
    if isinstance(value, list | tuple):
        kind = "list" if isinstance(value, list) else "tuple"
        return {kind: [_outline(item, arrays) for item in value]}
    if isinstance(value, dict):
        return {"dict": [[key, _outline(item, arrays)] for key, item in value.items()]}
    if type(value).__name__ in REPORTS:
        return {"report": type(value).__name__, "text": value.model_dump_json()}
    if is_dataclass(value) and type(value).__name__ in PARTS:
        inside = {part.name: _outline(getattr(value, part.name), arrays) for part in fields(value)}
        return {"part": type(value).__name__, "fields": inside}
    raise TypeError(f"a result of a stage cannot hold a {type(value).__name__}")


def _filled(outline: Any, arrays: Any) -> Any:
    if not isinstance(outline, dict):
        return outline
    match outline:
        case {"array": name}:
            return arrays[name]
        case {"solid": [vertices, triangles, tolerance]}:
            return _solid(_filled(vertices, arrays), _filled(triangles, arrays), tolerance)
        case {"list": items}:
            return [_filled(item, arrays) for item in items]
        case {"tuple": items}:
            return tuple(_filled(item, arrays) for item in items)
        case {"dict": items}:
            return {key: _filled(item, arrays) for key, item in items}
        case {"report": name, "text": text}:
            return REPORTS[name].model_validate_json(text)
        case {"part": name, "fields": inside}:
            kind = getattr(importlib.import_module(AGENT + PARTS[name]), name)
            return kind(**{key: _filled(item, arrays) for key, item in inside.items()})
    raise TypeError(f"no outline of a result: {outline}")


def _solid(vertices: Any, triangles: Any, tolerance: float) -> Manifold:
    if not len(triangles):
        return Manifold()
    solid = Manifold(Mesh64(vert_properties=vertices, tri_verts=triangles, tolerance=tolerance))
    if solid.status() != Error.NoError:
        raise TypeError(f"a kept solid is no solid any more: {solid.status()}")
    return solid


# What the stages of one run share: the document, the results so far, and the way to tell how far they are.


@dataclass
class Outcome:
    """What a stage has made. `errors` of a stage that returns are a verdict, not a breakdown: the run goes on.

    `results` are by name: the step's own, and those of `compile_domains` one for each domain.
    """

    results: dict[str, Any] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    artifacts: dict[str, str] = field(default_factory=dict)


@dataclass
class Workbench:
    """One run at work. `spec` holds the components of the run only; `whole` and `checked` are about the document."""

    run_id: str
    checked: DocumentReport
    spec: DesignSpec
    whole: DesignSpec
    document: dict[str, Any]
    project_dir: Path
    run_dir: Path
    recipes: Mapping[str, Recipe]
    cache: ResultCache
    progress: Progress
    report: RunReport
    results: dict[str, Any] = field(default_factory=dict)
    probes: dict[str, Any] = field(default_factory=dict)

    def get(self, name: str) -> Any:
        """The result of this name, of this run or of an earlier one.

        Raises:
            InvalidInput: no run has made it from the document as it is now.
        """
        if name not in self.results:
            content = self.cache.get(self.recipes[name].key)
            if content is None:
                step = "compile_domains" if name.startswith("domain:") else name
                raise InvalidInput(f"The result of {step} is needed and not there.", hint=f"Run {step} first.")
            self.results[name] = unpack(content)
        return self.results[name]

    def has(self, name: str) -> bool:
        """Whether there is a result of this name, of this run or of an earlier one."""
        return name in self.results or (name in self.recipes and self.cache.has(self.recipes[name].key))

    def find(self, name: str) -> Any:
        """As `get`, but None where there is no such result."""
        return self.get(name) if self.has(name) else None

    def policies(self, stage: str, component_id: str = "") -> Policies:
        """The effective policies that a stage may read, for one component or for the whole."""
        return visible_policies(self.spec, stage, self.spec.component(component_id) if component_id else None)


StageFunction = Callable[[Workbench, Step], Outcome]
