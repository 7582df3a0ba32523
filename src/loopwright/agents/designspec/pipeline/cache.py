"""Results kept between runs, one file for each, under the hash of what it was made from."""

import hashlib
import os
from pathlib import Path

from loopwright.kernel.whole_files import write_whole

FOLDER = "cache"
MARK = b"loopwright-result-1\n"
SUFFIX = ".result"


class ResultCache:
    """The results of a project, at most `limit_bytes` of them; the longest unused go first.

    Every entry carries its checksum: one that was cut short or altered counts as absent. Entries that this object has
    read or written stay while it lives, so that a run never loses what it builds on.
    """

    def __init__(self, project_dir: Path, limit_bytes: int) -> None:
        """Keep results under `project_dir/cache`; a limit of zero keeps none."""
        self.folder = project_dir / FOLDER
        self.limit_bytes = limit_bytes
        self._in_use: set[str] = set()

    def has(self, key: str) -> bool:
        """Whether there is a whole entry of this key."""
        return (key in self._in_use and self._path(key).is_file()) or self.get(key) is not None

    def holds(self, key: str) -> bool:
        """Whether there is an entry of this key, whole or not: for estimates, which read nothing."""
        return self._path(key).is_file()

    def get(self, key: str) -> bytes | None:
        """The content of this key, or None when there is none that is whole; a broken entry is removed."""
        path = self._path(key)
        try:
            entry = path.read_bytes()
        except FileNotFoundError:
            return None
        content = entry[len(MARK) + 32 :]
        if entry[: len(MARK)] != MARK or hashlib.sha256(content).digest() != entry[len(MARK) : len(MARK) + 32]:
            path.unlink(missing_ok=True)
            return None
        # What is used last is evicted last.
        os.utime(path)
        self._in_use.add(key)
        return content

    def put(self, key: str, content: bytes) -> None:
        """Keep the content, and make room for it."""
        if len(content) > self.limit_bytes:
            return
        self._in_use.add(key)
        write_whole(self._path(key), MARK + hashlib.sha256(content).digest() + content)
        self._evict()

    def _evict(self) -> None:
        entries = sorted(
            (entry.stat().st_mtime_ns, entry.stat().st_size, entry) for entry in self.folder.glob("*" + SUFFIX)
        )
        total = sum(size for _, size, _ in entries)
        for _, size, path in entries:
            if total <= self.limit_bytes:
                return
            if path.name.removesuffix(SUFFIX) not in self._in_use:
                path.unlink(missing_ok=True)
                total -= size

    def _path(self, key: str) -> Path:
        return self.folder / (key + SUFFIX)
