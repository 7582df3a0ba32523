"""What assistive technologies get to know of a page: roles, names, languages, and what is left out."""

from loopwright.agents.pages.compliance.accessibility.tree import AccessibilityTree

__all__ = ["AccessibilityTree"]
