"""Which rule does which of the given todos of a strategic phase."""

from loopwright.agents.jobs.offline.replay import Work
from loopwright.agents.jobs.offline.strategic.exploring import explore
from loopwright.agents.jobs.offline.strategic.planning import divide_plan, update_plan, write_plan
from loopwright.agents.jobs.offline.strategic.staging import stage_next
from loopwright.agents.jobs.offline.strategic.summing_up import sum_up, update_memory
from loopwright.agents.jobs.offline.trade import Trade
from loopwright.agents.jobs.offline.view import Todo, View

INITIAL = {1: explore, 2: write_plan, 3: divide_plan}
TRANSITION = {1: sum_up, 2: update_memory, 3: update_plan}
"""The todos are given by the product and not planned, so their numbers tell what they are; the last one stages."""


def strategic_work(view: View, trade: Trade, todo: Todo) -> Work:
    """The work of one strategic todo."""
    rules = INITIAL if view.last_tactical is None else TRANSITION
    return rules.get(todo.id, stage_next)(view, trade)
