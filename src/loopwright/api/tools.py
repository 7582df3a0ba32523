"""Tools: plain functions with type hints, and what a function sees of the run that calls it.

Nothing here imports Pydantic: an agent can be declared, listed and imported without its schemas being built
(`building.py` does that before the first run).
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, ParamSpec, overload

from typing_extensions import TypeVar

from loopwright.kernel.errors import InvalidInput, LoopwrightError

if TYPE_CHECKING:
    from loopwright.api.agents import Agent, Budget
    from loopwright.api.results import CallRecord

P = ParamSpec("P")
R = TypeVar("R")
DepsT = TypeVar("DepsT", default=None)

Effect = Literal["pure", "idempotent", "once"]
"""What a second execution would do: nothing at all, nothing more, or harm."""
EFFECTS = ("pure", "idempotent", "once")
TIMEOUT_SECONDS = 120.0
NOT_BY_NAME = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


class DefinitionError(InvalidInput):
    """An agent, a stage or a tool is declared in a way that cannot work; the message names it."""

    code = "bad_definition"


class ToolError(LoopwrightError):
    """Raise it in a tool for a failure that the model can do something about.

    The model reads the message and the hint as the call's result, and the run goes on. Any other exception is reported
    to the model too, but logged as a defect of the tool.

    Args:
        message: what went wrong.
        hint: what the model should try next.

    Example:
        >>> from loopwright import Agent, ToolError, run, tool
        >>> from loopwright.testing import ScriptedModel, call, say
        >>> @tool(effect="pure")
        ... def tide(port: str) -> str:
        ...     "Say when the tide is high in a port."
        ...     raise ToolError(f"There is no port {port!r}.", hint="The ports are Cork and Galway.")
        >>> pilot = Agent("pilot", "Answer.", tools=[tide])
        >>> print(run(pilot, "Bonn?", model=ScriptedModel(call("tide", port="Bonn"), say("No."))).calls[0].text)
        Error: There is no port 'Bonn'.
        The ports are Cork and Galway.
    """

    code = "tool_error"


class Context(Generic[DepsT]):
    """What a tool sees of its run; a parameter annotated with it is filled in and not shown to the model.

    Attributes:
        deps: the agent's dependencies; never written to the journal.
        run_id: the run that makes the call.
        call_id: the call within the run.
        folder: the session's own folder.
        calls: for a check, the run's tool calls with what each returned; a tool sees none.

    Example:
        >>> from loopwright import Context, tool
        >>> @tool(effect="idempotent")
        ... def book(seats: int, ctx: Context[dict[str, int]]) -> str:
        ...     "Book seats."
        ...     ctx.deps[ctx.key] = seats  # the same key at each attempt: booked once
        ...     return f"{seats} seats are booked."
        >>> book(2, Context({}, run_id="r", call_id="c"))
        '2 seats are booked.'
    """

    def __init__(
        self,
        deps: DepsT,
        *,
        run_id: str = "",
        call_id: str = "",
        folder: Path = Path(),
        show: Callable[[str], object] = lambda message: None,
    ) -> None:
        """Make one for a test of a tool; in a run the framework does.

        Args:
            deps: what the tool gets as `deps`.
            run_id: the run.
            call_id: the call.
            folder: where `artifact` puts files.
            show: hears what the tool says by `progress`.
        """
        self.deps = deps
        self.run_id = run_id
        self.call_id = call_id
        self.folder = folder
        self.files: list[str] = []
        self.calls: tuple[CallRecord, ...] = ()
        self._show = show
        self._cancelled = False

    @property
    def key(self) -> str:
        """The same for every attempt of this call: hand it to a service that accepts an idempotency key."""
        return f"{self.run_id}:{self.call_id}"

    @property
    def cancelled(self) -> bool:
        """Whether the call has been cancelled or has run out of time; a long synchronous function looks at it."""
        return self._cancelled

    def cancel(self) -> None:
        """Tell the tool to stop; the framework calls it."""
        self._cancelled = True

    def progress(self, message: str) -> None:
        """Show whoever watches how far the work is; it is not stored.

        Args:
            message: such as `3 of 9 files`.
        """
        self._show(message)

    def artifact(self, path: str | Path) -> Path:
        """The place for a file that the call makes; the call's result in the journal names it.

        Args:
            path: relative to the session's folder.

        Returns:
            The absolute path to write to; its folder exists.

        Raises:
            ToolError: the path leads out of the session's folder.
        """
        root = self.folder.resolve()
        place = (root / path).resolve()
        if place == root or not place.is_relative_to(root):
            raise ToolError(f"{path} is not a place in the session's folder.", hint="Use a relative path without `..`.")
        place.parent.mkdir(parents=True, exist_ok=True)
        name = place.relative_to(root).as_posix()
        if name not in self.files:
            self.files.append(name)
        return place


@dataclass(frozen=True)
class Tool(Generic[P, R]):
    """A function that a model may call; calling the object calls the function."""

    function: Callable[P, R]
    name: str
    effect: Effect = "once"
    approve: bool = False
    timeout: float = TIMEOUT_SECONDS

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function."""
        return self.function(*args, **kwargs)


@dataclass(frozen=True)
class AgentTool:
    """An agent as a tool of another one; made by `Agent.as_tool`."""

    agent: "Agent[Any, Any]"
    name: str
    description: str
    budget: "Budget | None" = None
    approve: bool = False


@dataclass(frozen=True)
class Server:
    """An MCP server whose tools an agent has; made by `mcp`."""

    target: str
    name: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict, repr=False)


