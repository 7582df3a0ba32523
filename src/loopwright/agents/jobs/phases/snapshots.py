"""Pictures of the workspace, taken as each phase begins: what a job can be rewound to.

A picture is a list of files by the hash of their content; each content is kept once. They lie in the workspace's hidden
state folder, where no tool reaches.
"""

import hashlib
import os
import shutil
from collections.abc import Collection
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from loopwright.agents.jobs.contracts.state import JobState
from loopwright.kernel.errors import NotFound
from loopwright.kernel.whole_files import write_whole
from loopwright.kernel.workspace import Workspace

CHUNK = 1 << 20


class KeptFile(BaseModel):
    """A file of a picture; size and time tell later pictures that it need not be read again."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sha256: str
    size: int
    modified_ns: int


class Snapshot(BaseModel):
    """A picture: the files by their paths, and the job's state at that moment."""

    model_config = ConfigDict(extra="forbid")

    name: str
    files: dict[str, KeptFile] = Field(default_factory=dict)
    state: JobState | None = None


class Snapshots:
    """The pictures of one workspace."""

    def __init__(self, workspace: Workspace) -> None:
        """Keep the workspace."""
        self._workspace = workspace
        self._pictures = workspace.state_folder / "snapshots"
        self._contents = workspace.state_folder / "contents"

    def take(self, name: str, state: JobState | None, *, earlier: str = "", without: Collection[str] = ()) -> Snapshot:
        """Take a picture of all files but those `without`; what is as in the `earlier` one is not read again."""
        before = self.find(earlier).files if earlier else {}
        files = {}
        for relative in self._workspace.list():
            path = self._workspace.locate(relative)
            if relative not in without:
                files[relative] = _unchanged(path, before.get(relative)) or self._keep(path)
        snapshot = Snapshot(name=name, files=files, state=state)
        self._pictures.mkdir(parents=True, exist_ok=True)
        write_whole(self._pictures / f"{name}.json", snapshot.model_dump_json().encode())
        return snapshot

    def find(self, name: str) -> Snapshot:
        """A picture by its name.

        Raises:
            NotFound: there is none.
        """
        file = self._pictures / f"{name}.json"
        if "/" in name or not file.is_file():
            raise NotFound(f"There is no picture {name!r} of the workspace.", hint="`loopwright jobs show` lists them.")
        return Snapshot.model_validate_json(file.read_bytes())

    def changed_since(self, name: str) -> list[str]:
        """Files that are new or other than in the picture."""
        before = self.find(name).files
        return [path for path in self._workspace.list() if _differs(self._workspace.locate(path), before.get(path))]

    def restore(self, name: str) -> None:
        """Make the workspace as it was: what came later is removed, what changed is put back.

        May be called again after it was interrupted.

        Raises:
            NotFound: the picture, or a content of it, is gone.
        """
        snapshot = self.find(name)
        missing = [path for path, kept in snapshot.files.items() if not self._content(kept.sha256).is_file()]
        if missing:
            raise NotFound(f"The picture {name} has lost the contents of {', '.join(missing[:5])}.")
        for path in self._workspace.list():
            if path not in snapshot.files:
                self._workspace.delete(path)
        for relative, kept in snapshot.files.items():
            if _differs(self._workspace.locate(relative), kept):
                self._workspace.write_bytes(relative, self._content(kept.sha256).read_bytes())

    def _keep(self, path: Path) -> KeptFile:
        status = path.stat()
        sha256 = _digest(path)
        content = self._content(sha256)
        if not content.is_file():
            content.parent.mkdir(parents=True, exist_ok=True)
            beside = content.with_suffix(f".{os.getpid()}")
            shutil.copyfile(path, beside)
            beside.replace(content)
        return KeptFile(sha256=sha256, size=status.st_size, modified_ns=status.st_mtime_ns)

    def _content(self, sha256: str) -> Path:
        return self._contents / sha256[:2] / sha256


def _unchanged(path: Path, kept: KeptFile | None) -> KeptFile | None:
    status = path.stat()
    same = kept is not None and (status.st_size, status.st_mtime_ns) == (kept.size, kept.modified_ns)
    return kept if same else None


def _differs(path: Path, kept: KeptFile | None) -> bool:
    if kept is None or not path.is_file():
        return True
    return _unchanged(path, kept) is None and _digest(path) != kept.sha256


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
