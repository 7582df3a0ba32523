"""What a document must obey beyond its structure: names, references, shapes, magnitudes."""

from loopwright.agents.designspec.document.rules.completeness import completeness
from loopwright.agents.designspec.document.rules.growing import backends, contradictions, parameters, required_policies
from loopwright.agents.designspec.document.rules.magnitudes import lengths, pitches, ports, suffixes
from loopwright.agents.designspec.document.rules.names import artifacts, names
from loopwright.agents.designspec.document.rules.references import circles, references
from loopwright.agents.designspec.document.rules.shapes import shapes, sizes
from loopwright.agents.designspec.document.rules.subject import Rule, Subject

__all__ = ["RULES", "Rule", "Subject"]

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
