"""Rule-based edits of an existing page: what is asked for is changed, every other byte stays."""

from loopwright.agents.pages.offline.studio.editing.edit import edit_page

__all__ = ["edit_page"]
