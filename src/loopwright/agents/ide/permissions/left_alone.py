"""Files of which the user has said that they must not be changed: an edit of theirs is refused, whoever asks for it."""

import re
from functools import lru_cache

from loopwright.kernel.account.reading import read_statements

FORBIDS = re.compile(
    r"\b(?:hands off|stay away from|finger weg von)\b|"
    r"\b(?:do not|don't|never|without|must not|mustn't|should not|shouldn't|may not|not to|no need to|nicht|ohne)\b"
    r".{0,80}\b(?:chang|touch|edit|modif|alter|rewrit|adjust|adapt|änder|veränder|anfass|bearbeit|anpass)\w*|"
    r"\b(?:leave|keep|lass|lasse)\b.{0,60}\b(?:alone|as (?:it|they) (?:is|are)|as is|unchanged|untouched|so|"
    r"unverändert)\b|"
    r"\b(?:stays?|remains?|bleib\w*)\b.{0,30}\b(?:as (?:it|they) (?:is|are)|the way (?:it|they) (?:is|are)|"
    r"the same|unchanged|untouched|so|unverändert)\b",
    re.IGNORECASE,
)
EXCEPT = re.compile(r"\b(?:but|except|other than|besides|unless|only|außer|nur)\b", re.IGNORECASE)
PATH = re.compile(r"[`\"']?((?:[\w.@+-]+/)*[\w@+-]+\.[A-Za-z]\w{0,7})\b[`\"']?")
TESTS = re.compile(r"\btests?\b(?![/.\w])", re.IGNORECASE)
TEST_FILE = re.compile(r"(?:^|/)tests?/|(?:^|/)test_[^/]*$|_test\.\w+$|\.(?:test|spec)\.\w+$|(?:^|/)conftest\.py$")


@lru_cache(maxsize=32)
def _forbidden(message: str) -> tuple[tuple[str, str], ...]:
    """What must not be changed, as a path or `tests`, each with the words that say so."""
    found: list[tuple[str, str]] = []
    for statement in read_statements(message):
        if not FORBIDS.search(statement.text) or EXCEPT.search(statement.text):
            continue
        paths = PATH.findall(statement.text)
        found += [(path, statement.text) for path in paths]
        if not paths and TESTS.search(statement.text):
            found.append(("tests", statement.text))
    return tuple(found)


def left_alone(path: str, message: str) -> str:
    """The user's words that forbid a change of a file; empty where there are none.

    Args:
        path: of a file that is there, relative to the project's root.
        message: what the user said last.
    """
    for wanted, said in _forbidden(message):
        if path == wanted or path.endswith(f"/{wanted}") or (wanted == "tests" and TEST_FILE.search(path)):
            return said
    return ""
