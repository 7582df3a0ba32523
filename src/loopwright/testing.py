"""Testing one's own agent: a model that plays a script, and fails on what was not expected.

    from loopwright.testing import ScriptedModel, call, say

    async def test_asks_before_sending(tmp_path):
        model = ScriptedModel(call("send_invoice", to="Brightwater", amount_eur="310.00"), say("Sent."))
        result = await bookkeeper.run("Invoice Brightwater", model=model, home=tmp_path)
        assert isinstance(result, Waiting)

A model call that the script does not foresee raises an AssertionError, and so does a line of the script that was never
played by the time the run is over.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from loopwright.kernel import testing as kernel
from loopwright.kernel.messages import Message

__all__ = ["Call", "ScriptedModel", "call", "say"]


@dataclass(frozen=True)
class Call:
    """A tool call that the scripted model makes."""

    tool: str
    arguments: dict[str, Any]


def call(tool: str, /, **arguments: Any) -> Call:
    """The model calls a tool.

    Args:
        tool: the tool's name.
        arguments: what the model gives, as JSON values.
    """
    return Call(tool, arguments)


def say(answer: str | BaseModel) -> str:
    """The model answers with text, or with an object of the agent's `output` model."""
    return answer if isinstance(answer, str) else answer.model_dump_json(by_alias=True)


class ScriptedModel(kernel.ScriptedModel):
    """A model that plays a script, one line for each time it is asked.

    Args:
        lines: `say(…)`, `call(…)`, or a list of calls that the model makes at once; an exception is raised.

    Attributes:
        requests: what it was asked, so that a test can look at what the agent tells its model.
    """

    def __init__(self, *lines: str | Call | Sequence[Call] | Exception) -> None:
        """Take the script."""
        super().__init__([_as_reply(line) for line in lines])

    @property
    def prompts(self) -> list[Sequence[Message]]:
        """The messages of each request."""
        return [request.messages for request in self.requests]


def _as_reply(line: str | Call | Sequence[Call] | Exception) -> kernel.Reply:
    if isinstance(line, str | Exception):
        return line
    calls = [line] if isinstance(line, Call) else line
    return [(each.tool, each.arguments) for each in calls]
