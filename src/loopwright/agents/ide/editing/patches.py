"""Patches in the format of models: read, and made into edits of files."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from loopwright.agents.ide.editing.patch_sets import Sources
from loopwright.agents.ide.editing.replacing import most_alike, newline_of, with_newlines
from loopwright.kernel.errors import Conflict, InvalidInput, NotFound
from loopwright.kits.history.change_log import Edit
from loopwright.kits.history.texts import lines_of

Sign = Literal[" ", "-", "+"]
HEADER = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@|@@(?:\s|$)")
FENCE = re.compile(r"\A\s*```[\w-]*\n(.*?)^```\s*\Z", re.DOTALL | re.MULTILINE)
ESCAPE = re.compile(rb'\\([0-7]{3}|[abfnrtv"\\])')
ESCAPED = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
REGULAR_MODES = {"100644": 0o644, "100755": 0o755}
NOTHING = "/dev/null"
TRAILER = "-- "
"""What ends a patch in a mail."""
MOST_HUNKS = 2_000
HINT = "Send a unified diff: '--- a/path', '+++ b/path', then hunks that begin with '@@ -line,count +line,count @@'."


@dataclass(frozen=True)
class Hunk:
    """One place. `start` is the line (from 1) in the old file, None where the header names none."""

    header: str
    start: int | None
    lines: tuple[tuple[Sign, str], ...]

    @property
    def old(self) -> list[str]:
        """The lines that must be there."""
        return [line for sign, line in self.lines if sign != "+"]

    @property
    def new(self) -> list[str]:
        """The lines that come in their place."""
        return [line for sign, line in self.lines if sign != "-"]


@dataclass
class FilePatch:
    """What a patch says of one file: `old` is None for a new file, `new` for a deleted one; `mode`: new mode bits."""

    old: str | None
    new: str | None
    mode: int | None = None
    copies: bool = False
    hunks: list[Hunk] = field(default_factory=list)


def read_patch(text: str) -> list[FilePatch]:
    """The files of a patch, in order.

    Counts in hunk headers may be wrong and words may stand around; what cannot be understood is refused.

    Raises:
        InvalidInput: it is not a unified diff, it is a binary one, or it makes links.
    """
    fenced = FENCE.match(text)
    lines = lines_of(fenced[1] if fenced else text)
    patches: list[FilePatch] = []
    at = 0
    while at < len(lines):
        if lines[at].startswith("diff --git "):
            at = _read_git_header(lines, at, patches)
        elif _is_file_header(lines, at):
            at = _read_names(lines, at, patches, git=False)
        elif lines[at].startswith("@@"):
            at = _read_hunk(lines, at, patches)
        elif patches and lines[at][:1] in ("+", "-") and lines[at].rstrip("\r\n") != TRAILER:
            raise InvalidInput(f"The line {lines[at][:80]!r} of the patch belongs to no hunk.", hint=HINT)
        else:
            at += 1
    found = [patch for patch in patches if patch.hunks or patch.old != patch.new or patch.mode is not None]
    if not found:
        raise InvalidInput("There is no change in this patch.", hint=HINT)
    if sum(len(patch.hunks) for patch in found) > MOST_HUNKS:
        raise InvalidInput(f"The patch has more than {MOST_HUNKS:,} hunks.", hint="Send it in parts.")
    return found


def _is_file_header(lines: Sequence[str], at: int) -> bool:
    return lines[at].startswith("--- ") and at + 1 < len(lines) and lines[at + 1].startswith("+++ ")


def _read_git_header(lines: Sequence[str], at: int, patches: list[FilePatch]) -> int:
    """The lines from `diff --git` to the first hunk."""
    old, new = _names_of_git(lines[at])
    patch = FilePatch(old, new)
    patches.append(patch)
    at += 1
    while at < len(lines) and not lines[at].startswith(("diff --git ", "@@")):
        line = lines[at].rstrip("\r\n")
        if _is_file_header(lines, at):
            return _read_names(lines, at, patches, git=True)
        _read_extended(line, patch)
        at += 1
    return at


def _read_extended(line: str, patch: FilePatch) -> None:
    word, _, rest = line.rpartition(" ")
    if line.startswith(("GIT binary patch", "Binary files ")):
        raise InvalidInput("The patch changes a binary file.", hint="Only text can be patched.")
    if word in ("new file mode", "new mode"):
        patch.mode = _mode(rest)
        patch.old = None if word == "new file mode" else patch.old
    elif word == "deleted file mode":
        _mode(rest)
        patch.new = None
    elif line.startswith(("rename from ", "copy from ")):
        patch.old = _unquoted(line.split(" from ", 1)[1])
    elif line.startswith(("rename to ", "copy to ")):
        patch.new, patch.copies = _unquoted(line.split(" to ", 1)[1]), line.startswith("copy")


def _mode(digits: str) -> int:
    if digits not in REGULAR_MODES:
        raise InvalidInput(f"The patch makes something of mode {digits}.", hint="Only plain files can be patched.")
    return REGULAR_MODES[digits]


def _names_of_git(line: str) -> tuple[str | None, str | None]:
    """The names of `diff --git a/X b/X`; where they differ, later lines say it too."""
    rest = line.removeprefix("diff --git ").rstrip("\r\n")
    if rest.startswith('"'):
        quoted = re.findall(r'"(?:[^"\\]|\\.)*"|\S+', rest)
        return (_stripped(_unquoted(quoted[0])), _stripped(_unquoted(quoted[-1])))
    half = (len(rest) - 1) // 2
    if rest[:half][2:] == rest[half + 1 :][2:]:
        return rest[:half][2:], rest[half + 1 :][2:]
    old, _, new = rest.partition(" b/")
    return _stripped(old), new


def _read_names(lines: Sequence[str], at: int, patches: list[FilePatch], *, git: bool) -> int:
    """The two lines `---` and `+++`."""
    old, new = (_unquoted(lines[at + step][4:].rstrip("\r\n").partition("\t")[0].rstrip()) for step in (0, 1))
    prefixed = git or all(name == NOTHING or name.startswith(sign) for name, sign in ((old, "a/"), (new, "b/")))
    names = [None if name == NOTHING else _stripped(name) if prefixed else name for name in (old, new)]
    if names == [None, None]:
        raise InvalidInput("The patch names no file.", hint=HINT)
    if git:
        patch = patches[-1]
        patch.old, patch.new = (
            name if name is None else kept or name for name, kept in zip(names, (patch.old, patch.new), strict=True)
        )
    else:
        same = names[0] is None or names[1] is None
        patches.append(FilePatch(names[0] if same else names[1], names[1]))
    return at + 2


def _stripped(name: str) -> str:
    return name[2:] if name[:2] in ("a/", "b/") else name


def _unquoted(name: str) -> str:
    """A name out of the quotes that git puts around odd ones."""
    if not (len(name) > 1 and name[0] == name[-1] == '"'):
        return name

    def read(match: re.Match[bytes]) -> bytes:
        code = match[1]
        return bytes([int(code, 8) & 0xFF]) if code.isdigit() else ESCAPED.get(code, code)

    return ESCAPE.sub(read, name[1:-1].encode()).decode("utf-8", "surrogateescape")


def _read_hunk(lines: Sequence[str], at: int, patches: list[FilePatch]) -> int:
    header = lines[at].rstrip("\r\n")
    match = HEADER.match(header)
    if match is None:
        raise InvalidInput(f"The hunk header {header[:80]!r} cannot be read.", hint=HINT)
    if not patches:
        raise InvalidInput("The patch has a hunk before it names a file.", hint=HINT)
    counts = [int(match[group] or 1) for group in (2, 4)] if match[1] is not None else [0, 0]
    found: list[tuple[Sign, str]] = []
    at += 1
    for sign, line in _hunk_lines(lines, at, counts):
        at += 1
        if sign == "\\":
            found[-1:] = [(each, text.removesuffix("\n")) for each, text in found[-1:]]
        else:
            found.append((sign, line))  # type: ignore[arg-type]
    start = int(match[1]) if match[1] is not None else None
    patches[-1].hunks.append(Hunk(header, start, tuple(found)))
    return at


def _hunk_lines(lines: Sequence[str], at: int, counts: Sequence[int]) -> Iterator[tuple[str, str]]:
    """Sign and text of a hunk's lines; where the header's counts are used up, those that look like more of it too."""
    old, new = counts
    for index in range(at, len(lines)):
        sign, text = lines[index][:1], lines[index][1:]
        due = old > 0 or new > 0
        if sign in ("\r", "\n"):  # editors and models strip the blank of an empty context line
            sign, text = " ", lines[index]
            if not due and not _goes_on(lines, index):
                return
        elif sign not in " +-\\" or _ends_hunk(lines, index, due, last=(old, new) == (1, 1)):
            return
        old -= sign in " -"
        new -= sign in " +"
        yield sign, text


def _ends_hunk(lines: Sequence[str], index: int, due: bool, last: bool) -> bool:
    """Whether a line with a sign begins the next file, or is the trailer of a mail."""
    if _is_file_header(lines, index):
        return not due or (not last and lines[index + 2 : index + 3] != [] and lines[index + 2].startswith("@@"))
    return not due and lines[index].rstrip("\r\n") == TRAILER


def _goes_on(lines: Sequence[str], index: int) -> bool:
    """Whether lines of a hunk follow after empty ones."""
    after = next((at for at in range(index, len(lines)) if lines[at].strip()), None)
    return after is not None and lines[after][:1] in " +-" and not _ends_hunk(lines, after, due=False, last=False)


# What a patch comes to: one edit for each file that it touches.
#
# Applying the hunks of a patch to a text: where they say, else where their lines are.

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
