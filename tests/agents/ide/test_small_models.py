"""What a small model is told and may do: files in sight, no call that only repeats, no word instead of work."""

from pathlib import Path

import pytest

from loopwright.agents.ide.project import FILES_HEAD
from loopwright.kernel.policy import MORE_TOOLS
from loopwright.kernel.ports import ModelRequest
from tests.agents.ide.acting import ENDING, act, project_at
from tests.agents.ide.index.workshop import lay_out

SHOP = {
    "shop/cart.py": "def total(items):\n    return 0\n",
    "shop/money.py": "def as_text(cents):\n    return str(cents)\n",
    "shop/limits.py": "MAX_RETRIES = 3\nTIMEOUT = 2\n",
    "tests/test_cart.py": "from shop.cart import total\n\n\ndef test_empty():\n    assert total([]) == 0\n",
    "README.md": "# Shop\n",
}
CALL = ("index_read_file", {"path": "shop/cart.py"})


def shown(request: ModelRequest) -> list[str]:
    _, _, files = request.messages[0].content.partition(FILES_HEAD)
    return [line.removeprefix("### ") for line in files.splitlines() if line.startswith("### ")]


@pytest.mark.parametrize(
    ("message", "first"),
    [
        ("tests/test_cart.py fails, fix it.", ["tests/test_cart.py", "shop/cart.py"]),
        ("Change how money is shown.", ["shop/money.py"]),
        ("Set the retry limit to 7.", ["shop/limits.py"]),
    ],
)
async def test_the_files_that_a_request_is_about_are_in_sight(message: str, first: list[str], tmp_path: Path) -> None:
    lay_out(tmp_path, SHOP)
    project_at(tmp_path).index.refresh()
    write = [("write_file", {"path": "a.txt", "content": "a\n"})]
    small = await act(tmp_path, write, *ENDING, message=message, profile="small")
    assert shown(small.requests[0])[: len(first)] == first
    frontier = await act(tmp_path, [CALL], *ENDING, message=message)
    assert FILES_HEAD not in frontier.requests[0].messages[0].content


async def test_a_call_that_gave_the_same_twice_rests(tmp_path: Path) -> None:
    lay_out(tmp_path, SHOP)
    write = [("write_file", {"path": "a.txt", "content": "a\n"})]
    account = await act(tmp_path, [CALL], [CALL], write, *ENDING, message="Fix the bug.", profile="small")
    free = [request.callable_now or frozenset(request.tools.names) for request in account.requests[:4]]
    assert [MORE_TOOLS in each for each in free] == [False, True, True, True]
    assert ["index_read_file" in each for each in free] == [True, True, False, True]
    names = [set(request.tools.names) for request in account.requests]
    assert all(each == names[0] for each in names), "the tools that are told stay, so that the prefix does"


async def test_after_an_answer_that_was_sent_back_a_call_comes_first(tmp_path: Path) -> None:
    lay_out(tmp_path, SHOP)
    write = [("write_file", {"path": "a.txt", "content": "a\n"})]
    failing = [("replace_in_file", {"path": "shop/cart.py", "search": "nowhere", "replace": "x"})]
    account = await act(
        tmp_path, failing, "It is all done.", write, *ENDING, message="Rename total to whole.", profile="small"
    )
    assert [request.may_answer for request in account.requests[:4]] == [False, True, False, True]


async def test_a_text_that_is_not_there_is_answered_with_the_file(tmp_path: Path) -> None:
    lay_out(tmp_path, SHOP)
    call = [("replace_in_file", {"path": "shop/limits.py", "search": "retries = 3", "replace": "retries = 7"})]
    account = await act(tmp_path, call, *ENDING, message="What is the limit?")
    assert "This is shop/limits.py:\nMAX_RETRIES = 3\nTIMEOUT = 2" in account.results()[0]["output"]


async def test_a_search_that_finds_nothing_shows_the_nearest_lines(tmp_path: Path) -> None:
    lay_out(tmp_path, SHOP)
    account = await act(tmp_path, [("index_search_text", {"query": "retry limit"})], *ENDING, message="What is it?")
    told = account.results()[0]["output"]
    assert told.splitlines()[1] == "shop/limits.py:1: MAX_RETRIES = 3"


async def test_an_absolute_path_is_answered_with_the_relative_one(tmp_path: Path) -> None:
    lay_out(tmp_path, SHOP)
    account = await act(tmp_path, [("index_read_file", {"path": f"{tmp_path}/README.md"})], *ENDING, message="Read it.")
    assert "Write 'README.md'." in account.results()[0]["output"]


async def test_with_the_files_in_sight_a_change_comes_before_any_reading(tmp_path: Path) -> None:
    lay_out(tmp_path, SHOP)
    project_at(tmp_path).index.refresh()
    change = [
        ("replace_in_file", {"path": "shop/limits.py", "search": "MAX_RETRIES = 3", "replace": "MAX_RETRIES = 7"})
    ]
    account = await act(tmp_path, change, *ENDING, message="Set the retry limit to 7.", profile="small")
    free = [request.callable_now or frozenset(request.tools.names) for request in account.requests[:2]]
    assert ["index_read_file" in each for each in free] == [False, True]
    assert all("replace_in_file" in each for each in free)


async def test_a_value_that_stands_nowhere_is_sent_back(tmp_path: Path) -> None:
    lay_out(tmp_path, {"style.css": ".buy { color: red; border-radius: 2px; }\n"})
    half = [("replace_in_file", {"path": "style.css", "search": "color: red", "replace": "color: green"})]
    whole = [("replace_in_file", {"path": "style.css", "search": "2px", "replace": "8px"})]
    account = await act(
        tmp_path, half, "It is done.", whole, *ENDING, message="Make the buy button green, its corners 8px round."
    )
    assert "8px stands in no file" in account.requests[2].messages[-1].content
    assert account.run.output_dir.joinpath("style.css").read_text() == ".buy { color: green; border-radius: 8px; }\n"


async def test_text_is_added_at_the_end_in_the_files_own_line_ends(tmp_path: Path) -> None:
    lay_out(tmp_path, {})
    (tmp_path / "a.txt").write_bytes(b"one\r\ntwo")
    calls = [
        ("append_to_file", {"path": "a.txt", "text": "three\nfour"}),
        ("append_to_file", {"path": "b.txt", "text": "x"}),
    ]
    account = await act(tmp_path, calls, *ENDING, message="Add two lines.")
    assert (tmp_path / "a.txt").read_bytes() == b"one\r\ntwo\r\nthree\r\nfour\r\n"
    assert [each["success"] for each in account.results()] == [True, False]
