"""Reading unified diffs: git's format, bare ones, and what models make of them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from loopwright.kernel.errors import InvalidInput
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
