"""What a run comes to: a value of three kinds, to be told apart by `match`; and the events on the way."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Never, TypeAlias

from typing_extensions import TypeVar

from loopwright.kernel.errors import LoopwrightError

if TYPE_CHECKING:
    from loopwright.kernel.gates import Gate

OutputT = TypeVar("OutputT", default=str)
CANCELLED = "cancelled"
"""The code of a run that the user has stopped."""


@dataclass(frozen=True)
class CallRecord:
    """A tool call of a run, as the journal has it.

    Attributes:
        name: the tool.
        arguments: what the model gave.
        success: whether the tool did its work.
        text: what the model read.
        value: what the tool returned, as JSON data; for a string the text.
        files: the files it made, relative to the session's folder.
    """

    name: str
    arguments: Mapping[str, Any]
    success: bool
    text: str
    value: Any = None
    files: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class RunResult:
    """What every result tells.

    Attributes:
        run_id: the run, as `loopwright runs list` shows it.
        session_id: give it to the next run (`session=`) to go on in the same conversation.
        home: the folder that holds the journal.
        steps: model calls so far, with those of the agents that it has asked.
        cost_usd: what they cost, or None where a price is not known.
        calls: the tool calls that have a result, in order.
    """

    run_id: str
    session_id: str
    home: Path = field(repr=False)
    steps: int = 0
    cost_usd: float | None = None
    calls: tuple[CallRecord, ...] = field(default=(), repr=False)


class _NoOutput:
    """A result without an answer: a script that takes one for granted is told why there is none."""

    run_id: str

    @property
    def text(self) -> str:
        """What there is to say instead."""
        raise NotImplementedError

    @property
    def output(self) -> Never:
        """There is none.

        Raises:
            LoopwrightError: always, with what the run came to.
        """
        raise LoopwrightError(
            f"Run {self.run_id} has no output. {self.text}",
            hint="Tell results apart by `match`: Done, Waiting, Failed.",
        )


@dataclass(frozen=True, kw_only=True)
class Done(RunResult, Generic[OutputT]):
    """The run has done its work.

    Attributes:
        output: the checked answer: an object of the agent's `output` model, or the text.
        text: the answer as the model wrote it.

    Example:
        >>> from loopwright import Agent, Done, run
        >>> from loopwright.testing import ScriptedModel, say
        >>> match run(Agent("greeter", "Greet."), "Hi", model=ScriptedModel(say("Hello."))):
        ...     case Done(output=text):
        ...         print(text)
        Hello.
    """

    output: OutputT
    text: str


@dataclass(frozen=True, kw_only=True)
class Waiting(_NoOutput, RunResult, Generic[OutputT]):
    """The run waits for a human; it holds no process, and may wait for weeks.

    Attributes:
        gate: what is asked: its `kind`, `title`, `details` and `questions`.

    Example:
        >>> import asyncio
        >>> from loopwright import Agent, Waiting, resume, run, tool
        >>> from loopwright.testing import ScriptedModel, call, say
        >>> @tool(approve=True)
        ... def send(to: str) -> str:
        ...     "Send the letter."
        ...     return f"sent to {to}"
        >>> clerk = Agent("mail-clerk", "Send letters.", tools=[send])
        >>> model = ScriptedModel(call("send", to="Ada"), say("It is sent."))
        >>> waiting = run(clerk, "Write to Ada", model=model)
        >>> isinstance(waiting, Waiting) and waiting.gate.title
        'Allow send?'
        >>> asyncio.run(resume(waiting, approve=True, model=model)).text
        'It is sent.'
    """

    gate: "Gate"

    @property
    def text(self) -> str:
        """What is asked, and the command that answers."""
        answer = "--answers answers.json" if self.gate.kind == "questions" else "--approve"
        return f"The run waits: {self.gate.title}\nloopwright runs answer {self.run_id} {answer}"


@dataclass(frozen=True, kw_only=True)
class Failed(_NoOutput, RunResult):
    """The run cannot go on, or the user has cancelled it; what its tools did was not taken back.

    Attributes:
        code: a word for programs, such as `max_steps`, `budget_exceeded`, `no_usable_answer`, `model_unavailable` or
            `cancelled`, which is what the user has stopped.
        error: what happened.
        hint: what to do next, or nothing.

    Example:
        >>> from loopwright import Agent, Budget, Failed, run, tool
        >>> from loopwright.testing import ScriptedModel, call
        >>> @tool(effect="pure")
        ... def look(place: str) -> str:
        ...     "Look there."
        ...     return "nothing"
        >>> seeker = Agent("seeker", "Search.", tools=[look], budget=Budget(steps=1))
        >>> failed = run(seeker, "Find it", model=ScriptedModel(call("look", place="attic")))
        >>> isinstance(failed, Failed) and failed.code
        'max_steps'
    """

    code: str
    error: str
    hint: str = ""

    @property
    def text(self) -> str:
        """The error and the hint."""
        return self.error + (f"\nhint: {self.hint}" if self.hint else "")


Result: TypeAlias = Done[OutputT] | Waiting[OutputT] | Failed


@dataclass(frozen=True)
class Event:
    """Something that happened in a run, or is shown while it happens.

    Attributes:
        type: the kind of the journal's event, such as `tool_call`, `tool_result`, `gate_opened` or `run_completed`; or
            of a live piece: `delta` (the model's words), `progress` (a tool's) or `warning`.
        data: the event's payload.
        seq: its place in the journal, from 1; None for live pieces, which are not stored.
        at: when it was stored; None for live pieces.

    Example:
        >>> from loopwright import Event
        >>> Event("delta", {"text": "Hel"}).text
        'Hel'
    """

    type: str
    data: Mapping[str, Any]
    seq: int | None = None
    at: datetime | None = None

    @property
    def text(self) -> str:
        """The words of it: of a `delta`, a `progress`, an answer or a tool's result; else nothing."""
        return str(self.data.get("text") or self.data.get("message") or self.data.get("output") or "")
