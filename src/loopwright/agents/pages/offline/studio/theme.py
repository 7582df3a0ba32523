"""What a text says about the look; the reading itself belongs to the brief's."""

from loopwright.agents.pages.brief.features import colors_in, read_theme

__all__ = ["colors_in", "read_theme"]
