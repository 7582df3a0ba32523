"""The grammar of plans: what an outline must be, what is wrong with one, and how it is repaired."""

from loopwright.agents.planner.grammar.fixes import apply_fix, repair_outline
from loopwright.agents.planner.grammar.loading import DraftNode, DraftOutline, load_outline
from loopwright.agents.planner.grammar.validating import validate_grammar
from loopwright.agents.planner.grammar.waiting import Fix, GrammarReport, Tree, Violation

__all__ = [
    "DraftNode",
    "DraftOutline",
    "Fix",
    "GrammarReport",
    "Tree",
    "Violation",
    "apply_fix",
    "load_outline",
    "repair_outline",
    "validate_grammar",
]
