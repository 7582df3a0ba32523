"""Which rules a job's kind has."""

from collections.abc import Mapping

from loopwright.agents.jobs.offline.creator import CREATOR
from loopwright.agents.jobs.offline.generic import GENERIC
from loopwright.agents.jobs.offline.trade import Trade
from loopwright.agents.jobs.offline.validator import VALIDATOR
from loopwright.agents.jobs.offline.view import View

TRADES: Mapping[str, Trade] = {"creator": CREATOR, "validator": VALIDATOR}
TELLING: Mapping[str, frozenset[str]] = {
    "creator": frozenset({"identify_requirement_candidates", "cite_document", "add_requirement"}),
    "validator": frozenset({"next_requirements", "create_requirement_node", "update_requirement"}),
}
"""Tools by which a job of another name shows that it is of this kind."""


def trade_for(view: View) -> Trade:
    """The rules for this kind of job: by its name, else by its tools; the generic ones where neither tells."""
    if view.job_type in TRADES:
        return TRADES[view.job_type]
    fitting = (TRADES[name] for name, tools in TELLING.items() if tools <= set(view.domain_tools))
    return next(fitting, GENERIC)
