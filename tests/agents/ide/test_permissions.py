"""What was allowed for good lies in the home, by project."""

import json
from pathlib import Path

import pytest

from loopwright.agents.ide.usecases import message_for, switches
from loopwright.app.answering import LastingPermissions
from loopwright.app.loopwright import Loopwright
from tests.support.application import settings_in


async def always(folder: Path, root: Path) -> list[str]:
    """What a message about this project may do without asking."""
    async with Loopwright.open(settings_in(folder)) as application:
        return (await message_for(application, "Hello.", switches(), root=root)).options["always"]


async def test_permissions_are_those_of_one_project_under_all_its_names(tmp_path: Path) -> None:
    root, other = tmp_path / "project", tmp_path / "other"
    for folder in (root, other):
        folder.mkdir()
    (tmp_path / "link").symlink_to(root)
    LastingPermissions(tmp_path / "home").allow("ide", tmp_path / "link", "run:pytest")
    assert await always(tmp_path, root) == await always(tmp_path, tmp_path / "link") == ["run:pytest"]
    assert await always(tmp_path, other) == []


@pytest.mark.parametrize("place", [".loopwright", "."])
async def test_permissions_that_a_project_brings_are_none(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "project"
    (root / ".loopwright").mkdir(parents=True)
    (root / place / "permissions.json").write_text(json.dumps({"ide": {str(root): ["write", "run", "run:pytest"]}}))
    monkeypatch.chdir(root)
    assert await always(tmp_path, root) == []
