"""Folders of one's own: made closed, closed where they are known, and never somebody else's."""

from pathlib import Path

import pytest

from loopwright.kernel.errors import Misconfigured
from loopwright.kernel.files import make_private_folder

OURS = frozenset({"loopwright.db"})


def mode(folder: Path) -> int:
    return folder.stat().st_mode & 0o7777


def test_what_is_missing_is_made_closed_and_what_is_above_stays(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    make_private_folder(tmp_path / "a" / "b", ours=OURS)
    assert [mode(each) for each in (tmp_path, tmp_path / "a", tmp_path / "a" / "b")] == [0o755, 0o700, 0o700]


@pytest.mark.parametrize("names", [(), ("loopwright.db", "other")])
def test_an_open_folder_that_is_ours_is_closed(tmp_path: Path, names: tuple[str, ...]) -> None:
    for name in names:
        (tmp_path / name).touch()
    tmp_path.chmod(0o755)
    make_private_folder(tmp_path, ours=OURS)
    assert mode(tmp_path) == 0o700


@pytest.mark.parametrize(("open_mode", "name"), [(0o755, "letters"), (0o1777, "loopwright.db")])
def test_a_folder_of_other_things_is_refused_and_stays_as_it_is(tmp_path: Path, open_mode: int, name: str) -> None:
    """A home folder, and one that all users share, such as /tmp."""
    (tmp_path / name).touch()
    tmp_path.chmod(open_mode)
    with pytest.raises(Misconfigured, match="holds other things"):
        make_private_folder(tmp_path, ours=OURS)
    assert mode(tmp_path) == open_mode


def test_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(Misconfigured, match="is a link"):
        make_private_folder(tmp_path / "link")
