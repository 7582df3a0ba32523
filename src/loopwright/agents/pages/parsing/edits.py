"""Search/replace blocks: exact, unique, applied in order; everything else of the text stays byte for byte."""

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from loopwright.agents.pages.compliance.markup import DOCUMENT_START, Edit, scan
from loopwright.agents.pages.editing.regions import VOID, Revision
from loopwright.agents.pages.parsing.fences import fences

# What is whole of an answer that was cut off at its length limit, ended so that it can be read.


def whole_page(answer: str) -> str | None:
    """The page up to its last end tag, with everything closed that is open there; None where it has no content yet."""
    begun = DOCUMENT_START.search(answer)
    if begun is None:
        return None
    html = answer[begun.start() :]
    open_elements: list[str] = []
    end, left_open = 0, list[str]()
    for token in scan(html):
        if token.kind == "start" and token.name not in VOID and html[token.end - 2] != "/":
            open_elements.append(token.name)
        elif token.kind == "end" and token.name in open_elements:
            while open_elements.pop() != token.name:
                pass
            if "body" in open_elements:
                end, left_open = token.end, open_elements.copy()
    if not left_open:
        return None
    return html[:end] + "\n" + "".join(f"</{name}>\n" for name in reversed(left_open))


def whole_sheet(answer: str) -> str | None:
    """The sheet up to its last whole rule, in a fence; None where the answer has no open fence of CSS."""
    block = next((fence for fence in fences(answer) if not fence.closed and fence.tag in ("css", "")), None)
    if block is None:
        return None
    depth, end = 0, 0
    for mark in re.finditer(r"/\*.*?(?:\*/|\Z)|[{}]", block.content, re.DOTALL):
        if mark[0] in "{}":
            depth += 1 if mark[0] == "{" else -1
            end = mark.end() if depth == 0 else end
    return f"```css\n{block.content[:end]}\n```" if end else None


SEARCH = "<<<<<<< SEARCH"
DIVIDER = "======="
REPLACE = ">>>>>>> REPLACE"
SURE_LENGTH = 12
"""Characters of a search text from which it is found without regard to blanks; a shorter one has to be exact."""

_SEARCH_LINE = re.compile(r"[ \t]*<{5,9}[ \t]*SEARCH[ \t]*")
_DIVIDER_LINE = re.compile(r"[ \t]*={5,9}[ \t]*")
_REPLACE_LINE = re.compile(r"[ \t]*>{5,9}[ \t]*REPLACE[ \t]*")
_FENCE_LINE = re.compile(r"[ \t]*(?:`{3,}|~{3,})[\w-]*[ \t]*")


@dataclass(frozen=True)
class Replacement:
    """One block: this exact text, once in the page, becomes that one."""

    search: str
    replace: str


@dataclass(frozen=True)
class EditScript:
    """What a model's answer asks for; `summary` are the words around the blocks."""

    blocks: tuple[Replacement, ...]
    summary: str


@dataclass(frozen=True)
class Edited:
    """The text after all blocks, and which regions of the old one they touched."""

    revision: Revision

    @property
    def text(self) -> str:
        """The text now."""
        return self.revision.after

    @property
    def regions(self) -> tuple[tuple[int, int], ...]:
        """The spans of it that are new."""
        return tuple((region.new_start, region.new_end) for region in self.revision.regions)


def parse_edits(answer: str) -> EditScript | str:
    """The blocks of an answer and the words around them, or what is wrong with its form."""
    blocks: list[Replacement] = []
    words: list[str] = []
    search: list[str] = []
    replace: list[str] = []
    where = "words"
    for line in answer.replace("\r\n", "\n").split("\n"):
        if where == "words" and _SEARCH_LINE.fullmatch(line):
            where, search, replace = "search", [], []
        elif where == "search" and _DIVIDER_LINE.fullmatch(line):
            where = "replace"
        elif where == "replace" and _REPLACE_LINE.fullmatch(line):
            blocks.append(Replacement("\n".join(search), "\n".join(replace)))
            where = "words"
        elif where == "search":
            search.append(line)
        elif where == "replace":
            replace.append(line)
        elif not _FENCE_LINE.fullmatch(line):
            words.append(line)
    if where != "words":
        missing = DIVIDER if where == "search" else REPLACE
        return f"Block {len(blocks) + 1} is not finished: there is no line {missing!r}."
    empty = next((number for number, block in enumerate(blocks, 1) if not block.search.strip()), None)
    if empty is not None:
        return f"The SEARCH part of block {empty} is empty. Copy the text to be replaced from the page."
    return EditScript(tuple(blocks), " ".join("\n".join(words).split()))


