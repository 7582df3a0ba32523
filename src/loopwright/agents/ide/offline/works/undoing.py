"""Showing and undoing what runs have changed, by their checkpoints."""

import re
from dataclasses import dataclass

from loopwright.agents.ide.offline.script import Outcome, Work, one
from loopwright.agents.ide.offline.wish import Plan

CHECKPOINT = re.compile(r"^(?P<identity>\S+?)(?P<own> \(this run\))?: (?P<kind>\w+) at .+? UTC(?P<undone>, undone)?: ")
"""A line of `checkpoint_list`."""
LONGEST_DIFF = 6_000


@dataclass(frozen=True)
class Undo:
    """Undo what the last run changed."""

    @property
    def aim(self) -> str:
        """What is to be done."""
        return "undo the last changes"

    @property
    def plan(self) -> Plan:
        """How it is gone about."""
        return Plan(
            research="the checkpoints",
            risk="files that were edited since are not overwritten",
            done_when="the checkpoint has been restored",
        )

    def work(self, offered: frozenset[str]) -> Work:
        """Find the newest checkpoint and restore it."""
        found = yield from one("checkpoint_list")
        listed = _changes(found.text)
        if found.failed or not listed:
            return Outcome("No run has changed anything that could be undone.", (self.aim,))
        identity = listed[0]["identity"]
        if "checkpoint_restore" not in offered:
            return Outcome(f"Nothing was undone: here the project can only be read.\n{found.text}", (self.aim,))
        done = yield from one("checkpoint_restore", checkpoint_id=identity)
        if done.failed:
            told = " ".join(done.text.removeprefix("Error:").split())
            return Outcome(f"It was not undone: {told}", (f"{self.aim}: {done.first_line}",))
        return Outcome(f"Undone what run {identity} had changed. {done.text}")


@dataclass(frozen=True)
class ShowChanges:
    """Tell what runs have changed."""

    @property
    def aim(self) -> str:
        """What is to be done."""
        return "show what was changed"

    @property
    def plan(self) -> Plan:
        """How it is gone about."""
        return Plan(
            research="the checkpoints",
            risk="edits that were made by hand are not in the checkpoints",
            done_when="the checkpoints have been listed",
        )

    def work(self, offered: frozenset[str]) -> Work:
        """List them."""
        found = yield from one("checkpoint_list")
        if found.failed:
            return Outcome(f"The changes could not be listed: {found.first_line}", (self.aim,))
        listed = _changes(found.text)
        if not listed:
            return Outcome("No run has changed anything so far.")
        diff = yield from one("checkpoint_list", checkpoint_id=listed[0]["identity"])
        shown = diff.text if len(diff.text) <= LONGEST_DIFF else f"{diff.text[:LONGEST_DIFF]}\n(and more)"
        return Outcome(f"What runs have changed, the newest first:\n{found.text}\n\nThe newest change:\n{shown}")


def _changes(text: str) -> list[re.Match[str]]:
    """The runs of a list of checkpoints whose changes stand."""
    listed = [match for line in text.splitlines() if (match := CHECKPOINT.match(line))]
    return [match for match in listed if match["kind"] == "run" and not match["own"] and not match["undone"]]
