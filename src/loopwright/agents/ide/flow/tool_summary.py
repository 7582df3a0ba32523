"""What the tools of a run have done, in a few lines: for the delivery check, the final answer and QA."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from loopwright.kernel.messages import Message
from loopwright.kernel.run import AgentRun

MOST_LINES = 60
LONGEST_RESULT = 160
TARGETS = ("path", "command", "query", "name", "action", "pattern")


@dataclass(frozen=True)
class Call:
    """A call that the model made and what came of it."""

    call_id: str
    name: str
    arguments: str
    result: str

    @property
    def failed(self) -> bool:
        """Whether it was refused or failed."""
        return self.result.startswith("Error")

    @property
    def target(self) -> str:
        """What it was about."""
        try:
            data = json.loads(self.arguments)
        except ValueError:
            return ""
        found = next((data[key] for key in TARGETS if isinstance(data, dict) and data.get(key)), "")
        return " ".join(str(found).split())[:80]


def calls_of(messages: Sequence[Message]) -> list[Call]:
    """The calls in a dialogue that have their results, in order."""
    results = {m.tool_call_id: m.content for m in messages if m.role == "tool"}
    return [
        Call(call.id, call.name, call.arguments, results[call.id])
        for message in messages
        for call in message.tool_calls
        if call.id in results
    ]


def tool_summary(run: AgentRun) -> str:
    """A line for each call of the dialogue."""
    calls = calls_of(run.state.context.messages)
    lines = [_line(call) for call in calls[-MOST_LINES:]]
    if len(calls) > MOST_LINES:
        lines.insert(0, f"… {len(calls) - MOST_LINES} earlier calls …")
    return "\n".join(lines) or "(no tools were used)"


def last_step_outcome(run: AgentRun) -> str:
    """What the last call gave."""
    calls = calls_of(run.state.context.messages)
    return _line(calls[-1]) if calls else "(nothing yet)"


def _line(call: Call) -> str:
    result = " ".join(call.result.split())
    shown = result if len(result) <= LONGEST_RESULT else result[: LONGEST_RESULT - 1] + "…"
    return f"- {call.name}({call.target}): {shown}"
