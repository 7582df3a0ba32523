"""The register of tainted text: what the model was given to read in this job, and from which source."""

import hashlib
import json
import threading
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from loopwright.agents.jobs.taint.words import comparable, shingles_of, words_of
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.whole_files import write_whole
from loopwright.kernel.workspace.folders import disk_errors

MAX_CHARACTERS = 5_000_000
"""Of one text: some 2,000 pages."""


class HasStateFolder(Protocol):
    """The workspace, as far as the register needs it."""

    @property
    def state_folder(self) -> Path:
        """Where the agent's own code keeps what no tool may touch."""
        ...


class Register:
    """What lies in one folder: a file for each text, named by its content, so that filing again changes nothing.

    The files are the truth; what is in memory is made of them, and follows them when the folder was put back to an
    earlier state.
    """

    def __init__(self, folder: Path) -> None:
        """Keep the folder; it may not exist yet."""
        self._folder = folder
        self._lock = threading.Lock()
        self._loaded: set[str] = set()
        self._shingles: dict[str, set[int]] = {}
        self._all: set[int] = set()

    def add(self, source: str, text: str) -> None:
        """File a text under its source; what stands in the source's filed texts already is not filed again.

        Raises:
            InvalidInput: the text is too long.
            Misconfigured: the disk does not take it.
        """
        if len(text) > MAX_CHARACTERS:
            raise InvalidInput(
                f"The text of {source} has {len(text):,} characters; at most {MAX_CHARACTERS:,} are read at once.",
                hint="Read it in parts.",
            )
        found = _shingles_in(text)
        with self._lock:
            self._load()
            if found <= self._shingles.get(source, set()):
                return
            name = _write(self._folder, source, text)
            self._keep(name, source, found)

    def sources_of(self, shingles: Iterable[int]) -> list[frozenset[str]]:
        """For each shingle the sources in which it stands."""
        with self._lock:
            self._load()
            return [self._sources_of(shingle) if shingle in self._all else frozenset() for shingle in shingles]

    def _sources_of(self, shingle: int) -> frozenset[str]:
        return frozenset(source for source, known in self._shingles.items() if shingle in known)

    def sources(self) -> frozenset[str]:
        """Every source of which text was filed."""
        with self._lock:
            self._load()
            return frozenset(self._shingles)

    def _load(self) -> None:
        names = {path.name for path in self._folder.glob("*.json")}
        if not self._loaded <= names:
            self._loaded, self._shingles, self._all = set(), {}, set()
        for name in names - self._loaded:
            source, text = _read(self._folder / name)
            self._keep(name, source, _shingles_in(text))

    def _keep(self, name: str, source: str, shingles: set[int]) -> None:
        self._loaded.add(name)
        self._shingles.setdefault(source, set()).update(shingles)
        self._all |= shingles


@lru_cache(maxsize=16)
def _register(folder: Path) -> Register:
    return Register(folder)


def register_of(workspace: HasStateFolder) -> Register:
    """The register of a workspace, shared within this process."""
    return _register(workspace.state_folder / "taint")


def remember(workspace: HasStateFolder, source: str, text: str) -> None:
    """File what the model is about to read; blocks on the disk.

    Args:
        workspace: the job's.
        source: where it is from, as in `as_data`; a page after `#` does not count.
        text: as it is given.

    Raises:
        InvalidInput: the text is longer than 5,000,000 characters.
        Misconfigured: the disk does not take it.
    """
    register_of(workspace).add(source.partition("#page=")[0], text)


def _shingles_in(text: str) -> set[int]:
    return set(shingles_of(words_of(comparable(text))))


def _write(folder: Path, source: str, text: str) -> str:
    content = json.dumps({"source": source, "text": text}, ensure_ascii=True).encode()
    name = f"{hashlib.sha256(content).hexdigest()}.json"
    with disk_errors("the record of foreign text"):
        write_whole(folder / name, content)  # the loader takes the name for a sign that the text is whole
    return name


def _read(path: Path) -> tuple[str, str]:
    content = json.loads(path.read_bytes())
    return content["source"], content["text"]
