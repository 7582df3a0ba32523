"""Kept results are whole or absent, and never more than the limit."""

import os
from pathlib import Path

from loopwright.agents.designspec.pipeline.preview import ResultCache


def test_what_was_put_is_found_again(tmp_path: Path) -> None:
    """By another process too."""
    ResultCache(tmp_path, 1_000).put("a", b"content")
    assert ResultCache(tmp_path, 1_000).get("a") == b"content"
    assert ResultCache(tmp_path, 1_000).get("b") is None


def test_a_broken_entry_counts_as_absent(tmp_path: Path) -> None:
    """Whether cut short, altered or something else altogether; it is removed."""
    for damage in (
        lambda entry: entry[:-1],
        lambda entry: entry[:-1] + b"X",
        lambda entry: b"",
        lambda entry: b"hello",
    ):
        ResultCache(tmp_path, 1_000).put("a", b"content")
        path = next((tmp_path / "cache").iterdir())
        path.write_bytes(damage(path.read_bytes()))
        cache = ResultCache(tmp_path, 1_000)
        assert not cache.has("a")
        assert cache.get("a") is None
        assert not path.exists()


def test_the_longest_unused_goes_first(tmp_path: Path) -> None:
    """Reading is using; what this run has touched stays."""
    before = ResultCache(tmp_path, 10_000)
    for age, key in enumerate(("oldest", "read", "newer")):
        before.put(key, b"x" * 300)
        os.utime(tmp_path / "cache" / f"{key}.result", ns=(age, age))
    now = ResultCache(tmp_path, 1_200)
    assert now.has("read")
    now.put("a", b"x" * 300)
    assert {path.stem for path in (tmp_path / "cache").iterdir()} == {"read", "newer", "a"}
    now.put("b", b"x" * 300)
    now.put("c", b"x" * 300)
    assert {path.stem for path in (tmp_path / "cache").iterdir()} == {"read", "a", "b", "c"}


def test_no_room_keeps_nothing(tmp_path: Path) -> None:
    """A result larger than all the room is not kept, and a limit of zero keeps none."""
    for limit in (0, 5):
        cache = ResultCache(tmp_path, limit)
        cache.put("a", b"x" * 300)
        assert not cache.has("a")
