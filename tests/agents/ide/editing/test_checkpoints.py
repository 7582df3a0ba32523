"""Undoing what a run has changed: to the byte, as one, and never what others have changed since."""

import os
from contextlib import suppress
from pathlib import Path

import pytest

from loopwright.agents.ide.editing.checkpoints import Checkpoints
from loopwright.agents.ide.project_files import ProjectFiles
from loopwright.kernel.errors import Conflict, InvalidInput, Misconfigured, NotFound
from loopwright.kernel.testing.runs import Death
from loopwright.kits.history import changing
from loopwright.kits.history.change_log import Edit
from loopwright.kits.history.fenced_files import file_state
from tests.agents.ide.acting import project_at
from tests.agents.ide.commanding import command, confined
from tests.agents.ide.editing.trees import make_repository, snapshot


def in_the_sandbox(test):  # type: ignore[no-untyped-def]
    """A test that runs commands."""
    for mark in confined:
        test = mark(test)
    return test


@pytest.fixture(params=["plain", "git"])
def root(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "src" / "one.py").write_bytes(b"one = 1\r\n")
    (root / "src" / "two.py").write_bytes(b"two = 2")
    (root / "run.sh").write_text("echo run\n")
    (root / "run.sh").chmod(0o755)
    (root / "picture").write_bytes(bytes(range(256)))
    (root / "link").symlink_to("src/one.py")
    (root / "docs").symlink_to("src")
    if request.param == "git":
        make_repository(root)
    return root


@pytest.fixture
def checkpoints(root: Path) -> Checkpoints:
    return Checkpoints(ProjectFiles(root), project_at(root).state_folder)


@in_the_sandbox
async def test_edits_and_commands_of_a_run_are_undone_as_one(checkpoints: Checkpoints, root: Path) -> None:
    before = snapshot(root)
    edits = [
        Edit("src/one.py", b"one = 1\r\n", b"one = 11\r\n"),
        Edit("run.sh", b"echo run\n", None),
        Edit("new/deep/three.py", None, b"three = 3\n"),
    ]
    await checkpoints.apply("run-1", edits, key="run-1:a", account={})
    await command(
        root,
        "mv picture moved; rm link docs; mkdir -p made/by; echo x > made/by/command; chmod +x src/two.py;"
        "echo more >> src/one.py; ln -s run.sh made/link; rm -r new; echo now a file > new",
    )
    assert set(await checkpoints.changed_by("run-1")) == {
        "src/one.py", "src/two.py", "run.sh", "picture", "moved", "link", "docs", "made/by/command", "made/link", "new",
    }  # fmt: skip
    after = snapshot(root)
    undone = await checkpoints.undo()
    assert snapshot(root) == before
    assert (root / "run.sh").stat().st_mode & 0o777 == 0o755
    assert undone.checkpoint is not None
    await checkpoints.undo(undone.checkpoint)
    assert snapshot(root) == after, "an undoing can be undone"
    await checkpoints.undo("run-1")
    assert snapshot(root) == before


async def test_folders_that_a_run_made_go_when_they_are_empty(checkpoints: Checkpoints, root: Path) -> None:
    before = snapshot(root)
    await checkpoints.apply("run-1", [Edit("m/n/a", None, b"a"), Edit("m/n/b", None, b"b")], key="k1", account={})
    await checkpoints.apply("run-1", [Edit("m/n/a", b"a", None)], key="k2", account={})
    await checkpoints.apply("run-1", [Edit("m/n/b", b"b", None), Edit("o/p", None, b"p")], key="k3", account={})
    (root / "o" / "mine").write_text("mine")
    done = await checkpoints.undo()
    assert done.paths == ("o/p",)
    assert snapshot(root) == before | {"o/mine": ("file", b"mine", False)}


