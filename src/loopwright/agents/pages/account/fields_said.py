"""What is said of each of the things that an app keeps: "each donation has a donor"."""

import re
from collections.abc import Sequence

from loopwright.agents.pages.account.vocabulary import KINDS, PAGE, words_of
from loopwright.kernel.account import Claim
from loopwright.kernel.account.reading import Token

_EACH = r"each|every|jede[rs]?|cada"
_HAS = re.compile(
    rf"\s*(?:(?:(?P<each>{_EACH})|an?|eine?|une?|una?)\s+(?P<what>[^\W\d_][\w'’-]*(?:\s+[\w'’-]+)?)\s+(?:has|hat|tiene)"
    rf"|(?P<chaque>chaque)\s+(?P<chose>[\w'’-]+)\s+a"
    rf"|(?:(?P<all>all|alle|todos|todas|tous|toutes)\s+(?:(?:the|les|los|las)\s+)?)?(?P<several>[^\W\d_][\w'’-]*)\s+(?:have|haben|ont|tienen))"
    r"\s+(?:(?:an?|its|their|eine?n?|une?|un|una)\s+)?(?P<field>[\w'’-]+(?:\s+[\w'’-]+){0,3})\s*",
    re.I,
)
_PEOPLE = re.compile(r"\s*(?:i|we|you|they|it|he|she|ich|wir|sie|es|er|nous|ils|elles|on|nosotros|ellos)\b", re.I)


def has_each(text: str, tokens: Sequence[Token]) -> Claim | None:
    """A field that each of some things has; what somebody owns or what has to happen is none."""
    match = _HAS.fullmatch(text)
    if match is None or _PEOPLE.match(text) or any(token.kind not in ("all", "calendar") for token in tokens):
        return None
    what, field = match["what"] or match["chose"] or match["several"], match["field"]
    said = {"field": words_of(field), "of": words_of(what)}
    each = match["each"] or match["chaque"] or match["all"]
    if not all(said.values()) or re.match(r"to\b", field, re.I) or PAGE.search(f"{what} {field}") or KINDS.search(what):
        return None
    return Claim(check="field", arguments=said | ({"each": [each]} if each else {}))
