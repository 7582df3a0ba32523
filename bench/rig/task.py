"""What both loops are given to do: the same prompts, the same four tools, the same results."""

import time
from collections.abc import Mapping
from typing import Any, Final

MODEL: Final = "gpt-4.1"
TASK: Final = "Find out when the shop is open and tell me."
RESULT: Final = "The shop is open from Monday to Friday, 8 to 18 o'clock, and on Saturday until noon. " * 5

NAMES: Final = ("search", "read", "compare", "remember")
"""The model calls the first; the others are there because agents have several."""

PARAMETERS: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "description": "What to look for, in a few words."},
        "limit": {"type": "integer", "description": "How many results at most.", "default": 5},
    },
    "required": ["query"],
}
DESCRIPTION: Final = "Look through what is known about the shop and give back the passages that fit. " * 3


class Steps:
    """The process's CPU time at each step of a run, told by its tool."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.times: list[float] = []

    def done(self) -> str:
        """The tool was called: note the time and give its result."""
        self.times.append(time.process_time())
        return RESULT

    def cpu(self, step: int, window: int = 5) -> float:
        """CPU seconds of one step, as the mean of the steps around it. Steps count from 1."""
        first, last = max(0, step - 1 - window), min(len(self.times) - 1, step - 1 + window)
        return (self.times[last] - self.times[first]) / (last - first)


def schemas() -> list[dict[str, Any]]:
    """The tools as the wire wants them."""
    return [
        {"type": "function", "function": {"name": name, "description": DESCRIPTION, "parameters": dict(PARAMETERS)}}
        for name in NAMES
    ]


def system_prompt(steps: int, latency_ms: int) -> str:
    """A prompt of ordinary length, with the order that makes the model server play this run."""
    return f"steps-{steps}-latency-{latency_ms}\n" + "You are an assistant that answers questions about a shop. " * 20
