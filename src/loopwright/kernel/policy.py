"""The one owner of what a stage may do: pure, total, and the same for dispatch and prompt."""

from dataclasses import dataclass, field, replace
from typing import Literal

AIMode = Literal["chat", "agent"]
ReasoningFormat = Literal["none", "macro", "micro"]
MORE_TOOLS = "more_tools"
"""The kernel's own tool, by which a small model gets a tool that it was not offered first."""
RUN_CODE = "run_code"
"""The kernel's own tool, by which a model calls tools from a script."""


@dataclass(frozen=True)
class StagePolicy:
    """What a stage's author declares.

    `tools` in agent mode, `chat_tools` in chat mode; `permission` are the tools that need a human's yes at each call.
    `first` are those that any other model is offered first, where not all; the others come as for a small one.
    `small` are those that a small model is offered first: it gets the others one by one, by `more_tools`, but
    never the `frontier_only` ones; other models are not told of the `small_only` ones. `code` are tools that are called
    from a script: the stage gets `run_code`, which tells of them, and they are not offered one by one.
    """

    tools: frozenset[str] = frozenset()
    chat_tools: frozenset[str] = frozenset()
    permission: frozenset[str] = frozenset()
    small: frozenset[str] = frozenset()
    small_only: frozenset[str] = frozenset()
    frontier_only: frozenset[str] = frozenset()
    first: frozenset[str] = frozenset()
    code: frozenset[str] = frozenset()
    reasoning: ReasoningFormat = "none"


_SEAL = object()


@dataclass(frozen=True)
class Permit:
    """The right to run one tool now. Only a `ToolDecision` can mint one; the registry runs nothing without it."""

    tool: str
    seal: object = field(repr=False)

    def __post_init__(self) -> None:
        if self.seal is not _SEAL:
            raise PermissionError(f"a permit for {self.tool!r} was made up; only a stage's decision mints one")


@dataclass(frozen=True)
class ToolDecision:
    """What holds for one request: only `tools` run, whatever the model writes; `offered` is what it is told of.

    `small` are those of them that a small model is offered first, `code` those that `run_code` tells of.
    """

    tools: frozenset[str]
    permission: frozenset[str]
    reasoning: ReasoningFormat
    offered: frozenset[str]
    small: frozenset[str]
    frontier_only: frozenset[str] = frozenset()
    first: frozenset[str] = frozenset()
    code: frozenset[str] = frozenset()

    def permit(self, tool: str) -> Permit | None:
        """The right to run this tool, or None where the stage does not have it."""
        return Permit(tool, _SEAL) if tool in self.tools else None

    def without(self, withheld: frozenset[str]) -> "ToolDecision":
        """The decision with fewer tools; it never gets more."""
        return replace(
            self,
            tools=self.tools - withheld,
            permission=self.permission - withheld,
            offered=self.offered - withheld,
            small=self.small - withheld,
            first=self.first - withheld,
        )

    def for_frontier(self, asked_for: frozenset[str]) -> "ToolDecision":
        """The decision for any other model: as for a small one, where the stage names tools that are offered first."""
        return self._offering(self.offered, self.first or self.offered, asked_for)

    def for_small(self, asked_for: frozenset[str]) -> "ToolDecision":
        """The decision for a small model: it is told of the first tools, of those it asked for, and how to get more."""
        return replace(self, tools=self.tools - self.frontier_only)._offering(
            self.tools - self.frontier_only - self.code, self.small, asked_for
        )

    def _offering(self, all_told: frozenset[str], first: frozenset[str], asked_for: frozenset[str]) -> "ToolDecision":
        """The decision that tells of `first` and of what was asked for; the rest comes by `more_tools`."""
        offered = all_told & (first | asked_for)
        if offered == all_told:
            return replace(self, offered=offered)
        return replace(self, tools=self.tools | {MORE_TOOLS}, offered=offered | {MORE_TOOLS})


def decision_for(*tools: str) -> ToolDecision:
    """A decision for code that has no stage: it may run these tools."""
    names = frozenset(tools)
    return ToolDecision(tools=names, permission=frozenset(), reasoning="none", offered=names, small=names)


class ConversationPolicy:
    """Decides for every stage; knows nothing of the model and keeps no state."""

    def __init__(self, stages: dict[str, StagePolicy]) -> None:
        """Take the declarations by stage name."""
        self._stages = dict(stages)

    def decide(self, stage: str, mode: AIMode = "agent", reasoning: bool = False) -> ToolDecision:
        """The decision for a stage; an unknown stage has no tools, so that an error cannot widen them."""
        policy = self._stages.get(stage, StagePolicy())
        tools = policy.tools if mode == "agent" else policy.chat_tools
        wanted: ReasoningFormat = policy.reasoning if reasoning and mode == "agent" else "none"
        code = policy.code & tools
        runner = frozenset({RUN_CODE} if code else ())
        tools |= runner
        told = tools - code
        permission, small = policy.permission & tools, (policy.small & told or told) | runner
        return ToolDecision(
            tools=tools,
            permission=permission,
            reasoning=wanted,
            offered=told - policy.small_only,
            small=small,
            frontier_only=policy.frontier_only & tools,
            first=policy.first & told and (policy.first & told) | runner,
            code=code,
        )
