"""Which promises a change breaks, and which were broken before it."""

from collections.abc import Sequence

from loopwright.agents.pages.ledger.app_pages import AppPages
from loopwright.agents.pages.ledger.behaviours import BehaviourRunner
from loopwright.agents.pages.ledger.checks import ElementCheck
from loopwright.agents.pages.ledger.promise import Promise
from loopwright.agents.pages.ledger.replay import check_promises, look_at
from loopwright.agents.pages.ledger.scripts import new_statements
from loopwright.agents.pages.ledger.verdict import PromiseVerdict, Verdict
from loopwright.agents.pages.ledger.wording import expectation_of


async def newly_broken(
    promises: Sequence[Promise], before: AppPages, after: AppPages, runner: BehaviourRunner | None
) -> tuple[list[PromiseVerdict], list[PromiseVerdict]]:
    """The promises that a change breaks, with the checks that held before it; and those that were broken already.

    What people broke by hand is not held against a later change, but only those very checks are excused.
    """
    broken = list((await check_promises(promises, after, runner)).broken)
    if runner is not None:
        known = {each.promise.number for each in broken}
        others = [promise for promise in promises if promise.number not in known]
        broken += await removed_by_scripts(others, before, after, runner)
    if not broken:
        return [], []
    earlier = await check_promises([each.promise for each in broken], before, runner)
    excused = {each.promise.number: {verdict.check for verdict in each.broken} for each in earlier.promises}
    newly: list[PromiseVerdict] = []
    already: list[PromiseVerdict] = []
    for each in broken:
        fresh = tuple(verdict for verdict in each.broken if verdict.check not in excused[each.promise.number])
        if fresh:
            newly.append(PromiseVerdict(each.promise, fresh))
        else:
            already.append(each)
    return newly, already


async def removed_by_scripts(
    promises: Sequence[Promise], before: AppPages, after: AppPages, runner: BehaviourRunner
) -> list[PromiseVerdict]:
    """The promises whose elements stand in the source, but are taken off the page by scripts that a change has brought.

    Only pages with new script statements are opened; what their scripts removed before is not held against the change.
    """
    found: list[PromiseVerdict] = []
    for slug, html in after.sources.items():
        if html == before.source(slug) or not new_statements(before.source(slug), html):
            continue
        watched = [
            (promise, check)
            for promise in promises
            for check in promise.checks
            if isinstance(check, ElementCheck) and check.slug == slug and check.min_count > 0
        ]
        checks = [check for _, check in watched]
        gone = await runner.unseen(after, slug, checks) if checks else set()
        if gone and before.source(slug) is not None:
            gone -= await runner.unseen(before, slug, checks)
        for place in sorted(gone):
            promise, check = watched[place]
            if look_at(check, after).state == "kept":
                told = "it in the source, but not once the page's scripts have run"
                found.append(
                    PromiseVerdict(promise, (Verdict(check, "broken", expectation_of(check), told, "browser"),))
                )
    return found
