"""What is checked of a finished run: the forms that a case may demand, and how each looks.

A check of a case is a mapping with one key, the check's kind. Checks by rule are looked at first, then the user's own
Python, then a model that judges; a judge is asked only where every check before it has passed.
"""

import asyncio
import inspect
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path, PurePosixPath
from types import ModuleType
from typing import Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from loopwright.evals.finished import (
    Expected,
    FinishedRun,
    Missing,
    Strict,
    ToolUse,
    Verdict,
    cut,
    files_in,
    shown,
    value_at,
)
from loopwright.kernel.account.settling import NOTED

MOST_BYTES = 5_000_000
"""Files above this are not read by checks."""

Ask = Callable[[str, FinishedRun], Awaitable["Judgement"]]
"""Asks the judge about a run by a rubric."""


@dataclass(frozen=True)
class Judgement:
    """What a judge has said; `usd` is None where its price is not known."""

    reason: str
    passed: bool
    model: str
    usd: float | None


class Completed(Strict):
    """The last run has ended by itself and said that it has done its work."""

    @model_validator(mode="before")
    @classmethod
    def _short(cls, value: Any) -> Any:
        return {} if value is True or value is None else value

    def look(self, run: FinishedRun) -> Verdict:
        """Compare how the run ended."""
        found = f"{run.line.get('type')}: {run.line.get('code') or ''} {run.text}"
        return _verdict("completed", run.completed, "the run must end complete", found)


class Text(Expected):
    """What the user read last."""

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not self.demands:
            raise ValueError("say what is expected: equals, contains, lacks or matches")
        return self

    def look(self, run: FinishedRun) -> Verdict:
        """Compare the text; spaces around it do not count."""
        return _verdict(f"text {self.told}", self.holds(run.text.strip()), self.told, run.text)


class File(Expected):
    """A file of the session's folder; with wildcards it is enough that one of those that fit is as expected.

    `at` is a JSON pointer (`/pages/0/slug`) into a file of JSON.
    """

    path: str = Field(min_length=1)
    at: str | None = None
    exists: bool = True

    @model_validator(mode="before")
    @classmethod
    def _short(cls, value: Any) -> Any:
        return {"path": value} if isinstance(value, str) else value

    @field_validator("path")
    @classmethod
    def _inside(cls, path: str) -> str:
        if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
            raise ValueError(f"{path!r} leads out of the session's folder")
        return path

    @field_validator("at")
    @classmethod
    def _pointer(cls, at: str | None) -> str | None:
        return at if at is None else _checked_pointer(at)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if not self.exists and (self.demands or self.at is not None):
            raise ValueError("a file that must not exist cannot be expected to hold anything")
        return self

    def look(self, run: FinishedRun) -> Verdict:
        """Read the files that fit."""
        found = files_in(run.folder, self.path)
        name = f"file {self.path}" + (f" at {self.at}" if self.at is not None else "")
        if not self.exists:
            return _verdict(f"{name} is absent", not found, "no such file", ", ".join(found))
        if not found:
            there = ", ".join(files_in(run.folder, "**/*")[:20]) or "an empty folder"
            return _verdict(f"{name} {self.told or 'exists'}", False, self.told or "the file", f"only: {there}")
        values = [self._value(run.folder / each) for each in found]
        passed = any(not isinstance(each, Missing) and self.holds(each) for each in values)
        told = "; ".join(each.why if isinstance(each, Missing) else shown(each) for each in values[:3])
        return _verdict(f"{name} {self.told or 'exists'}", passed, self.told or "the file", told)

    def _value(self, path: Path) -> "Any | Missing":
        """What of the file is compared; nothing of it where it only has to be there."""
        if not self.demands and self.at is None:
            return ""
        if path.stat().st_size > MOST_BYTES:
            return Missing(f"{path.name} has more than {MOST_BYTES:,} bytes")
        try:
            text = path.read_text(encoding="utf-8")
            return text if self.at is None else value_at(json.loads(text), self.at)
        except ValueError as error:
            return Missing(f"{path.name} cannot be read: {error}")


class Result(Expected):
    """A value of the run's last line; `at` is a JSON pointer into it."""

    at: str
    exists: bool = True

    @field_validator("at")
    @classmethod
    def _pointer(cls, at: str) -> str:
        return _checked_pointer(at)

    def look(self, run: FinishedRun) -> Verdict:
        """Find the value."""
        value = value_at(run.line, self.at)
        name = f"result {self.at} {self.told or ('exists' if self.exists else 'is absent')}"
        if isinstance(value, Missing):
            return _verdict(name, not self.exists, self.told or "a value", value.why)
        return _verdict(name, self.exists and self.holds(value), self.told or "a value", value)


