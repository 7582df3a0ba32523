"""Showing and undoing what runs have changed, by their checkpoints."""

import re
from dataclasses import dataclass

from loopwright.agents.ide.offline.script import Outcome, Work, one

IDENTITY = re.compile(r"^(?:[-*]\s*|\d+[.)]\s*)?(?P<identity>[\w-]{6,80})\b")


@dataclass(frozen=True)
class Undo:
    """Undo what the last run changed."""

    @property
    def aim(self) -> str:
        """What is to be done."""
        return "undo the last changes"

    @property
    def research(self) -> str:
        """What is looked at."""
        return "the checkpoints"

    @property
    def risk(self) -> str:
        """What could go wrong."""
        return "files that were edited since are not overwritten"

    @property
    def done_when(self) -> str:
        """What proves it."""
        return "the checkpoint has been restored"

    def work(self, offered: frozenset[str]) -> Work:
        """Find the newest checkpoint and restore it."""
        found = yield from one("checkpoint_list")
        identity = next((m["identity"] for line in found.text.splitlines() if (m := IDENTITY.match(line))), None)
        if found.failed or identity is None:
            return Outcome(f"There is nothing to undo: {found.first_line}", (self.aim,))
        if "checkpoint_restore" not in offered:
            return Outcome(f"Nothing was undone: here the project can only be read.\n{found.text}", (self.aim,))
        done = yield from one("checkpoint_restore", checkpoint_id=identity)
        if done.failed:
            told = " ".join(done.text.removeprefix("Error:").split())
            return Outcome(f"It was not undone: {told}", (f"{self.aim}: {done.first_line}",))
        return Outcome(f"Undone. {done.text}")


@dataclass(frozen=True)
class ShowChanges:
    """Tell what runs have changed."""

    @property
    def aim(self) -> str:
        """What is to be done."""
        return "show what was changed"

    @property
    def research(self) -> str:
        """What is looked at."""
        return "the checkpoints"

    @property
    def risk(self) -> str:
        """What could go wrong."""
        return "edits that were made by hand are not in the checkpoints"

    @property
    def done_when(self) -> str:
        """What proves it."""
        return "the checkpoints have been listed"

    def work(self, offered: frozenset[str]) -> Work:
        """List them."""
        found = yield from one("checkpoint_list")
        if found.failed:
            return Outcome(f"The changes could not be listed: {found.first_line}", (self.aim,))
        return Outcome(f"What runs have changed, the newest first:\n{found.text}")
