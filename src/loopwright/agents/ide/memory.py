"""Local memory: what is worth knowing about a project beyond one run (spec 002, 8)."""

import asyncio
import hashlib
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError

from loopwright.agents.ide.contracts import DeliveryState, Memory, MemoryClass, Tier
from loopwright.agents.ide.protected import make_state_folder
from loopwright.kernel.errors import Conflict, InvalidInput, Misconfigured, NotFound
from loopwright.kernel.files import exclusive_lock

# How hard an entry is to change or to delete (field notes, 002).

BASE: dict[Tier, int] = {"short_term": 10, "mid_term": 40, "long_term": 80}
MOST_FOR_AGE = 20
PER_DAY = 0.5
WEIGHTY = frozenset({"architecture", "security"})
FOR_WEIGHT = 15
CONFIRM, APPROVE = 50, 80
"""From the first on a change must be confirmed, from the second on the user must approve it explicitly."""


def protection_of(tier: Tier, category: str, age_days: float) -> int:
    """0 to 100: by tier, by age, and more for what is architecture or security."""
    age = min(MOST_FOR_AGE, max(0.0, age_days) * PER_DAY)
    return min(100, int(BASE[tier] + age + (FOR_WEIGHT if category in WEIGHTY else 0)))


def protection_now(memory: Memory, now: datetime) -> int:
    """The entry's protection at a moment: it grows with age."""
    return protection_of(memory.tier, memory.category, (now - memory.created_at).total_seconds() / 86_400)


FILE = "memory.db"
MOST: dict[Tier, int] = {"short_term": 50, "mid_term": 200, "long_term": 200}
"""Entries of each tier that are kept. Old outcomes are dropped for newer ones; the user alone removes others."""
LONGEST_OUTCOME = 500
CLASS_OF: dict[Tier, MemoryClass] = {"short_term": "outcome", "mid_term": "decision", "long_term": "fact"}
CHARACTERS_PER_TOKEN = 3
WORD = re.compile(r"\w{3,}")
COLUMNS = "memory_id, tier, content_class, category, content, created_at"
SCHEMA = """
CREATE TABLE IF NOT EXISTS memories (
    memory_id TEXT PRIMARY KEY, tier TEXT NOT NULL, content_class TEXT NOT NULL, category TEXT NOT NULL,
    content TEXT NOT NULL, created_at TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS buffered (
    run_id TEXT NOT NULL, memory_id TEXT NOT NULL, tier TEXT NOT NULL, category TEXT NOT NULL, content TEXT NOT NULL,
    PRIMARY KEY (run_id, memory_id)
);
"""


