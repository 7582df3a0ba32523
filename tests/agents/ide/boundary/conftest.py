"""What the attacks are tried on: each kind of layer, a project of somebody else's, and a machine without a sandbox."""

import os
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from tests.agents.ide.boundary.grounds import WAYS, Asked, Grounds, enterable_folder

OTHER_USER = 1000


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that every user may enter, as that of a project is."""
    with enterable_folder() as place:
        yield place


@pytest.fixture
def grounds(request: pytest.FixtureRequest, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Grounds:
    """A project with secrets and a repository in it, and what lies beside it."""
    made = Grounds(folder, request.param, monkeypatch)
    if request.param == "owner":
        made.owner = (OTHER_USER, OTHER_USER)
    return made


@pytest.fixture
def project(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Grounds:
    """The same, for attacks that no layer has to do with."""
    return Grounds(folder, "overlay", monkeypatch)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Only root can work on somebody else's project; for an ordinary user the rest is tried."""
    if "grounds" in metafunc.fixturenames:
        ways = [way for way in WAYS if way != "owner" or os.getuid() == 0]
        metafunc.parametrize("grounds", ways, indirect=True)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Without a sandbox an attack ends where the user is asked: that is what its test shows then."""
    try:
        return (yield)
    except Asked:
        return True
