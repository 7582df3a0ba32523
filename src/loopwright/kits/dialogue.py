"""Dialogues without a language model: scripts that are replayed, requests read by patterns, words by language."""

import json
import re
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any, Generic, TypeVar

from loopwright.kernel.messages import Message

# Requests read by patterns that are data: a JSON file names the intents of an agent and the ways people ask for them,
# such as {"parts": {"NAME": "[a-z]+", "THING": "(?:the )?(?:function|class)"}, "intents": [{"intent": "find",
# "patterns": ["where is THING {name:NAME}", "find {other:NAME}"]}]}.
#
# In a pattern a part's name, in capitals, stands for the part, and `{group:PART}` for a part whose text is kept: all of
# it, or what stands in the part's own groups `(?P<*>…)`, `(?P<*1>…)`. Groups that differ only in a number are read as
# one, so that alternatives can name the same thing.

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


# Work as scripts: generators that yield the calls of the next answer and are sent what these came to.
#
# Nothing is kept between two requests: a script is played again from its beginning against the calls that stand in the
# dialogue, and the first calls that are not there are the next answer.

T = TypeVar("T")


class UnreadableRequest(ValueError):
    """A request lacks what every prompt of its agent carries; the message says what, in a part of a sentence."""


# Calls and their results, as they stand in the messages of a request.


@dataclass(frozen=True)
class Call:
    """A tool call; two calls are the same when their tool and their arguments are."""

    name: str
    arguments: Mapping[str, Any]

    @property
    def key(self) -> str:
        """What the call is recognised by."""
        return self.name + json.dumps(self.arguments, sort_keys=True, ensure_ascii=False)


def call(name: str, /, **arguments: object) -> Call:
    """A call; arguments that are None are left out."""
    return Call(name, {key: value for key, value in arguments.items() if value is not None})


@dataclass(frozen=True)
class Result:
    """What a call gave, as the model reads it."""

    text: str

    @property
    def failed(self) -> bool:
        """Whether it was refused or failed."""
        return self.text.startswith("Error:")

    @property
    def first_line(self) -> str:
        """Its first line, without the mark of a failure; at most 300 characters."""
        return self.text.removeprefix("Error:").strip().partition("\n")[0][:300]


@dataclass(frozen=True)
class Exchange:
    """The calls of one answer with their results, in the same order."""

    calls: tuple[Call, ...]
    results: tuple[Result, ...]

    @property
    def pairs(self) -> tuple[tuple[Call, Result], ...]:
        """Each call with its result."""
        return tuple(zip(self.calls, self.results, strict=True))


def exchanges(messages: Sequence[Message]) -> list[Exchange]:
    """The calls that have a result, answer by answer."""
    results = {message.tool_call_id: Result(message.content) for message in messages if message.role == "tool"}
    found = []
    for message in messages:
        done = [made for made in message.tool_calls or () if made.id in results]
        if done:
            calls = tuple(Call(made.name, _arguments(made.arguments)) for made in done)
            found.append(Exchange(calls, tuple(results[made.id] for made in done)))
    return found


def _arguments(text: str) -> Mapping[str, Any]:
    """The arguments of a call; what is no object was not called by rules, and is like no call of theirs."""
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return {"unreadable": text}
    return found if isinstance(found, dict) else {"unreadable": text}


def read_state(text: str | None, what: str) -> Mapping[str, Any]:
    """The JSON object that a block of a prompt holds.

    Args:
        text: what stands in the block; None where there is no block.
        what: how messages call it, such as `job state`.

    Raises:
        UnreadableRequest: there is no block, or it holds no object.
    """
    if text is None:
        raise UnreadableRequest(f"it has no {what}")
    try:
        state = json.loads(text)
    except ValueError as error:
        raise UnreadableRequest(f"its {what} is not JSON") from error
    if not isinstance(state, dict):
        raise UnreadableRequest(f"its {what} is not an object")
    return state


# Scripts, and how far the calls of a dialogue carry them.

Script = Generator[Sequence[Call], Sequence[Result], T]
"""Yields calls that may be made side by side, is sent their results in the same order, returns what came of them."""

MOST_AT_ONCE = 20
"""Calls in one answer."""


def one(wanted: Call) -> Script[Result]:
    """A script of a single call."""
    results = yield (wanted,)
    return results[0]


