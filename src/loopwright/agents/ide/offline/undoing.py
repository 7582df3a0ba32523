"""Showing and undoing what runs have changed, by their checkpoints."""

import re
from dataclasses import dataclass

from loopwright.agents.ide.offline.script import Outcome, TaskPlan, Work
from loopwright.kits.dialogue import call, one, text_of_file

# Remembering and forgetting facts of the project, as the user words them.

ENTRY = re.compile(r"^(?P<identity>\S+) \((?P<kind>[^)]*)\) (?P<content>.*)$")
DECISION = re.compile(r"\b(?:we (?:use|chose|decided|prefer|agreed)|decision|decided|instead of)\b", re.IGNORECASE)
CATEGORIES = (
    ("test", re.compile(r"\btest", re.IGNORECASE)),
    ("build", re.compile(r"\b(?:build|compile|deploy|release|install)", re.IGNORECASE)),
    ("architecture", re.compile(r"\b(?:architecture|layer|module|service|database|depends)", re.IGNORECASE)),
    ("security", re.compile(r"\b(?:secur|secret|token|password|permission)", re.IGNORECASE)),
    ("style", re.compile(r"\b(?:style|format|naming|indent|convention)", re.IGNORECASE)),
)
WORD = re.compile(r"\w+")
EMPTY_WORDS = frozenset({"the", "a", "an", "that", "this", "our", "my", "about", "of", "in", "is", "are", "to", "we"})
SHORTEST, LONGEST = 3, 500


@dataclass(frozen=True)
class Remember:
    """Remember a fact or a decision."""

    content: str

    @property
    def aim(self) -> str:
        """What is to be done."""
        return f"remember: {self.content}"

    @property
    def plan(self) -> TaskPlan:
        """How it is gone about."""
        return TaskPlan(
            research="the words of the request",
            risk="it is written only when this message is worked off to its end",
            done_when="the entry is kept for the end of this run",
        )

    def work(self, offered: frozenset[str]) -> Work:
        """Add it."""
        if not SHORTEST <= len(self.content) <= LONGEST:
            return Outcome(f"A memory has {SHORTEST} to {LONGEST} characters.", (self.aim,))
        if "index_add_memory" not in offered:
            return Outcome("Nothing was remembered: here the project can only be read.", (self.aim,))
        tier = "mid_term" if DECISION.search(self.content) else "long_term"
        category = next((name for name, words in CATEGORIES if words.search(self.content)), "general")
        done = yield from one(call("index_add_memory", content=self.content, tier=tier, category=category))
        if done.failed:
            return Outcome(f"It was not remembered: {done.first_line}", (f"{self.aim}: {done.first_line}",))
        return Outcome(f"Remembered for later runs: {self.content}")


@dataclass(frozen=True)
class Forget:
    """Forget an entry, found by its words."""

    words: str

    @property
    def aim(self) -> str:
        """What is to be done."""
        return f"forget: {self.words}"

    @property
    def plan(self) -> TaskPlan:
        """How it is gone about."""
        return TaskPlan(
            research="what is remembered with these words",
            risk="several entries could be meant, and protected ones only the user can delete",
            done_when="the one entry that was meant is deleted",
        )

    def work(self, offered: frozenset[str]) -> Work:
        """Find the one entry that is meant, and delete it."""
        found = yield from one(call("index_list_memories", query=self.words))
        entries = [entry for line in found.text.splitlines() if (entry := ENTRY.match(line))]
        wanted = [word for word in WORD.findall(self.words.lower()) if word not in EMPTY_WORDS]
        entries = [entry for entry in entries if all(word in entry["content"].lower() for word in wanted)]
        if not entries:
            return Outcome(f"Nothing is remembered about {self.words!r}.", (self.aim,))
        if len(entries) > 1:
            shown = "\n".join(f"- {entry['content']}" for entry in entries[:10])
            return Outcome(f"Several entries speak of that; which one is not clear:\n{shown}", (self.aim,))
        if "index_delete_memory" not in offered:
            return Outcome("Nothing was forgotten: here the project can only be read.", (self.aim,))
        identity = entries[0]["identity"]
        done = yield from one(call("index_delete_memory", memory_id=identity, reason="The user asked to forget it."))
        if done.failed:
            hint = " ".join(done.text.removeprefix("Error:").split())
            return Outcome(f"It was not forgotten: {hint}", (f"{self.aim}: {done.first_line}",))
        return Outcome(f"Forgotten: {entries[0]['content']}")


