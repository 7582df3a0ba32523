"""Loopwright runs LLM agents that people can leave alone.

These names are the public API; everything else is private and may change. Each is imported when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from loopwright.api.agents import Agent, Budget, Prompt, Stage
    from loopwright.api.results import Done, Event, Failed, Waiting
    from loopwright.api.running import resume, run
    from loopwright.api.tools import Context, ToolError, mcp, tool
    from loopwright.kernel.errors import LoopwrightError

__version__ = "0.1.0"

__all__ = [
    "Agent",
    "Budget",
    "Context",
    "Done",
    "Event",
    "Failed",
    "LoopwrightError",
    "Prompt",
    "Stage",
    "ToolError",
    "Waiting",
    "mcp",
    "resume",
    "run",
    "tool",
]

_MODULES = {
    "loopwright.api.agents": ("Agent", "Budget", "Prompt", "Stage"),
    "loopwright.api.results": ("Done", "Event", "Failed", "Waiting"),
    "loopwright.api.running": ("resume", "run"),
    "loopwright.api.tools": ("Context", "ToolError", "mcp", "tool"),
    "loopwright.kernel.errors": ("LoopwrightError",),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """The public name, from the module that has it (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module 'loopwright' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
