"""What a project remembers: by tiers, written only when a run has delivered, harder to delete the more it matters."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from loopwright.agents.ide.contracts import Memory
from loopwright.agents.ide.memory import MOST, LocalMemory, protection_now, protection_of
from loopwright.kernel.errors import Conflict, InvalidInput, Misconfigured, NotFound
from tests.agents.ide.acting import project_at


@pytest.fixture
def memory(tmp_path: Path) -> LocalMemory:
    return LocalMemory(project_at(tmp_path).state_folder)


async def test_what_a_model_remembers_is_written_when_its_run_delivers(memory: LocalMemory) -> None:
    memory.add_buffered("run-1", "The tests run with  make test.", tier="long_term", category="build")
    memory.add_buffered("run-2", "We use hexagonal ports.", tier="mid_term", category="architecture")
    assert not memory.list()
    assert await memory.settle("run-1", "DONE", "Renamed a function.") == 2
    assert await memory.settle("run-2", "NEEDS_WORK") == 0
    assert {entry.content for entry in memory.list()} == {"The tests run with make test.", "Renamed a function."}
    assert await memory.settle("run-1", "DONE") == 0, "a buffer is emptied once"


def test_entries_are_found_by_their_words_and_kept_once(memory: LocalMemory) -> None:
    first = memory.add("The parser lives in src/parser.py")
    assert memory.add("the parser lives in  src/parser.py").memory_id == first.memory_id
    memory.add("Deployment is by hand", category="build")
    assert [entry.content for entry in memory.list("where is the PARSER?")] == ["The parser lives in src/parser.py"]
    assert len(memory.list(tier="long_term")) == 2


def test_a_prompt_gets_what_fits(memory: LocalMemory) -> None:
    for number in range(20):
        memory.add(f"Fact number {number}: " + "x" * 100)
    memory.add("The cache is warmed at start", tier="mid_term")
    chosen = memory.relevant("why is the cache slow?", 100)
    assert chosen[0].content == "The cache is warmed at start"
    assert sum(len(entry.content) for entry in chosen) <= 300


def test_the_more_it_matters_the_harder_it_goes(memory: LocalMemory) -> None:
    light = memory.add("Ran the tests", tier="short_term")
    weighty = memory.add("Ports and adapters", tier="mid_term", category="architecture")
    fact = memory.add("Python 3.11 only")
    memory.delete(light.memory_id)
    with pytest.raises(Conflict):
        memory.delete(weighty.memory_id)
    memory.delete(weighty.memory_id, confirmed=True)
    with pytest.raises(Conflict, match="only the user"):
        memory.delete(fact.memory_id, confirmed=True)
    memory.delete(fact.memory_id, approved=True)
    assert not memory.list()
    with pytest.raises(NotFound):
        memory.delete(fact.memory_id)


def test_protection_grows_with_age() -> None:
    assert [protection_of("short_term", "general", days) for days in (0, 10, 100)] == [10, 15, 30]
    assert protection_of("long_term", "security", 100) == 100
    old = Memory(
        memory_id="m", tier="mid_term", content_class="decision", content="old", protection=0,
        created_at=datetime.now(UTC) - timedelta(days=30),
    )  # fmt: skip
    assert protection_now(old, datetime.now(UTC)) == 55


async def test_outcomes_make_room_and_facts_stay(memory: LocalMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MOST, "short_term", 2)
    monkeypatch.setitem(MOST, "long_term", 1)
    for number in range(4):
        await memory.settle(f"run-{number}", "DONE", f"Outcome {number}")
    assert [entry.content for entry in memory.list(tier="short_term")] == ["Outcome 3", "Outcome 2"]
    memory.add("A fact")
    memory.add("A fact")
    with pytest.raises(Conflict, match="1 long_term"):
        memory.add("Another fact")
    memory.add_buffered("run-5", "A third fact", tier="long_term", category="general")
    assert await memory.settle("run-5", "DONE") == 0
    assert [entry.content for entry in memory.list(tier="long_term")] == ["A fact"]


@pytest.mark.parametrize(("content", "category"), [("", "build"), ("x" * 2_001, "build"), ("A fact", "c" * 61)])
def test_what_is_too_long_or_nothing_is_refused(memory: LocalMemory, content: str, category: str) -> None:
    with pytest.raises(InvalidInput, match="cannot be remembered"):
        memory.add(content, category=category)
    assert not memory.list()


def test_a_damaged_memory_is_told_and_kept(memory: LocalMemory, tmp_path: Path) -> None:
    memory.add("A fact")
    file = project_at(tmp_path).state_folder / "memory.db"
    file.write_bytes(b"no database" * 500)
    with pytest.raises(Misconfigured, match=r"memory\.db"):
        memory.list()
    assert file.read_bytes() == b"no database" * 500


def test_two_writers_lose_nothing(memory: LocalMemory) -> None:
    async def both() -> None:
        await asyncio.gather(*(asyncio.to_thread(memory.add, f"Fact {n}") for n in range(20)))

    asyncio.run(both())
    assert len(memory.list()) == 20
