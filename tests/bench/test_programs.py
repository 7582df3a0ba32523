"""The comparison of small programs: ours work, and a payment that is killed is not made twice."""

import ast
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.programs import NAMES, PROGRAMS, Bench, World, server_of, size


@pytest.fixture
def bench() -> Iterator[Bench]:
    world = World()
    with server_of(world) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield Bench("ours", sys.executable, world, f"http://127.0.0.1:{server.server_address[1]}")
        server.shutdown()


@pytest.mark.parametrize("name", ["typed", "sub_agent"])
def test_ours_works(name: str, bench: Bench) -> None:
    assert bench.measure(name).works


@pytest.mark.parametrize("name", ["resume", "code_mode"])
def test_a_payment_that_is_killed_is_made_once(name: str, bench: Bench) -> None:
    measured = bench.measure(name)
    assert (measured.works, measured.payments_after_kill) == (True, 1)


def test_every_library_has_every_program() -> None:
    folders = [folder for folder in PROGRAMS.iterdir() if folder.is_dir() and folder.name != "__pycache__"]
    assert len(folders) == 4
    for folder in folders:
        assert {path.stem for path in folder.glob("*.py")} == set(NAMES)
        for path in folder.glob("*.py"):
            ast.parse(path.read_text(encoding="utf-8"))


def test_lines_and_imports_are_counted_without_words_for_readers(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(
        '"""Doc."""\n\nimport os, sys\n\n# a comment\ndef f():\n    """Doc."""\n    return (\n        1\n    )\n'
    )
    assert size(file) == (3, 2)
