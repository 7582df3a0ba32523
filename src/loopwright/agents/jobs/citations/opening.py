"""Opening what is cited: the file as it lies in the workspace now, its hash, and the document that is read in it."""

import asyncio
import hashlib
from dataclasses import dataclass

from loopwright.agents.jobs.documents import Document, read_document
from loopwright.kernel.workspace import Workspace


@dataclass(frozen=True)
class Opened:
    """A file that can be cited; `path` is the workspace's name of it."""

    path: str
    sha256: str
    document: Document


async def open_document(workspace: Workspace, path: str) -> Opened:
    """Read a document of the workspace.

    Raises:
        NotFound: there is no such file.
        InvalidInput: the path leads out, or the file is not a document that can be read.
    """
    return await asyncio.to_thread(_open, workspace, path)


def _open(workspace: Workspace, path: str) -> Opened:
    name = workspace.relative(workspace.locate(path))
    data = workspace.read_bytes(name)
    return Opened(name, hashlib.sha256(data).hexdigest(), read_document(name, data))
