"""What a command's changes come to where the user has changed the project in the meantime."""

import asyncio
import os
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from loopwright.agents.ide.editing import landing as saves
from loopwright.agents.ide.editing.checkpoints import CommandReport, LayeredCommand
from loopwright.agents.ide.sandbox import isolation as found_isolation
from loopwright.agents.ide.sandbox.isolation import Isolation
from loopwright.kits.history import changing
from tests.agents.ide.acting import project_at
from tests.agents.ide.commanding import confined
from tests.agents.ide.editing.trees import snapshot

pytestmark = confined
LINES = [f"line {number}\n" for number in range(12)]
WAIT = "echo READY; until [ -s go ]; do sleep 0.01; done"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = (tmp_path / "project").resolve()
    (root / "folder").mkdir(parents=True)
    (root / "list").write_text("".join(LINES))
    (root / "folder" / "inner").write_text("inner\n")
    (root / "folder" / "other").write_text("other\n")
    (root / "go").touch()
    return root


@pytest.fixture
def how(root: Path) -> Isolation:
    found = found_isolation(root, project_at(root).state_folder)
    assert found is not None
    if found.layer != "overlay":
        pytest.skip("a copy does not see what the user saves")
    return replace(found)


async def meanwhile(root: Path, how: Isolation, first: str, acts: Callable[[], object], second: str) -> CommandReport:
    """A command, and what the user does between its halves."""
    ready, loop = asyncio.Event(), asyncio.get_running_loop()
    running = asyncio.create_task(
        project_at(root).commands.run(
            how, LayeredCommand(f"{first}\n{WAIT}\n{second}", root, 60), run_id="run-1", key="k",
            protected_allowed=False, progress=lambda text: "READY" in text and loop.call_soon_threadsafe(ready.set),
        )
    )  # fmt: skip
    await asyncio.wait_for(ready.wait(), 30)
    acts()
    (root / "go").write_text("go")
    return await running


def with_line(root: Path, number: int, text: str) -> None:
    """The user changes a line."""
    lines = (root / "list").read_text().splitlines(keepends=True)
    lines[number] = text
    (root / "list").write_text("".join(lines))


@pytest.mark.parametrize("reads_first", [True, False])
async def test_lines_far_from_each_other_are_joined(root: Path, how: Isolation, reads_first: bool) -> None:
    """Whether the command has read the file before the user saved it or after."""
    change = "sed -i 's/line 2/run/' list"
    parts = (change, "true") if reads_first else ("true", change)
    report = await meanwhile(root, how, parts[0], lambda: with_line(root, 9, "mine\n"), parts[1])
    assert (root / "list").read_text() == "".join([*LINES[:2], "run\n", *LINES[3:9], "mine\n", *LINES[10:]])
    assert report.landing.merged == ["list"]
    await project_at(root).checkpoints.undo()
    assert (root / "list").read_text() == "".join([*LINES[:9], "mine\n", *LINES[10:]])


async def test_the_same_line_is_refused_and_nothing_is_written(root: Path, how: Isolation) -> None:
    line = "sed -i 's/line 2/run/' list; echo new > new"
    report = await meanwhile(root, how, line, lambda: with_line(root, 2, "mine\n"), "true")
    assert set(report.landing.conflicts) == {"list"}
    assert set(report.dropped) == {"list", "new"}
    assert not (root / "new").exists()
    assert (root / "list").read_text() == "".join([*LINES[:2], "mine\n", *LINES[3:]])


async def test_what_was_saved_twice_is_not_joined(root: Path, how: Isolation) -> None:
    """The command may have read a line that the user has removed again: nobody could tell it from the command's."""

    def there_and_back() -> None:
        with_line(root, 9, "draft\n")
        with_line(root, 9, LINES[9])

    report = await meanwhile(root, how, "true", lambda: with_line(root, 9, "draft\n"), "cat list > copy; rm copy")
    assert not report.landing.conflicts
    (root / "go").write_text("")
    report = await meanwhile(root, how, "true", there_and_back, "echo run >> list")
    assert set(report.landing.conflicts) == {"list"}


async def test_nothing_is_joined_where_saves_cannot_be_counted(
    root: Path, how: Isolation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saves, "MOST_FOLDERS", 0)
    report = await meanwhile(root, how, "sed -i 's/line 2/run/' list", lambda: with_line(root, 9, "mine\n"), "true")
    assert set(report.landing.conflicts) == {"list"}
    assert (root / "list").read_text() == "".join([*LINES[:9], "mine\n", *LINES[10:]])


