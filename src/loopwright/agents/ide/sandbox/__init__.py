"""Running commands of a model's: on a layer of the project, confined, limited in time, memory, disk and processes."""

from loopwright.agents.ide.sandbox.confined import run_confined, run_unconfined
from loopwright.agents.ide.sandbox.isolation import can_confine, isolation
from loopwright.agents.ide.sandbox.layers import Entry, Layer, Survey, new_layer, survey
from loopwright.agents.ide.sandbox.running import CommandOutcome

__all__ = [
    "CommandOutcome", "Entry", "Layer", "Survey", "can_confine", "isolation", "new_layer", "run_confined",
    "run_unconfined", "survey",
]  # fmt: skip
