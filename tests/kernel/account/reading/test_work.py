"""Whether a message wants something done, or an answer only."""

import pytest

from loopwright.kernel.account.reading import asks_for_work

WORK = [
    "Could you write a median(values) for stats.py, next to mean?",
    "The greenhouse alarm goes off too early. It should wait 20 minutes instead of 12.",
    "From next month we also use cone 7. Please enter it in kiln.toml.",
    "The login page crashes when the password is empty.",
    "TypeError: unsupported operand in src/a.py line 3",
    "where is foo defined? then rename it to bar",
    "show me the callers of foo and delete the unused ones",
    "What is wrong with tests/test_a.py? Fix it.",
    "Die Funktion soll None zurückgeben",
    "Bitte die Funktion foo in bar umbenennen",
    "ordena la lista en src/a.py",
    "请把 foo 改名为 bar",
]
ANSWERS = [
    "Next week I have to rework ShelfIndex. In which file does it live? Please only tell me, don't change anything.",
    "Explain `add` and `remove`",
    "Can you tell me where the settings are read?",
    "Kannst du mir sagen, wo parse steht?",
    "I am new to this project. How is it structured?",
    "How would I add a flag?",
    "parse 函数在哪里定义？",
    "Give me an overview of the project.",
    "Fix nothing yet: without changing anything, list what is broken.",
    "Looks good, thanks!",
    "hello",
]


@pytest.mark.parametrize("message", WORK)
def test_work_is_asked_for(message: str) -> None:
    """Orders, what should be, and reports of faults."""
    assert asks_for_work(message)


@pytest.mark.parametrize("message", ANSWERS)
def test_an_answer_is_enough(message: str) -> None:
    """Questions, orders to tell, remarks, and what forbids any change."""
    assert not asks_for_work(message)
