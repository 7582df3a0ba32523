"""The workspace: what is written is read again, and nothing outside is ever reached."""

import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.kernel import workspace as folders
from loopwright.kernel.errors import InvalidInput, NotFound
from loopwright.kernel.workspace import Workspace

ESCAPES = (
    "/etc/passwd",
    "../outside.txt",
    "output/../../outside.txt",
    "..",
    "a\\..\\b",
    "C:/windows",
    "a\x00b",
    "a\nb",
    "a\u202etxt.exe",
    "a\u200b",
    "\ud800",
    "CON",
    "output/nul.txt",
    "com1.log",
    ".loopwright/state.json",
    ".Loopwright/x",
    ".LOOPWRIGHT",
    "x/.loopwright/y",
    ".ｌoopwright/x",
    "name.",
    " name",
    "name ",
    "n" * 256,
    "ä" * 130,
    "d/" * 21 + "f",
    "x" * 501,
)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "outside.txt").write_text("secret")
    (tmp_path / "job").mkdir()
    return Workspace(tmp_path / "job", max_file_bytes=2_000)


@pytest.mark.parametrize("path", ESCAPES)
def test_what_is_no_path_inside_is_refused_by_everything(path: str, workspace: Workspace) -> None:
    for act in (
        workspace.locate,
        workspace.read_bytes,
        workspace.read_text,
        workspace.exists,
        workspace.delete,
        workspace.entries,
        workspace.list,
        workspace.make_folder,
        lambda path: workspace.write_text(path, "x"),
        lambda path: workspace.append_text(path, "x"),
    ):
        with pytest.raises(InvalidInput) as refused:
            act(path)
        assert not isinstance(refused.value, NotFound)
    assert (workspace.root.parent / "outside.txt").read_text() == "secret"
    assert list(workspace.root.iterdir()) == []


names = st.text(st.sampled_from("ab./\\~:\0\n .ÄCON*loopwright\u202e"), max_size=30)


def stays_inside(path: str, top: Path) -> None:
    """Either the path is refused, or what it names lies inside and reads back."""
    (top / "job").mkdir()
    workspace = Workspace(top / "job")
    try:
        workspace.write_text(path, "written")
    except InvalidInput:
        assert workspace.list() == ()
    else:
        found = workspace.locate(path)
        assert found.resolve().is_relative_to(top / "job")
        assert workspace.read_text(path) == "written"
        assert workspace.list() == (workspace.relative(found),)
    writing = top / "job" / ".loopwright" / "writing"
    assert not writing.exists() or list(writing.iterdir()) == []
    assert [entry.name for entry in top.iterdir()] == ["job"]


