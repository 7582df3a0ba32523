"""Packages that people use: indexed, searched, a symbol renamed with their own tests still passing, and undone.

Their source distributions are fetched by pip, from wherever it is set up to look, into the cache that the tests keep.
"""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from loopwright.agents.ide.editing.checkpoints import Checkpoints
from loopwright.agents.ide.index import CodebaseIndex
from loopwright.agents.ide.project_files import ProjectFiles
from loopwright.kits.history.change_log import Edit
from tests.agents.ide.acting import project_at
from tests.agents.ide.editing.trees import snapshot
from tests.support.sdists import fetch_sdist

pytestmark = pytest.mark.soak


@dataclass(frozen=True)
class Package:
    """A source distribution, where its tests are, and a symbol with the file that defines it."""

    requirement: str
    tests: str
    symbol: str
    defined_in: str


PACKAGES = [
    Package("toolz==1.2.0", "toolz/tests", "compose", "toolz/functoolz.py"),
    Package("more-itertools==11.2.1", "tests", "first", "more_itertools/more.py"),
    Package("boltons==26.2.0", "tests", "remap", "boltons/iterutils.py"),
]


@pytest.fixture(params=PACKAGES, ids=lambda package: package.requirement)
def package(request: pytest.FixtureRequest) -> Package:
    return request.param


@pytest.fixture
def source(package: Package, pytestconfig: pytest.Config, tmp_path: Path) -> Path:
    return fetch_sdist(pytestconfig, package.requirement, tmp_path)


def own_tests(root: Path, package: Package) -> int:
    """How many of the package's own tests pass, each of which must."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", "-p", "no:xdist"]
    done = subprocess.run(
        [*command, "--rootdir", str(root), "-c", os.devnull, "-W", "ignore", package.tests],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-3_000:]
    return int(re.findall(r"(\d+) passed", done.stdout)[-1])


async def test_a_symbol_is_renamed_and_the_renaming_undone(source: Path, package: Package) -> None:
    files = ProjectFiles(source)
    index = CodebaseIndex(files, project_at(source).state_folder)
    assert index.refresh().files > 20
    before, passing = snapshot(source), own_tests(source, package)
    assert snapshot(source) == before
    found = index.search_symbols(package.symbol)
    assert package.defined_in in {symbol.path for symbol in found if symbol.name == package.symbol}
    assert package.defined_in in index.map(2_000, package.symbol)

    new = f"{package.symbol}_renamed"
    renaming = index.rename(package.symbol, new, path=package.defined_in)
    assert len(renaming.edits) > 1
    checkpoints = Checkpoints(files, project_at(source).state_folder)
    edits = [Edit(each.path, each.before.encode(), each.after.encode()) for each in renaming.edits]
    await checkpoints.apply("run-1", edits, key="rename", account={})
    assert own_tests(source, package) == passing
    index.refresh()
    assert package.defined_in in {symbol.path for symbol in index.search_symbols(new) if symbol.name == new}

    await checkpoints.undo("run-1")
    assert snapshot(source) == before
    index.refresh()
    assert not [symbol for symbol in index.search_symbols(new) if symbol.name == new]
