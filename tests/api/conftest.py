"""No test knows the agents of another one."""

from collections.abc import Iterator

import pytest

from loopwright.api.agents import AGENTS
from loopwright.app import agents


@pytest.fixture(autouse=True)
def what_a_test_declares_ends_with_it(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a process has registered, and what it has declared, is put back afterwards."""
    monkeypatch.setattr(agents, "_IN_PROCESS", {})
    declared = dict(AGENTS)
    yield
    AGENTS.clear()
    AGENTS.update(declared)