class Tool(Strict):
    """Calls of a tool: that there are some, or so many, or none; with these arguments, where some are given.

    An argument is expected to equal what is given, or to fit a mapping of `contains`, `lacks`, `matches`, `equals`.
    """

    called: str | None = None
    not_called: str | None = None
    arguments: dict[str, Any] = Field(default_factory=dict, alias="with")
    times: int | None = Field(None, ge=1)
    succeeded: bool | None = None

    @model_validator(mode="before")
    @classmethod
    def _short(cls, value: Any) -> Any:
        return {"called": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.called is None) == (self.not_called is None):
            raise ValueError("either `called` or `not_called` names the tool")
        if self.not_called is not None and self.times is not None:
            raise ValueError("`times` goes with `called`")
        return self

    def look(self, run: FinishedRun) -> Verdict:
        """Count the calls that fit."""
        name = self.called or self.not_called or ""
        fitting = [call for call in run.calls if call.name == name and self._fits(call)]
        given = f" with {shown(self.arguments)}" if self.arguments else ""
        others = [f"{call.name} {shown(call.arguments)}" for call in run.calls if call.name == name]
        found = "; ".join(others) or f"called: {', '.join(sorted({call.name for call in run.calls})) or 'no tool'}"
        if self.not_called is not None:
            return _verdict(f"tool {name} not called{given}", not fitting, "no such call", found)
        passed = len(fitting) == self.times if self.times is not None else bool(fitting)
        often = f" {self.times} ×" if self.times is not None else ""
        return _verdict(f"tool {name} called{often}{given}", passed, f"{self.times or 'some'} such calls", found)

    def _fits(self, call: ToolUse) -> bool:
        if self.succeeded is not None and call.success is not self.succeeded:
            return False
        return all(_argument_fits(expected, call.arguments.get(key)) for key, expected in self.arguments.items())


class AtMost(Strict):
    """An upper limit."""

    at_most: float = Field(ge=0)

    @model_validator(mode="before")
    @classmethod
    def _short(cls, value: Any) -> Any:
        return {"at_most": value} if isinstance(value, int | float) and not isinstance(value, bool) else value


class Account(Strict):
    """What has become of the user's statements.

    `kept`: each of them is kept by a measurement. `told`: each of them is kept, or the ending says what became of it.
    """

    all: Literal["kept", "told"]

    @model_validator(mode="before")
    @classmethod
    def _short(cls, value: Any) -> Any:
        return {"all": value} if isinstance(value, str) else value

    def look(self, run: FinishedRun) -> Verdict:
        """Compare the statements that were read with those that were settled."""
        read = {
            each["id"]: each for e in run.journal if e.type == "statements_read" for each in e.payload["statements"]
        }
        settled = {e.payload["statement"]: e.payload for e in run.journal if e.type == "statement_settled"}
        asking = {key: each for key, each in read.items() if settled.get(key, {}).get("reason") != NOTED}
        good = ("kept", "superseded") if self.all == "kept" else None
        bad = [
            f"“{each['text']}” is {settled.get(key, {}).get('state', 'open')}"
            for key, each in asking.items()
            if (settled.get(key, {}).get("state", "open") not in good if good else key not in settled)
        ]
        if not read:
            bad = ["the run has read no statement of the user's"]
        return _verdict(f"account: all {self.all}", not bad, f"every statement must be {self.all}", "; ".join(bad))