@given(path=names)
@settings(max_examples=100)
def test_no_text_reaches_beyond_the_folder(path: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    stays_inside(path, tmp_path_factory.mktemp("top"))


@pytest.mark.soak
@given(path=names | st.text(max_size=80))
@settings(max_examples=3_000)
def test_no_text_at_all_reaches_beyond_the_folder(path: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    with TemporaryDirectory(dir=tmp_path_factory.getbasetemp()) as folder:
        stays_inside(path, Path(folder).resolve())


@pytest.mark.parametrize("link", ["file", "folder", "dangling", "root"])
def test_links_are_never_followed(link: str, workspace: Workspace) -> None:
    outside = workspace.root.parent
    target = {"file": outside / "outside.txt", "folder": outside, "dangling": outside / "new.txt", "root": Path("/")}
    (workspace.root / "door").symlink_to(target[link])
    for path in ("door", "door/outside.txt", "door/etc/passwd"):
        for act in (workspace.locate, workspace.read_text, workspace.exists, workspace.delete, workspace.entries):
            with pytest.raises(InvalidInput) as refused:
                act(path)
            assert "link" in refused.value.message
        with pytest.raises(InvalidInput):
            workspace.write_text(path, "broken in")
    assert (outside / "outside.txt").read_text() == "secret"
    assert not (outside / "new.txt").exists()
    assert workspace.list() == ()
    assert [entry.kind for entry in workspace.entries().entries] == ["link"]


def test_a_link_that_replaces_a_folder_is_refused_too(workspace: Workspace) -> None:
    """The way is checked at each use, not once."""
    workspace.write_text("output/a.txt", "a")
    os.rename(workspace.root / "output", workspace.root / "moved")
    (workspace.root / "output").symlink_to(workspace.root.parent)
    with pytest.raises(InvalidInput):
        workspace.read_text("output/outside.txt")


@pytest.mark.parametrize("act", ["read", "write", "delete"])
def test_a_link_put_there_between_check_and_use_is_not_followed(
    act: str, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder that was checked turns into a link at the worst moment."""
    workspace.write_text("output/outside.txt", "inside")
    check = folders.refuse_link

    def swing(folder: int, name: str, path: str) -> None:
        check(folder, name, path)
        if name == "output":
            (workspace.root / "output").rename(workspace.root / "aside")
            (workspace.root / "output").symlink_to(workspace.root.parent)

    monkeypatch.setattr(folders, "refuse_link", swing)
    acts: dict[str, Callable[[str], object]] = {
        "read": workspace.read_text,
        "write": lambda path: workspace.write_text(path, "broken in"),
        "delete": workspace.delete,
    }
    with pytest.raises(InvalidInput):
        acts[act]("output/outside.txt")
    assert (workspace.root.parent / "outside.txt").read_text() == "secret"


def test_a_hard_link_is_parted_by_a_write(workspace: Workspace) -> None:
    os.link(workspace.root.parent / "outside.txt", workspace.root / "inside.txt")
    workspace.append_text("inside.txt", " and more")
    assert workspace.read_text("inside.txt") == "secret and more"
    assert (workspace.root.parent / "outside.txt").read_text() == "secret"


def test_pipes_and_folders_are_no_files(workspace: Workspace) -> None:
    os.mkfifo(workspace.root / "pipe")
    (workspace.root / "folder").mkdir()
    for path in ("pipe", "folder", ".", "", "new/"):
        with pytest.raises(InvalidInput):
            workspace.read_text(path)
        with pytest.raises(InvalidInput):
            workspace.write_text(path, "x")
    with pytest.raises(InvalidInput, match="is a folder"):
        workspace.delete("folder")


def test_files_have_a_size_limit(workspace: Workspace) -> None:
    workspace.write_text("a.txt", "x" * 2_000)
    for write in (workspace.write_text, workspace.append_text):
        with pytest.raises(InvalidInput, match="at most 2,000"):
            write("a.txt", "x" * 2_001)
    assert workspace.read_text("a.txt") == "x" * 2_000
    (workspace.root / "large.txt").write_text("x" * 2_001)
    with pytest.raises(InvalidInput, match="2,001 bytes; at most 2,000"):
        workspace.read_text("large.txt")


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("scan.pdf", b"%PDF-1.7\0\1", "page_start"),
        ("old.txt", "Straße".encode("latin-1"), "extract_document_text"),
        ("photo.png", b"\x89PNG\0", "no tool"),
    ],
)
def test_what_is_no_text_is_told_with_its_reader(name: str, data: bytes, told: str, workspace: Workspace) -> None:
    workspace.write_bytes(name, data)
    with pytest.raises(InvalidInput) as refused:
        workspace.read_text(name)
    assert told in refused.value.hint


def test_missing_things_are_told(workspace: Workspace) -> None:
    for act in (workspace.read_text, workspace.delete, workspace.entries):
        with pytest.raises(NotFound, match="no 'gone"):
            act("gone/x.md")
    assert not workspace.exists("gone/x.md")
    assert workspace.list("gone") == ()


def test_a_write_that_fails_leaves_the_old_file(workspace: Workspace) -> None:
    workspace.write_text("a/b.md", "old")
    with pytest.raises(InvalidInput, match="broken character"):
        workspace.write_text("a/b.md", "new \ud800")
    with pytest.raises(InvalidInput, match="file or a link"):
        workspace.write_text("a/b.md/c", "below a file")
    assert workspace.read_text("a/b.md") == "old"


def test_listings_are_in_order_and_end_where_wanted(workspace: Workspace) -> None:
    for path in ("b/two.md", "b/one.md", "a.md", "c/d/deep.md"):
        workspace.write_text(path, path)
    assert workspace.list() == ("a.md", "b/one.md", "b/two.md", "c/d/deep.md")
    assert workspace.list("b") == ("b/one.md", "b/two.md")
    shallow = workspace.entries(depth=1)
    assert [entry.path for entry in shallow.entries] == ["a.md", "b", "c"]
    assert shallow.complete
    assert not workspace.entries(most=2).complete
    assert workspace.state_folder.is_dir()  # and is not listed
