"""`--cpu-log FOLDER`: what each test costs, as `CPU seconds, tab, seconds, tab, node id`, a file for each process.

CPU seconds are those of the process and of the children it waited for: they hold on a busy machine, where seconds do
not. What a browser computes is missing, since the tests of a process share one. A set-up counts for the test that needs
it first.
"""

import os
import time
from collections.abc import Generator
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """The folder of the logs."""
    parser.addoption("--cpu-log", metavar="FOLDER", help="write what each test costs to files in this folder")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Measure a test with its set-ups and what takes them down again."""
    folder = item.config.getoption("--cpu-log")
    if folder is None:
        return (yield)
    cpu, wall = _cpu_seconds(), time.monotonic()
    result = yield
    line = f"{_cpu_seconds() - cpu:.3f}\t{time.monotonic() - wall:.3f}\t{item.nodeid}\n"
    place = item.config.rootpath / folder
    place.mkdir(parents=True, exist_ok=True)
    with Path(place, f"{os.environ.get('PYTEST_XDIST_WORKER', 'main')}.tsv").open("a", encoding="utf-8") as log:
        log.write(line)
    return result


def _cpu_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
