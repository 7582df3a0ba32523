"""Use cases on a session's record: look at its promises, replay them, take one back."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from loopwright.agents.pages.context.card import build_project_card, refresh_facts
from loopwright.agents.pages.context.relevance import load_project
from loopwright.agents.pages.contracts import SectionPatch
from loopwright.agents.pages.promises.checks import GivenUp
from loopwright.agents.pages.promises.guarding import replay_session
from loopwright.agents.pages.promises.keeping import load_promises, write_promises
from loopwright.agents.pages.promises.promise import Promise, promise_id, promise_number
from loopwright.agents.pages.promises.replay import PromisesReport
from loopwright.agents.pages.promises.wording import describe, expectation_of
from loopwright.agents.pages.services import pages_stores
from loopwright.agents.pages.store.product_docs import PatchRecord, ProductDocRecord
from loopwright.agents.pages.usecases.live_pages import workspace_of
from loopwright.app.loopwright import Loopwright
from loopwright.kernel.errors import InvalidInput, NotFound

# Use case: a user reads and edits the product doc of a session; the model finds the changes in its next prompt.

MOST_PATCHES = 50
MOST_SECTIONS = 100
"""Sections beyond which no new one is taken: nobody reads them, and each prompt names them all."""


async def read_doc(application: Loopwright, session_id: str) -> ProductDocRecord:
    """The product doc.

    Raises:
        NotFound: there is no such session, or nothing was written yet.
    """
    await application.stores.sessions.get(session_id)
    doc = await (await pages_stores(application)).product_docs.get(session_id)
    if doc is None:
        raise NotFound(f"Session {session_id} has no product doc yet.")
    return doc


async def doc_history(
    application: Loopwright, session_id: str, *, section: str | None = None, limit: int = 100
) -> list[PatchRecord]:
    """The patches of a product doc, or of one section, newest first.

    Raises:
        NotFound: there is no such session.
    """
    await application.stores.sessions.get(session_id)
    return await (await pages_stores(application)).product_docs.history(session_id, section=section, limit=limit)


async def edit_doc(
    application: Loopwright, session_id: str, patches: Sequence[SectionPatch], *, idempotency_key: str | None = None
) -> ProductDocRecord:
    """Apply a user's patches, all or none, and renew the project card.

    Args:
        application: the opened application.
        session_id: whose product doc it is.
        patches: applied in their order, signed `user` in the history.
        idempotency_key: names this set of patches; sent again, it changes nothing.

    Raises:
        InvalidInput: no patch, too many of them, or too many sections.
        NotFound: there is no such session.
    """
    stores = await pages_stores(application)
    if not patches or len(patches) > MOST_PATCHES:
        raise InvalidInput(f"Between one and {MOST_PATCHES} sections can be changed at once; got {len(patches)}.")
    workspace = await workspace_of(application, session_id)
    known = await stores.product_docs.get(session_id)
    names = set(known.sections if known else ())
    for patch in patches:
        names = names - {*patch.sources, patch.name} | ({patch.name} if patch.op != "remove" else set())
    if len(names) > MOST_SECTIONS:
        raise InvalidInput(f"A product doc has at most {MOST_SECTIONS} sections.", hint="Merge or remove some.")
    docs = stores.product_docs
    key = f"user:{idempotency_key or uuid.uuid4().hex}"
    await docs.apply(session_id, patches, author="user", idempotency_key=key)
    await refresh_facts(stores, session_id, workspace)
    project = await load_project(stores, session_id, workspace)
    await docs.set_project_card(session_id, build_project_card(project))
    return await read_doc(application, session_id)


BY_THE_USER = "Withdrawn by the user."


@dataclass(frozen=True)
class PromiseRecord:
    """A session's promises; `report` is there when they were replayed."""

    promises: tuple[Promise, ...]
    report: PromisesReport | None = None

    def to_wire(self) -> dict[str, Any]:
        """The record as JSON data."""
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


async def read_record(
    application: Loopwright, session_id: str, *, check: bool = False, withdrawn: bool = False
) -> PromiseRecord:
    """The session's promises, replayed against the pages as they lie in the folder if `check` says so.

    Args:
        application: the opened application.
        session_id: whose record.
        check: run every check; changes that people made by hand are seen.
        withdrawn: whether those of which nothing counts any more are listed too; they are never checked.

    Raises:
        NotFound: there is no such session.
    """
    stores = await pages_stores(application)
    workspace = await workspace_of(application, session_id)
    promises = tuple(await load_promises(stores, session_id, withdrawn=withdrawn))
    if not check:
        return PromiseRecord(promises)
    project = await load_project(stores, session_id, workspace)
    return PromiseRecord(promises, await replay_session(stores, session_id, project))


async def withdraw_promise(
    application: Loopwright, session_id: str, name: str, reason: str = "", *, check: int | None = None
) -> Promise:
    """Take a promise back, or one check of it, in the user's own name.

    Args:
        application: the opened application.
        session_id: whose record.
        name: the promise, such as P7.
        reason: why; it is kept.
        check: the number of the check, counted from 1; the whole promise without it.

    Raises:
        NotFound: there is no such session, promise or check.
        InvalidInput: this is no name of a promise.
        Conflict: it does not count any more already.
    """
    stores = await pages_stores(application)
    workspace = await workspace_of(application, session_id)
    number = promise_number(name)
    if number is None:
        raise InvalidInput(f"{name!r} names no promise.", hint="A promise is named like P7.")
    place = None if check is None else check - 1
    row = await stores.promises.withdraw(session_id, number, reason.strip() or BY_THE_USER, place=place)
    await write_promises(stores, session_id, workspace)
    await refresh_facts(stores, session_id, workspace)
    return Promise.of(row)
