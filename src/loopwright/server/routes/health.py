"""Whether the server lives."""

import asyncio
from typing import Any

from fastapi import APIRouter

from loopwright import __version__
from loopwright.app.agents import agent_names
from loopwright.server.dependencies import Application
from loopwright.stores.errors import StoreUnavailable

router = APIRouter(tags=["health"])

HEALTH_SECONDS = 5.0
"""Whoever asks wants to know now; other requests wait for a busy database."""


@router.get("/healthz")
async def healthz(application: Application) -> dict[str, Any]:
    """Answers when the database does; 503 when that takes too long."""
    try:
        async with asyncio.timeout(HEALTH_SECONDS):
            await application.stores.runs.find(limit=1)
    except TimeoutError as error:
        raise StoreUnavailable(f"The database gave no answer within {HEALTH_SECONDS:g} seconds.") from error
    model = "offline" if application.settings.offline else "endpoint"
    return {"status": "ok", "version": __version__, "model": model, "agents": list(agent_names())}
