"""Tool calls as an editor shows them: kind, title, places, differences."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from acp.helpers import ToolCallContentVariant, text_block, tool_content, tool_diff_content
from acp.schema import ToolCallLocation, ToolKind

KINDS: dict[str, tuple[ToolKind, str]] = {
    "index_find_files": ("search", "Find files"),
    "index_list_files": ("search", "List files"),
    "index_search_text": ("search", "Search"),
    "index_search_symbols": ("search", "Search symbols"),
    "index_read_file": ("read", "Read"),
    "index_list_memories": ("read", "Recall"),
    "index_add_memory": ("other", "Remember"),
    "index_delete_memory": ("other", "Forget"),
    "write_file": ("edit", "Write"),
    "create_file": ("edit", "Create"),
    "replace_in_file": ("edit", "Edit"),
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
FILE_HEADER = re.compile(r"^(?:--- (?:a/)?(?P<old>[^\t\n]+)|\+\+\+ (?:b/)?(?P<new>[^\t\n]+))", re.MULTILINE)
NO_FILE = "/dev/null"


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
    """A unified diff as changes of files: of each hunk the lines before and after."""
    return [
        tool_diff_content(str(root / path), after, before if before or not new else None)
        for path, before, after, new in _hunks(diff)
    ]


def _hunks(diff: str) -> list[tuple[str, str, str, bool]]:
    """Path, old lines, new lines, and whether the file is new; one for each hunk."""
    found: list[tuple[str, str, str, bool]] = []
    old = new = ""
    before: list[str] = []
    after: list[str] = []

    def close() -> None:
        if before or after:
            path = new if new != NO_FILE else old
            found.append((path, "".join(before), "".join(after), old == NO_FILE))
        before.clear()
        after.clear()

    left = right = 0
    for line in diff.splitlines(keepends=True):
        if left > 0 or right > 0:
            sign, rest = line[:1], line[1:]
            if sign in " -":
                before.append(rest)
                left -= 1
            if sign in " +":
                after.append(rest)
                right -= 1
            continue
        close()
        header = FILE_HEADER.match(line)
        if header is not None:
            old, new = (header["old"], new) if header["old"] else (old, header["new"])
        elif line.startswith("@@"):
            left, right = _lengths(line)
    close()
    return found


def _lengths(header: str) -> tuple[int, int]:
    match = re.match(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@", header)
    return (int(match[1] or 1), int(match[2] or 1)) if match else (0, 0)
