"""Memories are written when a run has delivered, and looked up by the runs after it."""

from pathlib import Path

from loopwright.kernel.gates import Failed, Finished
from tests.agents.ide.acting import ENDING, act, project_at

FACT = "The tests run with make check, never with pytest alone."
ADD = [("index_add_memory", {"content": FACT, "tier": "long_term", "category": "test"})]
UNDONE = '{"state": "NEEDS_WORK", "missing": ["all of it"], "reason": "nothing was done"}'


async def test_what_one_run_remembers_the_next_one_is_told(tmp_path: Path) -> None:
    first = await act(tmp_path, ADD, *ENDING)
    assert isinstance(first.outcome, Finished)
    assert FACT not in first.requests[0].messages[0].content
    asked = await act(tmp_path, "They run with make check.", message="How do the tests run?", mode="chat")
    assert FACT in asked.requests[0].messages[0].content
    listed = await act(tmp_path, [("index_list_memories", {"query": ""})], *ENDING)
    assert FACT in listed.results()[0]["output"]


async def test_a_run_that_does_not_deliver_remembers_nothing(tmp_path: Path) -> None:
    rounds = ["I cannot do it.", UNDONE] * 3
    account = await act(tmp_path, ADD, *rounds, "It could not be done.")
    assert isinstance(account.outcome, Finished)
    assert not project_at(tmp_path).memory.list(tier="long_term")


async def test_a_run_that_fails_remembers_nothing(tmp_path: Path) -> None:
    account = await act(tmp_path, ADD, *[""] * 7)
    assert isinstance(account.outcome, Failed), account.outcome
    await act(tmp_path, *ENDING)
    assert not project_at(tmp_path).memory.list(tier="long_term")


async def test_nothing_is_remembered_without_permission(tmp_path: Path) -> None:
    account = await act(tmp_path, ADD, allowed=())
    assert not account.results()
    assert not project_at(tmp_path).memory.list()
