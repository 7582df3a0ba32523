"""A request in plain English, read as wishes; what no rule reads is a wish that says so."""

import re
from collections.abc import Sequence

from loopwright.agents.ide.offline.phrases import Rule
from loopwright.agents.ide.offline.reading_rules import READING_RULES
from loopwright.agents.ide.offline.wish import Wish
from loopwright.agents.ide.offline.working_rules import WORKING_RULES
from loopwright.agents.ide.offline.works.testing import RunTests
from loopwright.agents.ide.offline.works.unable import Introduce, Unable

RULES: Sequence[Rule] = (*WORKING_RULES, *READING_RULES)
"""The first pattern that a clause fits decides."""
VERBS = (
    "rename|run|execute|find|where|show|explain|add|format|reformat|fix|lint|undo|revert|remember|forget|list|write|"
    "create|test|search|describe|summari[sz]e|tell|say|what|how|which|who|replace|delete|remove|check|make sure|tidy|"
    "import|implement|refactor|change|update|document|commit|push|give|keep"
)
JOINT = re.compile(
    r"(?:(?<=[.!?;])\s+|\s*[,;]?\s+(?:and then|then|and also|and|also|but)\s+|\s*[,;]\s+|\n+)"
    rf"(?=(?:then |also |please )*(?:{VERBS})\b)",
    re.IGNORECASE,
)
HELD = re.compile(r"```.*?```|`[^`]*`|\"[^\"]*\"|“[^”]*”", re.DOTALL)
MEMORY = re.compile(r"\s*(?:please\s+)?(?:remember|note|keep in mind)\b", re.IGNORECASE)
POLITE = re.compile(
    r"^(?:(?:please|kindly|now|just|then|also|so|hey|ok|okay|could you|can you|would you|i want you to|i'd like you to|"
    r"i would like you to|let's|let us)[,:]?\s+)+",
    re.IGNORECASE,
)
MOST_CLAUSES = 6


def read_request(text: str) -> list[Wish]:
    """The wishes of a request, in their order; an empty one is answered with what the rules can do.

    The same wish is worked off once, and what nobody reads is told of at the end, all at once.
    """
    clauses = _clauses(text)
    read = [(clause, _wish(clause)) for clause in clauses[:MOST_CLAUSES]]
    wishes: list[Wish] = []
    for _, wish in read:
        # “Run the tests and say what failed” asks for one run.
        if wish is not None and not (isinstance(wish, RunTests) and wishes and isinstance(wishes[-1], RunTests)):
            wishes.append(wish)
    unread = [clause for clause, wish in read if wish is None] + clauses[MOST_CLAUSES:]
    return wishes + ([Unable("; ".join(unread))] if unread else []) or [Introduce()]


def _wish(clause: str) -> Wish | None:
    for pattern, make in RULES:
        found = pattern.match(clause)
        if found is not None:
            return make(found)
    return None


def _clauses(text: str) -> list[str]:
    """The parts of a request that ask for one thing each; what is quoted is never cut."""
    held: list[str] = []

    def hold(found: re.Match[str]) -> str:
        held.append(found[0])
        return f"\x00{len(held) - 1}\x00"

    plain = HELD.sub(hold, text.replace("\x00", " ").strip())
    pieces = [plain] if MEMORY.match(plain) else JOINT.split(plain)
    restored = (re.sub(r"\x00(\d+)\x00", lambda found: held[int(found[1])], _spaced(piece)) for piece in pieces)
    return [clause for piece in restored if (clause := POLITE.sub("", piece).strip(" .!?,;"))]


def _spaced(piece: str) -> str:
    return " ".join(piece.split())
