"""The product doc of a session."""

from typing import Annotated, Any

from fastapi import APIRouter, Query

from loopwright.kernel.errors import NotFound
from loopwright.server.dependencies import House

router = APIRouter(prefix="/api/sessions/{session_id}/product-doc", tags=["product doc"])


@router.get("")
async def get(session_id: str, house: House) -> dict[str, Any]:
    """Its sections and the project card."""
    await house.stores.sessions.get(session_id)
    doc = await house.stores.product_docs.get(session_id)
    if doc is None:
        raise NotFound(f"Session {session_id} has no product doc yet.")
    return doc.model_dump(mode="json")


@router.get("/history")
async def history(
    session_id: str, house: House, section: str | None = None, limit: Annotated[int, Query(ge=1, le=1_000)] = 100
) -> dict[str, Any]:
    """Its patches, newest first: when, by whom, before and after."""
    await house.stores.sessions.get(session_id)
    patches = await house.stores.product_docs.history(session_id, section=section, limit=limit)
    return {"patches": [patch.model_dump(mode="json") for patch in patches]}
