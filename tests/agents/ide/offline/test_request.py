"""Plain English as tasks."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.ide.offline import read_request
from loopwright.agents.ide.offline.finding import ExplainFile, ExplainSymbol, FindFiles, FindSymbol, FindText
from loopwright.agents.ide.offline.names import AddImport, MakeFile, RemoveFile, Rename, ReplaceText, Tidy
from loopwright.agents.ide.offline.script import Task
from loopwright.agents.ide.offline.testing import Overview, RunTests, StubTest
from loopwright.agents.ide.offline.undoing import (
    Forget,
    Introduce,
    Recall,
    Remember,
    ShowChanges,
    Unable,
    UndoLastRun,
)

REQUESTS: list[tuple[str, list[Task]]] = [
    ("Explain this repository.", [Overview()]),
    ("What does this project do?", [Overview()]),
    ("give me an overview of the codebase", [Overview()]),
    ("what are the entry points?", [Overview("entry points")]),
    ("Which programming languages are used here?", [Overview("languages")]),
    ("How do I run the tests?", [Overview("tests")]),
    ("where is `parse` defined?", [FindSymbol("parse", "definition")]),
    ("Where is Order.amount used?", [FindSymbol("Order.amount", "uses")]),
    ("who calls load()", [FindSymbol("load", "uses")]),
    ("find all references to the class Order", [FindSymbol("Order", "uses")]),
    ("find parse", [FindSymbol("parse")]),
    ('search for "retry policy" in src/app.py', [FindText("retry policy", "src/app.py")]),
    ('which files contain "retry"?', [FindText("retry")]),
    ("grep timeout", [FindText("timeout")]),
    ("find all todos", [FindText("todo".upper())]),
    ("rename Order to Purchase everywhere", [Rename("Order", "Purchase")]),
    ("list the files", [FindFiles("")]),
    ("find *.md", [FindFiles("*.md")]),
    ("explain src/app.py", [ExplainFile("src/app.py")]),
    ("What does `load` do?", [ExplainSymbol("load")]),
    ("how does the function load work?", [ExplainSymbol("load")]),
    (
        "rename fetch_user to load_user and run the tests",
        [Rename("fetch_user", "load_user"), RunTests()],
    ),
    ("Please rename the method `Order.amount` to `cost`.", [Rename("amount", "cost", "Order")]),
    ("rename every go to run", [Rename("go", "run", every=True)]),
    ("Run the tests and say what failed where.", [RunTests()]),
    ("make sure all tests pass", [RunTests()]),
    ("do the tests still pass?", [RunTests()]),
    ("run the tests in tests/test_app.py", [RunTests("tests/test_app.py")]),
    ("run `make check`", [RunTests(command="make check")]),
    ('run "npm run build and check"', [RunTests(command="npm run build and check")]),
    ("format the code", [Tidy(linters=False)]),
    ("fix the lint errors", [Tidy(formatters=False)]),
    ("lint and format everything", [Tidy(formatters=False), Tidy(linters=False)]),
    ("tidy up", [Tidy()]),
    ("add a missing import of `Path` to src/app.py", [AddImport("src/app.py", "Path")]),
    ("add the import for Order from shop.orders to cli.py", [AddImport("cli.py", "Order", "shop.orders")]),
    ("fix the missing imports in src/app.py", [AddImport("src/app.py")]),
    ("add `import os` to app.py", [AddImport("app.py", statement="import os")]),
    ("write a stub test for load", [StubTest("load")]),
    ('replace "colour" with "color" in README.md', [ReplaceText("README.md", "colour", "color")]),
    ('create notes.txt with "hello and run"', [MakeFile("notes.txt", "hello and run\n")]),
    ("create a file a/b.txt with the content:\n```\none\n  two\n```", [MakeFile("a/b.txt", "one\n  two\n")]),
    ("delete notes.txt", [RemoveFile("notes.txt")]),
    ("undo", [UndoLastRun()]),
    ("please undo the last change", [UndoLastRun()]),
    ("show what was changed", [ShowChanges()]),
    ("what did you change?", [ShowChanges()]),
    ("remember that tests need Python 3.11 and run long", [Remember("tests need Python 3.11 and run long")]),
    ("forget about the old server", [Forget("the old server")]),
    ("what do you remember?", [Recall()]),
    ("What can you do?", [Introduce()]),
    ("", [Introduce()]),
    ("implement a cache", [Unable("implement a cache")]),
    ("make it faster and run the tests", [RunTests(), Unable("make it faster")]),
    (
        "rename total to sum, then refactor the parser; undo",
        [Rename("total", "sum"), UndoLastRun(), Unable("refactor the parser")],
    ),
    ("revert the last commit", [Unable("revert the last commit")]),
]


@pytest.mark.parametrize(("text", "tasks"), REQUESTS)
def test_a_request_is_read(text: str, tasks: list[Task]) -> None:
    assert read_request(text) == tasks


WORDS = [
    "rename",
    "run",
    "find",
    "where is",
    "and then",
    "the tests",
    "to",
    "in",
    "of",
    "import",
    "a.py",
    "`x`",
    '"y"',
    "\x00",
    "1",
]


@settings(max_examples=60)
@given(st.one_of(st.text(max_size=300), st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join)))
def test_any_text_is_read_as_something(text: str) -> None:
    tasks = read_request(text)
    assert tasks
    assert all(task.aim and task.plan.research for task in tasks)


@pytest.mark.parametrize(
    "text", ["a" * 4_000, "rename " * 570, "a/" * 2_000, "`" * 4_000, "run " + "_" * 3_900, " " * 4_000]
)
def test_long_requests_are_read_at_once(text: str) -> None:
    assert read_request(text)