async def test_what_others_change_afterwards_is_not_overwritten(checkpoints: Checkpoints, root: Path) -> None:
    edits = [Edit("src/one.py", b"one = 1\r\n", b"one = 2\n"), Edit("src/two.py", b"two = 2", b"two = 3")]
    await checkpoints.apply("run-1", edits, key="k", account={})
    (root / "src" / "one.py").write_text("one = 'mine'\n")
    (root / "mine.txt").write_text("mine\n")
    changed = snapshot(root)
    with pytest.raises(Conflict, match=r"src/one\.py"):
        await checkpoints.undo()
    assert snapshot(root) == changed
    done = await checkpoints.undo(force=True)
    assert (root / "src" / "one.py").read_bytes() == b"one = 1\r\n"
    assert (root / "mine.txt").read_text() == "mine\n"
    assert done.checkpoint is not None
    await checkpoints.undo(done.checkpoint)
    assert snapshot(root) == changed, "what force overwrote can be had back"


async def test_only_the_runs_own_changes_are_taken_back(checkpoints: Checkpoints, root: Path) -> None:
    """What the user changed in the same file, between two changes of the run and after them, stays."""
    lines = [b"line %d\n" % number for number in range(12)]
    (root / "list").write_bytes(b"".join(lines))

    async def edit(line: int, text: bytes) -> None:
        before = (root / "list").read_bytes()
        after = before.replace(b"line %d\n" % line, text)
        await checkpoints.apply("run-1", [Edit("list", before, after)], key=str(line), account={})

    def user(line: int, text: bytes) -> None:
        (root / "list").write_bytes((root / "list").read_bytes().replace(b"line %d\n" % line, text))

    await edit(1, b"run\n")
    user(4, b"mine\n")
    await edit(7, b"run\n")
    user(10, b"mine too\n")
    mixed = (root / "list").read_bytes()
    done = await checkpoints.undo("run-1")
    lines[4], lines[10] = b"mine\n", b"mine too\n"
    assert (root / "list").read_bytes() == b"".join(lines)
    assert done.checkpoint is not None
    await checkpoints.undo(done.checkpoint)
    assert (root / "list").read_bytes() == mixed


async def test_the_same_lines_changed_by_both_are_a_conflict(checkpoints: Checkpoints, root: Path) -> None:
    await checkpoints.apply("run-1", [Edit("src/two.py", b"two = 2", b"two = 3")], key="k1", account={})
    (root / "src" / "two.py").write_bytes(b"mine")
    await checkpoints.apply("run-1", [Edit("src/two.py", b"mine", b"theirs")], key="k2", account={})
    with pytest.raises(Conflict):
        await checkpoints.undo("run-1")
    assert (root / "src" / "two.py").read_bytes() == b"theirs"


@in_the_sandbox
async def test_a_later_run_must_be_undone_first_and_restore_undoes_all(checkpoints: Checkpoints, root: Path) -> None:
    before = snapshot(root)
    await checkpoints.apply("run-1", [Edit("src/two.py", b"two = 2", b"two = 3")], key="k1", account={})
    await checkpoints.apply("run-2", [Edit("src/two.py", b"two = 3", b"two = 4")], key="k2", account={})
    await command(root, "echo 4 > four", run_id="run-3")
    with pytest.raises(Conflict):
        await checkpoints.undo("run-1")
    assert [each.id for each in await checkpoints.list()] == ["run-3", "run-2", "run-1"]
    await checkpoints.restore("run-1")
    assert snapshot(root) == before
    with pytest.raises(NotFound):
        await checkpoints.undo()
    with pytest.raises(Conflict, match="already"):
        await checkpoints.undo("run-2")


async def test_an_edit_of_what_has_changed_meanwhile_is_refused_whole(checkpoints: Checkpoints, root: Path) -> None:
    before = snapshot(root)
    edits = [Edit("src/one.py", b"one = 1\r\n", b"x"), Edit("src/two.py", b"two = 1", b"two = 3")]
    with pytest.raises(Conflict):
        await checkpoints.apply("run-1", edits, key="k", account={})
    assert snapshot(root) == before
    assert not await checkpoints.list()


