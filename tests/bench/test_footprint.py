"""What a run takes on disk, as the bench counts it."""

import pytest

from bench import footprint


async def test_a_run_takes_at_most_twice_its_conversation_on_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(footprint, "STEPS", 60)
    full, empty, conversation = await footprint.disk()
    assert conversation > 30_000
    assert (full - empty) / conversation <= 2
