"""The user's own virtual environment works in the sandbox, where Loopwright's own cannot be seen."""

import sys
from pathlib import Path

from tests.agents.ide.commanding import command, confined

pytestmark = confined


async def test_pytest_of_the_users_environment_runs(tmp_path: Path, users_venv: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "test_one.py").write_text("def test_one():\n    assert 1 + 1 == 2\n")
    for line in ("pytest -q -p no:cacheprovider", "python -m pytest -q -p no:cacheprovider"):
        report = await command(root, line)
        assert (report.outcome.exit_code, report.paths) == (0, [])
        assert "1 passed" in report.outcome.output
    told = await command(root, f"python -c 'import sys; print(sys.prefix)'; ls {sys.prefix}")
    assert told.outcome.output.splitlines()[0] == str(users_venv)
    assert "site-packages" not in told.outcome.output
    assert told.outcome.exit_code != 0