@pytest.mark.parametrize("deaths", [1, 2, 3])
async def test_death_between_any_two_writes_is_made_good(
    checkpoints: Checkpoints, root: Path, monkeypatch: pytest.MonkeyPatch, deaths: int
) -> None:
    before = snapshot(root)
    edits = [
        Edit("src/one.py", b"one = 1\r\n", b"x"),
        Edit("src/two.py", b"two = 2", None),
        Edit("new.py", None, b"new"),
    ]
    with monkeypatch.context() as patch:
        _die_at(patch, deaths)
        with pytest.raises(Death):
            await checkpoints.apply("run-1", edits, key="k", account={"output": "done"})
    again = Checkpoints(ProjectFiles(root), project_at(root).state_folder)
    if deaths % 2:
        assert await again.finish("k") == {"output": "done"}
        assert await again.finish("another") is None
        assert (root / "new.py").read_bytes() == b"new"
        assert not (root / "src" / "two.py").exists()
    with monkeypatch.context() as patch:
        _die_at(patch, deaths)
        try:
            await again.undo("run-1")
        except Death:
            with suppress(Conflict):  # the undoing that died is brought to its end by whoever comes next
                await again.undo("run-1")
    assert snapshot(root) == before
    assert all(each.undone for each in await again.list() if each.kind == "run")


async def test_what_is_undone_follows_from_what_was_undone_after_it(checkpoints: Checkpoints, root: Path) -> None:
    await checkpoints.apply("run-1", [Edit("src/two.py", b"two = 2", b"two = 3")], key="k1", account={})
    last = "run-1"
    for content, undone in [(b"two = 2", True), (b"two = 3", False), (b"two = 2", True)]:
        done = await checkpoints.undo(last)
        assert (root / "src" / "two.py").read_bytes() == content
        assert {each.id: each.undone for each in await checkpoints.list()}["run-1"] is undone
        assert done.checkpoint is not None
        last = done.checkpoint


async def test_what_happened_beside_a_command_outside_the_sandbox_is_undone_by_force_alone(
    checkpoints: Checkpoints, root: Path
) -> None:
    before = snapshot(root)
    await checkpoints.before_unconfined("run-1")
    (root / "left").write_text("the command's, or the user's")
    assert await checkpoints.changed_by("run-1") == ["left"], "also when the process died in between"
    with pytest.raises(Conflict, match="left"):
        await checkpoints.undo()
    assert (root / "left").exists()
    await checkpoints.undo(force=True)
    assert snapshot(root) == before


async def test_a_disk_that_refuses_leaves_nothing_half(
    checkpoints: Checkpoints, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = snapshot(root)
    real = changing.put

    def refuse_two(root, path, expected, state, **more):  # type: ignore[no-untyped-def]
        if path == "src/two.py" and state == file_state(b"two = 3"):
            raise Misconfigured("no room")
        real(root, path, expected, state, **more)

    monkeypatch.setattr(changing, "put", refuse_two)
    edits = [Edit("src/one.py", b"one = 1\r\n", b"x"), Edit("src/two.py", b"two = 2", b"two = 3")]
    with pytest.raises(Misconfigured):
        await checkpoints.apply("run-1", edits, key="k", account={})
    assert snapshot(root) == before
    assert not await checkpoints.changed_by("run-1")


@in_the_sandbox
async def test_large_files_are_told_of_when_they_cannot_be_brought_back(checkpoints: Checkpoints, root: Path) -> None:
    (root / "large.bin").write_bytes(b"\0" * 5_000_001)
    await command(root, "rm large.bin; echo 2 > run.sh")
    with pytest.raises(Conflict, match=r"large\.bin"):
        await checkpoints.undo()
    done = await checkpoints.undo(force=True)
    assert done.lost == ("large.bin",)
    assert (root / "run.sh").read_text() == "echo run\n"


async def test_secrets_and_git_are_no_paths_for_edits(checkpoints: Checkpoints, root: Path) -> None:
    for path in (".env", ".git/hooks/pre-commit", "../out", "docs/x.py"):
        with pytest.raises(InvalidInput):
            await checkpoints.apply("run-1", [Edit(path, None, b"x")], key=path, account={})
    assert sorted(os.listdir(root / "src")) == ["one.py", "two.py"]


def _die_at(patch: pytest.MonkeyPatch, count: int) -> None:
    """The process dies when it is about to write or delete the count-th file."""
    left = count

    def mortal(real):  # type: ignore[no-untyped-def]
        def write(*arguments, **options):  # type: ignore[no-untyped-def]
            nonlocal left
            left -= 1
            if left == 0:
                raise Death
            real(*arguments, **options)

        return write

    patch.setattr(changing, "put", mortal(changing.put))
    patch.setattr(changing, "remove", mortal(changing.remove))
