"""What a running tool may say and spend: progress, events, and model calls that are metered and journalled."""

from dataclasses import replace
from typing import Any

from loopwright.kernel.crash import crash_point
from loopwright.kernel.events import ModelResponse, Payload, ToolModelResponse
from loopwright.kernel.gates import digest_of
from loopwright.kernel.ports import ModelRequest
from loopwright.kernel.run import AgentRun


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

    A call made again after a crash with the same content is answered from the journal, so no paid call is repeated.
    """

    def __init__(self, run: AgentRun, call_id: str, purpose: str) -> None:
        """`purpose` stands in the labels of the requests, where the stage stands otherwise."""
        self._run = run
        self._call_id = call_id
        self._purpose = purpose

    async def complete(self, request: ModelRequest) -> ModelResponse:
        """Answer the request.

        Raises:
            ModelError: the model gave no usable answer.
            BudgetExceeded: the call would pass a hard cap.
        """
        run = self._run
        key = digest_of([m.to_dict() for m in request.messages], request.tier, request.response_format)[:24]
        known = run.state.tool_answers.get((self._call_id, key))
        if known is not None:
            return ModelResponse(
                text=known.text,
                usage=known.usage,
                cost_usd=known.cost_usd,
                model=known.model,
                finish_reason=known.finish_reason,
            )
        labelled = replace(request, labels=run.labels(stage=self._purpose))
        estimate = sum(message.estimated_tokens for message in request.messages)
        run.budget.check(estimate, run.model.estimate_cost(labelled))
        response = await run.model.complete(labelled)
        stored = ToolModelResponse(
            call_id=self._call_id,
            key=key,
            text=response.text,
            usage=response.usage,
            cost_usd=response.cost_usd,
            model=response.model,
            finish_reason=response.finish_reason,
        )
        await run.append(stored, run.budget.charge(response.usage, response.cost_usd))
        crash_point("tool.model_answered")
        return response
