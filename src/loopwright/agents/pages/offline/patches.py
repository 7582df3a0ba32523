"""From two versions of a page to the smallest SEARCH/REPLACE blocks that lead from one to the other."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from loopwright.agents.pages.parsing.edits import (
    DIVIDER,
    REPLACE,
    SEARCH,
    Edited,
    Replacement,
    apply_replacements,
    parse_edits,
)


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
        for opcode in SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
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
