"""Recorded coding sessions are played again; the repositories must be at the end what they were then."""

from pathlib import Path

import pytest

from loopwright.agents.ide.sandbox import can_confine
from tests.agents.ide.sessions.session import OUTSIDE, files_of, git, lay_out, play, read_session

RECORDED = sorted(Path(__file__).parent.glob("*.yaml"))
COMMANDS = (
    pytest.mark.sandbox,
    pytest.mark.skipif(not can_confine(), reason="bubblewrap is missing, or may not make its namespaces"),
)


def test_there_are_enough_of_them() -> None:
    assert len(RECORDED) >= 10


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, id=path.stem, marks=COMMANDS if read_session(path).commands else ()) for path in RECORDED],
)
async def test_a_recorded_session_ends_as_it_did(path: Path, tmp_path: Path) -> None:
    session = read_session(path)
    root = lay_out(session, tmp_path)
    head = git(root, "rev-parse", "HEAD") if session.git else ""
    await play(session, tmp_path)
    assert files_of(root) == session.expected
    assert (tmp_path / OUTSIDE).read_text() == "not yours\n"
    if session.git:
        assert git(root, "rev-parse", "HEAD") == head
        assert not git(root, "diff", "--cached")
        assert not git(root, "stash", "list")
        assert not git(root, "ls-files", "--others", "--exclude-standard", ".loopwright")
