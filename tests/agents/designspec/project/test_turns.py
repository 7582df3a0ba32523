import fcntl
import json
import threading
from pathlib import Path

import pytest

from loopwright.agents.designspec.project.files import ProjectFiles
from loopwright.agents.designspec.project.folder import LOG, TORN, TurnLog


@pytest.fixture
def log(tmp_path: Path) -> TurnLog:
    return TurnLog(ProjectFiles(tmp_path))


def lines(log: TurnLog) -> list[str]:
    return (log.files.root / LOG).read_text(encoding="utf-8").splitlines(keepends=True)


def test_turns_are_kept_in_order_each_once(log: TurnLog) -> None:
    assert log.read() == []
    assert log.append({"user_message": "a\nbox é\u2028"}, "t1")
    assert log.append({"user_message": "run it"}, "t2")
    assert not log.append({"user_message": "again"}, "t1")
    assert [turn["user_message"] for turn in log.read()] == ["a\nbox é\u2028", "run it"]
    assert log.read(1) == [{"key": "t2", "user_message": "run it"}]
    assert log.read(0) == []
    assert len(lines(log)) == 2


@pytest.mark.parametrize("cut", range(1, 30, 4))
def test_a_torn_end_is_kept_apart(log: TurnLog, cut: int) -> None:
    log.append({"n": 1}, "t1")
    log.append({"n": 2, "text": "é" * 5}, "t2")
    path = log.files.root / LOG
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    torn = whole[:-cut].rpartition(b"\n")[2]
    complete = cut == 1  # only the end of the line is missing: the turn is there
    assert [turn["n"] for turn in log.read()] == ([1, 2] if complete else [1])
    assert log.append({"n": 2}, "t2") is not complete
    assert log.append({"n": 3}, "t3")
    assert [json.loads(line)["n"] for line in lines(log)] == [1, 2, 3]
    if not complete:
        assert (log.files.root / TORN).read_bytes() == torn + b"\n"


def test_a_damaged_line_hides_no_other(log: TurnLog) -> None:
    log.append({"n": 1}, "t1")
    with (log.files.root / LOG).open("ab") as file:
        file.write(b'{"n": \xff}\n[1]\n')
    log.append({"n": 2}, "t2")
    assert [turn["n"] for turn in log.read()] == [1, 2]


def test_a_number_that_is_not_finite_is_refused_before_anything_is_written(log: TurnLog) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        log.append({"n": float("nan")}, "t1")
    assert log.read() == []


def test_a_writer_waits_for_another(log: TurnLog) -> None:
    log.append({"n": 1}, "t1")
    writer = threading.Thread(target=log.append, args=({"n": 2}, "t2"))
    with (log.files.root / LOG).open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        writer.start()
        writer.join(0.2)
        assert len(log.read()) == 1
    writer.join(10)
    assert [turn["n"] for turn in log.read()] == [1, 2]


def test_many_writers_write_each_turn_once(log: TurnLog) -> None:
    def work() -> None:
        for number in range(10):
            TurnLog(log.files).append({"text": "x" * 5_000}, str(number))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [turn["key"] for turn in log.read()] == [str(number) for number in range(10)]
    assert len(lines(log)) == 10