class LocalMemory:
    """What is remembered of a project; the calls block on the disk, except for `settle`."""

    def __init__(self, state_folder: Path) -> None:
        """Keep the folder; the file is made when something is written."""
        self._file = state_folder / FILE

    def list(self, query: str = "", tier: Tier | None = None, limit: int = 100) -> Sequence[Memory]:
        """Entries, newest first; with a query those that share a word with it, the closest first."""
        entries = [entry for entry in self._all() if tier is None or entry.tier == tier]
        if query.strip():
            wanted = _words(query)
            scored = [(len(wanted & _words(f"{entry.category} {entry.content}")), entry) for entry in entries]
            entries = [entry for score, entry in sorted(scored, key=lambda pair: -pair[0]) if score]
        return entries[:limit]

    def relevant(self, request: str, token_budget: int) -> Sequence[Memory]:
        """What belongs into a prompt: what the request speaks of, then facts and decisions, within the budget."""
        entries = [*self.list(request), *self.list(tier="long_term"), *self.list(tier="mid_term")]
        left, chosen = token_budget * CHARACTERS_PER_TOKEN, dict[str, Memory]()
        for entry in entries:
            if entry.memory_id not in chosen and len(entry.content) + 20 <= left:
                chosen[entry.memory_id] = entry
                left -= len(entry.content) + 20
        return list(chosen.values())

    def add(self, content: str, *, tier: Tier = "long_term", category: str = "general") -> Memory:
        """Write an entry at once; the same content in the same tier is one entry.

        Raises:
            InvalidInput: the content or the category is too long, or there is none.
            Conflict: the tier is full of what only its user deletes.
        """
        memory = _entry(content, tier, category)
        with self._opened() as connection:
            if not _write(connection, memory):
                raise Conflict(
                    f"{MOST[tier]} {tier} memories are kept, and there are as many.",
                    hint="Delete what is not true any more.",
                )
        return memory

    def add_buffered(self, run_id: str, content: str, *, tier: Tier, category: str) -> None:
        """Remember this if the run delivers; the same content is kept once. Raises InvalidInput as `add`."""
        memory = _entry(content, tier, category)
        with self._opened() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO buffered VALUES (?, ?, ?, ?, ?)",
                (run_id, memory.memory_id, tier, category, memory.content),
            )

    async def settle(self, run_id: str, delivery: DeliveryState | None, outcome: str = "") -> int:
        """Write what a run has buffered if it has delivered, else drop it; gives how many entries were written.

        Args:
            run_id: whose buffer.
            delivery: the run's delivery state; None is for runs without a check (chat).
            outcome: a line on what the run did, remembered for a while when it delivered.
        """
        return await asyncio.to_thread(self._settle, run_id, delivery, outcome)

    def delete(self, memory_id: str, *, confirmed: bool = False, approved: bool = False) -> Memory:
        """Delete an entry.

        Args:
            memory_id: which.
            confirmed: whoever deletes it knows that it is protected (50 and more).
            approved: the user has said so explicitly (80 and more).

        Raises:
            NotFound: there is none.
            Conflict: its protection asks for more.
        """
        entry = next((each for each in self._all() if each.memory_id == memory_id), None)
        if entry is None:
            raise NotFound(f"There is no memory {memory_id!r}.", hint="List the memories to see their ids.")
        if entry.protection >= APPROVE and not approved:
            raise Conflict(
                f"Memory {memory_id} is protected ({entry.protection}): only the user may delete it.",
                hint=f"loopwright ide memory delete {memory_id} --yes",
            )
        if entry.protection >= CONFIRM and not (confirmed or approved):
            raise Conflict(f"Memory {memory_id} is protected ({entry.protection}).", hint="Confirm the deletion.")
        with self._opened() as connection:
            connection.execute("DELETE FROM memories WHERE memory_id = ?", (memory_id,))
        return entry

    def _settle(self, run_id: str, delivery: DeliveryState | None, outcome: str) -> int:
        if not self._file.is_file() and not (delivery == "DONE" and outcome):
            return 0
        with self._opened() as connection:
            rows = connection.execute(
                "SELECT content, tier, category FROM buffered WHERE run_id = ? ORDER BY rowid", (run_id,)
            ).fetchall()
            connection.execute("DELETE FROM buffered WHERE run_id = ?", (run_id,))
            if delivery != "DONE":
                return 0
            rows += [(outcome[:LONGEST_OUTCOME], "short_term", "run")] if outcome.strip() else []
            return sum(_write(connection, _entry(*row)) for row in rows)

    def _all(self) -> Sequence[Memory]:
        if not self._file.is_file():
            return []
        now = datetime.now(UTC)
        with self._opened() as connection:
            rows = connection.execute(f"SELECT {COLUMNS} FROM memories ORDER BY created_at DESC, memory_id").fetchall()  # noqa: S608
        try:
            return [_memory(row, now) for row in rows]
        except (TypeError, ValueError) as error:
            raise self._unusable(error) from error

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """A connection in a transaction, one at a time.

        Raises:
            Misconfigured: the file is damaged or cannot be written.
        """
        make_state_folder(self._file.parent)
        with exclusive_lock(self._file.with_suffix(".lock")):
            try:
                with closing(sqlite3.connect(self._file, timeout=30)) as connection:
                    connection.executescript(SCHEMA)
                    with connection:
                        yield connection
            except sqlite3.DatabaseError as error:
                raise self._unusable(error) from error

    def _unusable(self, error: Exception) -> Misconfigured:
        said = str(error).partition("\n")[0]
        return Misconfigured(
            f"The memory {self._file.name} cannot be used: {said}.",
            hint="Move the file away; what it holds is forgotten.",
        )


def _entry(content: str, tier: Tier, category: str) -> Memory:
    plain = " ".join(content.split())
    try:
        return Memory(
            memory_id=_identity(tier, plain),
            tier=tier,
            content_class=CLASS_OF[tier],
            category=category,
            content=plain,
            protection=protection_of(tier, category, 0),
            created_at=datetime.now(UTC),
        )
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        raise InvalidInput(f"This cannot be remembered: {fault['loc'][0]}: {fault['msg']}.") from error


def _write(connection: sqlite3.Connection, memory: Memory) -> bool:
    """Write an entry unless its tier is full; among the outcomes of runs the oldest is dropped."""
    (others,) = connection.execute(
        "SELECT COUNT(*) FROM memories WHERE tier = ? AND memory_id <> ?", (memory.tier, memory.memory_id)
    ).fetchone()
    if others >= MOST[memory.tier]:
        if memory.tier != "short_term":
            return False
        connection.execute(
            "DELETE FROM memories WHERE memory_id IN "
            "(SELECT memory_id FROM memories WHERE tier = ? ORDER BY created_at LIMIT ?)",
            (memory.tier, others - MOST[memory.tier] + 1),
        )
    connection.execute(
        "INSERT INTO memories VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (memory_id) DO NOTHING",
        (memory.memory_id, memory.tier, memory.content_class, memory.category, memory.content,
         memory.created_at.isoformat()),
    )  # fmt: skip
    return True


def _memory(row: Sequence[str], now: datetime) -> Memory:
    memory_id, tier, content_class, category, content, created_at = row
    entry = Memory.model_validate(
        {
            "memory_id": memory_id,
            "tier": tier,
            "content_class": content_class,
            "category": category,
            "content": content,
            "protection": 0,
            "created_at": created_at,
        }
    )
    return entry.model_copy(update={"protection": protection_now(entry, now)})


def _identity(tier: str, content: str) -> str:
    return "mem-" + hashlib.sha256(f"{tier}\n{content.casefold()}".encode()).hexdigest()[:12]


def _words(text: str) -> set[str]:
    return {word.casefold() for word in WORD.findall(text)}
