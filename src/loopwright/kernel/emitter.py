"""What a running tool may say and spend: progress, events, and model calls that are metered and journalled."""

import time
from collections import Counter
from dataclasses import replace
from typing import Any

from loopwright.kernel.crash import crash_point
from loopwright.kernel.events import ModelResponse, Payload, ToolModelResponse
from loopwright.kernel.gates import digest_of
from loopwright.kernel.ports import ModelRequest
from loopwright.kernel.requests import request_labels
from loopwright.kernel.run import AgentRun

PROGRESS_SECONDS = 1.0
"""How often an answer that is being written is told of."""


class RunEmitter:
    """The `EventEmitter` of one call."""

    def __init__(self, run: AgentRun, call_id: str) -> None:
        """Speak for this call."""
        self._run = run
        self._call_id = call_id

    def progress(self, message: str, **data: Any) -> None:
        """Show it to whoever watches now."""
        self._run.sink(self._run.state.run_id, "progress", {"call_id": self._call_id, "message": message, **data})

    async def record(self, payload: Payload) -> None:
        """Append it to the run's journal."""
        await self._run.append(payload)


class RunModel:
    """The `ToolModel` of one call, or of the kernel's own work (`call_id` names it).

    A call made again after a crash is answered from the journal, so no paid call is repeated: the nth request of a
    content finds the nth answer to it. Asking twice for the same within one execution gives two answers.
    """

    def __init__(self, run: AgentRun, call_id: str, purpose: str) -> None:
        """`purpose` stands in the labels of the requests, where the stage stands otherwise."""
        self._run = run
        self._call_id = call_id
        self._purpose = purpose
        self._asked: Counter[str] = Counter()

    async def complete(self, request: ModelRequest) -> ModelResponse:
        """Answer the request.

        Raises:
            ModelError: the model gave no usable answer.
            BudgetExceeded: the call would pass a hard cap.
            Interrupted: the user has cancelled the run.
        """
        run = self._run
        key = self._key(request)
        known = run.state.tool_answers.get((self._call_id, key))
        if known is not None:
            return ModelResponse(
                text=known.text,
                usage=known.usage,
                cost_usd=known.cost_usd,
                model=known.model,
                finish_reason=known.finish_reason,
            )
        labelled = replace(request, labels=request_labels(run, stage=self._purpose))
        estimate = sum(message.estimated_tokens for message in request.messages)
        with run.paying(estimate, labelled):
            if not run.streaming:
                response = await run.interruptibly(run.model.complete(labelled))
            else:
                with WritingProgress(run, self._call_id, self._purpose) as seen:
                    response = await run.interruptibly(run.model.complete(labelled, seen))
        stored = ToolModelResponse(
            call_id=self._call_id,
            key=key,
            text=response.text,
            usage=response.usage,
            cost_usd=response.cost_usd,
            model=response.model,
            finish_reason=response.finish_reason,
            messages=list(request.messages),
            sent=response.sent and response.sent.model_copy(update={"tools": request.tools.wire.decode()}),
        )
        await run.append(stored, run.budget.charge(response.usage, response.cost_usd))
        crash_point("tool.model_answered")
        return response

    def _key(self, request: ModelRequest) -> str:
        content = [message.to_dict() for message in request.messages]
        digest = digest_of(content, request.tier, request.model, request.response_format)[:24]
        self._asked[digest] += 1
        times = self._asked[digest]
        return digest if times == 1 else f"{digest}-{times}"


class WritingProgress:
    """Shows an answer that is written inside a tool, and how far it is, so that a slow model does not seem silent.

    The pieces go out as `writing`, an empty one where the answer is begun anew, and `written` at the end of it all.
    """

    def __init__(self, run: AgentRun, call_id: str, purpose: str) -> None:
        """Speak for this call."""
        self._run = run
        self._call_id = call_id
        self._purpose = purpose
        self._characters = 0
        self._told_at = time.monotonic()

    def __enter__(self) -> "WritingProgress":
        """The answer is asked for."""
        self._show("writing", "")
        return self

    def __exit__(self, *raised: object) -> None:
        """It is there, or will not come."""
        self._show("written", "")

    def __call__(self, text: str) -> None:
        """Show and count a piece; an empty one means that the answer is begun anew."""
        self._show("writing", text)
        self._characters = self._characters + len(text) if text else 0
        now = time.monotonic()
        if now - self._told_at >= PROGRESS_SECONDS:
            self._told_at = now
            message = f"{self._purpose}: {self._characters:,} characters so far"
            self._run.sink(self._run.state.run_id, "progress", {"call_id": self._call_id, "message": message})

    def _show(self, kind: str, text: str) -> None:
        self._run.sink(self._run.state.run_id, kind, {"call_id": self._call_id, "text": text})
