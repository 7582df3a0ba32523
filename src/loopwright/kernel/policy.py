"""The one owner of what a stage may do: pure, total, and the same for dispatch and prompt."""

from dataclasses import dataclass, field, replace
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


_SEAL = object()


@dataclass(frozen=True)
class Permit:
    """The right to run one tool now. Only a `Decision` can mint one; the registry runs nothing without it."""

    tool: str
    seal: object = field(repr=False)

    def __post_init__(self) -> None:
        if self.seal is not _SEAL:
            raise PermissionError(f"a permit for {self.tool!r} was made up; only a stage's decision mints one")


@dataclass(frozen=True)
class Decision:
    """What holds for one request: only these tools run, whatever the model writes."""

    tools: frozenset[str]
    permission: frozenset[str]
    reasoning: ReasoningFormat

    def permit(self, tool: str) -> Permit | None:
        """The right to run this tool, or None where the stage does not have it."""
        return Permit(tool, _SEAL) if tool in self.tools else None

    def without(self, withheld: frozenset[str]) -> "Decision":
        """The decision with fewer tools; it never gets more."""
        return replace(self, tools=self.tools - withheld, permission=self.permission - withheld)


def decision_for(*tools: str) -> Decision:
    """A decision for code that has no stage: it may run these tools."""
    return Decision(tools=frozenset(tools), permission=frozenset(), reasoning="none")


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
