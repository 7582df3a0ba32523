"""Between the last look at a file and the step that replaces it somebody else may write: that is never lost."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from loopwright.kernel.errors import Conflict
from loopwright.kits.history import fenced_files, swapping
from loopwright.kits.history.fenced_files import Content, file_state, observe

OLD, NEW, MINE = b"old\n", b"new\n", b"mine\n"


@pytest.fixture(params=["exchange", "links"])
def root(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder, on a file system that exchanges names and on one that does not."""
    if request.param == "links":
        real = swapping._rename

        def rename(folder: int, old: str, new: str, flag: int) -> None:
            if flag == swapping.EXCHANGE:
                raise OSError(22, "not here")
            real(folder, old, new, flag)

        monkeypatch.setattr(swapping, "_rename", rename)
    (tmp_path / "file").write_bytes(OLD)
    return tmp_path


def write_new(root: Path) -> None:
    """The step of a run: what it has seen is OLD, what it writes is NEW."""
    os.close(fenced_files.prepare(root, "file", file_state(NEW), Content(NEW)))
    fenced_files.put(root, "file", file_state(OLD), file_state(NEW))


def by_rename(root: Path) -> None:
    (root / "edited").write_bytes(MINE)
    os.replace(root / "edited", root / "file")


def in_place(root: Path) -> None:
    (root / "file").write_bytes(MINE)


def just_before(patch: pytest.MonkeyPatch, names: tuple[str, ...], act: Callable[[], None]) -> None:
    """The user acts when the first of these steps is about to be made, and only then."""
    waiting = [act]
    for name in names:
        real = getattr(swapping, name)

        def step(*arguments: object, real: Callable[..., object] = real) -> object:
            if waiting:
                waiting.pop()()
            return real(*arguments)

        patch.setattr(swapping, name, step)


@pytest.mark.parametrize("edit", [by_rename, in_place])
def test_a_save_before_the_replacement_stays(root: Path, monkeypatch: pytest.MonkeyPatch, edit) -> None:  # type: ignore[no-untyped-def]
    just_before(monkeypatch, ("_exchange",), lambda: edit(root))
    with pytest.raises(Conflict):
        write_new(root)
    assert (root / "file").read_bytes() == MINE
    assert os.listdir(root) == ["file"]


@pytest.mark.parametrize("edit", [by_rename, in_place])
def test_a_save_before_the_deletion_stays(root: Path, monkeypatch: pytest.MonkeyPatch, edit) -> None:  # type: ignore[no-untyped-def]
    just_before(monkeypatch, ("_rename",), lambda: edit(root))
    with pytest.raises(Conflict):
        fenced_files.remove(root, "file", file_state(OLD))
    assert (root / "file").read_bytes() == MINE
    assert os.listdir(root) == ["file"]


def test_a_deletion_before_the_replacement_stays(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    just_before(monkeypatch, ("_exchange",), (root / "file").unlink)
    with pytest.raises(Conflict):
        write_new(root)
    assert os.listdir(root) == []


def test_a_file_that_appears_is_not_replaced(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    just_before(monkeypatch, ("_rename",), lambda: (root / "made").write_bytes(MINE) and None)
    os.close(fenced_files.prepare(root, "made", file_state(NEW), Content(NEW)))
    with pytest.raises(Conflict):
        fenced_files.put(root, "made", None, file_state(NEW))
    assert (root / "made").read_bytes() == MINE
    assert sorted(os.listdir(root)) == ["file", "made"]


def test_a_program_that_is_writing_keeps_its_file(root: Path) -> None:
    with (root / "file").open("ab") as log:
        for step in (lambda: write_new(root), lambda: fenced_files.remove(root, "file", file_state(OLD))):
            with pytest.raises(Conflict):
                step()
        log.write(MINE)
    assert (root / "file").read_bytes() == OLD + MINE


def test_two_saves_in_a_row_are_both_kept(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One before the step, one while its result is put back: the later stands, the earlier lies beside it."""
    saves = iter([b"first\n", b"second\n"])
    real = swapping._exchange

    def exchange(folder: int, one: str, other: str) -> None:
        found = next(saves, None)
        if found is not None:
            (root / "edited").write_bytes(found)
            os.replace(root / "edited", root / "file")
        real(folder, one, other)

    monkeypatch.setattr(swapping, "_exchange", exchange)
    with pytest.raises(Conflict):
        write_new(root)
    assert (root / "file").read_bytes() == b"second\n"
    (kept,) = root.glob("file.kept-*")
    assert kept.read_bytes() == b"first\n"
    assert len(os.listdir(root)) == 2


@pytest.mark.parametrize("edited", [False, True])
def test_death_between_exchange_and_deletion_is_cleared_away(
    root: Path, monkeypatch: pytest.MonkeyPatch, edited: bool
) -> None:
    def die(*_: object) -> bool:
        raise KeyboardInterrupt

    if edited:
        just_before(monkeypatch, ("_exchange",), lambda: in_place(root))
    with monkeypatch.context() as patch:
        patch.setattr(swapping, "_is_quiet", die)
        with pytest.raises(KeyboardInterrupt):
            write_new(root)
    assert len(os.listdir(root)) == 2
    fenced_files.sweep(root, "file", file_state(OLD), file_state(NEW))
    assert os.listdir(root) == ["file"]
    assert (root / "file").read_bytes() == (MINE if edited else NEW)
    assert observe(root, "file")[0] is not None