@dataclass(frozen=True)
class Recall:
    """Tell what is remembered."""

    query: str = ""

    @property
    def aim(self) -> str:
        """What is to be done."""
        return "tell what is remembered of this project"

    @property
    def plan(self) -> TaskPlan:
        """How it is gone about."""
        return TaskPlan(
            research="the memories",
            risk="an entry could be older than the code",
            done_when="the memories have been listed",
        )

    def work(self, offered: frozenset[str]) -> Work:
        """List them."""
        found = yield from one(call("index_list_memories", query=self.query))
        if found.failed:
            return Outcome(f"The memories could not be read: {found.first_line}", (self.aim,))
        entries = [entry for line in found.text.splitlines() if (entry := ENTRY.match(line))]
        lines = [f"- {entry['content']} ({entry['kind'].partition(',')[0]})" for entry in entries]
        return Outcome("\n".join(["Remembered:", *lines]) if lines else "Nothing is remembered of this project.")


# What rules cannot do, said plainly.


def capabilities() -> str:
    """What the rules can do, for the user."""
    return text_of_file("loopwright.agents.ide.offline", "capabilities.md")


@dataclass(frozen=True)
class Unable:
    """A part of the request that no rule reads."""

    clause: str

    @property
    def aim(self) -> str:
        """What is to be done."""
        return f"“{self.clause[:200]}”"

    @property
    def plan(self) -> TaskPlan:
        """How it is gone about."""
        return TaskPlan(
            research="the words of the request against what the rules can read",
            risk="a rule that guesses would change what nobody meant, so none does",
            done_when="a language model has done it, which rules cannot",
        )

    def work(self, offered: frozenset[str]) -> Work:
        """Say so."""
        yield from ()
        words = f"{self.aim} needs a language model: the offline model works by rules and has none for it. "
        return Outcome(f"{words}Nothing was done about it.\n\n{capabilities()}", (self.aim,))


@dataclass(frozen=True)
class Introduce:
    """Say what the rules can do."""

    @property
    def aim(self) -> str:
        """What is to be done."""
        return "say what the offline model can do"

    @property
    def plan(self) -> TaskPlan:
        """How it is gone about."""
        return TaskPlan(
            research="the rules themselves",
            risk="the request could have meant more",
            done_when="it has been said",
        )

    def work(self, offered: frozenset[str]) -> Work:
        """Say it."""
        yield from ()
        return Outcome(capabilities())


CHECKPOINT = re.compile(r"^(?P<identity>\S+?)(?P<own> \(this run\))?: (?P<kind>\w+) at .+? UTC(?P<undone>, undone)?: ")
"""A line of `checkpoint_list`."""
LONGEST_DIFF = 6_000


@dataclass(frozen=True)
class UndoLastRun:
    """Undo what the last run changed."""

    @property
    def aim(self) -> str:
        """What is to be done."""
        return "undo the last changes"

    @property
    def plan(self) -> TaskPlan:
        """How it is gone about."""
        return TaskPlan(
            research="the checkpoints",
            risk="files that were edited since are not overwritten",
            done_when="the checkpoint has been restored",
        )

    def work(self, offered: frozenset[str]) -> Work:
        """Find the newest checkpoint and restore it."""
        found = yield from one(call("checkpoint_list"))
        listed = _changes(found.text)
        if found.failed or not listed:
            return Outcome("No run has changed anything that could be undone.", (self.aim,))
        identity = listed[0]["identity"]
        if "checkpoint_restore" not in offered:
            return Outcome(f"Nothing was undone: here the project can only be read.\n{found.text}", (self.aim,))
        done = yield from one(call("checkpoint_restore", checkpoint_id=identity))
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
    def plan(self) -> TaskPlan:
        """How it is gone about."""
        return TaskPlan(
            research="the checkpoints",
            risk="edits that were made by hand are not in the checkpoints",
            done_when="the checkpoints have been listed",
        )

    def work(self, offered: frozenset[str]) -> Work:
        """List them."""
        found = yield from one(call("checkpoint_list"))
        if found.failed:
            return Outcome(f"The changes could not be listed: {found.first_line}", (self.aim,))
        listed = _changes(found.text)
        if not listed:
            return Outcome("No run has changed anything so far.")
        diff = yield from one(call("checkpoint_show", checkpoint_id=listed[0]["identity"]))
        shown = diff.text if len(diff.text) <= LONGEST_DIFF else f"{diff.text[:LONGEST_DIFF]}\n(and more)"
        return Outcome(f"What runs have changed, the newest first:\n{found.text}\n\nThe newest change:\n{shown}")


def _changes(text: str) -> list[re.Match[str]]:
    """The runs of a list of checkpoints whose changes stand."""
    listed = [match for line in text.splitlines() if (match := CHECKPOINT.match(line))]
    return [match for match in listed if match["kind"] == "run" and not match["own"] and not match["undone"]]
