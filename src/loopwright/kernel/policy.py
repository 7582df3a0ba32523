"""What a stage may do, and which stage follows: the policy and the controller."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

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


# The deterministic controller: one table-driven state machine for phases, stages and plan states.

COMPLETE = "complete"
ABORTED = "aborted"
TERMINAL_STAGES = frozenset({COMPLETE, ABORTED})
ANY = "*"

Guard = Callable[[Any], Awaitable[str | None]]
"""Given the run, gives the reason why a transition may not be taken now, or None."""


@dataclass(frozen=True)
class Transition:
    """One row of the table: in `source` (or any stage, `*`), `signal` leads to `target` unless the guard objects."""

    source: str
    signal: str
    target: str
    guard: Guard | None = None


@dataclass(frozen=True)
class Move:
    """The controller goes on to `target`."""

    target: str


@dataclass(frozen=True)
class Refusal:
    """The controller stays; `reason` is told to whoever asked."""

    reason: str


class Controller:
    """A transition table with guards.

    Raises:
        ValueError: a row names a stage that does not exist, or two rows have the same source and signal.
    """

    def __init__(self, stages: Sequence[str], transitions: Sequence[Transition]) -> None:
        """Check and index the table."""
        self.stages = tuple(stages)
        self.transitions = tuple(transitions)
        known = set(stages) | TERMINAL_STAGES
        self._rows: dict[tuple[str, str], Transition] = {}
        for row in transitions:
            if (row.source != ANY and row.source not in stages) or row.target not in known:
                raise ValueError(f"transition {row.source} → {row.target} names an unknown stage")
            if (row.source, row.signal) in self._rows:
                raise ValueError(f"two transitions for {row.source} on {row.signal!r}")
            self._rows[row.source, row.signal] = row

    def row(self, stage: str, signal: str) -> Transition | None:
        """The row that applies: one of the stage itself before one of any stage."""
        return self._rows.get((stage, signal)) or self._rows.get((ANY, signal))

    async def decide(self, stage: str, signal: str, run: Any) -> Move | Refusal:
        """What the signal does in this stage; a signal without a row is refused, and so is any after the end."""
        if stage in TERMINAL_STAGES:
            return Refusal(f"The run has ended ({stage}).")
        row = self.row(stage, signal)
        if row is None:
            return Refusal(f"{signal!r} is not possible in stage {stage!r}.")
        reason = await row.guard(run) if row.guard else None
        return Refusal(reason) if reason else Move(row.target)

    def mermaid(self, entry: Sequence[str]) -> str:
        """The table as a Mermaid state diagram."""
        lines = ["stateDiagram-v2", *(f"    [*] --> {stage}" for stage in entry)]
        for row in self.transitions:
            sources = [stage for stage in self.stages if self.row(stage, row.signal) is row]
            note = f"{row.signal} [guarded]" if row.guard else row.signal
            lines += [f"    {source} --> {row.target} : {note}" for source in sources]
        used = {row.target for row in self.transitions} & TERMINAL_STAGES
        lines += [f"    {stage} --> [*]" for stage in sorted(used)]
        return "\n".join(lines)
