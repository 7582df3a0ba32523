"""What the tests of the tools share."""

from datetime import date
from pathlib import Path

import pytest

from loopwright.agents.planner.contracts import Schedule
from tests.agents.planner.tools.session import Session, website


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """An empty planning session."""
    return Session(tmp_path)


@pytest.fixture
async def planned(session: Session) -> Session:
    """A session with a schedule."""
    session.start("launch my website", deadline=date(2027, 2, 26))
    await session.data("pattern_selector")
    await session.data("node_generator", outline=website())
    await session.data("dependency_resolver")
    await session.data("roadmap_builder")
    # The schedule's content does not matter here, and the solver takes its time.
    session.change(schedule=Schedule())
    return session
