"""What a patch comes to: one edit for each file that it touches."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from loopwright.agents.ide.editing.patch_format import FilePatch, Hunk
from loopwright.agents.ide.editing.patch_sets import Sources
from loopwright.agents.ide.editing.replacing import most_alike, newline_of, with_newlines
from loopwright.kernel.errors import Conflict, InvalidInput, NotFound
from loopwright.kits.history.change_log import Edit
from loopwright.kits.history.texts import lines_of

# --------------------------------------------------------------------------------------------------------------------
# Applying the hunks of a patch to a text: where they say, else where their lines are.
# --------------------------------------------------------------------------------------------------------------------

MOST_FUZZ = 2
"""Context lines at the edges of a hunk that may differ, as `patch` has it."""
SHOWN_LINES = 12
COMPARISONS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("", lambda line: line),
    ("with other line ends", lambda line: line.rstrip("\r\n")),
    ("with other white space at line ends", str.rstrip),
)


@dataclass(frozen=True)
class Applied:
    """The new text, and what was not as the patch said: lines moved, context that differs."""

    text: str
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Fit:
    """Where a hunk fits: the bounds of the lines that it replaces, and its lines without the edges left off."""

    low: int
    old: Sequence[str]
    lines: Sequence[tuple[str, str]]
    how: str
    fuzz: int


def apply_hunks(path: str, text: str, hunks: Sequence[Hunk]) -> Applied:
    """Apply all hunks, in order.

    A hunk that is not where it says is looked for nearby; then with other line ends, then with up to two context lines
    at each edge that differ. What it adds takes the line ends of the file where they are not the patch's own.

    Raises:
        InvalidInput: hunks do not fit; the message has each of them with the nearest place. Nothing is to be written.
    """
    lines = lines_of(text)
    result: list[str] = []
    done, shift = 0, 0
    notes: list[str] = []
    rejects: list[str] = []
    for number, hunk in enumerate(hunks, 1):
        fit = _find(lines, hunk, done, shift)
        if isinstance(fit, str):
            rejects.append(f"Hunk {number} ({hunk.header}) {fit}")
            continue
        result += lines[done : fit.low]
        result += _replaced(lines, fit, text)
        done = fit.low + len(fit.old)
        moved = _expected(hunk, 0) + _left_off(hunk, fit) - fit.low if hunk.start is not None else 0
        shift = -moved if hunk.start is not None else shift
        notes += _notes(number, fit, -moved)
    if rejects:
        raise InvalidInput(
            f"The patch does not fit {path}; nothing was changed.\n" + "\n".join(rejects),
            hint="Read the file again and make the patch from what stands there.",
        )
    result += lines[done:]
    end = newline_of(text)
    ended = [line if line.endswith("\n") else line + end for line in result[:-1]]
    return Applied("".join([*ended, *result[-1:]]), tuple(f"{path}: {note}" for note in notes))


def _find(lines: Sequence[str], hunk: Hunk, done: int, shift: int) -> _Fit | str:
    for fuzz in range(MOST_FUZZ + 1):
        trimmed = _trimmed(hunk.lines, fuzz)
        if trimmed is None:
            break
        lead, kept = trimmed
        old = [line for sign, line in kept if sign != "+"]
        for how, plain in COMPARISONS:
            places = _places([plain(line) for line in lines], [plain(line) for line in old], done)
            if not places:
                continue
            if hunk.start is None and len(places) > 1:
                return f"fits at several places: lines {', '.join(str(place + 1) for place in places[:10])}."
            expected = _expected(hunk, shift) + lead
            low = min(places, key=lambda place: abs(place - expected))
            return _Fit(low, old, kept, how, fuzz)
    return _nearest(lines, hunk)


def _trimmed(lines: Sequence[tuple[str, str]], fuzz: int) -> tuple[int, Sequence[tuple[str, str]]] | None:
    """The hunk without so many context lines at its edges, and how many went at its beginning."""
    changed = [index for index, (sign, _) in enumerate(lines) if sign != " "]
    if not changed:
        return (0, lines) if fuzz == 0 else None
    low, high = min(fuzz, changed[0]), max(len(lines) - fuzz, changed[-1] + 1)
    kept = lines[low:high]
    if fuzz and (not any(sign != "+" for sign, _ in kept) or (low == min(fuzz - 1, changed[0]) and high == len(lines))):
        return None  # nothing would be left to find it by, or nothing more can be left off
    return low, kept


def _places(lines: Sequence[str], old: Sequence[str], done: int) -> list[int]:
    if not old:
        return list(range(done, len(lines) + 1))
    first = old[0]
    starts = range(done, len(lines) - len(old) + 1)
    return [at for at in starts if lines[at] == first and list(lines[at : at + len(old)]) == list(old)]


def _expected(hunk: Hunk, shift: int) -> int:
    """The index of the first old line; a hunk without old lines names the line before it."""
    return (hunk.start or 0) - (1 if hunk.old and hunk.start else 0) + shift


def _left_off(hunk: Hunk, fit: _Fit) -> int:
    trimmed = _trimmed(hunk.lines, fit.fuzz)
    return trimmed[0] if trimmed is not None else 0


def _replaced(lines: Sequence[str], fit: _Fit, text: str) -> list[str]:
    """The new lines. Context stays as the file has it; added lines are the patch's, or take the file's line ends."""
    result, at = [], fit.low
    for sign, line in fit.lines:
        if sign == "+":
            result.append(with_newlines(line, newline_of(text)) if fit.how else line)
        else:
            result += [lines[at]] if sign == " " else []
            at += 1
    unended = at == len(lines) and at > fit.low and not lines[-1].endswith("\n")
    if fit.how and unended and result and fit.old[-1].endswith("\n"):  # the patch does not know of it
        result[-1] = result[-1].removesuffix("\n").removesuffix("\r")
    return result


def _notes(number: int, fit: _Fit, moved: int) -> list[str]:
    found = [f"{abs(moved)} lines {'further down' if moved > 0 else 'further up'}"] if moved else []
    found += [fit.how] if fit.how else []
    found += [f"without {fit.fuzz} context lines at its edges"] if fit.fuzz else []
    return [f"hunk {number} was applied {', '.join(found)}."] if found else []


def _nearest(lines: Sequence[str], hunk: Hunk) -> str:
    """What is most similar to the hunk's old lines, for the model to see."""
    places = most_alike(lines, hunk.old)
    if not places:
        return "fits nowhere."
    best = places[0]
    shown = "".join(lines[best.low : best.high][:SHOWN_LINES]).rstrip()
    return f"fits nowhere; the most similar place ({best.ratio:.0%}) begins in line {best.low + 1}:\n{shown}"


