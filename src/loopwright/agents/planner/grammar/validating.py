"""All rules of the grammar over one outline."""

from pydantic import ValidationError

from loopwright.agents.planner.contracts.pattern import PatternSpec
from loopwright.agents.planner.contracts.plan import Outline
from loopwright.agents.planner.grammar.fit import pattern_violations
from loopwright.agents.planner.grammar.order import (
    order_violations,
    recurrence_violations,
    title_violations,
    work_violations,
)
from loopwright.agents.planner.grammar.reading import read_outline
from loopwright.agents.planner.grammar.report import GrammarReport, Violation
from loopwright.agents.planner.grammar.roots import (
    identity_violations,
    level_violations,
    parent_violations,
    reach_violations,
    root_violations,
)
from loopwright.agents.planner.grammar.tree import Tree
from loopwright.agents.planner.grammar.waiting import dependency_violations


def validate_grammar(outline: Outline | object, pattern: object = None) -> GrammarReport:
    """Hold an outline or a roadmap against the grammar.

    Args:
        outline: an outline, a roadmap, or any JSON; nothing makes this function raise.
        pattern: a PatternSpec, its JSON, or a pattern's name; without it the outline's own counts, if it has one.

    Returns:
        The verdict with every violation, those of the tree first. Applying the suggested fixes (and those of the
        report after that) leads to a valid outline, or to violations that only a human can mend.
    """
    draft = read_outline(outline)
    found: list[Violation] = list(draft.violations)
    spec, problem = _pattern(pattern, draft.pattern)
    found += problem
    if draft.nodes:
        tree = Tree(draft.root_id, draft.nodes)
        found += identity_violations(draft)
        found += root_violations(tree)
        found += parent_violations(tree)
        found += reach_violations(tree)
        found += level_violations(tree)
        found += order_violations(tree)
        found += work_violations(tree)
        found += recurrence_violations(tree)
        found += dependency_violations(tree)
        if spec is not None:
            found += pattern_violations(tree, spec)
        found += title_violations(tree)
    return GrammarReport.of(found)


def _pattern(pattern: object, own: PatternSpec | None) -> tuple[PatternSpec | None, list[Violation]]:
    if pattern is None:
        return own, []
    if isinstance(pattern, PatternSpec):
        return pattern, []
    try:
        return PatternSpec.model_validate({"pattern_type": pattern} if isinstance(pattern, str) else pattern), []
    except ValidationError:
        text = f"{str(pattern)[:80]!r} is no pattern."
        return None, [Violation(rule="schema_invalid", message=text, severity="fatal")]
