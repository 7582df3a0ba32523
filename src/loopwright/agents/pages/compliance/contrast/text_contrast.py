"""What was measured of one text."""

from dataclasses import dataclass

from loopwright.agents.pages.compliance.cascade.colours import Colour


@dataclass(frozen=True, slots=True)
class TextContrast:
    """How a text stands out from its ground, as ratios from 1 to 21."""

    text: Colour
    ground: Colour
    """The ground where the text stands out most."""
    highest: float
    """The most that any part of the ground gives."""
    certain: float
    """The most that a part gives on which the text certainly stands; below `highest` only on gradients."""
