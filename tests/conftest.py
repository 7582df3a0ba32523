"""What holds for every test: no network, no settings from outside, no trace, no silent skip where CI demands more."""

import itertools
import os
import socket
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from loopwright.api.agents import AGENTS
from loopwright.app import agents
from tests.lanes import LANES, in_lane
from tests.support.schema import migrated_once

pytest_plugins = ("tests.support.command_line", "tests.support.cpu_log", "tests.support.users_venv")

# A busy machine is slow now and then; what must be fast is measured where it matters, not per example.
hypothesis.settings.register_profile("loopwright", deadline=None)
hypothesis.settings.load_profile("loopwright")

# Settings of the product and of libraries under it; a developer's own must not decide what a test sees.
SETTING_PREFIXES = ("LOOPWRIGHT_", "MODEL_", "NEO4J_", "OPENAI_", "OTEL_", "SOUL_")
SETTINGS = ("DATABASE_URL",)
# Settings of the tests themselves.
KEPT_PREFIXES = ("LOOPWRIGHT_TEST_", "LOOPWRIGHT_REQUIRE_")

REQUIRED_BY = {
    "browser": "LOOPWRIGHT_REQUIRE_BROWSER",
    "postgres": "LOOPWRIGHT_REQUIRE_POSTGRES",
    "sandbox": "LOOPWRIGHT_REQUIRE_SANDBOX",
    "wheels": "LOOPWRIGHT_REQUIRE_WHEELS",
}

refused_connections: list[str] = []


def pytest_addoption(parser: pytest.Parser) -> None:
    """The lane of the tests: see `tests/lanes.py`."""
    parser.addoption("--lane", choices=LANES, default="all", help="which tests run (tests/lanes.py)")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what the lane does not run."""
    kept = in_lane(config.getoption("lane"), [item.nodeid for item in items])
    config.hook.pytest_deselected(items=[item for item, keep in zip(items, kept, strict=True) if not keep])
    items[:] = [item for item, keep in zip(items, kept, strict=True) if keep]


class NetworkForbidden(RuntimeError):
    """A test wanted to leave this machine."""


def is_local(family: int, address: Any) -> bool:
    """Whether the address is a Unix socket or on the loopback interface."""
    if family == socket.AF_UNIX:
        return True
    host = address[0] if isinstance(address, tuple) else address
    host = host.decode() if isinstance(host, bytes) else host
    return host in (None, "", "localhost", "::1", "0.0.0.0", "::") or str(host).startswith("127.")


def refuse(address: Any) -> None:
    """Note the attempt, so that the test fails even where the error is caught, and raise."""
    refused_connections.append(str(address))
    raise NetworkForbidden(f"tests may not leave this machine: {address}")


@pytest.fixture(scope="session", autouse=True)
def only_this_machine() -> Iterator[None]:
    """Guard every way in which Python code opens a connection or resolves a name."""
    patch = pytest.MonkeyPatch()
    real_lookup = socket.getaddrinfo

    def guarded(method: Any) -> Any:
        def connect(self: socket.socket, address: Any) -> Any:
            return method(self, address) if is_local(self.family, address) else refuse(address)

        return connect

    def lookup(host: Any, *arguments: Any, **options: Any) -> Any:
        return real_lookup(host, *arguments, **options) if is_local(socket.AF_INET, host) else refuse(host)

    patch.setattr(socket.socket, "connect", guarded(socket.socket.connect))
    patch.setattr(socket.socket, "connect_ex", guarded(socket.socket.connect_ex))
    patch.setattr(socket, "getaddrinfo", lookup)
    yield
    patch.undo()


@pytest.fixture(scope="session", autouse=True)
def migrations_run_once() -> Iterator[None]:
    """What migrations make is made anew for no test; tests/stores/test_migrations.py runs them for every one of its."""
    with migrated_once():
        yield


@pytest.fixture(autouse=True)
def nothing_was_refused() -> Iterator[None]:
    """Fail the test during which something wanted to leave, however the refusal was handled."""
    refused_connections.clear()
    yield
    assert not refused_connections, f"tests may not leave this machine: {refused_connections}"


@pytest.fixture(scope="session")
def surroundings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A new folder for each test, by `next`; pytest's own way to number them reads all that are there every time."""
    place = tmp_path_factory.mktemp("surroundings")
    return (place / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def clean_surroundings(surroundings: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Run in an empty folder, with an empty home and none of the developer's settings."""
    for name in list(os.environ):
        if name in SETTINGS or (name.startswith(SETTING_PREFIXES) and not name.startswith(KEPT_PREFIXES)):
            monkeypatch.delenv(name)
    # Pages are rendered where that is what a test is about: a second for each page would be minutes in all.
    monkeypatch.setenv("LOOPWRIGHT_SELF_CHECK", "0")
    folder = next(surroundings)
    for name in ("home", "cwd"):
        (folder / name).mkdir(parents=True)
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(folder / "home"))
    monkeypatch.chdir(folder / "cwd")


@pytest.fixture(autouse=True)
def what_a_test_declares_ends_with_it(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test knows the agents that another one has declared or made known in this process."""
    monkeypatch.setattr(agents, "_IN_PROCESS", dict(agents._IN_PROCESS))
    declared = dict(AGENTS)
    yield
    AGENTS.clear()
    AGENTS.update(declared)


@pytest.fixture(scope="session")
def postgres_url() -> str:
    """The SQLAlchemy URL of a PostgreSQL database in which tests may make and drop what they like."""
    return os.environ["LOOPWRIGHT_TEST_POSTGRES"]


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what this machine cannot run, saying what it lacks; tests/support/browser.py does so for the browser."""
    if item.get_closest_marker("postgres") and not os.environ.get("LOOPWRIGHT_TEST_POSTGRES"):
        pytest.skip("LOOPWRIGHT_TEST_POSTGRES is not set")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where CI demands the browser or the database, a skipped test of theirs is a failure."""
    report = yield
    demanded = [
        name for marker, name in REQUIRED_BY.items() if item.get_closest_marker(marker) and os.environ.get(name)
    ]
    if demanded and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{demanded[0]} is set, but the test was skipped: {call.excinfo and call.excinfo.value}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """A module that skips itself hides its markers: where CI demands anything, that is a failure too."""
    report = yield
    if report.skipped and any(os.environ.get(name) for name in REQUIRED_BY.values()):
        report.outcome = "failed"
        report.longrepr = f"{collector.nodeid} skips itself as a whole, but CI demands its tests"
    return report
