"""Use case: a user reads and edits the product doc of a session; the model finds the changes in its next prompt."""

import uuid
from collections.abc import Sequence

from loopwright.agents.pages.context.card import build_project_card
from loopwright.agents.pages.context.facts_keeping import refresh_facts
from loopwright.agents.pages.context.project import load_project
from loopwright.agents.pages.contracts import SectionPatch
from loopwright.app.loopwright import Loopwright
from loopwright.app.page_files import workspace_of
from loopwright.kernel.errors import InvalidInput, NotFound
from loopwright.stores.product_doc_records import PatchRecord, ProductDocRecord

MOST_PATCHES = 50
MOST_SECTIONS = 100
"""Sections beyond which no new one is taken: nobody reads them, and each prompt names them all."""


async def read_doc(house: Loopwright, session_id: str) -> ProductDocRecord:
    """The product doc.

    Raises:
        NotFound: there is no such session, or nothing was written yet.
    """
    await house.stores.sessions.get(session_id)
    doc = await house.stores.product_docs.get(session_id)
    if doc is None:
        raise NotFound(f"Session {session_id} has no product doc yet.")
    return doc


async def doc_history(
    house: Loopwright, session_id: str, *, section: str | None = None, limit: int = 100
) -> list[PatchRecord]:
    """The patches of a product doc, or of one section, newest first.

    Raises:
        NotFound: there is no such session.
    """
    await house.stores.sessions.get(session_id)
    return await house.stores.product_docs.history(session_id, section=section, limit=limit)


async def edit_doc(
    house: Loopwright, session_id: str, patches: Sequence[SectionPatch], *, idempotency_key: str | None = None
) -> ProductDocRecord:
    """Apply a user's patches, all or none, and renew the project card.

    Args:
        house: the installation.
        session_id: whose product doc it is.
        patches: applied in their order, signed `user` in the history.
        idempotency_key: names this set of patches; sent again, it changes nothing.

    Raises:
        InvalidInput: no patch, too many of them, or too many sections.
        NotFound: there is no such session.
    """
    if not patches or len(patches) > MOST_PATCHES:
        raise InvalidInput(f"Between one and {MOST_PATCHES} sections can be changed at once; got {len(patches)}.")
    workspace = await workspace_of(house, session_id)
    known = await house.stores.product_docs.get(session_id)
    names = set(known.sections if known else ())
    for patch in patches:
        names = names - {*patch.sources, patch.name} | ({patch.name} if patch.op != "remove" else set())
    if len(names) > MOST_SECTIONS:
        raise InvalidInput(f"A product doc has at most {MOST_SECTIONS} sections.", hint="Merge or remove some.")
    docs = house.stores.product_docs
    key = f"user:{idempotency_key or uuid.uuid4().hex}"
    await docs.apply(session_id, patches, author="user", idempotency_key=key)
    await refresh_facts(house.stores, session_id, workspace)
    project = await load_project(house.stores, session_id, workspace)
    await docs.set_project_card(session_id, build_project_card(project))
    return await read_doc(house, session_id)
