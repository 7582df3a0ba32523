"""Replaying promises: every check of every promise against the app as it is, or as it would become."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from loopwright.agents.pages.ledger.app_pages import AppPages
from loopwright.agents.pages.ledger.behaviours import BehaviourRunner, look_at_behaviour
from loopwright.agents.pages.ledger.checks import BehaviourCheck, Check, ElementCheck, LinkCheck, StyleCheck, TextCheck
from loopwright.agents.pages.ledger.elements import look_at_element, look_at_link, look_at_text
from loopwright.agents.pages.ledger.promise import Promise
from loopwright.agents.pages.ledger.styles import look_at_style
from loopwright.agents.pages.ledger.verdict import PromiseVerdict, Verdict
from loopwright.agents.pages.ledger.wording import expectation_of


@dataclass(frozen=True)
class LedgerReport:
    """What replaying the promises came to."""

    promises: tuple[PromiseVerdict, ...]

    @property
    def broken(self) -> tuple[PromiseVerdict, ...]:
        """Those with a check that does not hold."""
        return tuple(each for each in self.promises if each.state == "broken")

    @property
    def static(self) -> int:
        """Behaviours that only the source was asked about, because no browser was there."""
        return sum(each.static_behaviours for each in self.promises)

    def summary(self) -> dict[str, Any]:
        """Counts, and the broken ones in full: what a run's result says."""
        return {
            "kept": sum(1 for each in self.promises if each.state == "kept"),
            "unclear": sum(1 for each in self.promises if each.state == "unclear"),
            "broken": [each.to_wire() for each in self.broken],
            "static": self.static,
        }


async def check_promises(
    promises: Sequence[Promise], app: AppPages, runner: BehaviourRunner | None = None
) -> LedgerReport:
    """Run every check that counts; those that were given up are left out.

    The source is read in a thread, since the styles of a large page take a tenth of a second.

    Args:
        promises: of the session.
        app: all its pages as they are, or as they would become.
        runner: acts behaviours out; without one only their footprint in the source is looked at, and the verdicts say
            `static`.
    """
    active = [promise for promise in promises if promise.checks]
    verdicts = await asyncio.to_thread(lambda: [[look_at(check, app) for check in each.checks] for each in active])
    if runner is not None:
        await _act_out(runner, app, verdicts)
    pairs = zip(active, verdicts, strict=True)
    return LedgerReport(tuple(PromiseVerdict(promise, tuple(found)) for promise, found in pairs))


def look_at(check: Check, app: AppPages) -> Verdict:
    """One check, by the source alone; total on any page."""
    if app.source(check.slug) is None:
        return Verdict(check, "broken", expectation_of(check), f"there is no page {check.slug}")
    match check:
        case ElementCheck():
            return look_at_element(check, app)
        case TextCheck():
            return look_at_text(check, app)
        case LinkCheck():
            return look_at_link(check, app)
        case StyleCheck():
            return look_at_style(check, app)
        case BehaviourCheck():
            return look_at_behaviour(check, app)


async def _act_out(runner: BehaviourRunner, app: AppPages, verdicts: list[list[Verdict]]) -> None:
    """Replace the static verdicts of behaviours that say what to expect by what a browser shows."""
    places = [
        (row, column, verdict.check)
        for row, found in enumerate(verdicts)
        for column, verdict in enumerate(found)
        if isinstance(verdict.check, BehaviourCheck) and verdict.check.expectations and app.source(verdict.check.slug)
    ]
    if not places:
        return
    seen = await runner.act_out(app, [check for _, _, check in places])
    for (row, column, _), verdict in zip(places, seen, strict=True):
        if verdict is not None:
            verdicts[row][column] = verdict
