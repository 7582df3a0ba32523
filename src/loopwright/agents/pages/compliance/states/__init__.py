"""The states that a page can reach by its own scripts and by taps, each as a change of its document."""

from loopwright.agents.pages.compliance.states.state import MAXIMUM_ELEMENTS, State, states_of

__all__ = ["MAXIMUM_ELEMENTS", "State", "states_of"]
