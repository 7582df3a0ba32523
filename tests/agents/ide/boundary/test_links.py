"""Attacks 23-30 and 37: links, of either kind, that lead elsewhere or appear between two looks."""

import asyncio
import os
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from loopwright.agents.ide.editing import landing
from loopwright.agents.ide.sandbox import bubblewrap, toolchain
from loopwright.kernel.errors import LoopwrightError
from loopwright.kernel.gates import Finished, Waiting
from loopwright.kernel.testing import Reply
from loopwright.kits.history import changing
from loopwright.kits.history.change_log import Edit
from loopwright.kits.history.fenced_files import observe
from tests.agents.ide.acting import ENDING, act, project_at
from tests.agents.ide.boundary.grounds import SECRET, Grounds, tree
from tests.agents.ide.commanding import confined

pytestmark = confined


async def refuse(grounds: Grounds, *calls: tuple[str, dict[str, object]]) -> None:
    """Each call of a tool is refused, with everything allowed; nothing changes and no secret is shown."""
    before = tree(grounds.folder / "outside"), tree(grounds.root)
    script: list[Reply] = [list(calls), *ENDING]
    account = await act(grounds.root, *script, allowed=["write", "run", "protected"])
    assert isinstance(account.outcome, Finished), account.outcome
    assert [result["success"] for result in account.results()] == [False] * len(calls)
    assert (tree(grounds.folder / "outside"), tree(grounds.root)) == before
    assert SECRET not in account.shown


async def test_attack_23_links_into_the_root_before_the_sandbox(grounds: Grounds) -> None:
    for name in (".cfg", ".ssh", ".vscode", "node_modules", "tmp", "proc"):
        (grounds.root / name).symlink_to(f"/oldroot{grounds.outside}")
    (grounds.root / ".venv").mkdir()
    (grounds.root / ".venv" / "bin").symlink_to(f"/newroot{grounds.outside}")
    before = tree(grounds.root)
    await grounds.run("ls -R . /oldroot /newroot > /dev/null 2>&1; true")
    assert tree(grounds.root) == before
    tools = toolchain(grounds.root)
    line = bubblewrap(
        grounds.isolation(), grounds.root, "merged", tools, {},
        working_directory=grounds.root, network=False, identity=(0, 0),
    )  # fmt: skip
    places = [each for each in line if Path(each).is_relative_to(grounds.root)]
    assert set(places) == {str(grounds.root)}, "nothing is mounted below a folder that the project controls"


LEADING_OUT = (
    "ln -s {out} notes",
    "ln -s ../outside notes",
    "mkdir -p a/b && ln -s ../../../outside a/b/up",
    "ln -s /etc notes",
    "ln -s src/../../outside notes",
    "mkdir -p a/b/c && ln -s ../../.. a/b/c/up && ln -s up/../outside a/b/c/evil",
    "ln -s . here && ln -s here/../outside evil",
)


@pytest.mark.parametrize("line", LEADING_OUT)
async def test_attack_24_link_that_an_unconfined_writer_follows(grounds: Grounds, line: str) -> None:
    await grounds.is_held(line.format(out=grounds.outside))
    (grounds.root / "notes").symlink_to("../outside")
    await refuse(
        grounds,
        ("write_file", {"path": "notes/canary.txt", "content": "taken"}),
        ("create_file", {"path": "notes/new.txt", "content": "taken"}),
        ("index_read_file", {"path": "notes/canary.txt"}),
        ("delete_file", {"path": "notes/canary.txt"}),
    )
    await grounds.run("echo taken > notes/canary.txt; echo taken > notes/new.txt; cat notes/*; true")


@contextmanager
def swapped(module: object, name: str, swap: Callable[[], None]) -> Iterator[None]:
    """The first look at the disk is followed at once by a change, as by somebody who waited for it."""
    real, done = getattr(module, name), []

    def looked(*arguments: object) -> object:
        found = real(*arguments)
        if not done:
            done.append(True)
            swap()
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, name, looked)
        yield
    assert done


def replace_by_link(place: Path, target: Path) -> None:
    """A folder is moved away, and a link takes its place."""
    place.rename(place.with_name("moved"))
    place.symlink_to(target)


async def test_attack_25_link_swapped_between_look_and_write(grounds: Grounds) -> None:
    (grounds.outside / "app.py").write_text("outside\n")
    before = tree(grounds.outside)
    with swapped(changing, "observe", lambda: replace_by_link(grounds.root / "src", grounds.outside)):
        edit = Edit("src/app.py", b"value = 1\n", b"taken\n")
        with pytest.raises(LoopwrightError):
            await project_at(grounds.root).checkpoints.apply("run-1", [edit], key="k", account={})
    assert tree(grounds.outside) == before
    (grounds.root / "src").unlink()
    (grounds.root / "moved").rename(grounds.root / "src")
    with (
        suppress(LoopwrightError),
        swapped(landing, "observe", lambda: replace_by_link(grounds.root / "src", grounds.outside)),
    ):
        await grounds.run("echo taken > src/app.py; echo taken > src/new.py")
    assert tree(grounds.outside) == before


