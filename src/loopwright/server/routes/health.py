"""Whether the server lives."""

from typing import Any

from fastapi import APIRouter

from loopwright import __version__
from loopwright.app.agents import agent_names
from loopwright.server.dependencies import House

router = APIRouter(tags=["health"])


@router.get("/healthz")
async def healthz(house: House) -> dict[str, Any]:
    """Answers when the database does."""
    await house.stores.runs.find(limit=1)
    model = "offline" if house.settings.offline else "endpoint"
    return {"status": "ok", "version": __version__, "model": model, "agents": list(agent_names())}
