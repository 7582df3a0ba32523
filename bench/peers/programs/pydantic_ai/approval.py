"""Approval before a side effect: a first process asks, a second one brings the answer."""

import sys
from pathlib import Path

from bank import transfer
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ModelMessagesTypeAdapter

payer = Agent("openai-chat:gpt-4.1", instructions="Pay what you are told.", output_type=[str, DeferredToolRequests])
kept = Path("messages.json")


@payer.tool_plain(requires_approval=True)
def pay(euros: int) -> str:
    """Pay."""
    return transfer(euros)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        history = ModelMessagesTypeAdapter.validate_json(kept.read_bytes())
        approvals = {part.tool_call_id: True for part in history[-1].parts if part.part_kind == "tool-call"}
        results = DeferredToolResults(approvals=approvals)
        print(payer.run_sync(message_history=history, deferred_tool_results=results).output)
    else:
        result = payer.run_sync("Pay 3 euros.")
        kept.write_bytes(result.all_messages_json())
        print("kept")
