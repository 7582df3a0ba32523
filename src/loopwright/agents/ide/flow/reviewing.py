"""What the calls of an answer have come to: guidance after failures, and an end to loops (spec 002, 10.3)."""

from collections import Counter

from loopwright.agents.ide.flow.tool_summary import Call, calls_of
from loopwright.agents.ide.flow.words import correction
from loopwright.kernel.events import ControllerMessage
from loopwright.kernel.run import AgentRun

FOLLOW_UP = "follow_up"
STALLED = "stalled"
FAILURE = "conversation_flow/corrections/tool_failure_recovery"
REPEATED = "conversation_flow/corrections/repeated_failure"
MOST_REPEATS = 3
"""The same call with the same result so often is a loop."""


async def review_first_calls(run: AgentRun) -> str | None:
    """After the first calls of `act` the run follows up on their results."""
    return await review_calls(run) or FOLLOW_UP


async def review_calls(run: AgentRun) -> str | None:
    """Guide the model after failures; name `stalled` when it goes round in circles."""
    calls = calls_of(run.state.context.messages)
    count = len(run.state.last_response.tool_calls) if run.state.last_response is not None else 0
    newest = calls[-count:] if count else []
    if newest and all(_times(call, calls) >= MOST_REPEATS for call in newest):
        return STALLED
    failed = [call for call in newest if call.failed]
    if failed:
        again = any(_times(call, calls) > 1 for call in failed)
        run.defer(ControllerMessage(text=correction(run, REPEATED if again else FAILURE), reason="tool failure"))
    return None


def _times(call: Call, calls: list[Call]) -> int:
    """How often the same call gave the same."""
    return Counter((each.name, each.arguments, each.result) for each in calls)[call.name, call.arguments, call.result]
