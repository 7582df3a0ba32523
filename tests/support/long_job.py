"""A long job whose model knows nothing but the request: the same request always gets the same answer.

Twelve phases, six of them tactical with nine todos of three steps each. So it can be killed anywhere and asked again.
"""

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from loopwright.kernel.events import ModelResponse
from loopwright.kernel.messages import Message
from loopwright.kernel.offline import PLAYBOOK, OfflineRequest
from loopwright.kernel.ports import DeltaSink, ModelRequest, Profile
from loopwright.kernel.testing.runs import as_response
from tests.support.model_server import Connection, Request, calls, text

PHASES = 12
TODOS = 9
FILLER = "The quick brown fox jumps over the lazy dog and says what it has seen on the way. "

Calls = list[tuple[str, dict[str, Any]]]


def expected_lines(phase: int) -> str:
    """What a tactical phase leaves in its file: every line once."""
    return "".join(f"phase {phase} todo {todo}\n" for todo in range(1, TODOS + 1))


def answer(messages: Sequence[Message]) -> Calls | str:
    """The next step."""
    if messages[0].content.startswith("[task: kernel/compact]"):
        return PLAYBOOK.answer(OfflineRequest("kernel/compact", messages)).text
    state = json.loads(re.findall(r"<job_state>(.*?)</job_state>", messages[0].content)[-1])
    number, kind = state["phase_number"], state["phase_kind"]
    done = max(
        [0, *(int(n) for m in messages if m.role == "tool" for n in re.findall(r"^Todo (\d+) is completed", m.content))]
    )
    done = max([done, *(int(n) - 1 for n in re.findall(r"todo_complete\(([0-9]+)\): done", messages[0].content))])
    since = _since_last_completion(messages)
    todo = done + 1
    if kind == "tactical":
        return _tactical(number, todo, since)
    if number == PHASES + 1:
        return [
            (
                "job_complete",
                {"summary": "All twelve phases are done.", "deliverables": [f"work/phase_{number - 1}.md"]},
            )
        ]
    return _strategic(number, todo, since)


def _tactical(number: int, todo: int, since: int) -> Calls:
    if since == 0:
        return [("append_file", {"path": f"work/phase_{number}.md", "content": f"phase {number} todo {todo}\n"})]
    if since == 1:
        return [("list_files", {"path": "work"})]
    return [("todo_complete", {"todo_id": todo, "notes": f"Wrote line {todo} to work/phase_{number}.md. {FILLER * 3}"})]


def _strategic(number: int, todo: int, since: int) -> Calls:
    if todo == 1 and since == 0:
        return [("append_file", {"path": "workspace.md", "content": f"Phase {number} was strategic.\n"})]
    if todo == 2 and since == 0:
        return [("append_file", {"path": "main_plan.md", "content": f"- [ ] G{number}: the phase after {number}\n"})]
    if todo == 4 and since == 0:
        listed = [{"id": n, "content": f"Write line {n} to work/phase_{number + 1}.md"} for n in range(1, TODOS + 1)]
        return [("todo_write", {"todos": listed, "phase": f"Part {number}", "description": "Lines"})]
    return [("todo_complete", {"todo_id": todo, "notes": "Done."})]


def _since_last_completion(messages: Sequence[Message]) -> int:
    """Calls since a todo was completed last."""
    count = 0
    for message in reversed(messages):
        if message.role == "tool" and re.match(r"Todo \d+ (is|was) completed", message.content):
            break
        count += len(message.tool_calls)
    return count


@dataclass
class LongJobModel:
    """The model in this process; it keeps what it was asked."""

    requests: list[ModelRequest] = field(default_factory=list)

    async def complete(self, request: ModelRequest, on_delta: DeltaSink | None = None) -> ModelResponse:
        """The next step of the job."""
        self.requests.append(request)
        await asyncio.sleep(0)
        return as_response(answer(list(request.messages)), len(self.requests))

    def estimate_cost(self, request: ModelRequest) -> float | None:
        """Free."""
        return 0.0

    def profile(self, tier: str = "standard", model: str | None = None) -> Profile:
        """A frontier model."""
        return "frontier"

    def context_tokens(self, tier: str = "standard", model: str | None = None) -> int | None:
        """Unknown."""
        return None


async def reply(request: Request, connection: Connection) -> None:
    """The same model behind HTTP."""
    step = answer([Message.from_dict(_known(message)) for message in request.body["messages"]])
    await (text(step) if isinstance(step, str) else calls(*step))(request, connection)


def _known(message: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in message.items() if key in ("role", "content", "tool_calls", "tool_call_id")}
