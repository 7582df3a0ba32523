"""The Validator's work by rules: pending requirements are judged, related, and worked into the graph."""

from collections.abc import Mapping, Sequence

from loopwright.agents.jobs.offline.job_rules import Completion, Plan, Reading, Rule, RuleBook, View, wording
from loopwright.agents.jobs.offline.lexicon import look_over, read_whole
from loopwright.agents.jobs.offline.validator import understanding, validating
from loopwright.agents.jobs.offline.validator import understanding as checking
from loopwright.agents.jobs.offline.validator import validating as report

# The Validator's goals, and which rule does which step.

UNDERSTAND, VALIDATE, CHECK, REPORT = "G1", "G2", "G3", "G4"
GOALS = ("goal_understand", "goal_validate", "goal_check", "goal_report")
FIXED: Mapping[str, Sequence[str]] = {
    UNDERSTAND: ("graph_state", "lexicon", "thresholds", "pending", "understanding"),
    CHECK: ("compliance", "statistics", "verdicts", "open_duties"),
    REPORT: ("validator_report",),
}
RULES: Mapping[str, Rule] = {
    "graph_state": understanding.look_at_graph,
    "lexicon": understanding.bring_objects,
    "thresholds": understanding.read_rules,
    "pending": understanding.count_pending,
    "understanding": understanding.complete,
    "validate": validating.validate,
    "rest": validating.validate_rest,
    "compliance": checking.check_schema,
    "statistics": checking.count_graph,
    "verdicts": checking.count_verdicts,
    "open_duties": checking.list_open,
    "validator_report": report.write_report,
    "look_over": look_over,
}
WEIGHTS = {"validate": 4, "rest": 4}
FILES = {
    "understanding": understanding.FILE,
    "open_duties": checking.OPEN,
    "validator_report": report.FILE,
}


class Validator(RuleBook):
    """Works pending requirements off: understanding, validation in parts, check of the graph, report."""

    rules, weights, files = RULES, WEIGHTS, FILES

    def goals(self, view: View, instructions: str) -> Sequence[str]:
        """Four goals, as the Validator's instructions have them."""
        return [wording(view.language).say(name) for name in GOALS]

    def divide(self, view: View, plan: Plan, goal_id: str, instructions: str) -> Reading[list[str]] | None:
        """All is known from the start but how many requirements are pending."""
        if goal_id == VALIDATE:
            return _parts(view) if plan.goal(UNDERSTAND).reached else None
        return _fixed(view, goal_id)

    def close(self, view: View, plan: Plan) -> Reading[Completion]:
        """Close with the counts of the report."""
        return report.close(view)


def _fixed(view: View, goal_id: str) -> Reading[list[str]]:
    yield from ()
    return [wording(view.language).step(name) for name in FIXED[goal_id]]


def _parts(view: View) -> Reading[list[str]]:
    """A step for each part of the pending requirements, and one for what comes later."""
    text = wording(view.language)
    pending = understanding.pending_in((yield from read_whole(understanding.FILE)) or "", text)
    parts = -(-pending // validating.SIZE)
    steps = [text.step("validate", size=validating.SIZE, number=n, parts=parts) for n in range(1, parts + 1)]
    return [*steps, text.step("rest")]


VALIDATOR = Validator()
