"""Whatever runs do in whatever order, undoing them gives back every byte. Empty folders are not kept, as in git."""

import asyncio
import os
import shlex
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loopwright.agents.ide.editing.checkpoints import Checkpoints
from loopwright.agents.ide.project_files import ProjectFiles
from loopwright.kits.history.change_log import Edit
from tests.agents.ide.acting import project_at
from tests.agents.ide.commanding import command, confined
from tests.agents.ide.editing.trees import make_repository, snapshot

pytestmark = confined
PATHS = ("a", "b.txt", "d/a", "d/e/f", "d/e/g", "h/i")
CONTENTS = st.sampled_from([b"", b"one\n", b"two\r\n", b"no end", bytes(range(256)), b"\xef\xbb\xbfmark\n"])
STEP = st.tuples(
    st.sampled_from(["write", "delete", "command", "run", "restore"]), st.sampled_from(PATHS), CONTENTS, st.booleans()
)


async def play(root: Path, steps: list[tuple[str, str, bytes, bool]]) -> Checkpoints:
    """Do the steps: edits by a tool, changes by a command, a new run, a restore in the middle of a run."""
    checkpoints, run = Checkpoints(ProjectFiles(root), project_at(root).state_folder), 1
    for number, (what, path, content, flag) in enumerate(steps):
        place = root / path
        if what == "run":
            run += 1
        elif what == "restore" and flag and await checkpoints.list():
            await checkpoints.restore((await checkpoints.list())[-1].id)
        elif what in ("write", "delete") and not place.is_symlink():
            before = place.read_bytes() if place.is_file() else None
            after = content if what == "write" else None
            if not place.is_dir() and before != after and all(not p.is_file() for p in place.parents):
                edit = Edit(path, before, after, 0o755 if flag and after is not None else None)
                await checkpoints.apply(f"run-{run}", [edit], key=str(number), account={})
        elif what == "command":
            await command(root, _line(root, place, content, flag), f"run-{run}")
    return checkpoints


def _line(root: Path, place: Path, content: bytes, flag: bool) -> str:
    """What a command might do: write, delete, make a link, or move a whole folder."""
    path, folder = (shlex.quote(str(each.relative_to(root))) for each in (place, place.parent))
    if flag and place.parent != root and place.parent.is_dir() and not (root / "moved").exists():
        return f"mv {folder} moved"
    if place.is_symlink() or place.is_file():
        return f"rm {path}" + (f"; ln -s a {path}" if flag else "")
    if any(parent.is_file() for parent in place.parents) or place.is_dir():
        return "true"
    octal = "".join(f"\\{byte:03o}" for byte in content)
    return f"mkdir -p {folder}; printf '{octal}' > {path}"


def files_of(root: Path) -> dict[str, tuple[str, bytes, bool]]:
    """All files and links."""
    return {path: found for path, found in snapshot(root).items() if found[0] != "empty folder"}


async def undone_to_the_byte(steps: list[tuple[str, str, bytes, bool]], repository: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path in PATHS[:4]:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(path.encode())
        (root / "link").symlink_to("a")
        os.chmod(root / "a", 0o755)
        if repository:
            make_repository(root)
        before = files_of(root)
        checkpoints = await play(root, steps)
        for checkpoint in await checkpoints.list():
            if checkpoint.kind == "run" and not checkpoint.undone:
                await checkpoints.undo(checkpoint.id)
        assert files_of(root) == before


@pytest.mark.parametrize("repository", [False, True])
@given(steps=st.lists(STEP, max_size=6))
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_random_runs_are_undone_to_the_byte(repository: bool, steps: list[tuple[str, str, bytes, bool]]) -> None:
    asyncio.run(undone_to_the_byte(steps, repository))


@pytest.mark.soak
@given(steps=st.lists(STEP, max_size=20), repository=st.booleans())
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_many_random_runs_are_undone_to_the_byte(steps: list[tuple[str, str, bytes, bool]], repository: bool) -> None:
    asyncio.run(undone_to_the_byte(steps, repository))
