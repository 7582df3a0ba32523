"""Chat, as spec 000 has it: one message, or the answers to pending questions, and what comes of it."""

import json
import re
from typing import Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field
from sse_starlette import EventSourceResponse

from loopwright.app.answering import load_state
from loopwright.app.intake import check_agent, check_message
from loopwright.app.soul import Begun, SoulOrchestrator, run_options
from loopwright.app.starting import NewRun
from loopwright.kernel.errors import InvalidInput
from loopwright.server.dependencies import House
from loopwright.server.streams import chat_frames, chat_stream

router = APIRouter(prefix="/api/chat", tags=["chat"])

MENTION = re.compile(r"(?<!\w)@([a-z0-9-]{1,40})\b")
WIDGET_ANSWERS = re.compile(r"<INTERVIEW_ANSWERS>(?P<json>.*?)</INTERVIEW_ANSWERS>", re.DOTALL)


class StyleReference(BaseModel):
    """A look to follow."""

    model_config = ConfigDict(extra="forbid")

    mode: Literal["full_mimic", "style_only"] = "style_only"
    images: list[str] = Field(default_factory=list, max_length=3)
    scope_pages: list[str] = Field(default_factory=list)
    tokens: dict[str, Any] | None = None


class ChatRequest(BaseModel):
    """A message, or `resume` with the answers to pending questions."""

    model_config = ConfigDict(extra="forbid")

    message: str = Field(default="", description="What the user says")
    session_id: str | None = None
    agent: str = "pages"
    interview: bool | None = None
    generate_now: bool = False
    images: list[str] = Field(default_factory=list, max_length=3, description="Data URLs")
    target_pages: list[str] = Field(default_factory=list)
    style_reference: StyleReference | None = None
    style_reference_mode: Literal["full_mimic", "style_only"] | None = None
    resume: dict[str, Any] | None = Field(default=None, description='{"run_id"?, "answers": {…}}')


class ChatResponse(BaseModel):
    """What a chat turn came to."""

    session_id: str
    message: str
    preview_url: str | None = None
    preview_html: str | None = None
    active_page_slug: str | None = None
    product_doc_updated: bool | None = None
    affected_pages: list[str] | None = None
    action: str | None = None
    tokens_used: int = 0
    run_id: str
    phase: str
    is_complete: bool
    questions: list[dict[str, Any]] | None = None


@router.post("")
async def chat(request: ChatRequest, house: House) -> ChatResponse:
    """Wait for the end of the turn, or for its next question."""
    begun = await _begin(house, request)
    last: dict[str, Any] = {}
    async for frame in chat_frames(house, begun):
        if "phase" in frame:
            last = frame
    state = await load_state(house, begun.record.run_id)
    fields = {name: last.get(name) for name in ChatResponse.model_fields if name in last}
    return ChatResponse.model_validate(
        {"session_id": begun.record.session_id, "message": "", "phase": "error", "is_complete": True}
        | fields
        | {"run_id": begun.record.run_id, "tokens_used": state.tokens}
    )


@router.post("/stream")
async def stream(request: ChatRequest, house: House) -> EventSourceResponse:
    """The same as SSE: events, text pieces, payload frames, and `data: [DONE]` at the end."""
    return chat_stream(house, await _begin(house, request))


async def _begin(house: House, request: ChatRequest) -> Begun:
    soul = SoulOrchestrator(house)
    resume = request.resume if request.resume is not None else _widget_answers(request.message)
    if resume is not None:
        return await soul.resume(request.session_id, resume)
    check_agent(request.agent)
    text = check_message(request.message)
    reference = request.style_reference
    images = [*request.images, *(reference.images if reference else [])]
    look = reference.model_dump(exclude={"images"}, exclude_none=True) if reference else None
    if request.style_reference_mode and images:
        look = {**(look or {}), "mode": request.style_reference_mode}
    targets = list(dict.fromkeys([*request.target_pages, *MENTION.findall(text)]))
    options = run_options(request.interview, request.generate_now, targets, look)
    return await soul.start(
        NewRun(message=text, agent=request.agent, session_id=request.session_id, images=images, options=options)
    )


def _widget_answers(message: str) -> dict[str, Any] | None:
    """Answers that an interview widget put into the message text, or None where there are none.

    Raises:
        InvalidInput: there is such a block, and it cannot be read.
    """
    match = WIDGET_ANSWERS.search(message)
    if match is None:
        return None
    try:
        block = json.loads(match["json"])
        answers = {} if block["action"] in ("skip_batch", "generate_now") else _by_question(block["answers"])
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidInput(f"The INTERVIEW_ANSWERS block cannot be read: {error!r}.") from error
    return {"answers": answers}


def _by_question(answers: list[dict[str, Any]]) -> dict[str, Any]:
    return {str(answer.get("question") or answer["index"]): answer["value"] for answer in answers}
