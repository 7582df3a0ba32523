"""The three scores of a draft (spec 004, 6): the model's own, the rules', and what experience says."""

from typing import Literal

from loopwright.agents.planner.confidence import Confidence
from loopwright.agents.planner.contracts.plan import Outline, Schedule
from loopwright.agents.planner.contracts.state import PlanningState
from loopwright.agents.planner.grammar import validate_grammar
from loopwright.agents.planner.roadmap_options import minutes_in_a_week
from loopwright.agents.planner.terms import read_terms
from loopwright.kernel.errors import InvalidInput

HANDY_MINUTES = range(10, 481)
"""A task that fits into a day, and is worth writing down."""
LEAST_OF_A_SCHEDULE = 0.5
"""What is left of a checked schedule's score, however far from the best possible it may be."""


def confidence_in(state: PlanningState, draft: Literal["outline", "roadmap", "schedule"]) -> Confidence:
    """How sure one may be of a draft that is there.

    Raises:
        InvalidInput: it is not there.
    """
    found = {"outline": state.plan_outline, "roadmap": state.roadmap, "schedule": state.schedule}[draft]
    own = state.self_scores.get(draft)
    if isinstance(found, Schedule):
        # No tool hands out a schedule that the independent checker rejects.
        return Confidence(own, 1.0, schedule_score(found))
    if found is None:
        raise InvalidInput(f"There is no {draft} to be sure of.")
    rules = validate_grammar(found, state.selected_pattern).score
    return Confidence(own, rules, shape_score(found) if draft == "outline" else load_score(state))


def shape_score(outline: Outline) -> float:
    """A plan has several parts, not too many, and tasks that fit into a day: the share of these that hold."""
    nodes = outline.nodes
    tasks = [node for node in nodes if node.node_type in ("task", "sub_task", "micro_goal")]
    parts = [node for node in nodes if node.parent_id == outline.root_id]
    handy = [node for node in tasks if node.metadata.get("estimated_minutes") in HANDY_MINUTES]
    checks = (2 <= len(parts) <= 9, len(tasks) >= 3, len(handy) >= 0.8 * len(tasks) > 0, len(nodes) <= 100)
    return sum(checks) / len(checks)


def load_score(state: PlanningState) -> float:
    """How much of the chosen way's heaviest week fits into a usual week."""
    chosen = next((option for option in state.options_tried if option.get("chosen")), {})
    peak = float(chosen.get("peak_minutes_per_week") or 0)
    return min(1.0, minutes_in_a_week(read_terms(state.goal)) / peak) if peak else 1.0


def schedule_score(schedule: Schedule) -> float:
    """The best possible is 1; what may be away from it loses half of how far."""
    return 1.0 if schedule.status == "optimal" else max(LEAST_OF_A_SCHEDULE, 1.0 - (schedule.gap or 0.0) / 2)
