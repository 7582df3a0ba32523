"""What tools may write and delete: not the program's own record, the user's words, or the evidence."""

from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.workspace.paths import parts_of

MEMORY_FILES = frozenset({"workspace.md", "main_plan.md", "instructions.md", "todos.yaml"})
"""Files of the agent's own words, which prompts show: they are no data, and nothing may enter them unseen."""
ARCHIVE = "archive"

PROTECTED_FOLDERS = {
    ARCHIVE: "is the record of earlier phases",
    "documents": "holds the user's documents, which citations rest on",
    "extracted": "is written by extract_document_text and its kin, and citations rest on it",
    "sources": "is written by web_search and cite_web, and citations rest on it",
}
PROTECTED_FILES = {
    "instructions.md": "has the user's instructions",
    "output/job_completion.json": "is written by job_complete",
}
KEPT_FILES = frozenset({"workspace.md", "main_plan.md"})
PLANNING_FILES = frozenset({"main_plan.md", "todos.yaml"})
"""Strategic phases alone write these (spec 003: tactical phases do not modify the plan)."""

ELSEWHERE = "Write your own results into output/, or into a folder of another name."


def plain_path(path: str) -> str:
    """The path as the rules compare it: without `./` and doubled slashes, and without case, which some disks ignore.

    Raises:
        InvalidInput: it is no path inside the workspace.
    """
    return "/".join(parts_of(path)).casefold()


def is_memory(path: str) -> bool:
    """Whether a file holds the agent's own words and record, and is no material that somebody else wrote."""
    plain = plain_path(path)
    return plain in MEMORY_FILES or plain.startswith(f"{ARCHIVE}/")


def refuse_write(path: str, *, tactical: bool) -> None:
    """Refuse to write a protected file.

    Args:
        path: as the tool was given it.
        tactical: whether the phase is a tactical one.

    Raises:
        InvalidInput: naming the reason and the way that is open.
    """
    plain = plain_path(path)
    folder = plain.partition("/")[0]
    if folder in PROTECTED_FOLDERS and plain != folder:
        raise InvalidInput(f"{path!r} cannot be written: {folder}/ {PROTECTED_FOLDERS[folder]}.", hint=ELSEWHERE)
    if plain in PROTECTED_FILES:
        raise InvalidInput(f"{path!r} cannot be written: it {PROTECTED_FILES[plain]}.", hint=ELSEWHERE)
    if tactical and plain in PLANNING_FILES:
        raise InvalidInput(
            f"{path!r} cannot be written in a tactical phase: strategic phases plan.",
            hint="Put what the next strategic phase should know into workspace.md, or into the notes of todo_complete.",
        )


def refuse_delete(path: str, *, tactical: bool) -> None:
    """Refuse to delete what may not be written, and the memory files; raises as `refuse_write` does."""
    refuse_write(path, tactical=tactical)
    if plain_path(path) in KEPT_FILES:
        raise InvalidInput(f"{path!r} cannot be deleted: it is the job's memory.", hint="Write it anew instead.")
