"""Which Cypher may run: one statement, no files, no network, no administration; writing only where it was asked for.

Engines read local files and call procedures even on connections that cannot write, so the statement is looked at
before any engine sees it. What is checked is what runs: comments are taken out.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from loopwright.kernel.errors import InvalidInput

# Cypher cut into tokens, so that a word in a string, a comment or a quoted name is never taken for a clause.

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


MAX_CHARACTERS = 20_000
MAX_DEPTH = 60
"""Brackets within brackets: deeper ones only try an engine's stack."""

WRITING = frozenset({"CREATE", "MERGE", "SET", "DELETE", "DETACH", "NODETACH", "REMOVE", "FOREACH", "INSERT"})
FORBIDDEN = frozenset(
    {"LOAD", "USE", "DROP", "ALTER", "GRANT", "REVOKE", "DENY", "TERMINATE", "TRANSACTIONS", "PERIODIC", "COMMIT"}
)
READING_STARTS = frozenset({"MATCH", "OPTIONAL", "WITH", "UNWIND", "RETURN", "CALL"})
WRITING_STARTS = READING_STARTS | {"MERGE", "CREATE"}
"""What a statement may begin with; SHOW, PROFILE and whatever a server adds are not among them."""

PROCEDURES = frozenset(
    {
        "db.labels",
        "db.propertykeys",
        "db.relationshiptypes",
        "db.schema.nodetypeproperties",
        "db.schema.reltypeproperties",
        "db.schema.visualization",
    }
)
"""What CALL may name: descriptions of the graph itself. Any other procedure may do anything."""

NAMESPACES = frozenset({"date", "datetime", "localdatetime", "localtime", "time", "duration", "point"})
"""Functions with a dotted name are extensions of a server, but for those of the language's own types."""

_QUOTE = "A variable or key of this name can be written in backquotes."
_OPENING, _CLOSING = {"(": ")", "[": "]", "{": "}"}, {")", "]", "}"}
_NAMES = {"word", "name"}


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement that may run; `returns` says whether it gives rows."""

    text: str
    returns: bool


def permitted(cypher: str, *, write: bool) -> Statement:
    """The statement as it may run.

    Args:
        cypher: one Cypher statement, possibly with comments and a last semicolon.
        write: whether it may change the graph.

    Raises:
        InvalidInput: it may not run; the message says why.
    """
    if len(cypher) > MAX_CHARACTERS:
        raise InvalidInput(f"The query has {len(cypher)} characters; at most {MAX_CHARACTERS} are allowed.")
    pieces = list(tokens(cypher))
    text = "".join(" " if piece.kind == "comment" else piece.text for piece in pieces).strip()
    parts = [piece for piece in pieces if piece.kind not in ("space", "comment")]
    while parts and parts[-1].text == ";":
        parts.pop()
        text = text.removesuffix(";").rstrip()
    if not parts:
        raise InvalidInput("There is no query.")
    if any(part.kind == "symbol" and part.text == ";" for part in parts):
        raise InvalidInput("Only one statement runs at a time.", hint="Send the statements one by one.")
    _check_brackets(parts)
    keywords = {part.text.upper(): place for place, part in enumerate(parts) if _is_keyword(parts, place)}
    _check_start(parts, write)
    _check_keywords(set(keywords), write)
    for place in range(len(parts)):
        _check_call(parts, place)
    return Statement(text, "RETURN" in keywords)


def _is_keyword(parts: Sequence[Token], place: int) -> bool:
    """Whether the word could be a clause; after `.`, `:` and `$` it is a property, label, type or parameter."""
    if parts[place].kind != "word":
        return False
    before = parts[place - 1].text if place else ""
    if before == ".":
        # `1.` is a number to some engines, and what follows it a clause.
        return place < 2 or not (parts[place - 2].kind in _NAMES or parts[place - 2].text in _CLOSING)
    return before not in (":", "$")


def _check_keywords(words: set[str], write: bool) -> None:
    if forbidden := sorted(words & FORBIDDEN):
        raise InvalidInput(
            f"{', '.join(forbidden)} is not allowed: queries reach no files, no network and no other database.",
            hint=_QUOTE,
        )
    if not write and (writing := sorted(words & WRITING)):
        raise InvalidInput(
            f"This query only reads, so {', '.join(writing)} is not allowed.",
            hint="The graph is changed by create_requirement_node, create_entity_node, create_relationship and "
            "create_fulfillment_relationship. " + _QUOTE,
        )


def _check_start(parts: Sequence[Token], write: bool) -> None:
    """Refuse what is not a query: administration, plans and profiles, settings."""
    first = parts[0].text.upper()
    allowed = WRITING_STARTS if write else READING_STARTS
    if first not in allowed | WRITING | FORBIDDEN:
        raise InvalidInput(
            f"A query cannot begin with {first[:40]}.", hint=f"It begins with: {', '.join(sorted(allowed))}."
        )
    for place, part in enumerate(parts[:-2]):
        # `CREATE path = …` names a path, and `ON CREATE SET …` belongs to MERGE.
        named = (
            parts[place + 1].kind == "word" and parts[place + 1].text.upper() != "SET" and parts[place + 2].text != "="
        )
        if _is_keyword(parts, place) and part.text.upper() == "CREATE" and named:
            raise InvalidInput(f"CREATE {parts[place + 1].text.upper()} is not allowed: only nodes and relationships.")


def _check_call(parts: Sequence[Token], place: int) -> None:
    """Refuse procedures and functions that are not known to be harmless."""
    if _is_keyword(parts, place) and parts[place].text.upper() == "CALL":
        if parts[place + 1 : place + 2] and parts[place + 1].text in ("{", "("):
            return  # a subquery, whose clauses are looked at like all others
        name = _dotted_name(parts, place + 1)
        if name not in PROCEDURES:
            raise InvalidInput(
                f"The procedure {name or '?'} may not be called.", hint=f"Allowed are: {', '.join(sorted(PROCEDURES))}."
            )
    elif parts[place].kind in _NAMES and (place == 0 or parts[place - 1].text != "."):
        name = _dotted_name(parts, place)
        called = place + 2 * name.count(".") + 1
        space, dot, _ = name.partition(".")
        procedure = place > 0 and parts[place - 1].text.upper() == "CALL"
        if (
            dot
            and not procedure
            and parts[called : called + 1]
            and parts[called].text == "("
            and space not in NAMESPACES
        ):
            raise InvalidInput(f"The function {name} may not be called.", hint="Use the functions of openCypher.")


def _dotted_name(parts: Sequence[Token], place: int) -> str:
    """The name that begins here, with all that is joined to it by dots, in lower case and without backquotes."""
    names: list[str] = []
    while place < len(parts) and parts[place].kind in _NAMES:
        names.append(parts[place].text.strip("`").lower())
        if not (place + 1 < len(parts) and parts[place + 1].text == "."):
            break
        place += 2
    return ".".join(names)


def _check_brackets(parts: Sequence[Token]) -> None:
    expected: list[str] = []
    for part in parts:
        if part.kind != "symbol":
            continue
        if part.text in _OPENING:
            expected.append(_OPENING[part.text])
            if len(expected) > MAX_DEPTH:
                raise InvalidInput(f"The query has more than {MAX_DEPTH} brackets within each other.")
        elif part.text in _CLOSING and (not expected or expected.pop() != part.text):
            raise InvalidInput(f"The bracket {part.text} closes nothing.")
    if expected:
        raise InvalidInput(f"A bracket is not closed; {expected[-1]} is missing.")
