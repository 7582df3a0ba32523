"""`SoulOrchestrator`: the interface that spec 000 promises to its callers, over the kernel's runs."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from loopwright.agents.pages.contracts import OrchestratorResponse
from loopwright.agents.pages.usecases.live_pages import preview_html
from loopwright.app.answering import HTTP, answer_and_go_on
from loopwright.app.loopwright import Loopwright
from loopwright.app.starting import NewRun, start_run
from loopwright.app.watching import question_payload, told_first, watch_run
from loopwright.engine.drafts import Live
from loopwright.kernel.errors import Conflict, NotFound
from loopwright.kernel.events import Event, GateOpened
from loopwright.kernel.ports import RunRecord


@dataclass(frozen=True)
class Begun:
    """A run that a message has started or resumed; its news come after `since` in its journal."""

    record: RunRecord
    since: int


class SoulOrchestrator:
    """Streams what a message does to a session as `OrchestratorResponse`s."""

    def __init__(self, application: Loopwright) -> None:
        """Work in this application."""
        self._application = application

    async def stream_responses(
        self,
        session_id: str | None,
        user_message: str,
        output_dir: str | None = None,
        history: list[dict[str, Any]] | None = None,
        trigger_interview: bool = False,
        generate_now: bool = False,
        style_reference: dict[str, Any] | None = None,
        target_pages: list[str] | None = None,
        resume: dict[str, Any] | None = None,
    ) -> AsyncGenerator[OrchestratorResponse, None]:
        """Start a run for the message, or resume a waiting one, and follow it to its end or to its next question.

        Args:
            session_id: the session; None begins a new one, whose id each response carries.
            user_message: what the user says; ignored when `resume` is given.
            output_dir: folder in which a new session gets its own.
            history: accepted for compatibility; the session's own journal is the history.
            trigger_interview: ask questions even when the request is detailed.
            generate_now: ask nothing, use defaults.
            style_reference: `{mode, images, scope_pages, tokens}`.
            target_pages: slugs that the message is about.
            resume: the answers to the pending questions; `run_id` may name the run, else the latest waiting one is
                meant.

        Raises:
            InvalidInput, NotFound, Conflict: as the use cases for starting and answering do, at once.
        """
        if resume is not None:
            begun = await self.resume(session_id, resume)
        else:
            reference = dict(style_reference or {})
            new = NewRun(
                message=user_message,
                session_id=session_id,
                output_dir=Path(output_dir) if output_dir else None,
                images=reference.pop("images", []),
                options=run_options(trigger_interview or None, generate_now, target_pages, reference),
            )
            begun = await self.start(new)
        async with aclosing(watch_run(self._application, begun.record.run_id, begun.since, until_pause=True)) as pieces:
            async for piece in pieces:
                response = await whole_response(self._application, begun.record.session_id, piece)
                if response is not None:
                    yield response

    async def start(self, new: NewRun) -> Begun:
        """Start a run for a message.

        Raises:
            InvalidInput, NotFound, Conflict: as `create_run` does.
        """
        return Begun(await start_run(self._application, new), 0)

    async def resume(self, session_id: str | None, resume: dict[str, Any], idempotency_key: str | None = None) -> Begun:
        """Answer a waiting run, and let it go on.

        Raises:
            InvalidInput, NotFound, Conflict: as `answer_run` does.
        """
        answers = dict(resume)
        run_id = answers.pop("run_id", None)
        if run_id is None:
            waiting = await self._application.stores.runs.find(session_id=session_id, status="waiting_input", limit=1)
            if not waiting:
                raise Conflict(f"No run of session {session_id!r} waits for an answer.")
            run_id = waiting[0].run_id
        record = await self._application.stores.runs.get(str(run_id))
        if session_id is not None and record.session_id != session_id:
            raise NotFound(f"Session {session_id!r} has no run {run_id!r}.")
        await answer_and_go_on(self._application, record.run_id, answers, idempotency_key=idempotency_key, by=HTTP)
        return Begun(record, record.seq)


def run_options(
    interview: bool | None, generate_now: bool, target_pages: list[str] | None, style_reference: dict[str, Any] | None
) -> dict[str, Any]:
    """The pages agent's options of one run; `interview` None leaves it to the agent whether to ask."""
    return {
        "interview": interview,
        "generate_now": generate_now,
        "target_pages": target_pages or [],
        "style_reference": style_reference or None,
    }


async def whole_response(application: Loopwright, session_id: str, piece: Event | Live) -> OrchestratorResponse | None:
    """One piece of a run as spec 000's callers see it; the last one brings the active page's preview along."""
    response = as_response(session_id, piece)
    if response is None or not response.is_complete or response.active_page_slug is None:
        return response
    return replace(response, preview_html=await preview_html(application, session_id, response.active_page_slug))


def as_response(session_id: str, piece: Event | Live) -> OrchestratorResponse | None:
    """One piece of a run as spec 000's callers see it; None for what they do not see."""
    if isinstance(piece, Live):
        if piece.kind != "progress":
            return None
        return OrchestratorResponse(session_id, "tool_call", str(piece.data["message"]), is_complete=False)
    translate = _TRANSLATIONS.get(piece.type)
    return translate(session_id, piece.payload) if translate else None


def _text(session_id: str, payload: dict[str, Any]) -> OrchestratorResponse | None:
    text = payload["text"] if payload["visible"] is None else payload["visible"]
    return OrchestratorResponse(session_id, "soul_loop", text, is_complete=False) if text.strip() else None


def _tool_call(session_id: str, payload: dict[str, Any]) -> OrchestratorResponse:
    slug = payload["arguments"].get("slug")
    message = payload["name"] + (f" {slug}" if slug else "")
    return OrchestratorResponse(
        session_id, "tool_call", message, is_complete=False, action=payload["name"], active_page_slug=slug
    )


def _gate(session_id: str, payload: dict[str, Any]) -> OrchestratorResponse:
    gate = GateOpened.model_validate(payload).gate
    questions = [question_payload(i, q) for i, q in enumerate(gate.questions)]
    return OrchestratorResponse(
        session_id, "waiting_input", gate.title, is_complete=False, questions=questions, action="ask_user"
    )


def _doc_updated(session_id: str, payload: dict[str, Any]) -> OrchestratorResponse:
    names = ", ".join(payload["sections"])
    return OrchestratorResponse(
        session_id, "soul_loop", f"Product Doc updated: {names}", is_complete=False, product_doc_updated=True
    )


def _completed(session_id: str, payload: dict[str, Any]) -> OrchestratorResponse:
    result = payload["result"]
    told = told_first(payload.get("account") or {})
    return OrchestratorResponse(
        session_id,
        "complete",
        told + payload["text"],
        is_complete=True,
        preview_url=result.get("preview_url"),
        progress=100,
        action="pages_generated" if result.get("affected_pages") else "direct_reply",
        product_doc_updated=result.get("product_doc_updated"),
        affected_pages=result.get("affected_pages"),
        active_page_slug=result.get("active_page_slug"),
    )


def _failed(session_id: str, payload: dict[str, Any]) -> OrchestratorResponse:
    return OrchestratorResponse(session_id, "error", payload["message"], is_complete=True)


def _cancelled(session_id: str, payload: dict[str, Any]) -> OrchestratorResponse:
    return OrchestratorResponse(session_id, "cancelled", payload["reason"], is_complete=True)


_TRANSLATIONS = {
    "model_response": _text,
    "tool_call": _tool_call,
    "gate_opened": _gate,
    "product_doc_updated": _doc_updated,
    "run_completed": _completed,
    "run_failed": _failed,
    "run_cancelled": _cancelled,
}
