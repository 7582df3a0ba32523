"""Tool calls as an editor shows them: kind, title, places, differences."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from acp.helpers import ToolCallContentVariant, text_block, tool_content, tool_diff_content
from acp.schema import ToolCallLocation, ToolKind

from loopwright.agents.ide.editing.patch_format import read_patch
from loopwright.kernel.errors import InvalidInput

KINDS: dict[str, tuple[ToolKind, str]] = {
    "index_find_files": ("search", "Find files"),
    "index_list_files": ("search", "List files"),
    "index_search_text": ("search", "Search"),
    "index_search_symbols": ("search", "Search symbols"),
    "index_search_semantic": ("search", "Search by meaning"),
    "index_read_file": ("read", "Read"),
    "index_list_memories": ("read", "Recall"),
    "index_add_memory": ("other", "Remember"),
    "index_delete_memory": ("other", "Forget"),
    "write_file": ("edit", "Write"),
    "create_file": ("edit", "Create"),
    "replace_in_file": ("edit", "Edit"),
    "rename_symbol": ("edit", "Rename"),
    "apply_patch": ("edit", "Apply a patch"),
    "patchset_list": ("read", "List staged changes"),
    "patchset_apply": ("edit", "Apply staged changes"),
    "patchset_discard": ("other", "Discard staged changes"),
    "checkpoint_list": ("read", "List checkpoints"),
    "checkpoint_restore": ("edit", "Restore a checkpoint"),
    "delete_file": ("delete", "Delete"),
    "run_command": ("execute", "Run"),
    "planner": ("think", "Plan"),
    "conversation_fold": ("think", "Look back"),
}
SUBJECTS = ("path", "command", "query", "pattern", "content", "action", "folder")
LONGEST_TITLE = 120
LONGEST_OUTPUT = 20_000


def kind_of(name: str) -> ToolKind:
    """What an editor's icon for the tool is chosen by."""
    return KINDS.get(name, ("other", name))[0]


def title_of(name: str, arguments: Mapping[str, Any]) -> str:
    """A line that says what the call does."""
    verb = KINDS.get(name, ("other", name))[1]
    subject = next((str(arguments[key]) for key in SUBJECTS if arguments.get(key)), "")
    title = f"{verb} {' '.join(subject.split())}".strip()
    return title if len(title) <= LONGEST_TITLE else title[: LONGEST_TITLE - 1] + "…"


def locations_of(root: Path, arguments: Mapping[str, Any]) -> list[ToolCallLocation]:
    """The place that a call is about, so that an editor can follow."""
    path = arguments.get("path")
    if not isinstance(path, str) or not path:
        return []
    line = arguments.get("start_line")
    return [ToolCallLocation(path=str(root / path), line=line if isinstance(line, int) and line > 0 else None)]


def output_of(text: str) -> list[ToolCallContentVariant]:
    """What a call gave, as text."""
    shown = text if len(text) <= LONGEST_OUTPUT else text[:LONGEST_OUTPUT] + "\n…"
    return [tool_content(text_block(shown))] if shown.strip() else []


def differences_of(root: Path, diff: str) -> list[ToolCallContentVariant]:
    """A diff as changes of files, of each hunk the lines before and after; as text where it cannot be read so."""
    try:
        patches = read_patch(diff) if diff else []
    except InvalidInput:  # it was cut off, or is of a file that is no text
        return output_of(diff)
    return [
        tool_diff_content(
            str(root / (patch.new or patch.old or "")),
            "".join(hunk.new),
            "".join(hunk.old) if patch.old is not None else None,
        )
        for patch in patches
        for hunk in patch.hunks
    ] or output_of(diff)
