"""Client tools: they run where the user is, in a browser's page or an editor; the server knows only their schemas.

A call of one opens a gate of the kind `client`: the run rests and holds no process, the client reads name and arguments
in the `gate_opened` event, does the work, and answers the gate with the result. Validated, it becomes the result of the
call; a refusal and a time that has run out are failed results, from which the model can go on.
"""

from datetime import datetime, timedelta
from typing import Any, ClassVar

from pydantic import BaseModel, ValidationError
from pydantic_core import to_json

from loopwright.kernel.answer_form import wrong
from loopwright.kernel.code_mode import as_text
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.events import Effect
from loopwright.kernel.gates import Gate
from loopwright.kernel.tools import AnyTool, BaseTool, GateRequest, ToolContext, ToolResult

MOST_RESULT_BYTES = 1_000_000
"""The largest result that a client may give, as JSON."""


class ClientTool(BaseTool[Any, Any]):
    """A tool that the client runs; `timeout_seconds` is how long its answer is waited for.

    With a `result_model` the client's result must fit it, and is kept as the artifacts; without one it may be any JSON.
    """

    effect: ClassVar[Effect] = "idempotent"
    timeout_seconds: ClassVar[float] = 3_600.0

    def gate(self, params: BaseModel) -> GateRequest:
        """Ask the client to do it."""
        details = {
            "tool": self.name,
            "arguments": params.model_dump(mode="json"),
            "timeout_seconds": self.timeout_seconds,
        }
        return GateRequest("client", f"{self.name} runs in the client", details=details)

    async def execute(self, params: BaseModel, ctx: ToolContext[Any]) -> ToolResult:
        """Take over what the client has answered."""
        answer = ctx.answer or {}
        if "error" in answer:
            return ToolResult.failure(f"{self.name} gave no result: {answer['error']}", "Go on without it.")
        result = answer.get("result")
        return ToolResult(success=True, output=as_text(result), artifacts=result if self.result_model else None)


def client_tool(
    name: str,
    description: str,
    parameters: type[BaseModel],
    *,
    result: type[BaseModel] | None = None,
    timeout_seconds: float = 3_600.0,
) -> ClientTool:
    """A client tool, declared by its schema alone.

    Args:
        name: what the model and the client call it by.
        description: the text that the model reads.
        parameters: its arguments.
        result: what the client gives back; None takes any JSON.
        timeout_seconds: how long the client's answer is waited for.
    """
    declared: dict[str, Any] = {
        "name": name,
        "description": description,
        "parameters_model": parameters,
        "result_model": result,
        "timeout_seconds": timeout_seconds,
        "__module__": __name__,
    }
    made: type[ClientTool] = type("DeclaredClientTool", (ClientTool,), declared)
    return made()


def check_result(tool: AnyTool | None, answer: dict[str, Any]) -> None:
    """Check a client's answer, as `gates.read_answer` gives it, against what the tool promises.

    Raises:
        InvalidInput: the result does not fit the tool's `result_model`, or is larger than `MOST_RESULT_BYTES`.
    """
    if "result" not in answer:
        return
    if len(to_json(answer["result"])) > MOST_RESULT_BYTES:
        raise InvalidInput(f"A result may have at most {MOST_RESULT_BYTES:,} bytes of JSON.")
    if tool is None or tool.result_model is None:
        return
    try:
        tool.result_model.model_validate(answer["result"])
    except ValidationError as error:
        told = "\n".join(wrong(error))
        raise InvalidInput(f"This is no result of {tool.name}:\n{told}", hint="Correct it and answer again.") from error


def overdue(gate: Gate, opened_at: datetime, now: datetime) -> bool:
    """Whether a client has not answered this gate in the time that its tool allows."""
    if gate.kind != "client" or gate.status != "open":
        return False
    return now >= opened_at + timedelta(seconds=float(gate.details["timeout_seconds"]))
