"""Use cases on a session's ledger: look at its promises, replay them, take one back."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loopwright.agents.pages.context.facts_keeping import refresh_facts
from loopwright.agents.pages.context.project import load_project
from loopwright.agents.pages.ledger.guarding import replay_session
from loopwright.agents.pages.ledger.keeping import load_promises, write_ledger
from loopwright.agents.pages.ledger.promise import Promise, promise_number
from loopwright.agents.pages.ledger.replay import LedgerReport
from loopwright.agents.pages.ledger.wording import describe
from loopwright.agents.pages.workspace import Workspace
from loopwright.app.loopwright import Loopwright
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
            row = {"id": promise.id, **promise.model_dump(mode="json", exclude_none=True, exclude={"number", "checks"})}
            row |= {"pages": list(promise.slugs), "expects": describe(promise)}
            row["checks"] = [check.model_dump(mode="json", exclude_none=True) for check in promise.checks]
            found = states.get(promise.number)
            if found is not None:
                wire = found.to_wire()
                row |= {"state": wire["state"], "static_behaviours": wire["static_behaviours"]}
                row["verdicts"] = [{key: each[key] for key in _VERDICT} for each in wire["checks"]]
            rows.append(row)
        return {"promises": rows} | ({"summary": self.report.summary()} if self.report else {})


_VERDICT = ("state", "expected", "found", "method")


async def read_ledger(house: Loopwright, session_id: str, *, check: bool = False, withdrawn: bool = False) -> Ledger:
    """The session's promises, replayed against the pages as they lie in the folder if `check` says so.

    Args:
        house: the house.
        session_id: whose ledger.
        check: run every check; changes that people made by hand are seen.
        withdrawn: whether those that were taken back are listed too; they are never checked.

    Raises:
        NotFound: there is no such session.
    """
    session = await house.stores.sessions.get(session_id)
    promises = tuple(await load_promises(house.stores, session_id, withdrawn=withdrawn))
    if not check:
        return Ledger(promises)
    project = await load_project(house.stores, session_id, Workspace(Path(session.output_dir)))
    return Ledger(promises, await replay_session(house.stores, session_id, project))


async def withdraw_promise(house: Loopwright, session_id: str, promise_id: str, reason: str = "") -> Promise:
    """Take a promise back, in the user's own name.

    Raises:
        NotFound: there is no such session or promise.
        InvalidInput: this is no name of a promise.
        Conflict: it is withdrawn already.
    """
    session = await house.stores.sessions.get(session_id)
    number = promise_number(promise_id)
    if number is None:
        raise InvalidInput(f"{promise_id!r} names no promise.", hint="A promise is named like P7.")
    row = await house.stores.promises.withdraw(session_id, number, reason.strip() or BY_THE_USER)
    workspace = Workspace(Path(session.output_dir))
    await write_ledger(house.stores, session_id, workspace)
    await refresh_facts(house.stores, session_id, workspace)
    return Promise.of(row)