class PatchEdits:
    """Collects the edits of a patch; a file that it names twice is edited twice, and written once."""

    def __init__(self, sources: Sources) -> None:
        """Take what the patch is made for."""
        self._sources = sources
        self._edits: dict[str, Edit] = {}
        self.notes: list[str] = []

    @property
    def edits(self) -> Sequence[Edit]:
        """One for each path, in the order in which the patch names them."""
        return [edit for edit in self._edits.values() if edit.before is not None or edit.after is not None]

    def add(self, patch: FilePatch) -> None:
        """Apply what a patch says of one file.

        Raises:
            InvalidInput: it does not fit, or a path cannot be used.
            NotFound: the file is not there.
            Conflict: a file that it makes is there already.
        """
        old = self._sources.check(patch.old) if patch.old is not None else None
        new = self._sources.check(patch.new) if patch.new is not None else None
        before = self._text(old) if old is not None else ""
        if new is not None and new != old and self._present(new) is not None:
            raise Conflict(f"The patch makes {new!r}, which is there already.", hint="Change it instead.")
        applied = apply_hunks(new or old or "", before, patch.hunks)
        self.notes += applied.notes
        if new is None and patch.hunks and applied.text:
            raise InvalidInput(
                f"The patch deletes {old!r}, but does not know all of its lines.", hint="Use delete_file."
            )
        if old is not None and old != new and not patch.copies:
            self._put(old, None, None)
        if new is not None:
            mode = self._sources.mode(old) if old is not None and old != new else None
            self._put(new, applied.text.encode("utf-8"), patch.mode if patch.mode is not None else mode)

    def _text(self, path: str) -> str:
        if path not in self._edits:
            return self._sources.text(path)
        data = self._edits[path].after
        if data is None:
            raise NotFound(f"The patch changes {path!r} after it has taken it away.", hint="Send the parts in order.")
        return data.decode("utf-8")

    def _present(self, path: str) -> bytes | None:
        return self._edits[path].after if path in self._edits else self._sources.read(path)

    def _put(self, path: str, data: bytes | None, mode: int | None) -> None:
        earlier = self._edits.get(path)
        before = earlier.before if earlier is not None else self._sources.read(path)
        self._edits[path] = Edit(path, before, data, mode)
