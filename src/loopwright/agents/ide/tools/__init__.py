"""The tools of the ide agent: one file each, beside it the text for the model."""

from loopwright.agents.ide.tools.tool import IdeTool
from loopwright.kernel.registry import AnyTool

ALL_TOOLS: tuple[AnyTool, ...] = ()
READERS = frozenset(tool.name for tool in ALL_TOOLS if isinstance(tool, IdeTool) and tool.category == "read")
"""Tools of chat mode and of QA: they read and search, and change nothing."""
NEEDS_PERMISSION = frozenset(tool.name for tool in ALL_TOOLS if isinstance(tool, IdeTool) and tool.category != "read")

__all__ = ["ALL_TOOLS", "NEEDS_PERMISSION", "READERS", "IdeTool"]
