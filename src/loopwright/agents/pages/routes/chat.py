"""Chat, as spec 000 has it: one message, or the answers to pending questions, and what comes of it."""

import json
import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from loopwright.agents.pages.usecases.interviewing import ask_no_more, change_answers
from loopwright.agents.pages.usecases.soul import Begun, SoulOrchestrator, run_options, whole_response
from loopwright.app.answering import load_state
from loopwright.app.loopwright import Loopwright
from loopwright.app.starting import NewRun, check_agent, check_message
from loopwright.app.watching import watch_run
from loopwright.engine.drafts import WRITING, Live
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.events import Event
from loopwright.server.dependencies import Application, EventStream, Frame, as_json, envelope

# What spec 000's interview widget sends inside a message: answers to a batch of questions, or a request about them.

BLOCK = re.compile(r"<INTERVIEW_ANSWERS>(?P<json>.*?)</INTERVIEW_ANSWERS>", re.DOTALL)


class WidgetAnswer(BaseModel):
    """One answer; the widget adds labels, which say the same for people."""

    model_config = ConfigDict(extra="ignore")

    question: str | None = None
    index: int | None = None
    value: str | list[str]
    other: str | None = None


class WidgetBlock(BaseModel):
    """The block: what is to be done with the batch, and its answers."""

    model_config = ConfigDict(extra="ignore")

    action: Literal["submit_batch", "skip_batch", "generate_now", "update_answers"]
    answers: list[WidgetAnswer] = Field(default_factory=list, max_length=100)

    def by_question(self) -> dict[str, Any]:
        """The answers by question text, or by index where only that is given.

        Raises:
            InvalidInput: an answer has neither.
        """
        found: dict[str, Any] = {}
        for answer in self.answers:
            if answer.question is None and answer.index is None:
                raise InvalidInput("An answer in the INTERVIEW_ANSWERS block names no question.")
            found[answer.question or str(answer.index)] = _value(answer)
        return found


def _value(answer: WidgetAnswer) -> str | list[str]:
    if not answer.other:
        return answer.value
    return [*answer.value, answer.other] if isinstance(answer.value, list) else answer.other


def read_widget(message: str) -> WidgetBlock | None:
    """The block in a message, or None where there is none.

    Raises:
        InvalidInput: there is such a block, and it cannot be read.
    """
    match = BLOCK.search(message)
    if match is None:
        return None
    try:
        return WidgetBlock.model_validate(json.loads(match["json"]))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise InvalidInput(f"The INTERVIEW_ANSWERS block cannot be read: {where}: {first['msg']}.") from error
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"The INTERVIEW_ANSWERS block cannot be read: {error}.") from error


async def answer_widget(
    soul: SoulOrchestrator, application: Loopwright, session_id: str | None, block: WidgetBlock
) -> Begun:
    """Do what the block asks for.

    `submit_batch` answers the waiting run, `skip_batch` leaves everything to the agent's defaults, `generate_now` does
    so and lets the run ask nothing more, `update_answers` changes answers that were given, in a new run where none
    waits.

    Raises:
        InvalidInput, NotFound, Conflict: as answering, changing answers and starting a run do.
    """
    if block.action == "submit_batch":
        return await soul.resume(session_id, {"answers": block.by_question()})
    if block.action == "skip_batch":
        return await soul.resume(session_id, {"answers": {}})
    if session_id is None:
        raise InvalidInput(f"{block.action} needs the session's id.")
    if block.action == "generate_now":
        await ask_no_more(application, session_id)
        return await soul.resume(session_id, {"answers": block.by_question()})
    change = await change_answers(application, session_id, block.by_question())
    if change.run is not None:
        return await soul.start(change.run)
    if change.waiting is not None and not change.pending:  # what is pending stays pending, and is shown again
        return Begun(change.waiting.run, change.waiting.seq - 1)
    return await soul.resume(session_id, {"answers": change.pending})


# A chat turn as server-sent events, as spec 000 has them.

DELTA_CHARS = 32
"""Spec 000's clients get text in pieces of this size."""


def chat_stream(application: Loopwright, begun: Begun, *, writing: bool = False) -> EventStream:
    """Events, text pieces and full payload frames of a chat turn, ended by `[DONE]`.

    `writing` adds what models write inside tools (pages, say) and the arguments of calls, piece by piece.
    """

    async def frames() -> AsyncGenerator[Frame, None]:
        async for data in chat_frames(application, begun, writing=writing):
            yield Frame(as_json(data))
        yield Frame("[DONE]")

    return EventStream(frames(), headers={"X-Run-Id": begun.record.run_id})


async def chat_frames(application: Loopwright, begun: Begun, *, writing: bool = False) -> AsyncIterator[dict[str, Any]]:
    """The frames of a chat turn, to its end or to its next question."""
    session_id = begun.record.session_id
    watched = watch_run(application, begun.record.run_id, begun.since, until_pause=True, writing=writing)
    async with aclosing(watched) as pieces:
        async for piece in pieces:
            if isinstance(piece, Live) and piece.kind in WRITING:
                yield {"type": f"tool_{piece.kind}", **piece.data}
                continue
            if isinstance(piece, Live) and piece.kind == "delta":
                text = piece.data["text"]  # an empty piece voids what was shown: the answer is begun anew
                yield {"type": "thinking", "text": text} if text else {"type": "thinking_restarted"}
                continue
            if isinstance(piece, Event):
                yield envelope(piece, session_id)
            response = await whole_response(application, session_id, piece)
            if response is None:
                continue
            if response.is_complete:
                for start in range(0, len(response.message), DELTA_CHARS):
                    yield {"delta": response.message[start : start + DELTA_CHARS]}
            yield response.to_payload() | {"run_id": begun.record.run_id}


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
async def chat(request: ChatRequest, application: Application) -> ChatResponse:
    """Wait for the end of the turn, or for its next question."""
    begun = await _begin(application, request)
    last: dict[str, Any] = {}
    async for frame in chat_frames(application, begun):
        if "phase" in frame:
            last = frame
    state = await load_state(application, begun.record.run_id)
    fields = {name: last.get(name) for name in ChatResponse.model_fields if name in last}
    return ChatResponse.model_validate(
        {"session_id": begun.record.session_id, "message": "", "phase": "error", "is_complete": True}
        | fields
        | {"run_id": begun.record.run_id, "tokens_used": state.tokens}
    )


@router.post("/stream")
async def stream(request: ChatRequest, application: Application) -> EventStream:
    """The same as SSE: events, text pieces, payload frames, and `data: [DONE]` at the end."""
    return chat_stream(application, await _begin(application, request), writing=request.stream_writing)


async def _begin(application: Application, request: ChatRequest) -> Begun:
    soul = SoulOrchestrator(application)
    if request.resume is not None:
        return await soul.resume(request.session_id, request.resume)
    widget = read_widget(request.message)
    if widget is not None:
        return await answer_widget(soul, application, request.session_id, widget)
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
