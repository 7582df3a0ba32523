"""What users may ask for, one kind a file: each reads a clause into an intent, which plans itself into a draft."""

from enum import IntEnum
from typing import Protocol

from loopwright.agents.designspec.offline.draft import Draft

# What every intent can do, and the order in which intents of one message are planned.


class Phase(IntEnum):
    """Intents are planned in this order whatever the message's: ports need their body, a network its ports."""

    REPAIRING = 0
    BODY = 1
    RESIZING = 2
    PORTS = 3
    VOID = 4
    SETTING = 5
    RUN = 6
    ASKING = 7


class Intent(Protocol):
    """One thing that the user wants."""

    @property
    def phase(self) -> Phase:
        """When it is planned."""
        ...

    def plan(self, draft: Draft) -> None:
        """Add to the draft what fulfils it: operations, words, a question, or why it cannot be done."""
        ...
