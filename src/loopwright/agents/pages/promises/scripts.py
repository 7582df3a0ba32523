"""The statements of a page's scripts, normalised, so that they can be found again after harmless edits.

This is no JavaScript parser: it splits source text where statements begin and end, at every depth of nesting. White
space and comments do not count, so code that was moved or indented anew keeps its statements. What is split wrongly is
split the same way again, which is all that a comparison needs.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from selectolax.lexbor import LexborHTMLParser

MAX_SCRIPT = 400_000
"""Characters of script that are read of one page."""

MAX_REGEX = 300
"""Characters of a regular expression literal; without a bound, open ones would be looked at again and again."""

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\f\v\u00a0\ufeff]+)
    |(?P<newline>\n)
    |(?P<comment>//[^\n]*|/\*[\s\S]*?(?:\*/|\Z))
    |(?P<string>"(?:[^"\\\n]|\\[\s\S])*"?|'(?:[^'\\\n]|\\[\s\S])*'?|`(?:[^`\\]|\\[\s\S])*`?)
    |(?P<word>[\w$\u0080-\uffff]+)
    |(?P<mark>=>|\?\.|[=!]==?|&&|\|\||\?\?|\+\+|--|[\s\S])""",
    re.VERBOSE,
)
_REGEX = re.compile(r"/(?![*/])(?:[^\\/\[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*\])+/[a-z]*")
_BEFORE_REGEX = frozenset(
    {
        "(",
        ",",
        "=",
        ":",
        "[",
        "!",
        "&",
        "|",
        "?",
        "{",
        "}",
        ";",
        "=>",
        "&&",
        "||",
        "??",
        "return",
        "typeof",
        "case",
        "==",
        "===",
        "!=",
        "!==",
        "+",
        "-",
        "*",
    }
)
_CONTINUES = frozenset(
    {
        ".",
        "?.",
        ",",
        "=",
        "=>",
        "?",
        ":",
        "&&",
        "||",
        "??",
        "+",
        "-",
        "*",
        "/",
        "%",
        "&",
        "|",
        "^",
        "<",
        ">",
        "(",
        "[",
        "==",
        "===",
        "!=",
        "!==",
        "in",
        "of",
        "instanceof",
    }
)
_OPENING_WORDS = {"return", "else", "new", "typeof", "await", "function", "class", "const", "let", "var", "throw"}
_UNFINISHED = (_CONTINUES - {")", "]"}) | _OPENING_WORDS
_DECLARATION = re.compile(
    r"(?:\bfunction\*?\s*(?P<named>[\w$]+)\s*\()|(?:\b(?:const|let|var)\s+(?P<bound>[\w$]+)\s*=\s*(?:async\b)?"
    r"\s*(?:function\b|\(|[\w$]+\s*=>))"
)
_CALLED = re.compile(r"(?<![\w$.])([\w$]+)\s*(?=\()")
_SCRIPT_TYPES = frozenset({"", "module", "text/javascript", "application/javascript"})


@dataclass(frozen=True, slots=True)
class ScriptStatement:
    """A statement: its normalised text, and how deep it is nested. One that opens a block ends with the brace."""

    text: str
    depth: int

    @property
    def digest(self) -> str:
        """The first 16 hexadecimal digits of the SHA-256 of the text."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@lru_cache(maxsize=32)
def page_statements(html: str) -> tuple[ScriptStatement, ...]:
    """The statements of a page's inline scripts and event handlers, in order; total on any text."""
    document = LexborHTMLParser(html)
    sources: list[str] = []
    for node in document.css("script"):
        kind = (node.attributes.get("type") or "").strip().lower()
        sources += [node.text()] if kind in _SCRIPT_TYPES and "src" not in node.attributes else []
    for node in document.css("*"):
        sources += [value or "" for name, value in node.attributes.items() if name.startswith("on")]
    kept: list[ScriptStatement] = []
    left = MAX_SCRIPT
    for source in sources:
        kept += split_statements(source[: max(0, left)])
        left -= len(source)
    return tuple(kept)


def split_statements(source: str) -> list[ScriptStatement]:
    """Split script text into statements."""
    found: list[ScriptStatement] = []
    words: list[str] = []
    brackets: list[int] = [0]  # open parentheses and brackets, for each open brace
    newline = False

    def end() -> None:
        if words:
            found.append(ScriptStatement(" ".join(words), len(brackets) - 1))
            words.clear()

    for piece in _pieces(source):
        if piece == "\n":
            newline = True
            continue
        if newline and brackets[-1] == 0 and words and words[-1] not in _UNFINISHED and piece not in _CONTINUES:
            end()
        newline = False
        if piece == "{":
            words.append(piece)
            end()
            brackets.append(0)
        elif piece == "}":
            end()
            if len(brackets) > 1:
                brackets.pop()
        elif piece == ";" and brackets[-1] == 0:
            end()
        else:
            brackets[-1] = max(0, brackets[-1] + (piece in ("(", "[")) - (piece in (")", "]")))
            if piece not in (")", "]") or words:  # what closes an argument list after a block says nothing
                words.append(piece)
    end()
    return found


def _pieces(source: str) -> Iterator[str]:
    """Words, strings, marks and line breaks; blanks and comments are left out."""
    position, before = 0, "("
    while position < len(source):
        if (
            source[position] == "/"
            and before in _BEFORE_REGEX
            and (regex := _REGEX.match(source, position, position + MAX_REGEX))
        ):
            yield regex[0]
            position, before = regex.end(), "regex"
            continue
        match = _TOKEN.match(source, position)
        if match is None:  # cannot be: the last alternative takes any character
            raise AssertionError(f"no token at {position}")
        position = match.end()
        if match.lastgroup in ("space", "comment"):
            continue
        if match.lastgroup != "newline":
            before = match[0]
        yield match[0]


def footprint(html: str, terms: Iterable[str]) -> list[ScriptStatement]:
    """The statements that carry a behaviour: those that mention a term, and the heads of the functions they call.

    A statement that opens a block and mentions a term, as a loop over elements does, brings along the heads of the
    blocks within its own, as those of listeners, and the functions that are called there.

    Args:
        html: the page.
        terms: ids, classes, data attributes, storage keys: the names by which scripts know elements and data.
    """
    statements = page_statements(html)
    wanted = [re.compile(rf"(?<![\w$-]){re.escape(term)}(?![\w$-])") for term in dict.fromkeys(terms) if term]
    kept: dict[str, ScriptStatement] = {}
    called: set[str] = set()
    inside: int | None = None  # the depth of the block that a mentioning statement has opened
    for statement in statements:
        if inside is not None and statement.depth <= inside:
            inside = None
        mentions = any(pattern.search(statement.text) for pattern in wanted)
        is_head = statement.text.endswith("{")
        if mentions or (inside is not None and is_head):
            kept[statement.digest] = statement
        if mentions and is_head and inside is None:
            inside = statement.depth
        if mentions or inside is not None:
            called.update(_CALLED.findall(statement.text))
    for statement in statements:
        declared = _DECLARATION.search(statement.text)
        if declared and (declared["named"] or declared["bound"]) in called:
            kept.setdefault(statement.digest, statement)
    return list(kept.values())


def new_statements(before: str | None, after: str) -> list[ScriptStatement]:
    """The statements that one version of a page has and the other had not."""
    known = {statement.digest for statement in page_statements(before)} if before else set()
    return [statement for statement in page_statements(after) if statement.digest not in known]
