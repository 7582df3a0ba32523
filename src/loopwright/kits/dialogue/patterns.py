"""Requests read by patterns that are data: a JSON file names the intents of an agent and the ways people ask for them.

```json
{
  "parts": {"NAME": "[a-z]+", "THING": "(?:the )?(?:function|class)"},
  "intents": [{"intent": "find", "patterns": ["where is THING {name:NAME}", "find {other:NAME}"]}]
}
```

In a pattern a part's name, in capitals, stands for the part, and `{group:PART}` for a part whose text is kept: all of
it, or what stands in the part's own groups `(?P<*>…)`, `(?P<*1>…)`. Groups that differ only in a number are read as
one, so that alternatives can name the same thing.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

PIECE = re.compile(r"\{([a-z]+\d?):([A-Z]+)\}|(?<![A-Z])([A-Z]{3,})(?![A-Z])")
NUMBERED = re.compile(r"\d+$")
OWN_GROUP = "(?P<*"


@dataclass(frozen=True)
class Request:
    """What a clause asks for: the intent, the words themselves, and the texts of the pattern's groups by name."""

    intent: str
    words: str
    groups: Mapping[str, str]

    def __getitem__(self, name: str) -> str:
        """What a group holds; empty where it took no part."""
        return self.groups.get(name, "")


@dataclass(frozen=True)
class Patterns:
    """The intents of an agent with their patterns: the first that fits decides."""

    intents: Sequence[tuple[str, re.Pattern[str]]]
    whole: bool = True

    @classmethod
    def of(cls, data: Mapping[str, Any], *, whole: bool = True) -> "Patterns":
        """Compile the patterns of a file.

        Args:
            data: `parts` and `intents`, as this module says; an intent may stand in several entries.
            whole: whether a pattern stands for a whole clause, or may fit anywhere in it.

        Raises:
            re.error: a pattern is not one.
            KeyError: a pattern names a part that is not there.
        """
        found = []
        for entry in data["intents"]:
            joined = "|".join(f"(?:{filled(each, data)})" for each in entry["patterns"])
            found.append((str(entry["intent"]), re.compile(joined, re.IGNORECASE | re.DOTALL)))
        return cls(tuple(found), whole)

    def read(self, clause: str) -> Request | None:
        """What a clause asks for; None where no pattern fits."""
        for intent, pattern in self.intents:
            match = pattern.fullmatch(clause) if self.whole else pattern.search(clause)
            if match is not None:
                groups: dict[str, str] = {}
                for name, text in match.groupdict().items():
                    if text is not None:
                        groups.setdefault(NUMBERED.sub("", name), text)
                return Request(intent, match[0], groups)
        return None


def expression(data: Mapping[str, Any], name: str) -> re.Pattern[str]:
    """The pattern that a file has under a name beside its intents; raises as `Patterns.of`."""
    return re.compile(filled(data[name], data), re.IGNORECASE | re.DOTALL)


def filled(pattern: str, data: Mapping[str, Any]) -> str:
    """A pattern with its slots and parts put in; what a part holds is not looked at again."""
    parts: Mapping[str, str] = data.get("parts", {})
    return PIECE.sub(lambda found: _part(found, parts), pattern)


def _part(found: re.Match[str], parts: Mapping[str, str]) -> str:
    group, slot, name = found.groups()
    if group is None:
        return parts.get(name, name)
    part = parts[slot]
    return part.replace(OWN_GROUP, f"(?P<{group}") if OWN_GROUP in part else f"(?P<{group}>{part})"


@cache
def data_of(package: str, name: str) -> Mapping[str, Any]:
    """The JSON object in a file that a package brings."""
    data: dict[str, Any] = json.loads(resources.files(package).joinpath(name).read_text(encoding="utf-8"))
    return data


def clauses(text: str, joint: re.Pattern[str], kept: re.Pattern[str], plain: Callable[[str], str]) -> list[str]:
    """The parts of a request that ask for one thing each.

    Args:
        text: the request.
        joint: where it may be cut.
        kept: what is never cut, such as quotations.
        plain: takes courtesies and signs away from a clause; what it leaves empty is left out.
    """
    held: list[str] = []

    def hold(found: re.Match[str]) -> str:
        held.append(found[0])
        return f"\x00{len(held) - 1}\x00"

    pieces = joint.split(kept.sub(hold, text.replace("\x00", " ").strip()))
    whole = (re.sub(r"\x00(\d+)\x00", lambda found: held[int(found[1])], " ".join(each.split())) for each in pieces)
    return [clause for each in whole if (clause := plain(each))]
