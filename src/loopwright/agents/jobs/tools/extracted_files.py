"""What the document tools share: opening a document, and the names of what they write about it."""

import asyncio
from pathlib import PurePosixPath

from loopwright.agents.jobs.citations.opening import open_document
from loopwright.agents.jobs.documents import Document
from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.taint import remember
from loopwright.agents.jobs.tools.file_guards import workspace_in
from loopwright.kernel.tools import ToolContext
from loopwright.kernel.workspace import Workspace

FOLDER = "extracted"


async def opened(ctx: ToolContext[JobServices], path: str) -> tuple[Workspace, str, Document]:
    """The job's workspace, the document's name in it, and the document.

    Its text is filed under its own name: what is read in the files made of it is the document's, and may be cited so.

    Raises:
        NotFound: there is no such file.
        InvalidInput: the path leads out, or the file is no document that can be read.
    """
    workspace = workspace_in(ctx)
    found = await open_document(workspace, path)
    whole = "\n".join(page.text for page in found.document.pages)
    await asyncio.to_thread(remember, workspace, found.path, whole)
    return workspace, found.path, found.document


async def write_extracted(workspace: Workspace, document: str, ending: str, text: str) -> str:
    """Write what was made of a document, and answer the file's name: `extracted/{stem}_{ending}`.

    Where two documents share their stem (`a.pdf`, `a.docx`) their suffixes come in, so that neither overwrites the
    other's file.
    """
    return await asyncio.to_thread(_write, workspace, document, ending, text)


def _write(workspace: Workspace, document: str, ending: str, text: str) -> str:
    own = PurePosixPath(document)
    folder = "" if own.parent == PurePosixPath() else own.parent.as_posix()
    others = {PurePosixPath(path) for path in workspace.list(folder)} - {own}
    shared = any(other.stem == own.stem and other.parent == own.parent for other in others)
    stem = f"{own.stem}_{own.suffix.lstrip('.')}" if shared else own.stem
    name = f"{FOLDER}/{stem}_{ending}"
    workspace.write_text(name, text)
    return name
