"""Local memory: what is worth knowing about a project beyond one run (spec 002, 8)."""

from loopwright.agents.ide.memory.local_memory import LocalMemory
from loopwright.agents.ide.memory.protection import protection_of

__all__ = ["LocalMemory", "protection_of"]
