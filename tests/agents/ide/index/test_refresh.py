"""The index follows the files: what changed is read anew, what is gone is forgotten, and no file breaks it."""

import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.ide.index.refreshing import BATCH
from loopwright.kernel.errors import Misconfigured
from tests.agents.ide.acting import project_at
from tests.agents.ide.index.workshop import index_of, lay_out

LONG_AGO = 1_600_000_000


def age(root: Path, *paths: str, at: int = LONG_AGO) -> None:
    for path in paths:
        os.utime(root / path, (at, at))


def names(root: Path, query: str) -> list[str]:
    return [symbol.path for symbol in index_of(root).search_symbols(query)]


def test_only_what_changed_is_read(tmp_path: Path) -> None:
    lay_out(tmp_path, {"a.py": "def first(): ...", "b.py": "def second(): ..."})
    age(tmp_path, "a.py", "b.py")
    index = index_of(tmp_path)
    again = index.refresh()
    assert (again.files, again.read, again.removed) == (2, 0, 0)
    lay_out(tmp_path, {"b.py": "def third(): ..."})
    (tmp_path / "a.py").unlink()
    changed = index.refresh()
    assert (changed.files, changed.read, changed.removed) == (1, 1, 1)
    assert not [each.name for query in ("first", "second") for each in index.search_symbols(query)]
    assert [each.name for each in index.search_symbols("third")] == ["third"]
    assert [each.path for each in index.references("third")] == ["b.py"]
    assert [each.path for name in ("second", "first") for each in index.references(name)] == []


def test_a_change_of_the_same_size_right_after_a_refresh_is_seen(tmp_path: Path) -> None:
    index = index_of(tmp_path, {"a.py": "x_one = 1"})
    stamp = (tmp_path / "a.py").stat()
    (tmp_path / "a.py").write_text("y_two = 2")
    os.utime(tmp_path / "a.py", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    index.refresh()
    assert [each.name for each in index.search_symbols("y_two")] == ["y_two"]


def test_a_touched_file_keeps_what_is_known_of_it(tmp_path: Path) -> None:
    lay_out(tmp_path, {"a.py": "def first(): ..."})
    age(tmp_path, "a.py")
    index = index_of(tmp_path)
    age(tmp_path, "a.py", at=LONG_AGO + 60)
    assert index.refresh().read == 1
    assert index.refresh().read == 0
    assert names(tmp_path, "first") == ["a.py"]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"\0\1\2def first(): ...", id="binary"),
        pytest.param(b"def first(:\n  ))) \xff\xfe", id="no-syntax-no-utf8"),
        pytest.param(b"(" * 300_000, id="without-sense"),
        pytest.param(b"[" * 20_000 + b"]" * 20_000, id="deep"),
        pytest.param(b"x = 1\n" * 200_000, id="large"),
        pytest.param(b"", id="empty"),
    ],
)
def test_no_file_breaks_a_refresh(tmp_path: Path, content: bytes) -> None:
    index = index_of(tmp_path, {"odd.py": content, "good.py": "def good(): ..."})
    assert [each.path for each in index.search_symbols("good")] == ["good.py"]
    assert index.find_files("odd") == ["odd.py"]
    assert index.references("good")


def test_what_cannot_be_opened_breaks_nothing(tmp_path: Path) -> None:
    lay_out(tmp_path, {"good.py": "def good(): ..."})
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "broken.py").symlink_to(tmp_path / "nowhere.py")
    (tmp_path / "loop.py").symlink_to(tmp_path / "loop.py")
    assert index_of(tmp_path).refresh().files == 1


def test_a_damaged_index_is_made_anew(tmp_path: Path) -> None:
    index = index_of(tmp_path, {"a.py": "def first(): ..."})
    file = project_at(tmp_path).state_folder / "index.db"
    file.write_bytes(b"no database" * 500)
    index.refresh()
    assert names(tmp_path, "first") == ["a.py"]


def test_an_index_of_another_version_is_made_anew(tmp_path: Path) -> None:
    index = index_of(tmp_path, {"a.py": "def first(): ..."})
    with sqlite3.connect(project_at(tmp_path).state_folder / "index.db") as connection:
        connection.executescript("UPDATE symbols SET name = 'other'; PRAGMA user_version = 1;")
    connection.close()
    assert index.refresh().read == 1
    assert names(tmp_path, "first") == ["a.py"]


def test_a_busy_index_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = index_of(tmp_path, {"a.py": "def first(): ..."})
    monkeypatch.setattr("loopwright.agents.ide.index.refreshing.BUSY_SECONDS", 0)
    file = project_at(tmp_path).state_folder / "index.db"
    holder = sqlite3.connect(file)
    holder.execute("BEGIN IMMEDIATE")
    (tmp_path / "b.py").write_text("def second(): ...")
    with pytest.raises(Misconfigured, match="locked"):
        index.refresh()
    holder.close()
    assert file.is_file()
    assert [each.name for each in index.search_symbols("first")] == ["first"]


def test_two_at_once_do_each_others_work_no_harm(tmp_path: Path) -> None:
    lay_out(tmp_path, {f"module_{number}.py": f"def function_{number}(): ..." for number in range(BATCH + 20)})
    with ThreadPoolExecutor(4) as pool:
        indexes = list(pool.map(lambda _: index_of(tmp_path), range(4)))
    for index in indexes:
        assert len(index.search_symbols("function_", limit=1_000)) == BATCH + 20


CONTENTS = st.sampled_from(["", "def one(): ...", "def two(): ...", "class One:\n  def two(self): ..."])
STATES = st.dictionaries(st.sampled_from(["a.py", "b/c.py", "b/d.py", "e.md"]), CONTENTS)


@settings(max_examples=8, deadline=None)
@given(states=st.lists(STATES, min_size=2, max_size=4))
def test_after_any_changes_it_is_as_if_made_anew(states: list[dict[str, str]]) -> None:
    with TemporaryDirectory() as changing:
        root = Path(changing)
        for state in states:
            for path in [each for each in root.rglob("*") if each.is_file() and ".loopwright" not in each.parts]:
                path.unlink()
            index = index_of(root, state)
        with TemporaryDirectory() as fresh:
            other = index_of(Path(fresh), states[-1])
            for query in ("one", "two"):
                assert index.search_symbols(query) == other.search_symbols(query)
                assert index.references(query) == other.references(query)
            assert index.map(500) == other.map(500)
