"""The product doc of a session."""

from typing import Annotated, Any

from fastapi import APIRouter, Header, Query
from pydantic import BaseModel, ConfigDict, Field

from loopwright.agents.pages.contracts import SectionPatch
from loopwright.agents.pages.usecases.promises import doc_history, edit_doc, read_doc
from loopwright.server.dependencies import Application

router = APIRouter(prefix="/api/sessions/{session_id}/product-doc", tags=["product doc"])


class DocPatch(BaseModel):
    """Changes of sections by the user, applied in their order."""

    model_config = ConfigDict(extra="forbid")

    sections: list[SectionPatch] = Field(min_length=1, max_length=50)


@router.get("")
async def get(session_id: str, application: Application) -> dict[str, Any]:
    """Its sections and the project card."""
    return (await read_doc(application, session_id)).model_dump(mode="json")


@router.patch("")
async def patch(
    session_id: str,
    change: DocPatch,
    application: Application,
    idempotency_key: Annotated[str | None, Header(max_length=200)] = None,
) -> dict[str, Any]:
    """Set, append to or remove sections; gives the doc as it is then, with a new project card."""
    doc = await edit_doc(application, session_id, change.sections, idempotency_key=idempotency_key)
    return doc.model_dump(mode="json")


@router.get("/history")
async def history(
    session_id: str,
    application: Application,
    section: str | None = None,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
) -> dict[str, Any]:
    """Its patches, newest first: when, by whom, before and after."""
    patches = await doc_history(application, session_id, section=section, limit=limit)
    return {"patches": [patch.model_dump(mode="json") for patch in patches]}
