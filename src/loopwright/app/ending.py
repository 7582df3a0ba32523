"""The last line of a run, the same for every surface."""

from typing import Any

from loopwright.kernel.gates import Gate
from loopwright.kernel.parking import under_way
from loopwright.kernel.ports import RunRecord
from loopwright.kernel.state import RunState

EXIT_CODES = {"complete": 0, "waiting": 3, "error": 4, "cancelled": 5}


def last_line(record: RunRecord, state: RunState, final: dict[str, Any] | None) -> dict[str, Any]:
    """What a run came to: `complete`, `waiting`, `error` or `cancelled`, with the agent's own fields.

    Args:
        record: the run.
        state: its folded state.
        final: payload of its terminal event, or None while it waits.

    What a gate's details hold under `last_line` stands in the line itself: an agent's own words for why it waits.
    """
    common = {
        "agent": record.agent,
        "session_id": record.session_id,
        "run_id": record.run_id,
        "steps": state.steps,
        "cost_usd": round(state.usd, 6) if state.usd_known else None,
        "model": state.last_response.model if state.last_response else None,
    }
    if state.open_gate is not None:
        told = state.open_gate.details.get("last_line") or {}
        return {"type": "waiting", **told, **common, "gate": describe_gate(state.open_gate)} | _questions(
            state.open_gate
        )
    if state.status == "completed" and final is not None:
        return {"type": "complete", **common, "message": final["text"], **final["result"]}
    if state.status == "cancelled":
        return {"type": "cancelled", **common, "message": "The run was cancelled; what it had done is kept."}
    if state.status == "parked":
        return {"type": "error", **common, **_parked(record, state)}
    failure = final or {
        "code": "interrupted",
        "message": f"The run stopped before its end (it is {state.status}); what it had done is kept.",
        "hint": f"loopwright runs resume {record.run_id}",
    }
    hint = failure["hint"] or f"loopwright runs show {record.run_id}"
    told = failure.get("result") or {}
    return {"type": "error", **told, **common, "code": failure["code"], "message": failure["message"], "hint": hint}


def _parked(record: RunRecord, state: RunState) -> dict[str, Any]:
    return {
        "code": "parked",
        "message": f"The run is parked: {record.deaths} processes in a row died while they carried it on. "
        f"What it was doing: {under_way(state)}.",
        "hint": f"loopwright runs resume {record.run_id} --anyway",
    }


def _questions(gate: Gate) -> dict[str, Any]:
    return {"questions": [question_payload(i, q) for i, q in enumerate(gate.questions)]} if gate.questions else {}


def question_payload(index: int, question: Any) -> dict[str, Any]:
    """A question as the wire shows it."""
    data: dict[str, Any] = question.model_dump(exclude_none=True)
    return {"index": index, **data}


def describe_gate(gate: Gate) -> dict[str, Any]:
    """A gate as the wire shows it."""
    return {
        "gate_id": gate.gate_id,
        "run_id": gate.gate_id.rpartition(".")[0],
        "kind": gate.kind,
        "status": gate.status,
        "title": gate.title,
        "digest": gate.digest,
        "details": gate.details,
        "questions": [question_payload(i, q) for i, q in enumerate(gate.questions)],
        "answer": gate.answer,
    }
