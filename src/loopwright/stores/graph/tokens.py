"""Cypher cut into tokens, so that a word in a string, a comment or a quoted name is never taken for a clause.

After the lexical part of the openCypher 9 grammar. What two engines could read in two ways is refused: Neo4j replaces
Unicode escapes before it looks for the end of a string, and a quoted name may hold a doubled backquote.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from loopwright.kernel.errors import InvalidInput

Kind = Literal["space", "comment", "string", "name", "word", "number", "symbol"]

_TOKEN = re.compile(
    r"""
    (?P<space>[ \t\r\n]+)
    | (?P<comment>//[^\r\n]*|/\*.*?\*/)
    | (?P<string>'(?:[^'\\]|\\[\\'"bfnrt])*'|"(?:[^"\\]|\\[\\'"bfnrt])*")
    | (?P<name>`[^`\\\r\n]+`)
    | (?P<word>[^\W\d]\w*)
    | (?P<number>\d\w*(?:\.\d\w*)?)
    | (?P<symbol>[-+*/%^=<>!~.,:;|&?$@(){}\[\]])
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text, as it stands there."""

    kind: Kind
    text: str


def tokens(cypher: str) -> Iterator[Token]:
    """All pieces in order; together they are the text.

    Raises:
        InvalidInput: a string, name or comment does not end, has an escape that engines read differently, or a
            character has no place in Cypher.
    """
    position = 0
    while position < len(cypher):
        found = _TOKEN.match(cypher, position)
        # An opening of a comment that matched as two symbols is a comment without an end.
        if found is None or (found.group() == "/" and cypher.startswith("/*", position)):
            raise InvalidInput(
                f"The query cannot be read from here on: {cypher[position : position + 40]!r}",
                hint="Strings, quoted names and comments must end; in strings only the escapes "
                r"\\ \' \" \n \t \r \b \f are taken. Give values as parameters instead.",
            )
        yield Token(_kind(found), found.group())
        position = found.end()


def _kind(found: "re.Match[str]") -> Kind:
    kind: Kind = found.lastgroup  # type: ignore[assignment] # every group of the pattern is named after a kind
    return kind
