"""Prompts are Markdown with `{{variables}}`, strict in both directions."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from loopwright.kernel.errors import Misconfigured
from loopwright.kernel.messages import Message

TASK = re.compile(r"\[task: (?P<task>(?P<agent>[\w-]+)/[\w./-]+)\](?:\n+|\Z)")
"""The first line of every prompt that the kernel renders; it names the task, and no endpoint gets to see it."""
VARIABLE = re.compile(r"\{\{\s*([a-z_]+)\s*\}\}")


class PromptRepository:
    """Finds a prompt by `agent/name`: project folder before installation folder before the packaged default.

    The folders in `overrides` hold `agent/name.md`, the first one wins. `packages` names, per agent, the Python package
    that holds its `prompts/` folder.
    """

    def __init__(self, packages: Mapping[str, str], overrides: Sequence[Path] = ()) -> None:
        """Take the places; nothing is read before it is asked for."""
        self._packages = {"kernel": "loopwright.kernel", **packages}
        self._overrides = tuple(overrides)

    def under(self, folder: Path) -> "PromptRepository":
        """The same prompts, under those of another folder (`agent/name.md`)."""
        return PromptRepository(self._packages, (folder, *self._overrides))

    def source(self, name: str) -> str:
        """The prompt's text with its variables unfilled.

        Raises:
            Misconfigured: no place has it.
        """
        agent, _, leaf = name.partition("/")
        places: list[Path | Traversable] = [folder / agent / f"{leaf}.md" for folder in self._overrides]
        if agent in self._packages:
            places.append(resources.files(self._packages[agent]).joinpath("prompts", f"{leaf}.md"))
        for place in places:
            if place.is_file():
                return place.read_text(encoding="utf-8").strip()
        raise Misconfigured(f"There is no prompt {name!r}.", hint=f"Looked at: {', '.join(map(str, places))}")

    def render(self, name: str, /, **variables: str) -> str:
        """The prompt with its variables filled; its first line names the task for logs and for the offline model.

        Raises:
            Misconfigured: a variable is missing, or one is given that the prompt does not use.
        """
        text = self.source(name)
        wanted = set(VARIABLE.findall(text))
        if wanted != set(variables):
            missing, unused = sorted(wanted - set(variables)), sorted(set(variables) - wanted)
            raise Misconfigured(
                f"Prompt {name!r} does not fit its variables: missing {missing or 'none'}, unused {unused or 'none'}."
            )
        return f"[task: {name}]\n" + VARIABLE.sub(lambda match: variables[match[1]], text)


def split_task(text: str) -> tuple[str, str]:
    """The task that a prompt's first line names (or nothing), and the prompt without that line."""
    match = TASK.match(text)
    return (match["task"], text[match.end() :]) if match else ("", text)


def task_of(messages: Sequence[Message]) -> str:
    """The task that the system prompt's first line names, or nothing."""
    return next((task for m in messages if m.role == "system" and (task := split_task(m.content)[0])), "")


# Marking text as data: what the model reads of documents and the web stands between marks it cannot close itself.

MAX_SOURCE = 300
EXCERPT_WORDS = 6
EXCERPT_CHARACTERS = 80

_BREAK = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")

# What hides text or turns its order: control and bidirectional characters, zero-width ones (but the joiners that
# scripts need), tag characters and supplementary variation selectors.
_HIDING = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e0fff]"
)
_JOINER = "\u034f\u200c\u200d\ufe00-\ufe0f"
_FULLWIDTH = 0xFEE0
_ROLES = (
    *("data", "system", "assistant", "user", "human", "developer", "message", "prompt", "instruction", "instructions"),
    *("job_state", "tool", "tools", "tool_call", "tool_calls", "tool_result", "tool_results", "tool_response"),
    *("function", "function_call", "function_calls", "function_result", "function_results", "invoke", "parameter"),
    *("result", "output"),
)


def _spelled(name: str) -> str:
    """The name as a pattern: letters of either width, joiners between them."""
    return f"[{_JOINER}]*".join(f"[{letter}{chr(ord(letter) + _FULLWIDTH)}]" for letter in name)


_NAMES = "|".join(map(_spelled, _ROLES))
# Possessive, so that long white space costs no time.
_GAP = rf"[\s{_JOINER}]*+"
_OPENING = "<＜﹤"


@cache
def _tag() -> re.Pattern[str]:
    """How such a tag begins. Compiling it takes 20 ms, so it is done for the first text that has an angle bracket."""
    role = rf"[/／⁄∕]?{_GAP}(?:[a-z]{{1,20}}:)?(?:{_NAMES})(?![a-z])"
    return re.compile(rf"[{_OPENING}](?={_GAP}(?:[|｜]|{role}))", re.IGNORECASE)


def inert(text: str) -> str:
    """The text without what could pass for the frame around it: its tags open with `‹`, nothing in it is hidden.

    Tags are those by which chat templates and this agent mark roles, tools and data; other markup stays as it is.
    """
    told = _HIDING.sub("", _BREAK.sub("\n", text))
    return _tag().sub("‹", told) if any(mark in told for mark in _OPENING) else told


def as_data(text: str, source: str) -> str:
    """Wrap text for the model as data.

    Args:
        text: what a document, a web page or a file says.
        source: where it is from, such as `documents/GoBD.pdf#page=3` or a web address.
    """
    name = re.sub(r'[\s"<>]+', " ", inert(source))[:MAX_SOURCE].strip()
    return f'<data source="{name}">\n{inert(text)}\n</data>'


def excerpt(text: str) -> str:
    """The first words of a text, in quotation marks: enough to find it, too few to say it again."""
    words = inert(text).split()
    shown = " ".join(words[:EXCERPT_WORDS])
    whole = len(words) <= EXCERPT_WORDS and len(shown) <= EXCERPT_CHARACTERS
    return f"“{shown}”" if whole else f"“{shown[:EXCERPT_CHARACTERS].rstrip()} …”"
