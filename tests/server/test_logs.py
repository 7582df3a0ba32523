"""Logs that a client cannot fill."""

import logging

import pytest

from loopwright.server import serve as logs
from loopwright.server.serve import MOST_PATH, Short, Sparing


def record(template: str, *values: object) -> logging.LogRecord:
    return logging.LogRecord("uvicorn.error", logging.WARNING, __file__, 1, template, values, None)


def test_what_repeats_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(logs.time, "monotonic", lambda: now)
    sparing = Sparing(3)
    assert [sparing.filter(record("bad %s", n)) for n in range(10)] == [True] * 3 + [False] * 7
    assert sparing.filter(record("something else"))
    now += logs.WINDOW_SECONDS + 1
    first = record("bad %s", 10)
    assert sparing.filter(first)
    assert first.getMessage() == "bad 10 [7 more like it were not written]"


def test_long_paths_are_cut() -> None:
    line = record('%s - "%s"', "127.0.0.1:5", "/" + "x" * 50_000)
    assert Short().filter(line)
    assert len(line.getMessage()) < MOST_PATH + 50
