"""The interview of a session: what was asked, answered and assumed."""

from typing import Any

from fastapi import APIRouter

from loopwright.agents.pages.usecases.interviewing import interview_of
from loopwright.server.dependencies import Application

router = APIRouter(prefix="/api/sessions/{session_id}/interview", tags=["interview"])


@router.get("")
async def get(session_id: str, application: Application) -> dict[str, Any]:
    """The answers by question, each with the decision that it makes and whether it was assumed.

    They are changed by a chat message with the action `update_answers`, or in plain words.
    """
    record = await interview_of(application, session_id)
    return {"answers": {question: given.model_dump() for question, given in record.answers.items()}}
