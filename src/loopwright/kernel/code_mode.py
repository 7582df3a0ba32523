"""Code mode: the model writes a script, and the script calls the tools.

The script runs in Monty, a Python interpreter without files, network, clock or host objects, in a process of its own.
Every call it makes goes through `ToolContext.tools`, and so the way of a model's own call. Nothing of the interpreter
is stored: after a crash or an answered gate the script runs again from its first line, and the calls that it has made
already are answered from the journal. Therefore it is the same script each time: no clock, and seeded chance.
"""

import asyncio
import json
import keyword
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from textwrap import indent
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import PydanticSerializationError, to_json

from loopwright.kernel.budget import CodeLimits
from loopwright.kernel.errors import Misconfigured
from loopwright.kernel.policy import RUN_CODE
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult

# Tools as Python functions: typed signatures, made from the tools' JSON schemas, for scripts to call.

HEADER = "from typing import Any, Literal, NotRequired, TypedDict"
PRIMITIVES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


@dataclass(frozen=True)
class Function:
    """One tool as a function: `tool` and `parameters` map the names of the script back to those of the tool."""

    name: str
    tool: str
    parameters: Mapping[str, str]
    text: str

    def arguments(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """The tool's arguments for a call of the function.

        Raises:
            TypeError: there are more positional arguments than parameters, or one is given twice.
        """
        names = list(self.parameters)
        if len(args) > len(names):
            raise TypeError(f"{self.name}() takes {len(names)} arguments but {len(args)} were given")
        given = dict(zip(names, args, strict=False))
        for name, value in kwargs.items():
            if name in given:
                raise TypeError(f"{self.name}() got multiple values for argument {name!r}")
            given[name] = value
        return {self.parameters.get(name, name): value for name, value in given.items()}


class Signatures:
    """The functions of a set of tools, and the module stub that declares them all."""

    def __init__(self, tools: Sequence[Any]) -> None:
        """Declare these tools (`BaseTool`), in this order.

        Raises:
            ValueError: two tools, or two parameters of one, have names that make the same Python name.
        """
        self._classes: dict[str, str] = {}
        self.functions: dict[str, Function] = {}
        for tool in tools:
            function = self._function(tool)
            if function.name in self.functions:
                raise ValueError(f"two tools would be the function {function.name!r} in a script")
            self.functions[function.name] = function

    @cached_property
    def text(self) -> str:
        """The stub: classes first, then the functions."""
        parts = [*self._classes.values(), *(function.text for function in self.functions.values())]
        return "\n\n".join([HEADER, *parts])

    def _function(self, tool: Any) -> Function:
        told = tool.get_openai_schema()["function"]
        schema = told.get("parameters") or {}
        name = identifier(tool.name)
        annotate = _Annotations(schema.get("$defs") or {}, self._classes, _camel(name))
        required = set(schema.get("required") or ())
        properties = dict(sorted((schema.get("properties") or {}).items(), key=lambda item: item[0] not in required))
        names = {identifier(each): each for each in properties}
        if len(names) < len(properties):
            raise ValueError(f"two parameters of {tool.name!r} have the same name in a script")
        parameters = [
            f"{shown}: {annotate(properties[each], _camel(shown))}" + ("" if each in required else " = ...")
            for shown, each in names.items()
        ]
        result = tool.get_result_schema()
        returns = "str"
        if result is not None:
            annotate = _Annotations(result.get("$defs") or {}, self._classes, _camel(name))
            returns = annotate(result, "Result")
        notes = [
            f"{shown}: {properties[each]['description']}"
            for shown, each in names.items()
            if properties[each].get("description")
        ]
        doc = "\n".join([told["description"], *([""] if notes else []), *notes])
        doc = doc.replace("\\", "\\\\").replace('"""', "'''")
        text = f"async def {name}({', '.join(parameters)}) -> {returns}:\n" + indent(f'"""{doc}"""\n...', "    ")
        return Function(name, tool.name, names, text)


class _Annotations:
    """Schemas as annotations; objects with named properties become classes, written once."""

    def __init__(self, defs: Mapping[str, Any], classes: dict[str, str], prefix: str) -> None:
        self._defs = defs
        self._classes = classes
        self._prefix = prefix
        self._by_ref: dict[str, str] = {}

    def __call__(self, schema: Mapping[str, Any], hint: str) -> str:
        if "$ref" in schema:
            ref = str(schema["$ref"]).rpartition("/")[2]
            if ref not in self._by_ref:
                self._by_ref[ref] = f'"{self._prefix}{_camel(ref)}"'  # what it is called inside of itself
                self._by_ref[ref] = self(self._defs.get(ref, {}), ref)
            return self._by_ref[ref]
        if "const" in schema or "enum" in schema:
            values = schema.get("enum", [schema.get("const")])
            fit = all(isinstance(value, str | int | bool) or value is None for value in values)
            return f"Literal[{', '.join(map(repr, values))}]" if fit and values else "Any"
        for key in ("anyOf", "oneOf"):
            if key in schema:
                return self._union([self(each, f"{hint}{n or ''}") for n, each in enumerate(schema[key])])
        kind = schema.get("type")
        if isinstance(kind, list):
            return self._union([self({**schema, "type": each}, hint) for each in kind])
        if kind == "array":
            items = schema.get("items")
            return f"list[{self(items, hint) if isinstance(items, Mapping) else 'Any'}]"
        if kind == "object":
            return self._object(schema, hint)
        return PRIMITIVES.get(str(kind), "Any")

    @staticmethod
    def _union(parts: Sequence[str]) -> str:
        parts = list(dict.fromkeys(parts))
        return "Any" if "Any" in parts else " | ".join(parts)

    def _object(self, schema: Mapping[str, Any], hint: str) -> str:
        properties = schema.get("properties")
        if not properties:
            values = schema.get("additionalProperties")
            return f"dict[str, {self(values, hint) if isinstance(values, Mapping) else 'Any'}]"
        required = set(schema.get("required") or ())
        fields = {name: self(each, f"{hint}{_camel(name)}") for name, each in properties.items()}
        shown = {name: kind if name in required else f"NotRequired[{kind}]" for name, kind in fields.items()}
        name = f"{self._prefix}{_camel(hint)}"
        if all(each.isidentifier() and not keyword.iskeyword(each) for each in shown):
            text = f"class {name}(TypedDict):\n" + "\n".join(f"    {each}: {kind}" for each, kind in shown.items())
        else:
            text = f"{name} = TypedDict({name!r}, {{{', '.join(f'{e!r}: {k}' for e, k in shown.items())}}})"
        free, number = name, 2
        while self._classes.get(free, text) != text:
            free, number = f"{name}{number}", number + 1
            text = re.sub(rf"\b{re.escape(name)}\b", free, text)
        self._classes[free] = text
        return free


def identifier(name: str) -> str:
    """A Python name for a tool or a parameter."""
    made = re.sub(r"\W", "_", name, flags=re.ASCII)
    made = f"_{made}" if not made or made[0].isdigit() else made
    return f"{made}_" if keyword.iskeyword(made) else made


def _camel(name: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in re.split(r"[\W_]+", name, flags=re.ASCII) if word)


def as_text(value: Any) -> str:
    """A value of a script as the model reads it: text as it is, data as JSON, all else as Python shows it."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        return repr(value)


T = TypeVar("T")

SCRIPT = "script.py"
SHOWN_FRAMES = 4
PRELUDE = "import asyncio, json, math, random, re"
"""Models forget these imports."""
CERTAIN = frozenset(
    {
        "invalid-syntax",
        "missing-argument",
        "parameter-already-assigned",
        "too-many-positional-arguments",
        "unknown-argument",
        "unresolved-import",
        "unresolved-reference",
        "unused-awaitable",
    }
)
"""What the type checker finds and is sure of. Its doubts about values, such as a match that might be None, hold back no
script: arguments are checked at each call all the same."""
_FINDING = re.compile(r"^[^:\n]+:\d+:\d+: \w+\[(?P<rule>[\w-]+)\].*(?:\n(?![^:\n]+:\d+:\d+: ).*)*", re.MULTILINE)


class RunCodeParameters(BaseModel):
    """The script."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    code: str = Field(min_length=1, max_length=100_000, description="The Python script, with top-level await")


class RunCode(BaseTool[RunCodeParameters, Any]):
    """Runs a script over these tools."""

    name = RUN_CODE
    parameters_model = RunCodeParameters
    effect = "idempotent"
    """Run again, it finds in the journal what its calls came to; each of them has an effect of its own."""
    timeout_seconds: ClassVar[float] = 3_600.0
    """For the calls, each of which has a limit of its own; the script's own time is `CodeLimits.seconds`."""

    def __init__(self, tools: Sequence[BaseTool[Any, Any]], limits: CodeLimits | None = None) -> None:
        """Let scripts call these tools.

        Raises:
            Misconfigured: the interpreter is not installed.
            ValueError: two tools make the same Python name.
        """
        if find_spec("pydantic_monty") is None:
            raise Misconfigured(
                "Scripts need an interpreter that is not installed.", hint="Install it: pip install 'loopwright[code]'."
            )
        self.limits = limits or CodeLimits()
        self.signatures = Signatures(tools)
        self._tools = {tool.name: tool for tool in tools}

    @cached_property
    def description(self) -> str:
        """The text the model reads, with the functions."""
        return f"{super().description}\n\n```python\n{self.signatures.text}\n```"

    async def execute(self, params: RunCodeParameters, ctx: ToolContext[Any]) -> ToolResult:
        """Run the script, and its calls as it comes to them."""
        script = _Script(params.code, self.signatures, self.limits, seed=ctx.idempotency_key)
        try:
            wanted = await _in_thread(script.start)
            while wanted:
                results = await ctx.tools.call(*((call.function.tool, call.arguments) for call in wanted.values()))
                answers = {
                    number: self._given(call, result)
                    for (number, call), result in zip(wanted.items(), results, strict=True)
                }
                wanted = await _in_thread(script.go_on, answers)
        finally:
            await _in_thread(script.close)
        return script.result()

    def _given(self, call: "_Call", result: ToolResult) -> dict[str, Any]:
        if not result.success:
            return {"exception": RuntimeError(result.output)}
        return {"return_value": self._tools[call.function.tool].given_to_script(result)}


async def _in_thread(work: Callable[..., T], *args: Any) -> T:
    """Do a piece of the interpreter's work beside the event loop, and wait for its end even when cancelled.

    The asynchronous client of the library is not used: after a time limit it makes the whole process abort at its exit.
    """
    task = asyncio.ensure_future(asyncio.to_thread(work, *args))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})  # at most as long as the script may run: the session can be closed only then
        raise


