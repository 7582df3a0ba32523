"""The inbox: everything of every agent that waits for a human."""

from typing import Annotated, Any

from fastapi import APIRouter, Body, Header

from loopwright.app.answering import HTTP, answer_and_go_on, find_gate, open_gates, run_of
from loopwright.app.ending import describe_gate
from loopwright.server.dependencies import Application
from loopwright.server.routes.runs import run_object

router = APIRouter(prefix="/api/gates", tags=["gates"])


@router.get("")
async def inbox(application: Application) -> dict[str, Any]:
    """Pending gates, newest run first."""
    return {
        "gates": [
            describe_gate(entry.gate) | {"agent": entry.run.agent, "session_id": entry.run.session_id}
            for entry in await open_gates(application)
        ]
    }


@router.get("/{gate_id}")
async def get(gate_id: str, application: Application) -> dict[str, Any]:
    """One gate, pending or answered."""
    return describe_gate(await find_gate(application, gate_id))


@router.post("/{gate_id}")
async def answer(
    gate_id: str,
    application: Application,
    payload: Annotated[dict[str, Any], Body()],
    idempotency_key: Annotated[str | None, Header()] = None,
) -> dict[str, Any]:
    """Answer a gate, once: `{"answers": {…}}` or `{"decision": "approve" | "reject"}`; a second answer is a 409.

    The call of a client tool is answered with `{"result": …}` or `{"error": "why there is none"}`.
    """
    await find_gate(application, gate_id)
    run_id = run_of(gate_id)
    await answer_and_go_on(application, run_id, payload, idempotency_key=idempotency_key, gate_id=gate_id, by=HTTP)
    return run_object(await application.stores.runs.get(run_id))