MEANWHILE: dict[str, tuple[str, Callable[[Path], object], set[str]]] = {
    "edited, and deleted by the command": (
        "rm folder/inner",
        lambda r: (r / "folder/inner").write_text("mine\n"),
        {"folder/inner"},
    ),
    "edited, in a folder deleted by the command": (
        "rm -r folder",
        lambda r: (r / "folder/inner").write_text("mine\n"),
        {"folder/inner"},
    ),
    "deleted, and edited by the command": (
        "echo x >> folder/inner",
        lambda r: (r / "folder/inner").unlink(),
        {"folder/inner"},
    ),
    "its folder renamed, and edited": (
        "echo x >> folder/inner",
        lambda r: (r / "folder").rename(r / "moved"),
        {"folder/inner"},
    ),
    "a folder renamed, and a file made in it": (
        "echo x > folder/new",
        lambda r: (r / "folder").rename(r / "moved"),
        {"folder/new"},
    ),
    "moved by both": ("mv folder/inner inner", lambda r: (r / "folder/inner").rename(r / "mine"), {"folder/inner"}),
    "made by both": ("echo x > new", lambda r: (r / "new").write_text("mine\n"), {"new"}),
    "a folder in place of the command's file": ("echo x > new", lambda r: (r / "new").mkdir(), {"new"}),
    "a file in a folder that becomes a file": (
        "rm -r folder; echo x > folder",
        lambda r: (r / "folder/mine").write_text("mine\n"),
        {"folder"},
    ),
    "deleted by both": ("rm folder/inner", lambda r: (r / "folder/inner").unlink(), set()),
    "a file in a folder that is deleted": ("rm -r folder", lambda r: (r / "folder/mine").write_text("mine\n"), set()),
    "made the same by both": ("echo x > new", lambda r: (r / "new").write_text("x\n"), set()),
    "another file": ("echo x > new", lambda r: (r / "list").write_text("mine\n"), set()),
}


@pytest.mark.parametrize("kind", MEANWHILE)
async def test_what_the_user_did_meanwhile_stands(root: Path, how: Isolation, kind: str) -> None:
    line, act, conflicts = MEANWHILE[kind]
    seen = {}

    def acts() -> None:
        act(root)
        seen.update(snapshot(root))

    report = await meanwhile(root, how, line, acts, "true")
    assert set(report.landing.conflicts) == conflicts
    if conflicts:
        now = snapshot(root)
        assert now | {"go": seen["go"]} == seen, "nothing of the command's was written"
    for path in ("folder/mine", "mine"):
        assert (root / path).exists() == (path in seen)


@pytest.mark.parametrize(("user", "line", "both"), [(0o600, "chmod +x list", 0o711), (0o640, "echo x >> list", 0o640)])
async def test_permission_bits_of_both_are_kept(root: Path, how: Isolation, user: int, line: str, both: int) -> None:
    report = await meanwhile(root, how, line, lambda: (root / "list").chmod(user), "true")
    assert not report.landing.conflicts
    assert stat.S_IMODE((root / "list").stat().st_mode) == both


async def test_a_save_while_it_is_being_written_is_joined_too(
    root: Path, how: Isolation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The look at the file is over, and the file is about to be replaced."""
    waiting, real = [True], changing.put

    def put(*arguments: object, **options: object) -> None:
        if waiting:
            waiting.clear()
            with_line(root, 9, "mine\n")
        real(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(changing, "put", put)
    report = await meanwhile(root, how, "sed -i 's/line 2/run/' list; echo new > a-new", lambda: None, "true")
    assert not report.landing.conflicts
    assert (root / "list").read_text() == "".join([*LINES[:2], "run\n", *LINES[3:9], "mine\n", *LINES[10:]])
    assert (root / "a-new").read_text() == "new\n"


async def test_a_command_cancelled_before_it_began_leaves_no_layer(root: Path, how: Isolation) -> None:
    command = project_at(root).commands.run(
        how, LayeredCommand("echo x > new", root, 60), run_id="run-1", key="k", protected_allowed=False
    )
    running = asyncio.create_task(command)
    await asyncio.sleep(0)
    running.cancel()
    report = await running
    assert report.outcome is None
    assert os.listdir(project_at(root).state_folder / "layers") == []
    assert not (root / "new").exists()