def _as_value(name: str) -> Callable[..., None]:
    """A function that a script names without calling it: the interpreter takes over its name, and calls it as ours."""

    def named(*args: Any, **kwargs: Any) -> None:
        raise NotImplementedError("the interpreter asks for the call instead")

    named.__name__ = named.__qualname__ = name
    return named


@dataclass(frozen=True)
class _Call:
    function: Function
    arguments: dict[str, Any]


class _Script:
    """One script in the interpreter: it goes on to the point where all that it could do waits for calls."""

    def __init__(self, code: str, signatures: Signatures, limits: CodeLimits, seed: str) -> None:
        self._code = code
        self._functions = signatures.functions
        self._stubs = signatures.text
        self._limits = limits
        self._seed = seed
        self._open = ExitStack()
        self._printed: list[str] = []
        self._length = 0
        self._asked: dict[int, _Call] = {}
        self._made: list[str] = []
        self._snapshot: Any = None
        self._value: Any = None
        self._failure: ToolResult | None = None

    def start(self) -> dict[int, _Call]:
        """Run to the first calls; none: the script is at its end."""
        from pydantic_monty import Monty, MontyError, MontyTypingError

        limits: Any = {
            "max_feed_duration_secs": self._limits.seconds,
            "max_memory": self._limits.memory_mb * 1_000_000,
            "max_suspensions": 10 * self._limits.calls + 1_000,
        }
        policy: Any = {"datetime": "call_host", "sleep": "zero", "random_start": {"seed": self._seed}}
        pool = self._open.enter_context(Monty(min_processes=1, max_processes=1))
        session = self._open.enter_context(
            pool.checkout(
                script_name=SCRIPT,
                limits=limits,
                os_policy=policy,
                type_check=self._limits.checked,
                type_check_stubs=self._stubs,
                type_check_format="concise",
            )
        )
        session.feed_run(PRELUDE)

        def begin(*, checked: bool = True) -> Any:
            return session.feed_start(self._code, print_callback=self._print, skip_type_check=not checked)

        try:
            first = begin()
        except MontyTypingError as error:
            if _certain(error):
                return self._fail(_told(error))
            return self._to_calls(lambda: begin(checked=False))
        except MontyError as error:
            return self._fail(_told(error))
        return self._to_calls(lambda: first)

    def go_on(self, answers: Mapping[int, Mapping[str, Any]]) -> dict[int, _Call]:
        """Run to the next calls with what these came to."""
        for number in answers:
            self._made.append(self._asked.pop(number).function.name)
        return self._to_calls(lambda: self._snapshot.resume(dict(answers)))

    def close(self) -> None:
        """End the interpreter's process."""
        self._open.close()

    def result(self) -> ToolResult:
        """What the script came to."""
        if self._failure is not None:
            return self._failure
        value = [as_text(self._value)] if self._value is not None else []
        shown = self._shown("".join([*self._printed, *value]), self._length + sum(map(len, value)))
        return ToolResult(success=True, output=shown or "The script ended; it printed nothing.")

    def _to_calls(self, turn: Callable[[], Any]) -> dict[int, _Call]:
        from pydantic_monty import FunctionSnapshot, FutureSnapshot, MontyComplete, MontyError

        try:
            snapshot = turn()
            while not isinstance(snapshot, MontyComplete):
                if isinstance(snapshot, FunctionSnapshot):
                    if len(self._made) + len(self._asked) >= self._limits.calls and not snapshot.is_os_function:
                        return self._fail(f"It made more than {self._limits.calls} calls.")
                    snapshot = self._ask(snapshot)
                elif isinstance(snapshot, FutureSnapshot):
                    self._snapshot = snapshot
                    return {number: self._asked[number] for number in sorted(snapshot.pending_call_ids)}
                elif snapshot.variable_name in self._functions:
                    snapshot = snapshot.resume(value=_as_value(snapshot.variable_name))
                else:
                    snapshot = snapshot.resume()  # a name that nobody knows: a NameError in the script
        except MontyError as error:
            return self._fail(_told(error))
        if self._asked:
            names = ", ".join(sorted({call.function.name for call in self._asked.values()}))
            return self._fail(f"Not awaited, and so not run: {names}. Write `await {names.partition(',')[0]}(...)`.")
        self._value = snapshot.output
        return {}

    def _ask(self, snapshot: Any) -> Any:
        """Note the call and let the script go on with its promise, or answer at once with what is wrong with it."""
        if snapshot.is_os_function:
            return snapshot.resume_not_handled()
        function = self._functions.get(snapshot.function_name)
        if function is None:
            return snapshot.resume({"exception": NameError(f"name {snapshot.function_name!r} is not defined")})
        try:
            arguments = function.arguments(snapshot.args, snapshot.kwargs)
            to_json(arguments)
        except (TypeError, PydanticSerializationError) as error:
            return snapshot.resume({"exception": TypeError(str(error))})
        self._asked[snapshot.call_id] = _Call(function, arguments)
        return snapshot.resume({"future": ...})

    def _print(self, stream: str, text: str) -> None:
        space = self._limits.output - self._length
        if space > 0:
            self._printed.append(text[:space])
        self._length += len(text)

    def _fail(self, reason: str) -> dict[int, _Call]:
        hint = []
        if self._made:
            hint.append(f"These calls were made before it, and are not undone: {', '.join(self._made)}.")
        if self._printed:
            hint.append("Printed before:\n" + self._shown("".join(self._printed), self._length))
        self._failure = ToolResult.failure(f"The script failed. {reason}", "\n".join(hint))
        return {}

    def _shown(self, text: str, length: int) -> str:
        kept = text[: self._limits.output].rstrip("\n")
        left = length - self._limits.output
        return f"{kept}\n… {left:,} more characters were cut off: print less." if left > 0 else kept


def _certain(error: Any) -> list[str]:
    """What the type checker is sure of."""
    return [found[0].strip() for found in _FINDING.finditer(error.display()) if found["rule"] in CERTAIN]


def _told(error: Any) -> str:
    """What is wrong with a script, with the line."""
    from pydantic_monty import MontyCrashedError, MontyRuntimeError, MontySyntaxError, MontyTypingError

    if isinstance(error, MontyTypingError):
        return "\n".join(["It was not run:", *(_certain(error) or [error.display().strip()])])
    if isinstance(error, MontyRuntimeError | MontySyntaxError):
        frames = [frame for frame in error.traceback() if frame.source_line]
        frames = frames[:1] + frames[1:][-SHOWN_FRAMES:]
        places = [f"line {frame.line}: {(frame.source_line or '').strip()}" for frame in frames]
        return "\n".join([error.display("type-msg"), *(f"  {place}" for place in places)])
    if isinstance(error, MontyCrashedError):
        return f"The interpreter gave up: {error}"
    return str(error)
