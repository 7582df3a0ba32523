"""Files are written whole or not at all, and nothing is left beside them."""

import os
import threading
from pathlib import Path

import pytest

from loopwright.kernel.errors import Conflict, InvalidInput
from loopwright.kernel.files import DRAFT, exclusive_lock, write_draft, write_whole


def test_a_file_is_written_and_written_again(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "note.txt"
    for content in (b"one", b"", b"three" * 100_000):
        assert write_whole(path, content) == path
        assert path.read_bytes() == content
    assert list(path.parent.iterdir()) == [path]


def test_a_name_may_be_as_long_as_the_disk_allows(tmp_path: Path) -> None:
    path = tmp_path / ("\u00e4" * 127)
    assert write_whole(path, b"x").read_bytes() == b"x"


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_what_fails_leaves_the_old_file_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    path = write_whole(tmp_path / "note.txt", b"old")

    def fail(*_: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(*((os, "fsync") if step == "fsync" else (Path, "replace")), fail)
    with pytest.raises(OSError, match="disk is full"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    elsewhere = write_whole(tmp_path / "elsewhere", b"mine")
    link = tmp_path / "link"
    link.symlink_to(elsewhere)
    write_whole(link, b"theirs")
    assert (elsewhere.read_bytes(), link.read_bytes(), link.is_symlink()) == (b"mine", b"theirs", False)


def test_many_writers_and_a_reader(tmp_path: Path) -> None:
    path = write_whole(tmp_path / "note.txt", b"0" * 50_000)
    writers = [
        threading.Thread(target=lambda digit=digit: [write_whole(path, digit * 50_000) for _ in range(20)])
        for digit in (b"1", b"2", b"3")
    ]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        assert len(set(path.read_bytes())) == 1
    for writer in writers:
        writer.join()
    assert list(tmp_path.iterdir()) == [path]


def test_a_draft_is_the_callers(tmp_path: Path) -> None:
    drafts = {write_draft(tmp_path / "note.txt", b"x") for _ in range(3)}
    assert {path.name for path in tmp_path.iterdir()} == {draft.name for draft in drafts}
    assert all(draft.name.startswith(".") and draft.name.endswith(DRAFT) for draft in drafts)


def test_a_lock_is_held_by_one_and_free_after_it(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with exclusive_lock(path), pytest.raises(Conflict, match=f"id {os.getpid()}"), exclusive_lock(path, wait_s=0):
        pytest.fail("two hold it")
    with exclusive_lock(path, wait_s=0):
        assert path.read_text() == str(os.getpid())


def test_a_link_is_no_lock(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InvalidInput), exclusive_lock(tmp_path / "lock"):
        pytest.fail("it was followed")
    assert not (tmp_path / "elsewhere").exists()
