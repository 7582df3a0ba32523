"""Chat, as spec 000 has it: one message, or the answers to pending questions, and what comes of it."""

import re
from typing import Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field
from sse_starlette import EventSourceResponse

from loopwright.app.answering import load_state
from loopwright.app.intake import check_agent, check_message
from loopwright.app.soul import Begun, SoulOrchestrator, run_options
from loopwright.app.starting import NewRun
from loopwright.server.dependencies import House
from loopwright.server.interview_widget import answer_widget, read_widget
from loopwright.server.streams import chat_frames, chat_stream

router = APIRouter(prefix="/api/chat", tags=["chat"])

MENTION = re.compile(r"(?<!\w)@([a-z0-9-]{1,40})\b")


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
    stream_writing: bool = Field(default=False, description="Stream what is written inside tools too: pages, say")
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
    return chat_stream(house, await _begin(house, request), writing=request.stream_writing)


async def _begin(house: House, request: ChatRequest) -> Begun:
    soul = SoulOrchestrator(house)
    if request.resume is not None:
        return await soul.resume(request.session_id, request.resume)
    widget = read_widget(request.message)
    if widget is not None:
        return await answer_widget(soul, house, request.session_id, widget)
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
