"""Small edits that the user has written out: one text for another, a file with a given content, a file away."""

from dataclasses import dataclass

from loopwright.agents.ide.offline.layout import hits
from loopwright.agents.ide.offline.script import Outcome, Work, one
from loopwright.agents.ide.offline.wish import Plan


@dataclass(frozen=True)
class ReplaceText:
    """Put one text in the place of another in a file, everywhere."""

    path: str
    old: str
    new: str

    @property
    def aim(self) -> str:
        """What is to be done."""
        return f"replace {self.old!r} by {self.new!r} in {self.path}"

    @property
    def plan(self) -> Plan:
        """How it is gone about."""
        return Plan(
            research=f"whether {self.path} holds {self.old!r}",
            risk="the text could stand in places that were not meant",
            done_when=f"{self.path} has been written and says how often",
        )

    def work(self, offered: frozenset[str]) -> Work:
        """Look whether it is there to the letter, then replace."""
        line = self.old.strip().splitlines()[0] if self.old.strip() else self.old
        found = yield from one("index_search_text", query=line, glob=self.path, case=True, limit=100)
        if not any(hit.path == self.path for hit in hits(found)):
            return Outcome(f"{self.path} does not hold {self.old!r}; nothing was changed.", (self.aim,))
        if "replace_in_file" not in offered:
            return Outcome(f"{self.path} holds it; nothing was changed: here it can only be read.", (self.aim,))
        done = yield from one("replace_in_file", path=self.path, search=self.old, replace=self.new, all=True)
        if done.failed:
            return Outcome(f"{self.path} was not changed: {done.first_line}", (f"{self.aim}: {done.first_line}",))
        return Outcome(f"Replaced {self.old!r} by {self.new!r} in {self.path}. {' '.join(done.text.split())}")


@dataclass(frozen=True)
class MakeFile:
    """Create a file with a content that the user has given."""

    path: str
    content: str

    @property
    def aim(self) -> str:
        """What is to be done."""
        return f"create {self.path}"

    @property
    def plan(self) -> Plan:
        """How it is gone about."""
        return Plan(
            research=f"whether {self.path} is there already",
            risk="a file with that name could be there already, and is not overwritten then",
            done_when=f"{self.path} has been written",
        )

    def work(self, offered: frozenset[str]) -> Work:
        """Create it."""
        if "create_file" not in offered:
            return Outcome(f"{self.path} was not created: here the project can only be read.", (self.aim,))
        done = yield from one("create_file", path=self.path, content=self.content)
        if done.failed:
            return Outcome(f"{self.path} was not created: {done.first_line}", (f"{self.aim}: {done.first_line}",))
        return Outcome(f"Created {self.path} with {len(self.content.splitlines())} lines.")


@dataclass(frozen=True)
class RemoveFile:
    """Delete a file that the user has named."""

    path: str

    @property
    def aim(self) -> str:
        """What is to be done."""
        return f"delete {self.path}"

    @property
    def plan(self) -> Plan:
        """How it is gone about."""
        return Plan(
            research=f"whether {self.path} is there",
            risk="other files could need it; the deletion can be undone",
            done_when=f"{self.path} is gone",
        )

    def work(self, offered: frozenset[str]) -> Work:
        """Delete it."""
        if "delete_file" not in offered:
            return Outcome(f"{self.path} was not deleted: here the project can only be read.", (self.aim,))
        done = yield from one("delete_file", path=self.path)
        if done.failed:
            return Outcome(f"{self.path} was not deleted: {done.first_line}", (f"{self.aim}: {done.first_line}",))
        return Outcome(f"Deleted {self.path}.")
