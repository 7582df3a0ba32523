"""What statements promise: a claim where a check measures all of the words, and nothing otherwise."""

from pathlib import Path
from typing import Any, cast

import pytest

from loopwright.agents.ide.account import KIT
from loopwright.agents.ide.account.reading import claim_of
from loopwright.kernel.account import Claim
from loopwright.kernel.account.reading import hard_tokens, read_statements, stands_in
from tests.agents.ide.account.result_of import result_of

CLAIMS: list[tuple[str, str, dict[str, Any]]] = [
    ("rename fetch_user to load_user", "renamed_in_code", {"old": "fetch_user", "new": "load_user"}),
    ("Please rename the class Cart to Basket everywhere.", "renamed_everywhere", {"old": "Cart", "new": "Basket"}),
    ("benenne die Funktion alt in neu um", "renamed_in_code", {"old": "alt", "new": "neu"}),
    ("rename util.py to helpers.py", "moved", {"old": "util.py", "new": "helpers.py"}),
    ("move src/a.py to lib/a.py", "moved", {"old": "src/a.py", "new": "lib/a.py"}),
    ("set timeout in config.json to 30", "assigned", {"path": "config.json", "key": "timeout", "value": "30"}),
    (
        "change port in config.yaml from 8080 to 9090",
        "assigned",
        {"path": "config.yaml", "key": "port", "old": "8080", "value": "9090"},
    ),
    (
        'replace "colour" with "color" in README.md',
        "all_replaced",
        {"old": "colour", "new": "color", "path": "README.md"},
    ),
    ('create notes.txt with "hello"', "contains", {"path": "notes.txt", "text": "hello"}),
    ("create docs/notes.md", "exists", {"path": "docs/notes.md"}),
    ("delete the file old.py", "gone", {"path": "old.py"}),
    ("remove the function helper from utils.py", "defines_not", {"name": "helper", "path": "utils.py"}),
    ("add a function add to calc.py", "defines", {"name": "add", "path": "calc.py"}),
    ("and run the tests", "all_tests_run", {}),
    ("tests/test_cart.py fails", "tests_pass", {"selection": "tests/test_cart.py"}),
    ("the tests in test_cart.py are failing", "tests_pass", {"selection": "test_cart.py"}),
    ("The tests fail", "all_tests_pass", {}),
    ("run the tests in tests/test_app.py", "tests_run", {"selection": "tests/test_app.py"}),
    ("make sure that all tests still pass", "all_tests_pass", {}),
    ("fix the failing test", "all_tests_pass", {}),
    ("run `make check`", "command_run", {"command": "make check"}),
    ("do not touch config.json", "unchanged", {"path": "config.json"}),
    ("where is Order defined?", "defined_at", {"name": "Order"}),
    ("who uses total?", "used_at", {"name": "total"}),
    ("where is load_all?", "quoted", {"name": "load_all"}),
    ("what does load_all do", "explained", {"name": "load_all"}),
    ("explain load_all", "explained", {"name": "load_all"}),
    ("rename old_name to new_name in all files", "renamed_everywhere", {"old": "old_name", "new": "new_name"}),
    ("rename old_name to new_name in all the code", "renamed_in_code", {"old": "old_name", "new": "new_name"}),
]


@pytest.mark.parametrize(("words", "check", "arguments"), CLAIMS, ids=[each[0] for each in CLAIMS])
def test_words_become_a_claim_of_a_check_that_is_there(words: str, check: str, arguments: dict[str, Any]) -> None:
    claim = claim_of(words)
    assert claim is not None
    assert (claim.check, claim.arguments) == (check, arguments)
    registered = {each.name: each for each in KIT.checks}
    registered[check].arguments.model_validate(claim.arguments)


@pytest.mark.parametrize(
    "words",
    [
        "make it faster",
        "rename it to foo",
        "rename fetch to load but only in the tests",
        "add a function that adds numbers",
        "add a function add to calc.py that rounds",
        "remove the file",
        "explain this",
        "run the tests twice",
        "keep it simple",
    ],
)
def test_words_that_no_check_measures_whole_promise_nothing(words: str) -> None:
    assert claim_of(words) is None


@pytest.mark.parametrize(
    "words",
    [
        "run all the tests",
        "make sure all tests pass",
        "rename old_name to new_name everywhere",
        'replace "a_b" with "c_d" in all files',
        "do not touch config.json",
    ],
)
def test_a_claim_says_the_hard_words_of_its_statement(words: str) -> None:
    claim = claim_of(words)
    assert claim is not None
    assert all(stands_in(token, claim.check, claim.arguments) for token in hard_tokens(words))


@pytest.mark.parametrize(
    ("message", "checks"),
    [
        ("Run the tests in tests/test_a.py", {"tests_run"}),
        ("Set server.port in a.json to 9090.", {"assigned"}),
        ("Run the tests. Then rename old_name to new_name.", {"all_tests_run", "renamed_in_code"}),
        ("Run the tests and do not touch a.md", {"all_tests_run", "unchanged"}),
        ("Run the tests in the morning", set()),
        ("Fix the typo in greet.py.", {"changed"}),
    ],
)
async def test_what_one_clause_says_is_claimed_as_a_whole(message: str, checks: set[str], tmp_path: Path) -> None:
    result = result_of(tmp_path, {})
    result.state.said = [message]
    read = [each.model_copy(update={"id": f"s{at}"}) for at, each in enumerate(read_statements(message))]
    claims = await KIT.read(cast(Any, result), read)
    assert {each.check for each in claims.values() if isinstance(each, Claim)} == checks
