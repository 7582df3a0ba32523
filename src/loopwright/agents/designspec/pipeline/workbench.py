"""What the stages of one run share: the document, the results so far, and the way to tell how far they are."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.document.report import DocumentReport
from loopwright.agents.designspec.document.spec import DesignSpec
from loopwright.agents.designspec.network.probe import Progress
from loopwright.agents.designspec.pipeline.cache import ResultCache
from loopwright.agents.designspec.pipeline.dependencies import visible_policies
from loopwright.agents.designspec.pipeline.plan import Step
from loopwright.agents.designspec.pipeline.recipes import Recipe
from loopwright.agents.designspec.pipeline.reports import RunReport
from loopwright.agents.designspec.pipeline.results import unpack
from loopwright.kernel.errors import InvalidInput


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
