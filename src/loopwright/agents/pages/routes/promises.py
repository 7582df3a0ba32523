"""The record of a session: what its app has promised."""

from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from loopwright.agents.pages.usecases.promises import PromiseRecord, read_record, withdraw_promise
from loopwright.server.dependencies import MAX_INTEGER, Application

router = APIRouter(prefix="/api/sessions/{session_id}/promises", tags=["promises"])


class Withdrawal(BaseModel):
    """What of a promise is taken back, and why."""

    model_config = ConfigDict(extra="forbid")

    reason: str = Field(default="", max_length=500)
    check: int | None = Field(
        default=None, ge=1, le=MAX_INTEGER, description="One check of it, by its number; without it all of them"
    )


@router.get("")
async def find(
    session_id: str, application: Application, check: bool = False, withdrawn: bool = False
) -> dict[str, Any]:
    """The promises; with `check` each is replayed on the pages as they are, and a summary stands beside them."""
    return (await read_record(application, session_id, check=check, withdrawn=withdrawn)).to_wire()


@router.post("/{promise_id}/withdraw")
async def withdraw(
    session_id: str, promise_id: str, application: Application, body: Withdrawal | None = None
) -> dict[str, Any]:
    """Take a promise back, or one check of it; 409 when it was already."""
    asked = body or Withdrawal()
    found = await withdraw_promise(application, session_id, promise_id, asked.reason, check=asked.check)
    promise: dict[str, Any] = PromiseRecord((found,)).to_wire()["promises"][0]
    return promise
