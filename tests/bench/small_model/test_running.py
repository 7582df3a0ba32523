"""Running the cases: the bare loop against an endpoint, the product against a program, and what is counted."""

import json
import stat
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from bench.small_model.bare import Bare
from bench.small_model.counting import counted
from bench.small_model.judges import cases, judge
from bench.small_model.product import Product
from bench.small_model.tables import table

WHERE = next(case for case in cases("ide") if case["id"] == "where-defined")


class Endpoint(ThreadingHTTPServer):
    """Answers with one text after the other, and says 10 tokens in and 5 out each time."""

    def __init__(self, answers: list[Any]) -> None:
        self.answers = [each if isinstance(each, str) else json.dumps(each) for each in answers]
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        """Answer, or refuse when there is nothing left to say."""
        self.rfile.read(int(self.headers["content-length"]))
        left = self.server.answers
        message = {"role": "assistant", "content": left.pop(0) if left else ""}
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 4}}
        body = json.dumps({"choices": [{"message": message}], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def endpoint(request: pytest.FixtureRequest) -> Iterator[Endpoint]:
    """An endpoint with the answers of the test."""
    server = Endpoint(request.param)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def step(tool: str, **arguments: Any) -> dict[str, Any]:
    """A step of the bare loop."""
    return {"tool": tool, "arguments": arguments}


READ = step("read", path="timers/text.py")
RIGHT = step("finish", answer="timers/text.py:11, called by timers/clock.py")


@pytest.mark.parametrize(
    ("endpoint", "verdict", "calls"),
    [
        ([READ, RIGHT], "done", 2),
        ([step("finish", answer="All done.")], "false done", 1),
        ([step("write", path="../outside.txt", content="x"), RIGHT], "done", 2),
        (["no JSON at all"], "not done", 1),
        ([READ] * 20, "not done", 14),
    ],
    indirect=["endpoint"],
)
def test_the_bare_loop_takes_its_steps_and_is_judged(
    endpoint: Endpoint, verdict: str, calls: int, tmp_path: Path
) -> None:
    """It ends with `finish`, at what is no step, or when it has taken too many; all calls are counted."""
    with counted(endpoint.address) as (address, counts):
        outcome = Bare(address).run("ide", WHERE, tmp_path)
    assert judge("ide", WHERE, outcome).verdict == verdict
    assert not (tmp_path / "outside.txt").exists()
    found = counts.numbers()
    assert (found["calls"], found["prompt"], found["cached"], found["answer"]) == (
        calls,
        10 * calls,
        4 * calls,
        5 * calls,
    )


@pytest.mark.parametrize("endpoint", [[step("ask", question="How high?")]], indirect=True)
def test_a_question_of_the_bare_loop_waits_for_its_answer(endpoint: Endpoint, tmp_path: Path) -> None:
    """Nobody is there to answer: the case is told, not done."""
    case = next(case for case in cases("designspec") if case["id"] == "height-missing")
    outcome = Bare(endpoint.address).run("designspec", case, tmp_path)
    assert (outcome.ended, outcome.questions) == ("waiting", ("How high?",))
    assert judge("designspec", case, outcome).verdict == "told"


def program(folder: Path, body: str) -> str:
    """A program in the place of the product's."""
    file = folder / "loopwright"
    file.write_text(f"#!{sys.executable}\nimport json, sys, time\n{body}\n", encoding="utf-8")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return str(file)


def told(**line: Any) -> str:
    """A program that ends with this line."""
    return f"print({json.dumps(json.dumps(line))})"


ANSWER = "timers/text.py:11, called by timers/clock.py"
GATE = {"type": "gate_opened", "payload": {"questions": [{"question": "Which one?"}]}}


@pytest.mark.parametrize(
    ("body", "ended", "verdict"),
    [
        (told(type="complete", message=ANSWER), "complete", "done"),
        (told(type="complete", message="All done."), "complete", "false done"),
        (told(type="complete", message=ANSWER) + "\nsys.exit(4)", "failed", "not done"),
        ("pass", "failed", "not done"),
        (f"print({json.dumps(json.dumps(GATE))})\nsys.exit(3)", "waiting", "told"),
        ("time.sleep(60)", "timeout", "not done"),
    ],
    ids=["right", "a lie", "an error", "silent", "waiting", "too long"],
)
def test_the_product_is_read_by_its_last_line_and_its_code(body: str, ended: str, verdict: str, tmp_path: Path) -> None:
    """What the program says counts as little as its code allows."""
    product = Product(program(tmp_path, body), {}, seconds=10 if ended != "timeout" else 1)
    place = tmp_path / "case"
    place.mkdir()
    outcome = product.run("ide", WHERE, place)
    assert outcome.ended == ended
    assert judge("ide", WHERE, outcome).verdict == verdict


def test_the_table_has_a_line_for_each_agent_and_case() -> None:
    """Sums for the agents, reasons for the cases."""
    numbers = {"calls": 2, "prompt": 10, "answer": 5, "cpu_seconds": 1.5, "seconds": 3.0, "held": 1, "asked": 2}
    record = {"agent": "ide", "case": "rename", "verdict": "false done", "reasons": ["a | b"], **numbers}
    shown = table([record, record | {"case": "other", "verdict": "done", "reasons": []}])
    assert "| ide | 2 | 1 | 0 | 0 | 1 | 2 of 4 | 4 | 20 | 10 | 3 |" in shown
    assert "| ide rename | false done | 1/2 | 2 | 10 | 5 | 1.5 | 3.0 | a / b |" in shown