def mcp(
    target: str,
    *,
    name: str | None = None,
    trust: bool = False,
    always_allow: Iterable[str] = (),
    include_tools: Iterable[str] | None = None,
    exclude_tools: Iterable[str] = (),
    env: Mapping[str, str] | None = None,
    cwd: str | Path | None = None,
    headers: Mapping[str, str] | None = None,
    timeout: float = 60.0,
) -> Server:
    """Give an agent the tools of an MCP server: `Agent(…, tools=[mcp("uvx mcp-server-time")])`.

    The first run that needs the server starts it. The model calls its tools `SERVER__TOOL`. A tool that says it only
    reads runs at once; any other waits for a human's yes, unless you trust it. What the server says is data to the
    model. The list of tools is fixed in the run's journal. A server of the same name in the user's `mcp.json` is used
    instead. It needs `pip install 'loopwright[mcp]'`.

    Args:
        target: the command line of a program, or an address that begins with `http`.
        name: what the names of its tools begin with; without it, what the program or the host is called.
        trust: none of its tools asks first, and what it says about repeating a call is believed.
        always_allow: tools (the server's names) that do not ask first.
        include_tools: the only tools that are taken; without it all are.
        exclude_tools: tools that are not taken.
        env: variables of the program; of this process's environment it gets only `PATH`, `HOME` and the like.
        cwd: the folder in which the program is started.
        headers: sent with each request to an address.
        timeout: seconds that one call may take.

    Raises:
        DefinitionError: the target is empty.

    Example:
        >>> from loopwright import Agent, mcp
        >>> clock = mcp("uvx mcp-server-time", include_tools=["get_current_time"])
        >>> [server.name for server in Agent("clerk", "Tell the time.", tools=[clock]).spec().servers]
        ['time']
    """
    if not target.strip():
        raise DefinitionError(
            "An MCP server has no command and no address.", hint="Write for example mcp('uvx mcp-server-time')."
        )
    settings = {
        "trust": trust,
        "always_allow": frozenset(always_allow),
        "include_tools": None if include_tools is None else frozenset(include_tools),
        "exclude_tools": frozenset(exclude_tools),
        "env": dict(env or {}),
        "cwd": None if cwd is None else str(cwd),
        "headers": dict(headers or {}),
        "timeout": timeout,
    }
    return Server(target, name, settings)


@overload
def tool(function: Callable[P, R], /) -> Tool[P, R]: ...
@overload
def tool(
    *, effect: Effect = "once", approve: bool = False, timeout: float = TIMEOUT_SECONDS, name: str | None = None
) -> Callable[[Callable[P, R]], Tool[P, R]]: ...
def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    effect: Effect = "once",
    approve: bool = False,
    timeout: float = TIMEOUT_SECONDS,
    name: str | None = None,
) -> Any:
    """Make a function with type hints a tool.

    The docstring is what the model reads; its `Args:` section describes the parameters. A parameter annotated with
    `Context` is filled in by the framework. A synchronous function runs in a thread. What the function returns is the
    text the model reads, as JSON unless it is a string, and stays in the journal as data.

    Args:
        function: the function, where the decorator is used without arguments.
        effect: what a second execution would do, which decides what happens after a crash: a `pure` or `idempotent`
            call is made again, a `once` call never is (the model hears that its outcome is unknown; with `approve`
            the user is asked).
        approve: wait for a human's yes before each call.
        timeout: seconds after which the call is given up.
        name: what the model calls it, if not by the function's name.

    Raises:
        DefinitionError: a parameter has no type hint or cannot be given by name, or the effect is unknown.

    Example:
        >>> from loopwright import Agent, run, tool
        >>> from loopwright.testing import ScriptedModel, call, say
        >>> @tool(effect="pure")
        ... def add(a: int, b: int) -> int:
        ...     "Add two numbers."
        ...     return a + b
        >>> adder = Agent("adder", "Add with the tool.", tools=[add])
        >>> run(adder, "2 + 3?", model=ScriptedModel(call("add", a=2, b=3), say("5"))).calls[0].value
        5
    """

    def make(decorated: Callable[..., Any]) -> Tool[..., Any]:
        return as_tool(decorated, effect=effect, approve=approve, timeout=timeout, name=name)

    return make if function is None else make(function)


def as_tool(
    function: Callable[..., Any],
    *,
    effect: Effect = "once",
    approve: bool = False,
    timeout: float = TIMEOUT_SECONDS,
    name: str | None = None,
) -> Tool[..., Any]:
    """A function as a tool, checked as far as that is possible without resolving its type hints.

    Raises:
        DefinitionError: as `tool`.
    """
    called = str(name or getattr(function, "__name__", ""))
    if not called.isidentifier():
        raise DefinitionError(f"A tool is named {called!r}.", hint="Give it a name: @tool(name='search').")
    if effect not in EFFECTS:
        raise DefinitionError(
            f"Tool {called!r} has the effect {effect!r}.", hint=f"Choose one of {', '.join(EFFECTS)}."
        )
    if timeout <= 0:
        raise DefinitionError(f"Tool {called!r} has a timeout of {timeout} s.", hint="Give a number above 0.")
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in NOT_BY_NAME:
            raise DefinitionError(
                f"Tool {called!r} takes {parameter}, which a model cannot give by name.",
                hint="Use ordinary parameters; a list, a dict or a Pydantic model takes any number of values.",
            )
        if parameter.annotation is inspect.Parameter.empty:
            raise DefinitionError(
                f"Tool {called!r} has the parameter {parameter.name!r} without a type hint.",
                hint=f"Write for example `{parameter.name}: str`; the model's schema is made of it.",
            )
    return Tool(function, called, effect, approve, timeout)
