"""Which rules a job's kind has."""

from collections.abc import Mapping

from loopwright.agents.jobs.offline.creator import CREATOR
from loopwright.agents.jobs.offline.generic import GENERIC
from loopwright.agents.jobs.offline.trade import Trade
from loopwright.agents.jobs.offline.view import View

TRADES: Mapping[str, Trade] = {"creator": CREATOR}


def trade_for(view: View) -> Trade:
    """The rules for this kind of job; the generic ones where it has none of its own."""
    return TRADES.get(view.job_type, GENERIC)