def apply_replacements(text: str, blocks: Sequence[Replacement]) -> Edited | str:
    """Apply the blocks in order, each to what the one before left; or say which one does not fit, and why.

    All or nothing: with a complaint, nothing has changed.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    revision = Revision.of(text)
    for number, block in enumerate(blocks, 1):
        search, replace = (part.replace("\n", newline) for part in (block.search, block.replace))
        count = _occurrences(revision.after, search)
        place = _but_for_blanks(revision.after, search) if count == 0 else None
        if count == 1:
            start = revision.after.index(search)
            place = start, start + len(search)
        if place is None:
            return _complaint(number, search, revision.after, count)
        if count == 0:
            replace = replace.strip()  # the blanks around the found text stay as they stand in the page
        revision = revision.spliced([Edit(*place, replace)])
    return Edited(revision)


def _but_for_blanks(text: str, search: str) -> tuple[int, int] | None:
    """The one place that has the search text in other indentation or line breaks, as small models copy it."""
    words = [re.escape(word) for word in re.split(r"\s+|(?<=>)(?=<)", search.strip()) if word]
    if not words or len(search.strip()) < SURE_LENGTH:
        return None
    pattern = words[0]
    for before, word in pairwise(words):
        pattern += (r"\s*" if before.endswith(">") and word.startswith("<") else r"\s+") + word
    found = list(islice(re.finditer(pattern, text), 2))
    return found[0].span() if len(found) == 1 else None


def _occurrences(text: str, search: str) -> int:
    """How often the search text occurs, overlapping ones counted: only then is "once" unambiguous."""
    count, position = 0, text.find(search)
    while position >= 0:
        count += 1
        position = text.find(search, position + 1)
    return count


def _complaint(number: int, search: str, text: str, count: int) -> str:
    if count > 1:
        return (
            f"The SEARCH part of block {number} occurs {count} times in the page. Add lines before or after it, so "
            "that it occurs exactly once."
        )
    first_line = next(line for line in search.splitlines() if line.strip())
    close = difflib.get_close_matches(first_line.strip(), [line.strip() for line in text.splitlines()], n=1, cutoff=0.6)
    hint = f" The page has this line, which is close: {close[0][:300]}" if close else ""
    return (
        f"The SEARCH part of block {number} is not in the page; it must be copied exactly, with the same spaces and "
        f"line breaks.{hint}"
    )


# From two versions of a page to the smallest SEARCH/REPLACE blocks that lead from one to the other.


class Inexpressible(ValueError):
    """The change cannot be written as blocks: the text holds a block's markers, mixes line ends, or is blank."""


def render(blocks: Sequence[Replacement]) -> str:
    """The blocks as the model writes them."""
    return "\n".join(f"{SEARCH}\n{block.search}\n{DIVIDER}\n{block.replace}\n{REPLACE}" for block in blocks)


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines `old_start` to `old_end` of the old text become lines `new_start` to `new_end` of the new one."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int

    def joined(self, other: "Hunk") -> "Hunk":
        """This hunk, a later one and all that lies between them as one."""
        return Hunk(self.old_start, other.old_end, self.new_start, other.new_end)


def blocks_between(old: str, new: str) -> list[Replacement]:
    """The blocks that turn `old` into `new` when applied in order; none when they are equal.

    Raises:
        Inexpressible: read back and applied as the tool does it, the blocks would not give exactly `new`.
    """
    if old == new:
        return []
    before, after = old.split("\n"), new.split("\n")
    hunks = [
        Hunk(*opcode[1:])
        for opcode in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
        if opcode[0] != "equal"
    ]
    position = 0
    while position < len(hunks):
        widened = _widen(hunks, position, before, after)
        if widened is not None:
            hunks[position] = widened
            position += 1
        elif position + 1 < len(hunks):
            hunks[position : position + 2] = [hunks[position].joined(hunks[position + 1])]
        elif position > 0:
            position -= 1
            hunks[position : position + 2] = [hunks[position].joined(hunks[position + 1])]
        else:
            raise Inexpressible("no unique text to search for surrounds the change")
    blocks = [_block(hunk, before, after) for hunk in hunks]
    script = parse_edits(render(blocks))
    edited = script if isinstance(script, str) else apply_replacements(old, script.blocks)
    if not isinstance(edited, Edited) or edited.text != new:
        raise Inexpressible("the change cannot be written as search/replace blocks")
    return blocks


def _widen(hunks: Sequence[Hunk], position: int, before: Sequence[str], after: Sequence[str]) -> Hunk | None:
    """The hunk with as many unchanged lines around it as make its search text unique; None when they do not suffice.

    The text at the time of its application has the hunks above it applied and those below it not.
    """
    hunk = hunks[position]
    above = hunks[position - 1].old_end if position else 0
    below = hunks[position + 1].old_start if position + 1 < len(hunks) else len(before)
    current = "\n".join([*after[: hunk.new_start], *before[hunk.old_start :]])
    while not _usable(_block(hunk, before, after), current):
        up, down = hunk.old_start > above, hunk.old_end < below
        if not (up or down):
            return None
        hunk = Hunk(hunk.old_start - up, hunk.old_end + down, hunk.new_start - up, hunk.new_end + down)
    return hunk


def _usable(block: Replacement, text: str) -> bool:
    """Whether the search text is found once, and neither side begins or ends in a blank line that might be trimmed."""
    for side in (block.search, block.replace):
        lines = side.split("\n")
        if not lines[0].strip() or not lines[-1].strip():
            return block.search == text and bool(text.strip())
    first = text.find(block.search)
    return first >= 0 and text.find(block.search, first + 1) < 0


def _block(hunk: Hunk, before: Sequence[str], after: Sequence[str]) -> Replacement:
    return Replacement(
        "\n".join(before[hunk.old_start : hunk.old_end]),
        "\n".join(after[hunk.new_start : hunk.new_end]),
    )
