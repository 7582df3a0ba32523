"""Projects for the tests of the index."""

from collections.abc import Mapping
from pathlib import Path

from loopwright.agents.ide.index import CodebaseIndex
from loopwright.agents.ide.project_files import ProjectFiles
from tests.agents.ide.acting import project_at


def lay_out(root: Path, contents: Mapping[str, str | bytes]) -> None:
    """Write files, with the folders on their way."""
    for path, content in contents.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())


def index_of(root: Path, contents: Mapping[str, str | bytes] | None = None) -> CodebaseIndex:
    """The index of a folder, up to date with these files and those that lie there."""
    lay_out(root, contents or {})
    index = CodebaseIndex(ProjectFiles(root), project_at(root).state_folder)
    index.refresh()
    return index
