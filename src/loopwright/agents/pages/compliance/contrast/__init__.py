"""How well text stands out from what it is written on (WCAG 2.2, 1.4.3 and 1.4.6), worked out from the CSS."""

from loopwright.agents.pages.compliance.contrast.layers import written_texts
from loopwright.agents.pages.compliance.contrast.measure import ContrastMeter, TextContrast

__all__ = ["ContrastMeter", "TextContrast", "written_texts"]
