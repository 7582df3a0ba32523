"""Running commands of a model's: confined by bubblewrap, limited in time, output and processes."""

from loopwright.agents.ide.sandbox.bubblewrap import bubblewrap, can_confine
from loopwright.agents.ide.sandbox.running import CommandOutcome, run_command

__all__ = ["CommandOutcome", "bubblewrap", "can_confine", "run_command"]
