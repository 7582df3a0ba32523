"""What a document must obey beyond its structure: names, references, shapes, magnitudes."""

from loopwright.agents.designspec.document.rules.growing import (
    backends,
    contradictions,
    parameters,
    required_policies,
    shapes,
    sizes,
)
from loopwright.agents.designspec.document.rules.subject import (
    CheckedDocument,
    Rule,
    artifacts,
    circles,
    completeness,
    lengths,
    names,
    pitches,
    ports,
    references,
    suffixes,
)

__all__ = ["RULES", "CheckedDocument", "Rule"]

RULES: tuple[Rule, ...] = (
    names,
    references,
    circles,
    shapes,
    sizes,
    backends,
    parameters,
    contradictions,
    required_policies,
    ports,
    pitches,
    lengths,
    suffixes,
    artifacts,
    completeness,
)
