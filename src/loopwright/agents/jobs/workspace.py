"""What jobs do with their workspace beyond reading and writing it: protect, search, cut into portions."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.workspace import Workspace, parts_of

# The change that was begun last, by the key of its call: whether it was made already is asked after a crash.


def note_change(workspace: Workspace, key: str, size: int) -> int:
    """Keep that the call changes a file that has this size now.

    Returns:
        The size that the file had when this call first began: another one than `size` where it was begun before.
    """
    begun = _read(workspace)
    if begun.get("key") == key:
        return int(begun["size"])
    workspace.write_state("last_change.json", json.dumps({"key": key, "size": size}).encode())
    return size


def was_begun(workspace: Workspace, key: str) -> bool:
    """Whether the change of this call was begun before."""
    return bool(_read(workspace).get("key") == key)


def _read(workspace: Workspace) -> dict[str, Any]:
    path = workspace.state_folder / "last_change.json"
    return json.loads(path.read_bytes()) if path.is_file() else {}


# Parts of long texts that fit into one reading, and how to go on.

LONGEST_LINE = 2_000
"""Characters after which a line is counted as the next one, so that a file of one line can be read in parts too."""


@dataclass(frozen=True)
class Portion:
    """Lines or pages `first` to `last` (from 1) of `total`; `cut` where the last of them is not shown whole."""

    parts: tuple[str, ...]
    first: int
    last: int
    total: int
    cut: bool = False


def lines_of(text: str, most: int) -> list[str]:
    """The lines as tools count them.

    Args:
        text: of the whole file.
        most: characters that one reading may give; no line is longer.
    """
    longest = min(LONGEST_LINE, most)
    return [
        line[start : start + longest]
        for line in text.removesuffix("\n").split("\n")
        for start in range(0, max(len(line), 1), longest)
    ]


def portion(parts: Sequence[str], first: int | None, last: int | None, most: int, unit: str) -> Portion:
    """As many parts from `first` on as fit, at most up to `last`; at least one, cut where it alone is too long.

    Args:
        parts: lines or pages.
        first: from 1; None means the first.
        last: inclusive; None means as many as fit.
        most: characters.
        unit: how messages call a part: `line` or `page`.

    Raises:
        InvalidInput: there is no such part, or the range is empty.
    """
    begin = first or 1
    if begin > len(parts):
        raise InvalidInput(f"There is no {unit} {begin}: the file has {len(parts)}.", hint=f"Give a {unit} up to that.")
    if last is not None and last < begin:
        raise InvalidInput(f"{unit}_end ({last}) lies before {unit}_start ({begin}).")
    taken: list[str] = []
    size = 0
    for part in parts[begin - 1 : last]:
        size += len(part) + 1
        if taken and size > most:
            break
        taken.append(part[:most])
    cut = len(taken) == 1 and len(parts[begin - 1]) > most
    return Portion(tuple(taken), begin, begin + len(taken) - 1, len(parts), cut)


MEMORY_FILES = frozenset({"workspace.md", "main_plan.md", "instructions.md", "todos.yaml"})
"""Files of the agent's own words, which prompts show: they are no data, and nothing may enter them unseen."""
ARCHIVE = "archive"

PROTECTED_FOLDERS = {
    ARCHIVE: "is the record of earlier phases",
    "documents": "holds the user's documents, which citations rest on",
    "extracted": "is written by extract_document_text and its kin, and citations rest on it",
    "sources": "is written by web_search and cite_web, and citations rest on it",
}
PROTECTED_FILES = {
    "instructions.md": "has the user's instructions",
    "output/job_completion.json": "is written by job_complete",
    "output/reading.csv": "is where a job that reads sentence by sentence tells what became of each",
}
KEPT_FILES = frozenset({"workspace.md", "main_plan.md"})
PLANNING_FILES = frozenset({"main_plan.md", "todos.yaml"})
"""Strategic phases alone write these (spec 003: tactical phases do not modify the plan)."""

ELSEWHERE = "Write your own results into output/, or into a folder of another name."


def plain_path(path: str) -> str:
    """The path as the rules compare it: without `./` and doubled slashes, and without case, which some disks ignore.

    Raises:
        InvalidInput: it is not a path inside the workspace.
    """
    return "/".join(parts_of(path)).casefold()


def is_memory(path: str) -> bool:
    """Whether a file holds the agent's own words and record, and is not material that somebody else wrote."""
    plain = plain_path(path)
    return plain in MEMORY_FILES or plain.startswith(f"{ARCHIVE}/")


def refuse_write(path: str, *, tactical: bool) -> None:
    """Refuse to write a protected file.

    Args:
        path: as the tool was given it.
        tactical: whether the phase is a tactical one.

    Raises:
        InvalidInput: naming the reason and the way that is open.
    """
    plain = plain_path(path)
    folder = plain.partition("/")[0]
    if folder in PROTECTED_FOLDERS and plain != folder:
        raise InvalidInput(f"{path!r} cannot be written: {folder}/ {PROTECTED_FOLDERS[folder]}.", hint=ELSEWHERE)
    if plain in PROTECTED_FILES:
        raise InvalidInput(f"{path!r} cannot be written: it {PROTECTED_FILES[plain]}.", hint=ELSEWHERE)
    if tactical and plain in PLANNING_FILES:
        raise InvalidInput(
            f"{path!r} cannot be written in a tactical phase: strategic phases plan.",
            hint="Put what the next strategic phase should know into workspace.md, or into the notes of todo_complete.",
        )


def refuse_delete(path: str, *, tactical: bool) -> None:
    """Refuse to delete what may not be written, and the memory files; raises as `refuse_write` does."""
    refuse_write(path, tactical=tactical)
    if plain_path(path) in KEPT_FILES:
        raise InvalidInput(f"{path!r} cannot be deleted: it is the job's memory.", hint="Write it anew instead.")


# Patterns of words. Their cost grows with the text times the alternatives; there is nothing to backtrack into.

MAX_ALTERNATIVES = 50


class LinePattern:
    """Plain text in which `*` stands for anything within a line and `|` parts alternatives; `.*` counts as `*`."""

    def __init__(self, pattern: str, *, case_sensitive: bool = False) -> None:
        """Take the pattern apart.

        Raises:
            InvalidInput: it has no words, or more than 50 alternatives.
        """
        self._fold = (lambda text: text) if case_sensitive else str.lower
        wanted = [part.strip(" ") if "|" in pattern else part for part in pattern.replace(".*", "*").split("|")]
        self._alternatives = [
            [self._fold(piece) for piece in part.split("*") if piece] for part in wanted if part.strip("* ")
        ]
        if not self._alternatives:
            raise InvalidInput(f"The pattern {pattern!r} has no words.", hint="Give the words to look for.")
        if len(self._alternatives) > MAX_ALTERNATIVES:
            raise InvalidInput(
                f"More than {MAX_ALTERNATIVES} alternatives were given.", hint="Search in several calls."
            )

    def find(self, line: str) -> int | None:
        """Where the first alternative that stands in the line begins, or None."""
        folded = self._fold(line)
        places = [place for pieces in self._alternatives if (place := _find(pieces, folded)) is not None]
        return min(places, default=None)


def _find(pieces: list[str], text: str) -> int | None:
    """The first place of each piece after the one before: if any order fits, this one does."""
    places = [text.find(pieces[0])]
    for before, piece in pairwise(pieces):
        if places[-1] < 0:
            return None
        places.append(text.find(piece, places[-1] + len(before)))
    return places[0] if places[-1] >= 0 else None
