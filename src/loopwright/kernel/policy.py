"""The one owner of what a stage may do: pure, total, and the same for dispatch and prompt."""

from dataclasses import dataclass, replace
from typing import Literal

AIMode = Literal["chat", "agent"]
ReasoningFormat = Literal["none", "macro", "micro"]


@dataclass(frozen=True)
class StagePolicy:
    """What a stage's author declares.

    `tools` in agent mode, `chat_tools` in chat mode; `permission` are the tools that need a human's yes at each call.
    """

    tools: frozenset[str] = frozenset()
    chat_tools: frozenset[str] = frozenset()
    permission: frozenset[str] = frozenset()
    reasoning: ReasoningFormat = "none"


@dataclass(frozen=True)
class Decision:
    """What holds for one request: only these tools run, whatever the model writes."""

    tools: frozenset[str]
    permission: frozenset[str]
    reasoning: ReasoningFormat

    def without(self, withheld: frozenset[str]) -> "Decision":
        """The decision with fewer tools; it never gets more."""
        return replace(self, tools=self.tools - withheld, permission=self.permission - withheld)


class ConversationPolicy:
    """Decides for every stage; knows nothing of the model and keeps no state."""

    def __init__(self, stages: dict[str, StagePolicy]) -> None:
        """Take the declarations by stage name."""
        self._stages = dict(stages)

    def decide(self, stage: str, mode: AIMode = "agent", reasoning: bool = False) -> Decision:
        """The decision for a stage; an unknown stage has no tools, so that an error cannot widen them."""
        policy = self._stages.get(stage, StagePolicy())
        tools = policy.tools if mode == "agent" else policy.chat_tools
        wanted: ReasoningFormat = policy.reasoning if reasoning and mode == "agent" else "none"
        return Decision(tools=tools, permission=policy.permission & tools, reasoning=wanted)