@dataclass(frozen=True)
class Progress(Generic[T]):
    """How far a script is: its next calls, or its outcome; and the newest calls of the dialogue that it has made.

    `ended` says whether the script has come to its end, also where its outcome is None.
    """

    upcoming: tuple[Call, ...] = ()
    outcome: T | None = None
    newest: Exchange | None = None
    ended: bool = False


@dataclass
class Replay:
    """The calls of a dialogue, as far as no script has asked for them yet.

    Each call is one result for one question: who asks twice for the same gets the first two results, in their order.
    With `offered`, a call of any other tool fails at once without being made, and the script sees to it as to any
    failure.
    """

    pairs: Iterable[tuple[Call, Result]]
    offered: Collection[str] | None = None
    _known: dict[str, deque[Result]] = field(init=False)

    def __post_init__(self) -> None:
        """Sort the results by their calls."""
        self._known = defaultdict(deque)
        for made, result in self.pairs:
            self._known[made.key].append(result)

    @property
    def has_more(self) -> bool:
        """Whether results are left over: the script did not get as far as it once was, so something before was lost."""
        return any(self._known.values())

    def carry(self, script: Script[T]) -> Progress[T]:
        """Carry a script as far as the results reach."""
        newest: Exchange | None = None
        try:
            wanted = next(script)
            while True:
                results = [self._result_of(each) for each in wanted]
                missing = [each for each, result in zip(wanted, results, strict=True) if result is None]
                if missing:
                    script.close()
                    return Progress(upcoming=tuple(missing[:MOST_AT_ONCE]), newest=newest)
                found = tuple(result for result in results if result is not None)
                newest = Exchange(tuple(wanted), found) if wanted else newest
                wanted = script.send(found)
        except StopIteration as end:
            return Progress(outcome=end.value, newest=newest, ended=True)

    def _result_of(self, wanted: Call) -> Result | None:
        if self.offered is not None and wanted.name not in self.offered:
            return Result(f"Error: {wanted.name} is not available in this phase.")
        known = self._known.get(wanted.key)
        return known.popleft() if known else None


def follow(script: Script[T], found: Iterable[Exchange]) -> Progress[T]:
    """Play a script against the calls of a dialogue; calls that it did not make are passed over."""
    return Replay(pair for exchange in found for pair in exchange.pairs).carry(script)


# What rules say, kept as data: texts by language with gaps for facts, and longer texts as Markdown files.

SLOT = re.compile(r"\{([a-z_]+)\}")
FALLBACK = "en"


@cache
def text_of_file(package: str, name: str) -> str:
    """A text that a package brings, without blanks around it; `name` may lead into folders below the package."""
    return resources.files(package).joinpath(*name.split("/")).read_text(encoding="utf-8").strip()


@dataclass(frozen=True)
class Wording:
    """The texts of one language: `steps` are written and read back, `words` are everything else."""

    steps: Mapping[str, str]
    words: Mapping[str, Any]

    def step(self, name: str, /, **facts: object) -> str:
        """The text of a step."""
        return _filled(self.steps[name], facts)

    def say(self, name: str, /, **facts: object) -> str:
        """A text."""
        return _filled(str(self.words[name]), facts)

    def read(self, content: str) -> tuple[str, dict[str, str]] | None:
        """Which step a text is, with its facts; None where these rules have not written it."""
        text = " ".join(content.split())
        for name, template in self.steps.items():
            if match := _pattern(template).fullmatch(text):
                return name, match.groupdict()
        return None


def _filled(template: str, facts: Mapping[str, object]) -> str:
    """Facts filled in once: what they contain is not looked at again."""
    return SLOT.sub(lambda match: str(facts[match[1]]), template)


@cache
def _pattern(template: str) -> re.Pattern[str]:
    pieces, seen, end = [], set[str](), 0
    for match in SLOT.finditer(template):
        pieces.append(re.escape(template[end : match.start()]))
        pieces.append(f"(?P={match[1]})" if match[1] in seen else f"(?P<{match[1]}>.+?)")
        seen.add(match[1])
        end = match.end()
    return re.compile("".join([*pieces, re.escape(template[end:])]))


@cache
def wording_of(package: str, language: str) -> Wording:
    """The texts of a language (two letters) in the package's folder `wording`; the English ones where it has none."""
    folder = resources.files(package).joinpath("wording")
    file = folder.joinpath(f"{language}.json")
    if not re.fullmatch(r"[a-z]{2}", language) or not file.is_file():
        file = folder.joinpath(f"{FALLBACK}.json")
    data = json.loads(file.read_text(encoding="utf-8"))
    return Wording(data["steps"], data["words"])
