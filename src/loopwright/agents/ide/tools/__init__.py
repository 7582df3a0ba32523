"""The tools of the ide agent: one file each, beside it the text for the model."""

from loopwright.agents.ide.index.semantic import semantic_is_installed
from loopwright.agents.ide.tools.index import (
    IndexFindFiles,
    IndexFindUses,
    IndexListFiles,
    IndexReadFile,
    IndexReadLines,
    IndexSearchRegex,
    IndexSearchSemantic,
    IndexSearchSymbols,
    IndexSearchText,
)
from loopwright.agents.ide.tools.kept import (
    CheckpointList,
    CheckpointRestore,
    CheckpointShow,
    ConversationFold,
    IndexAddMemory,
    IndexDeleteMemory,
    IndexListMemories,
    Planner,
)
from loopwright.agents.ide.tools.patches import (
    ApplyPatch,
    PatchsetApply,
    PatchsetDiscard,
    PatchsetList,
    PatchsetPropose,
    PatchsetShow,
    RenameSymbol,
    RenameSymbolEverywhere,
    RenameSymbolIn,
)
from loopwright.agents.ide.tools.run_command import RunCommand, RunCommandUnsandboxed, RunCommandWithNetwork
from loopwright.agents.ide.tools.tool import IdeTool
from loopwright.agents.ide.tools.writing import (
    AppendToFile,
    CreateFile,
    DeleteFile,
    ReplaceAllInFile,
    ReplaceInFile,
    WriteCode,
    WriteFile,
)
from loopwright.kernel.tools import AnyTool

ALL_TOOLS: tuple[AnyTool, ...] = (
    IndexFindFiles(),
    IndexListFiles(),
    IndexSearchText(),
    IndexSearchRegex(),
    IndexReadFile(),
    IndexReadLines(),
    IndexSearchSymbols(),
    IndexFindUses(),
    *((IndexSearchSemantic(),) if semantic_is_installed() else ()),
    IndexListMemories(),
    IndexAddMemory(),
    IndexDeleteMemory(),
    WriteFile(),
    CreateFile(),
    AppendToFile(),
    WriteCode(),
    DeleteFile(),
    ReplaceInFile(),
    ReplaceAllInFile(),
    RenameSymbol(),
    RenameSymbolIn(),
    RenameSymbolEverywhere(),
    ApplyPatch(),
    PatchsetPropose(),
    PatchsetList(),
    PatchsetShow(),
    PatchsetApply(),
    PatchsetDiscard(),
    CheckpointList(),
    CheckpointShow(),
    CheckpointRestore(),
    RunCommand(),
    RunCommandWithNetwork(),
    RunCommandUnsandboxed(),
    Planner(),
    ConversationFold(),
)
READERS = frozenset(
    tool.name
    for tool in ALL_TOOLS
    if isinstance(tool, IdeTool) and tool.category == "read" and tool.name.startswith("index_")
)
"""Tools of chat mode and of QA: they read and search, and change nothing."""
FIRST_FOR_SMALL = frozenset(
    {
        "index_search_text", "index_read_file", "replace_in_file", "append_to_file", "write_code", "delete_file",
        "rename_symbol", "run_command",
    }
)  # fmt: skip
"""What a small model is offered first; it asks for the others. Asked for a whole file, it leaves out what was there."""
FIRST = (FIRST_FOR_SMALL - {"append_to_file", "write_code"}) | {
    "index_list_files", "index_find_files", "index_read_lines", "index_search_symbols", "index_find_uses", "write_file",
    "replace_all_in_file", "apply_patch", "planner",
}  # fmt: skip
"""What any other model is offered first."""
NEEDS_PERMISSION = frozenset(tool.name for tool in ALL_TOOLS if isinstance(tool, IdeTool) and tool.category != "read")

__all__ = ["ALL_TOOLS", "FIRST", "FIRST_FOR_SMALL", "NEEDS_PERMISSION", "READERS", "IdeTool"]
