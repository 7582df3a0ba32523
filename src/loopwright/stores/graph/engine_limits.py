"""What the embedded engine gets wrong without saying so, refused before it can."""

from collections.abc import Sequence

from loopwright.kernel.errors import InvalidInput
from loopwright.stores.graph.tokens import Token, tokens

_PATTERNS = {"MATCH", "MERGE", "CREATE"}
_EXPRESSIONS = {"WHERE", "RETURN", "WITH", "UNWIND", "SET", "ORDER"}


def refuse_alternatives_in_conditions(cypher: str) -> None:
    """Refuse patterns such as `WHERE NOT (r)-[:A|B]->()`: the engine takes them for any relationship at all.

    In a MATCH the same alternatives are right.

    Raises:
        InvalidInput: there is such a pattern; the hint says how to write it.
    """
    parts = [token for token in tokens(cypher) if token.kind not in ("space", "comment")]
    in_expression = False
    for place, part in enumerate(parts):
        word = part.text.upper() if part.kind == "word" else ""
        in_expression = word in _EXPRESSIONS or (in_expression and word not in _PATTERNS)
        if in_expression and part.text == "[" and place and parts[place - 1].text == "-" and _has_choice(parts, place):
            raise InvalidInput(
                "The embedded graph cannot choose between types of relationships in a condition.",
                hint="Write it as: EXISTS { MATCH (r)-[x]->() WHERE type(x) IN ['A', 'B'] }.",
            )


def _has_choice(parts: Sequence[Token], place: int) -> bool:
    """Whether `[` opens a relationship of several types."""
    for part in parts[place + 1 :]:
        if part.text in ("]", "{", "*"):
            return False
        if part.text == "|":
            return True
    return False
