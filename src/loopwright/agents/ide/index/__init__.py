"""The index of a project: symbols, full text, a map; brought up to date by what has changed."""

from loopwright.agents.ide.index.codebase_index import CodebaseIndex
from loopwright.agents.ide.index.parsing import Reference

__all__ = ["CodebaseIndex", "Reference"]