class Python(Strict):
    """A function of the user's own, `module:function`; the module lies beside the case's file, or is installed.

    It is given the `FinishedRun` (and `args`, by name), and says yes by True or None. False or a text (what is wrong)
    says no, and so does a failing `assert`. It may be asynchronous.
    """

    function: str = Field(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")
    args: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _short(cls, value: Any) -> Any:
        return {"function": value} if isinstance(value, str) else value

    async def look(self, run: FinishedRun) -> Verdict:
        """Call the function; whatever else it raises is told as the check's own fault."""
        name = f"python {self.function}"
        try:
            called = _function(self.function, run.home)
            if inspect.iscoroutinefunction(called):
                said = await called(run, **self.args)
            else:
                said = await asyncio.to_thread(called, run, **self.args)
        except AssertionError as error:
            return Verdict(check=name, passed=False, expected="no failing assertion", found=cut(str(error)), by="code")
        except Exception as error:  # foreign code may raise anything: it is the check that is broken, not the run
            told = f"the check itself failed: {type(error).__name__}: {error}"
            return Verdict(check=name, passed=False, found=cut(told), by="code", broken=True)
        if not isinstance(said, bool | str | None):
            told = f"the check itself failed: it returned {shown(said)}, neither True, False, None nor a text"
            return Verdict(check=name, passed=False, found=cut(told), by="code", broken=True)
        passed = said in (True, None, "")
        found = said if isinstance(said, str) else str(said)
        return Verdict(check=name, passed=passed, expected="True", found=cut(found), by="code")


class Judge(Strict):
    """A model reads what came out and says by the rubric whether it is good. Its verdict is marked as a model's."""

    rubric: str = Field(min_length=1, max_length=20_000)

    @model_validator(mode="before")
    @classmethod
    def _short(cls, value: Any) -> Any:
        return {"rubric": value} if isinstance(value, str) else value

    @property
    def told(self) -> str:
        """The check's name."""
        return f"judge: {' '.join(self.rubric.split())[:80]}"

    async def look(self, run: FinishedRun, ask: Ask) -> Verdict:
        """Ask the judge."""
        said = await ask(self.rubric, run)
        return Verdict(
            check=self.told,
            passed=said.passed,
            expected=cut(self.rubric),
            found=cut(said.reason),
            by="model",
            judge=said.model,
            usd=said.usd,
        )


class Check(Strict):
    """One check of a case: exactly one of these kinds."""

    completed: Completed | None = None
    text: Text | None = None
    file: File | None = None
    result: Result | None = None
    tool: Tool | None = None
    steps: AtMost | None = None
    cost: AtMost | None = None
    seconds: AtMost | None = None
    account: Account | None = None
    python: Python | None = None
    judge: Judge | None = None

    @model_validator(mode="before")
    @classmethod
    def _short(cls, value: Any) -> Any:
        return {value: True} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _one(self) -> Self:
        if len(self.model_fields_set) != 1:
            raise ValueError(f"a check is a mapping with one key, one of: {', '.join(type(self).model_fields)}")
        return self


async def look_at(run: FinishedRun, checks: Sequence[Check], ask: Ask | None = None) -> list[Verdict]:
    """The verdicts of all checks, in their order; judges are asked last, and only about what passes by rule and code.

    Raises:
        ModelError: the judge cannot be reached, or gives no verdict.
    """
    verdicts: dict[int, Verdict] = {}
    for number, check in sorted(enumerate(checks), key=lambda each: _rank(each[1])):
        if check.judge is None:
            verdicts[number] = await _look(run, check)
        elif ask is None or not all(verdict.passed for verdict in verdicts.values()):
            told = "not asked: a check before it has failed"
            verdicts[number] = Verdict(check=check.judge.told, passed=None, found=told, by="model")
        else:
            verdicts[number] = await check.judge.look(run, ask)
    return [verdicts[number] for number in range(len(checks))]


def _rank(check: Check) -> int:
    return 2 if check.judge is not None else 1 if check.python is not None else 0


async def _look(run: FinishedRun, check: Check) -> Verdict:
    if check.python is not None:
        return await check.python.look(run)
    limits: list[tuple[str, AtMost | None, float | None]] = [
        ("steps", check.steps, run.steps),
        ("cost", check.cost, run.usd),
        ("seconds", check.seconds, run.seconds),
    ]
    for name, limit, spent in limits:
        if limit is not None:
            found = "not known: a model without a price took part" if spent is None else f"{spent:g}"
            expected = f"at most {limit.at_most:g}" + (" USD" if name == "cost" else "")
            passed = spent is not None and spent <= limit.at_most
            return Verdict(check=f"{name} {expected}", passed=passed, expected=expected, found=found, limit=True)
    by_rule = (check.completed, check.text, check.file, check.result, check.tool, check.account)
    return next(each for each in by_rule if each is not None).look(run)


def _checked_pointer(at: str) -> str:
    if at and not at.startswith("/"):
        raise ValueError(f"{at!r} is no JSON pointer: write /{at.replace('.', '/')}")
    return at


def _argument_fits(expected: Any, value: Any) -> bool:
    if isinstance(expected, dict) and expected and expected.keys() <= {"equals", "contains", "lacks", "matches"}:
        return Expected.model_validate(expected).holds(value)
    return bool(value == expected)


def module_beside(function: str, home: Path) -> Path | None:
    """The module of a `module:function`, where it lies in this folder."""
    path = home.joinpath(*function.partition(":")[0].split(".")).with_suffix(".py")
    return path if path.is_file() else None


def _function(name: str, home: Path) -> Callable[..., Any]:
    module_name, _, attribute = name.partition(":")
    beside = module_beside(name, home)
    found: Callable[..., Any] = getattr(_module_at(beside) if beside else import_module(module_name), attribute)
    return found


def _module_at(path: Path) -> ModuleType:
    spec = spec_from_file_location(f"loopwright_checks_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be imported")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _verdict(check: str, passed: bool, expected: str, found: Any) -> Verdict:
    return Verdict(check=cut(check), passed=passed, expected=cut(expected), found=shown(found))
