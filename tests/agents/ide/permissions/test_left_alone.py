"""What the user says must not be changed is not changed."""

from pathlib import Path

import pytest

from loopwright.agents.ide.protected import left_alone
from tests.agents.ide.acting import ENDING, act


@pytest.mark.parametrize(
    ("message", "path", "forbidden"),
    [
        ("Correct the code. The tests themselves are right, so don't change them.", "tests/test_fee.py", True),
        ("Fix the bug in the code and leave the test as it is.", "tests/test_cart.py", True),
        ("Sort it out in src/mixtape.js; hands off the test file.", "test/mixtape.test.js", True),
        ("Fix it without touching src/config.toml", "src/config.toml", True),
        ("The bisque firing in kiln.toml stays the way it is.", "kiln.toml", True),
        ("Korrigiere den Code, aber ändere die Tests nicht: sie dürfen nicht verändert werden", "src/a.py", False),
        ("Correct the code. The tests themselves are right, so don't change them.", "parking/fee.py", False),
        ("Don't change anything but tests/test_fee.py", "tests/test_fee.py", False),
        ("Adapt the tests, so that nothing about fax is left.", "tests/test_members.py", False),
        ("Update the tests", "tests/test_a.py", False),
        ("Tests should not fail any more", "tests/test_a.py", False),
    ],
)
def test_words_that_forbid_a_change(message: str, path: str, *, forbidden: bool) -> None:
    """Paths, and tests as a whole."""
    assert bool(left_alone(path, message)) is forbidden


async def test_an_edit_of_such_a_file_is_refused(tmp_path: Path) -> None:
    """The model is told the user's words, and the file is as it was."""
    root = (tmp_path / "project").resolve()
    (root / "tests").mkdir(parents=True)
    file = root / "tests" / "test_a.py"
    file.write_text("one = 1\n", encoding="utf-8")
    call = ("replace_in_file", {"path": "tests/test_a.py", "search": "one = 1", "replace": "one = 2"})
    account = await act(root, [call], *ENDING, message="Make it pass, and leave the tests as they are.")
    assert file.read_text(encoding="utf-8") == "one = 1\n"
    assert "the user said of tests/test_a.py" in account.results("replace_in_file")[0]["output"]
