"""The tools of the ide agent: one file each, beside it the text for the model."""

from loopwright.agents.ide.index.semantic import semantic_is_installed
from loopwright.agents.ide.tools.apply_patch import ApplyPatch
from loopwright.agents.ide.tools.checkpoint_list import CheckpointList
from loopwright.agents.ide.tools.checkpoint_restore import CheckpointRestore
from loopwright.agents.ide.tools.conversation_fold import ConversationFold
from loopwright.agents.ide.tools.create_file import CreateFile
from loopwright.agents.ide.tools.delete_file import DeleteFile
from loopwright.agents.ide.tools.index_add_memory import IndexAddMemory
from loopwright.agents.ide.tools.index_delete_memory import IndexDeleteMemory
from loopwright.agents.ide.tools.index_find_files import IndexFindFiles
from loopwright.agents.ide.tools.index_list_files import IndexListFiles
from loopwright.agents.ide.tools.index_list_memories import IndexListMemories
from loopwright.agents.ide.tools.index_read_file import IndexReadFile
from loopwright.agents.ide.tools.index_search_semantic import IndexSearchSemantic
from loopwright.agents.ide.tools.index_search_symbols import IndexSearchSymbols
from loopwright.agents.ide.tools.index_search_text import IndexSearchText
from loopwright.agents.ide.tools.patchset_apply import PatchsetApply
from loopwright.agents.ide.tools.patchset_discard import PatchsetDiscard
from loopwright.agents.ide.tools.patchset_list import PatchsetList
from loopwright.agents.ide.tools.planner import Planner
from loopwright.agents.ide.tools.rename_symbol import RenameSymbol
from loopwright.agents.ide.tools.replace_in_file import ReplaceInFile
from loopwright.agents.ide.tools.run_command import RunCommand
from loopwright.agents.ide.tools.tool import IdeTool
from loopwright.agents.ide.tools.write_file import WriteFile
from loopwright.kernel.registry import AnyTool

ALL_TOOLS: tuple[AnyTool, ...] = (
    IndexFindFiles(),
    IndexListFiles(),
    IndexSearchText(),
    IndexReadFile(),
    IndexSearchSymbols(),
    *((IndexSearchSemantic(),) if semantic_is_installed() else ()),
    IndexListMemories(),
    IndexAddMemory(),
    IndexDeleteMemory(),
    WriteFile(),
    CreateFile(),
    DeleteFile(),
    ReplaceInFile(),
    RenameSymbol(),
    ApplyPatch(),
    PatchsetList(),
    PatchsetApply(),
    PatchsetDiscard(),
    CheckpointList(),
    CheckpointRestore(),
    RunCommand(),
    Planner(),
    ConversationFold(),
)
READERS = frozenset(
    tool.name
    for tool in ALL_TOOLS
    if isinstance(tool, IdeTool) and tool.category == "read" and tool.name.startswith("index_")
)
"""Tools of chat mode and of QA: they read and search, and change nothing."""
NEEDS_PERMISSION = frozenset(tool.name for tool in ALL_TOOLS if isinstance(tool, IdeTool) and tool.category != "read")

__all__ = ["ALL_TOOLS", "NEEDS_PERMISSION", "READERS", "IdeTool"]
