"""The context pack: what the system prompt tells about the design, as the rules read it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

OPENING, CLOSING = "<context_pack>", "</context_pack>"


class UnreadableRequest(ValueError):
    """The request lacks the context pack that every prompt of the agent carries."""


@dataclass(frozen=True)
class Pack:
    """The pack, with everything that may be absent made empty. `spec` is None when only its summary was sent."""

    spec: Mapping[str, Any] | None = None
    summary: Mapping[str, Any] = field(default_factory=dict)
    issues: tuple[Mapping[str, Any], ...] = ()
    last_run: Mapping[str, Any] | None = None
    runs: tuple[Mapping[str, Any], ...] = ()
    history: tuple[Mapping[str, Any], ...] = ()
    pending: Mapping[str, Any] = field(default_factory=dict)
    expanded: bool = False
    """Whether this is the second hop: what was asked for has come, and no more will."""

    @classmethod
    def read(cls, system: str, *, expanded: bool = False) -> "Pack":
        """The pack out of a system prompt: the object between the last pair of marker lines.

        Raises:
            UnreadableRequest: there is no such block, or it holds no JSON object.
        """
        lines = system.split("\n")
        ends = [index for index, line in enumerate(lines) if line.strip() == CLOSING]
        starts = [index for index, line in enumerate(lines) if line.strip() == OPENING and ends and index < ends[-1]]
        if not starts:
            raise UnreadableRequest("the system prompt has no context pack")
        try:
            told = json.loads("\n".join(lines[starts[-1] + 1 : ends[-1]]))
        except ValueError as error:
            raise UnreadableRequest("the context pack is no JSON") from error
        if not isinstance(told, dict):
            raise UnreadableRequest("the context pack is no JSON object")
        return cls.of(told, expanded=expanded)

    @classmethod
    def of(cls, told: Mapping[str, Any], *, expanded: bool = False) -> "Pack":
        """The pack out of its JSON object; parts of a wrong type count as absent."""
        return cls(
            spec=_mapping(told.get("spec")),
            summary=_mapping(told.get("spec_summary")) or {},
            issues=_mappings(told.get("issues")),
            last_run=_mapping(told.get("last_run")),
            runs=_mappings(told.get("runs")),
            history=_mappings(told.get("history")),
            pending=_mapping(told.get("pending")) or {},
            expanded=expanded,
        )

    @property
    def failed_checks(self) -> tuple[Mapping[str, Any], ...]:
        """The checks that the last run did not pass."""
        return _mappings((self.last_run or {}).get("failed_checks"))


def _mapping(value: Any) -> Mapping[str, Any] | None:
    return value if isinstance(value, dict) else None


def _mappings(value: Any) -> tuple[Mapping[str, Any], ...]:
    return tuple(each for each in value if isinstance(each, dict)) if isinstance(value, list | tuple) else ()
