"""What test runners write, as they write it."""

import subprocess
import sys
from pathlib import Path

import pytest

from loopwright.agents.ide.offline.runner_output import Failure, RunnerOutput, read_runner_output

FAILING = """\
import unittest


def helper(x):
    raise ValueError("bad value")


class SumTest(unittest.TestCase):
    def test_ok(self):
        pass

    def test_bad(self):
        self.assertEqual(1, 2)

    def test_err(self):
        helper(3)
"""
NODE = """\
TAP version 13
# Subtest: adds up
ok 1 - adds up
  ---
  duration_ms: 1.343283
  ...
# Subtest: takes away
not ok 2 - takes away
  ---
  duration_ms: 1.283254
  location: '/shop/a.test.mjs:4:1'
  failureType: 'testCodeFailure'
  error: '1 == 2'
  code: 'ERR_ASSERTION'
  stack: |-
    TestContext.<anonymous> (file:///shop/a.test.mjs:4:35)
  ...
1..2
# tests 2
# suites 0
# pass 1
# fail 1
"""
CARGO = """\
running 2 tests
test tests::works ... ok
test tests::breaks ... FAILED

failures:

---- tests::breaks stdout ----

thread 'tests::breaks' (27763) panicked at src/lib.rs:8:19:
assertion `left == right` failed
  left: 2
 right: 3

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.13s
"""
GO = """\
--- FAIL: TestTotal (0.00s)
    orders_test.go:9: total: got 3, want 4
FAIL
FAIL\texample.org/shop\t0.003s
FAIL
"""
JEST = """\
FAIL src/orders.test.js
  ✓ adds up (2 ms)
  ✕ takes away (1 ms)

  ● takes away

    expect(received).toBe(expected) // Object.is equality

    Expected: 2
    Received: 1

      at Object.<anonymous> (src/orders.test.js:8:13)

Test Suites: 1 failed, 1 total
Tests:       1 failed, 1 passed, 2 total
"""
MOCHA = """\
  orders
    ✔ adds up
    1) takes away


  1 passing (4ms)
  1 failing

  1) orders
       takes away:
     AssertionError [ERR_ASSERTION]: 1 == 2
"""


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (NODE, RunnerOutput("node test", 1, 1, (Failure("takes away", "/shop/a.test.mjs:4", "'1 == 2'"),))),
        (
            CARGO,
            RunnerOutput(
                "cargo test", 1, 1, (Failure("tests::breaks", "src/lib.rs:8", "assertion `left == right` failed"),)
            ),
        ),
        (GO, RunnerOutput("go test", None, 1, (Failure("TestTotal", "orders_test.go:9", "total: got 3, want 4"),))),
        (
            JEST,
            RunnerOutput(
                "npm test",
                1,
                1,
                (
                    Failure(
                        "takes away", "src/orders.test.js:8", "expect(received).toBe(expected) // Object.is equality"
                    ),
                ),
            ),
        ),
        (MOCHA, RunnerOutput("mocha", 1, 1, (Failure("orders takes away"),))),
        ("Hello.\n", None),
        ("", None),
    ],
)
def test_output_is_read(text: str, read: RunnerOutput | None) -> None:
    assert read_runner_output(text) == read


@pytest.mark.parametrize("runner", [("pytest", "-q", "--tb=short", "-p", "no:cacheprovider"), ("unittest", "-q")])
def test_pytest_and_unittest_are_read_as_they_write_today(tmp_path: Path, runner: tuple[str, ...]) -> None:
    (tmp_path / "test_sums.py").write_text(FAILING)
    done = subprocess.run([sys.executable, "-m", *runner], cwd=tmp_path, capture_output=True, text=True)
    read = read_runner_output(done.stdout + done.stderr)
    assert read is not None
    assert (read.runner, read.passed, read.failed) == (runner[0], 1, 2)
    found = {failure.name.rpartition("::")[2].partition(" ")[0]: failure for failure in read.failures}
    assert {name: Path(failure.place).name for name, failure in found.items()} == {
        "test_bad": "test_sums.py:13",
        "test_err": "test_sums.py:5",
    }
    assert "ValueError: bad value" in found["test_err"].message


def test_a_file_that_pytest_cannot_import_is_an_error_with_its_place() -> None:
    text = """\
==================================== ERRORS ====================================
_______________________ ERROR collecting tests/test_b.py _______________________
ImportError while importing test module '/shop/tests/test_b.py'.
Traceback:
tests/test_b.py:1: in <module>
    import os.nope
E   ModuleNotFoundError: No module named 'os.nope'; 'os' is not a package
=========================== short test summary info ============================
ERROR tests/test_b.py
!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!
1 error in 1.26s
"""
    read = read_runner_output(text)
    assert read is not None
    told = "ModuleNotFoundError: No module named 'os.nope'; 'os' is not a package"
    assert read.failures == (Failure("tests/test_b.py", "tests/test_b.py:1", told),)
