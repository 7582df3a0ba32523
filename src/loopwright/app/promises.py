"""Use cases on a session's ledger: look at its promises, replay them, take one back."""

from dataclasses import dataclass
from typing import Any

from loopwright.agents.pages.context.facts_keeping import refresh_facts
from loopwright.agents.pages.context.project import load_project
from loopwright.agents.pages.ledger.entries import GivenUp
from loopwright.agents.pages.ledger.guarding import replay_session
from loopwright.agents.pages.ledger.keeping import load_promises, write_ledger
from loopwright.agents.pages.ledger.promise import Promise, promise_id, promise_number
from loopwright.agents.pages.ledger.replay import LedgerReport
from loopwright.agents.pages.ledger.wording import describe, expectation_of
from loopwright.app.loopwright import Loopwright
from loopwright.app.page_files import workspace_of
from loopwright.kernel.errors import InvalidInput

BY_THE_USER = "Withdrawn by the user."


@dataclass(frozen=True)
class Ledger:
    """A session's promises; `report` is there when they were replayed."""

    promises: tuple[Promise, ...]
    report: LedgerReport | None = None

    def to_wire(self) -> dict[str, Any]:
        """The ledger as JSON data."""
        states = {each.promise.number: each for each in self.report.promises} if self.report else {}
        rows = []
        for promise in self.promises:
            row = {"id": promise.id, **promise.model_dump(mode="json", exclude=_TOLD_OTHERWISE)}
            row |= {"status": promise.status} | ({"reason": promise.reason} if promise.reason else {})
            row |= {"pages": list(promise.slugs), "expects": describe(promise)}
            row["checks"] = [
                {"number": place + 1, **check.model_dump(mode="json", exclude_none=True)}
                for place, check in zip(promise.places, promise.checks, strict=True)
            ]
            row["given_up"] = [_given_up(each) for each in promise.given_up]
            found = states.get(promise.number)
            if found is not None:
                wire = found.to_wire()
                row |= {"state": wire["state"], "static_behaviours": wire["static_behaviours"]}
                row["verdicts"] = [{key: each[key] for key in _VERDICT} for each in wire["checks"]]
            rows.append(row)
        return {"promises": rows} | ({"summary": self.report.summary()} if self.report else {})


def _given_up(each: GivenUp) -> dict[str, Any]:
    row: dict[str, Any] = {"number": each.place + 1, "state": each.state, "expected": expectation_of(each.check)}
    row |= {"reason": each.reason} if each.reason else {}
    return row | ({"superseded_by": promise_id(each.superseded_by)} if each.superseded_by else {})


_TOLD_OTHERWISE = {"number", "checks", "places", "given_up"}
_VERDICT = ("state", "expected", "found", "method")


async def read_ledger(house: Loopwright, session_id: str, *, check: bool = False, withdrawn: bool = False) -> Ledger:
    """The session's promises, replayed against the pages as they lie in the folder if `check` says so.

    Args:
        house: the house.
        session_id: whose ledger.
        check: run every check; changes that people made by hand are seen.
        withdrawn: whether those of which nothing counts any more are listed too; they are never checked.

    Raises:
        NotFound: there is no such session.
    """
    workspace = await workspace_of(house, session_id)
    promises = tuple(await load_promises(house.stores, session_id, withdrawn=withdrawn))
    if not check:
        return Ledger(promises)
    project = await load_project(house.stores, session_id, workspace)
    return Ledger(promises, await replay_session(house.stores, session_id, project))


async def withdraw_promise(
    house: Loopwright, session_id: str, name: str, reason: str = "", *, check: int | None = None
) -> Promise:
    """Take a promise back, or one check of it, in the user's own name.

    Args:
        house: the house.
        session_id: whose ledger.
        name: the promise, such as P7.
        reason: why; it is kept.
        check: the number of the check, counted from 1; the whole promise without it.

    Raises:
        NotFound: there is no such session, promise or check.
        InvalidInput: this is no name of a promise.
        Conflict: it does not count any more already.
    """
    workspace = await workspace_of(house, session_id)
    number = promise_number(name)
    if number is None:
        raise InvalidInput(f"{name!r} names no promise.", hint="A promise is named like P7.")
    place = None if check is None else check - 1
    row = await house.stores.promises.withdraw(session_id, number, reason.strip() or BY_THE_USER, place=place)
    await write_ledger(house.stores, session_id, workspace)
    await refresh_facts(house.stores, session_id, workspace)
    return Promise.of(row)