async def test_attack_26_folder_above_swapped(project: Grounds) -> None:
    """While files are written again and again somebody swaps the folder above for a link and back."""
    project.write({"a/b/c.txt": "0"})
    (project.outside / "b").mkdir()
    (project.outside / "b" / "c.txt").write_text("outside")
    before, stop = tree(project.outside), threading.Event()

    def keep_swapping() -> None:
        while not stop.is_set():
            with suppress(OSError):  # the writer may have made a folder in the meantime
                replace_by_link(project.root / "a", project.outside)
            with suppress(OSError):
                (project.root / "a").unlink()
                (project.root / "moved").rename(project.root / "a")

    swapping = threading.Thread(target=keep_swapping)
    swapping.start()
    written = 0
    try:
        for number in range(60):
            with suppress(LoopwrightError):  # reading refuses the link as writing does
                now, data = observe(project.root, "a/b/c.txt")
                edit = Edit("a/b/c.txt", data if now is not None else None, str(number).encode())
                await project_at(project.root).checkpoints.apply(f"run-{number}", [edit], key=f"{number}", account={})
                written += 1
    finally:
        stop.set()
        swapping.join()
    assert tree(project.outside) == before


async def test_attack_27_hard_link_to_a_file_outside(grounds: Grounds) -> None:
    os.link(grounds.canary, grounds.root / "linked.txt")
    grounds.canary.write_text("not secret, and not yours")
    report = await grounds.run(
        "echo taken >> linked.txt; ln linked.txt again.txt; chmod 777 linked.txt; echo x > main.py"
    )
    assert grounds.canary.read_text() == "not secret, and not yours"
    assert "linked.txt" in report.paths
    assert "main.py" in report.paths
    os.link(grounds.canary, grounds.root / "other.txt")
    await refuse(
        grounds,
        ("write_file", {"path": "other.txt", "content": "taken"}),
        ("replace_in_file", {"path": "other.txt", "search": "not", "replace": "taken"}),
        ("index_read_file", {"path": "other.txt"}),
    )


def patch_of(path: str, mode: str = "100644", text: str = "taken") -> dict[str, object]:
    """A patch that makes a file of this mode."""
    head = f"diff --git a/{path} b/{path}\nnew file mode {mode}\n--- /dev/null\n+++ b/{path}\n"
    return {"diff": f"{head}@@ -0,0 +1 @@\n+{text}\n"}


async def test_attack_28_patch_through_a_link(project: Grounds) -> None:
    (project.root / "notes").symlink_to(project.outside)
    (project.root / "canary.txt").symlink_to("../outside/canary.txt")
    change = "--- a/{0}\n+++ b/{0}\n@@ -1 +1 @@\n-" + SECRET + "\n+taken\n"
    await refuse(
        project,
        ("apply_patch", patch_of("notes/new.txt")),
        ("apply_patch", {"diff": change.format("notes/canary.txt")}),
        ("apply_patch", {"diff": change.format("canary.txt")}),
        ("apply_patch", patch_of("../outside/new.txt")),
    )


@pytest.mark.parametrize("mode", ["120000", "160000", "040000", "104755"])
async def test_attack_29_modes_of_links_and_submodules(project: Grounds, mode: str) -> None:
    before = tree(project.root)
    account = await act(project.root, [("apply_patch", patch_of("new", mode, str(project.canary)))], *ENDING)
    assert isinstance(account.outcome, Finished)
    made = project.root / "new"
    assert not made.is_symlink()
    assert not made.is_dir()
    if made.exists():  # written as the text that it is, and told so
        assert account.results()[0]["success"]
        assert stat.S_IMODE(made.stat().st_mode) & 0o7111 == 0
    else:
        assert tree(project.root) == before


async def test_attack_30_protected_path_that_is_a_link(grounds: Grounds) -> None:
    """The command starts all the same; what it writes through the link is held like what lies at the name itself."""
    grounds.write({"settings/tasks.json": "{}", "tools/hook.sh": "true\n"})
    (grounds.root / ".vscode").symlink_to("settings")
    (grounds.root / ".idea").symlink_to(grounds.outside)
    (grounds.root / ".git" / "hooks" / "pre-commit").symlink_to("../../tools/hook.sh")
    assert "tasks.json" in await grounds.prints("ls .vscode/ settings")
    await grounds.is_held(
        "echo taken > .vscode/tasks.json; echo x > tools/hook.sh", "settings/tasks.json", "tools/hook.sh"
    )
    await grounds.run("echo taken > .idea/canary.txt; true")
    call = ("write_file", {"path": "settings/tasks.json", "content": "taken"})
    account = await act(grounds.root, [call], allowed=["write", "run"])
    assert isinstance(account.outcome, Waiting), account.outcome


async def test_attack_37_folder_replaced_by_a_link(grounds: Grounds) -> None:
    report = await grounds.is_held("rm -rf src && ln -s /etc src", "src")
    assert report.landing.protected["src"] == "is a link that leads out of the project"
    running = asyncio.create_task(grounds.run("sleep 1; echo taken > src/app.py; echo taken > src/new.py"))
    await asyncio.sleep(0.5)
    replace_by_link(grounds.root / "src", grounds.outside)
    report = await running
    assert report.outcome is not None
    assert report.outcome.exit_code != 0 or report.landing.conflicts, report
    assert not report.paths
