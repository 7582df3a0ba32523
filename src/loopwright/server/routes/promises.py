"""The ledger of a session: what its app has promised."""

from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from loopwright.app.promises import Ledger, read_ledger, withdraw_promise
from loopwright.server.dependencies import House

router = APIRouter(prefix="/api/sessions/{session_id}/promises", tags=["promises"])


class Withdrawal(BaseModel):
    """Why a promise is taken back."""

    model_config = ConfigDict(extra="forbid")

    reason: str = Field(default="", max_length=500)


@router.get("")
async def find(session_id: str, house: House, check: bool = False, withdrawn: bool = False) -> dict[str, Any]:
    """The promises; with `check` each is replayed on the pages as they are, and a summary stands beside them."""
    return (await read_ledger(house, session_id, check=check, withdrawn=withdrawn)).to_wire()


@router.post("/{promise_id}/withdraw")
async def withdraw(session_id: str, promise_id: str, house: House, body: Withdrawal | None = None) -> dict[str, Any]:
    """Take a promise back; 409 when it was already."""
    found = await withdraw_promise(house, session_id, promise_id, body.reason if body else "")
    promise: dict[str, Any] = Ledger((found,)).to_wire()["promises"][0]
    return promise
