"""A watched index follows the files by itself, and a watch that cannot be kept is told once."""

import asyncio
import sys
from pathlib import Path

import pytest

from loopwright.agents.ide.index.codebase_index import IndexWatches
from loopwright.agents.ide.index.refreshing import Refreshed
from tests.agents.ide.index.workshop import index_of, lay_out


async def test_changes_are_found_without_a_run_also_in_new_folders(tmp_path: Path) -> None:
    index = index_of(tmp_path, {"a.py": "def greet(): ...\n"})
    told: list[str] = []
    refreshes: asyncio.Queue[Refreshed] = asyncio.Queue()

    async def until_known(name: str) -> None:
        while not index.search_symbols(name):
            await refreshes.get()

    async with asyncio.timeout(60), IndexWatches(told.append, refreshes.put_nowait) as watches:
        watches.add(index)
        watches.add(index)
        await refreshes.get()  # the watch stands
        lay_out(tmp_path, {"a.py": "def welcome(): ...\n"})
        await until_known("welcome")
        lay_out(tmp_path, {"pkg/deep/b.py": "def farewell(): ...\n"})
        await until_known("farewell")
        lay_out(tmp_path, {"pkg/deep/b.py": "def parting(): ...\n"})
        await until_known("parting")
    assert told == []
    assert not [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]


async def test_a_watch_that_fails_is_told_once_and_ends_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = index_of(tmp_path, {"a.py": "def greet(): ...\n"})
    told: asyncio.Queue[str] = asyncio.Queue()
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    async with asyncio.timeout(60), IndexWatches(told.put_nowait) as watches:
        watches.add(index)
        why = await told.get()
        watches.add(index)
    assert "is not watched" in why
    assert "at the start of each run" in why
    assert told.empty()
    lay_out(tmp_path, {"a.py": "def welcome(): ...\n"})
    index.refresh()
    assert index.search_symbols("welcome")
