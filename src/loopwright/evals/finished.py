"""A finished run as checks see it, and what a check says of it."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from loopwright.kernel.events import Event

SHOWN = 400
"""Characters of what was expected and found that a result keeps."""


class Strict(BaseModel):
    """A form that refuses keys that it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


@dataclass(frozen=True)
class ToolUse:
    """A tool call that was started, and what it came to; `success` is None where it has no result."""

    name: str
    arguments: Mapping[str, Any]
    success: bool | None
    output: str


@dataclass(frozen=True)
class FinishedRun:
    """What checks look at: everything that the runs of one case have left.

    Args:
        case: the case's id.
        model: the model's name in the evaluation.
        messages: what the user said.
        folder: the session's folder.
        home: the folder of the case's file.
        line: the last line of the last run, as `loopwright … --json` prints it.
        journal: the events of all its runs, in order.
        steps: model calls of all its runs.
        usd: their cost; None where a price is not known.
        tokens: all tokens.
        seconds: seconds of activity, without the time that gates were open.
    """

    case: str
    model: str
    messages: Sequence[str]
    folder: Path
    home: Path
    line: Mapping[str, Any]
    journal: Sequence[Event]
    steps: int = 0
    usd: float | None = 0.0
    tokens: int = 0
    seconds: float = 0.0

    @property
    def text(self) -> str:
        """What the user read last."""
        return str(self.line.get("message", ""))

    @property
    def completed(self) -> bool:
        """Whether the last run said that it has done its work."""
        return self.line.get("type") == "complete"

    @cached_property
    def calls(self) -> list[ToolUse]:
        """The tool calls that were started, in order; a call that was begun anew after a crash counts once."""
        results = {e.payload["call_id"]: e.payload for e in self.journal if e.type == "tool_result"}
        started = {(e.run_id, e.payload["call_id"]): e.payload for e in self.journal if e.type == "tool_call"}
        found = [(payload, results.get(payload["call_id"], {})) for payload in started.values()]
        return [
            ToolUse(call["name"], call["arguments"], result.get("success"), str(result.get("output", "")))
            for call, result in found
        ]


class Verdict(Strict):
    """What a check found.

    `passed` is None where it was not looked at, since a check before it had failed. `by` says who judged: a rule, the
    user's code, or a model. A `limit` is about what the run cost, not about its work. `broken` is a check that could
    not do its own work.
    """

    check: str
    passed: bool | None
    expected: str = ""
    found: str = ""
    by: Literal["rule", "code", "model"] = "rule"
    limit: bool = False
    broken: bool = False
    judge: str = ""
    usd: float | None = 0.0


class Expected(Strict):
    """What is expected of a value; all that is given must hold."""

    equals: Any = None
    contains: str | list[str] = Field(default_factory=list)
    lacks: str | list[str] = Field(default_factory=list)
    matches: str | None = None
    at_least: float | None = None
    at_most: float | None = None

    @field_validator("contains", "lacks")
    @classmethod
    def _listed(cls, value: str | list[str]) -> list[str]:
        return [value] if isinstance(value, str) else value

    @field_validator("matches")
    @classmethod
    def _compiles(cls, pattern: str | None) -> str | None:
        try:
            re.compile(pattern or "")
        except re.error as error:
            raise ValueError(f"{pattern!r} is no regular expression: {error}") from error
        return pattern

    @property
    def demands(self) -> bool:
        """Whether anything is expected at all."""
        names = {"equals", "contains", "lacks", "matches", "at_least", "at_most"}
        return bool(names & self.model_fields_set)

    @property
    def told(self) -> str:
        """The expectation in words."""
        parts = [f"equals {_quoted(self.equals)}"] if "equals" in self.model_fields_set else []
        parts += [f"contains {_quoted(each)}" for each in self.contains]
        parts += [f"lacks {_quoted(each)}" for each in self.lacks]
        parts += [f"matches /{self.matches}/"] if self.matches is not None else []
        parts += [f"is at least {self.at_least:g}"] if self.at_least is not None else []
        parts += [f"is at most {self.at_most:g}"] if self.at_most is not None else []
        return ", ".join(parts)

    def holds(self, value: Any) -> bool:
        """Whether the value is as expected."""
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        number = value if isinstance(value, int | float) and not isinstance(value, bool) else None
        return (
            ("equals" not in self.model_fields_set or value == self.equals)
            and all(each in text for each in self.contains)
            and not any(each in text for each in self.lacks)
            and (self.matches is None or re.search(self.matches, text) is not None)
            and (self.at_least is None or (number is not None and number >= self.at_least))
            and (self.at_most is None or (number is not None and number <= self.at_most))
        )


@dataclass(frozen=True)
class Missing:
    """There is no such value, and why."""

    why: str


def value_at(data: Any, pointer: str) -> "Any | Missing":
    """The value that a JSON pointer (RFC 6901) leads to."""
    value, way = data, ""
    for part in _parts(pointer):
        way += f"/{part}"
        if isinstance(value, Mapping) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        elif isinstance(value, list):
            return Missing(f"nothing at {way}; there are {len(value)} items")
        else:
            return Missing(f"nothing at {way}; there is {shown(list(value) if isinstance(value, Mapping) else value)}")
    return value


def files_in(folder: Path, pattern: str) -> list[str]:
    """The files of the folder that fit, relative and sorted; what a link leads out of the folder is left out."""
    root = folder.resolve()
    found = (path for path in root.glob(pattern) if path.is_file() and path.resolve().is_relative_to(root))
    return sorted(path.relative_to(root).as_posix() for path in found)


def _parts(pointer: str) -> Iterator[str]:
    return (part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])


def _quoted(value: Any) -> str:
    return cut(json.dumps(value, ensure_ascii=False))


def shown(value: Any) -> str:
    """A value as a result keeps it: texts as they are, all else as JSON, shortened."""
    return cut(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str))


def cut(text: str) -> str:
    """The text, shortened where it is long."""
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}… ({len(text):,} characters)"
