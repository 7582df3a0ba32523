"""A DesignSpec as a whole."""

from typing import Any, Literal

from pydantic import Field

from loopwright.agents.designspec.document.backends import RelativePath, SpecPart
from loopwright.agents.designspec.document.domains import Component, Domain
from loopwright.agents.designspec.document.policies import Policies

SCHEMA_NAME, SCHEMA_VERSION = "aog_designspec", "1.0.0"
Units = Literal["m", "cm", "mm", "um"]
METRES = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6}
"""How many metres one unit is."""


class Schema(SpecPart):
    """Which version of the format the document has; major and minor must be ours, the patch may differ."""

    name: str
    version: str
    compatible_with: list[str] = Field(default_factory=list)


class Meta(SpecPart):
    """What the design is called, its seed, and the units of every length in the document."""

    name: str = Field(min_length=1, max_length=200)
    description: str = Field(default="", max_length=20_000)
    seed: int = Field(default=42, ge=0, lt=2**63)
    input_units: Units = "m"
    tags: list[str] = Field(default_factory=list, max_length=200)


class CompositionOutput(SpecPart):
    """Where the union of the voids goes."""

    save_union: RelativePath | None = None


class EmbeddingOutputs(SpecPart):
    """Where the results of embedding go, relative to the run's folder."""

    domain_with_void: RelativePath | None = None
    void_mesh: RelativePath | None = None
    shell: RelativePath | None = None


class EmbeddingOutput(SpecPart):
    """Whether the void is carved out of the domain, and of which one where there are several."""

    enable: bool = True
    domain_ref: str | None = None
    outputs: EmbeddingOutputs = EmbeddingOutputs()


class ValidityOutput(SpecPart):
    """Whether the result is checked, and where the report goes."""

    enable: bool = True
    save_report: RelativePath | None = None


class Outputs(SpecPart):
    """The run's folder for artifacts, and names for some of them (`domain_mesh`, `run_report` …)."""

    artifacts_dir: RelativePath = "artifacts"
    named: dict[str, RelativePath | None] = Field(default_factory=dict)


class DesignSpec(SpecPart):
    """The document. `schema` is a word of Pydantic's, so the field is called `schema_` here."""

    schema_: Schema = Field(alias="schema")
    meta: Meta
    policies: Policies
    domains: dict[str, Domain]
    components: list[Component]
    composition: CompositionOutput = CompositionOutput()
    embedding: EmbeddingOutput = EmbeddingOutput()
    validity: ValidityOutput = ValidityOutput()
    outputs: Outputs = Outputs()
    features: dict[str, Any] | None = None

    def component(self, component_id: str) -> Component:
        """The component of this id.

        Raises:
            KeyError: there is none.
        """
        return next(iter(c for c in self.components if c.id == component_id), None) or _missing(component_id)


def _missing(component_id: str) -> Component:
    raise KeyError(component_id)


def main_domain(spec: DesignSpec) -> str | None:
    """The body of the design: named by embedding, the only one there is, or the only one that components refer to."""
    if spec.embedding.domain_ref is not None:
        return spec.embedding.domain_ref
    candidates = set(spec.domains) if len(spec.domains) == 1 else {each.domain_ref for each in spec.components}
    return next(iter(candidates)) if len(candidates) == 1 else None
