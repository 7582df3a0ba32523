"""Whether a hard token of a statement stands in a claim. In doubt it does not.

For authors of checks, this is how arguments are read:

- A number stands in a number of the same value. Its unit is read from the name of the argument (`wall_mm`,
  `total_minutes`, `length_cm`, `share_percent`, `price_eur`), from an argument `unit` or `currency` beside it, or from
  the name of the check (`hours_per_week`), never from the name of another argument; one that counts (`count`, `holes`)
  takes none from a `unit` beside it. Values with a unit written out ("15 cm") are read too. 15 cm stands in
  `width_mm=150`, in `width=15, unit="cm"` and in `width="15 cm"`, not in `width=15`.
- A count ("2 holes") stands in no `page`, `index`, `position` and the like, and in a text only with what it counts.
  Whether a number of another name counts the right thing is not seen here: the kit must read it.
- A rate ("4 runs a week") needs its `week` as well: in the name of the check or of the number's argument, in its own
  text, or in an argument `per`, `period`, `every`, `unit` and the like.
- A date stands in an ISO date, or in a text that names it; "3 May" in the next one where the day is known on which it
  was said, else in any year's. A weekday stands in its name in any language, in `MO` to `SU`, or in 0 (Monday) to 6 in
  an argument with `weekday` in its name. A time of day stands in `14:00`, or in minutes since midnight in an argument
  that ends in `_minute`.
- A colour stands in its name, in the same hex, or (named colours alone) in a hex of a near hue.
- A name, a quoted word and a symbol stand in a text that holds them whole; a symbol's case counts.
- A limit needs a relation that says it: an argument `relation` ("<=", ">=", "==", "<", ">", "between"), and where there
  is one nothing else; without one an argument `order`, `mode` and the like, or `at_most`, `max`, `at_least`, `min` and
  the like in the name of the check or of an argument.
- A negation needs a check or an argument that says it: `absent`, `none_on`, `without`, `relation="!="`, 0 of a count.
- "All", "only", "first", "before", "left" and the like stand where their English word does: in the name of the check or
  of an argument, or as a whole word of a value ("scope": "all").
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from itertools import pairwise
from typing import Any, Literal

from loopwright.kernel.account import Claim
from loopwright.kernel.account.reading.agreement import value_stands
from loopwright.kernel.account.reading.lexicon import HARD_TABLES, LANGUAGES, Leaf, lexicon, normal, pieces_of, scan
from loopwright.kernel.account.reading.tokens import SIGNS, Token, TokenKind, hard_tokens
from loopwright.kernel.account.reading.values import Value

_KINDS: Mapping[str, TokenKind] = {
    "negation": "negation",
    "limit": "limit",
    "superlative": "superlative",
    "all": "all",
    "order": "order",
    "position": "position",
    "calendar": "calendar",
}
_RELATIONS: Mapping[str, frozenset[str]] = {
    "<=": frozenset(
        ("<=", "=<", "≤", "at_most", "atmost", "max", "maximum", "most", "up_to", "le", "lte", "within", "latest", "by")
    ),
    "<": frozenset(("<", "less", "less_than", "below", "under", "lt", "fewer", "fewer_than")),
    ">=": frozenset((">=", "=>", "≥", "at_least", "atleast", "min", "minimum", "least", "ge", "gte", "earliest")),
    ">": frozenset((">", "more", "more_than", "above", "over", "gt", "greater", "exceeds")),
    "==": frozenset(("==", "=", "exactly", "equal", "equals", "eq", "is")),
    "~": frozenset(("~", "≈", "about", "approx", "approximately", "around", "tolerance", "near")),
    "between": frozenset(("between", "within", "range", "from", "to")),
    "+": frozenset(("added", "additional", "more", "one_more", "another", "times")),
}
_MEANINGS: Mapping[str, frozenset[str]] = {
    "until": frozenset(
        ("until", "by", "deadline", "latest", "end", "ends", "before", "on_or_before", "<=", "no_later_than", "to")
    ),
    "before": frozenset(("before", "<", "until", "earlier", "precedes", "prior")),
    "after": frozenset(("after", ">", "later", "follows", "since")),
    "from": frozenset(("from", "start", "starts", "since", "after", ">=", "begin", "begins")),
    "all": frozenset(("all", "every", "each", "everywhere", "whole", "entire", "none_other")),
    "each": frozenset(("each", "every", "all", "per")),
    "only": frozenset(("only", "nothing_else", "sole", "exclusively", "none_other", "no_other", "outside")),
    "both": frozenset(("both", "all", "each", "every")),
    "through": frozenset(("through", "open_at_both", "whole")),
    "asc": frozenset(("asc", "ascending", "rising", "<=", "first", "sorted", "earliest")),
    "desc": frozenset(("desc", "descending", "falling", ">=")),
    "last": frozenset(("last", "latest", "final", "newest", "-1")),
    "first": frozenset(("first", "earliest", "oldest", "1")),
    "max": frozenset(("max", "maximum", "largest", "longest", "highest", "greatest")),
    "min": frozenset(("min", "minimum", "smallest", "shortest", "lowest", "least")),
    "centre": frozenset(("centre", "center", "middle")),
    "above": frozenset(("above", "over", "top")),
    "below": frozenset(("below", "under", "beneath", "bottom")),
}
_NEGATIONS = frozenset(
    (
        "absent",
        "none",
        "none_on",
        "without",
        "not",
        "no",
        "never",
        "excluded",
        "excludes",
        "exclude",
        "unchanged",
        "hidden",
        "removed",
        "missing",
        "gone",
        "free",
        "!=",
        "≠",
        "not_in",
        "nowhere",
        "except",
        "outside",
        "avoid",
        "avoids",
    )
)
_RELATION_KEYS = ("relation", "operator", "op", "comparison")
"""Where there is an argument of such a name, it alone says the relation."""
_MODE_KEYS = ("mode", "order", "direction", "sense", "which", "scope", "kind")
_TELLS_LANGUAGE = ("of the ", "von dem ")
"""Before a text of few words, which may look like another language than its message: "one hole" (German "hole")."""
_PARTS = re.compile(r"[^\W_]+|[<>=!≤≥≠~≈]+")


@dataclass(frozen=True)
class _Said:
    """A claim, ready for comparison: its leaves, and the words of the names of the check, and of it and its arguments.

    `relations` are the relations that an argument says; `related` is whether one is there for nothing else.
    """

    leaves: tuple[Leaf, ...]
    check: frozenset[str]
    names: frozenset[str]
    values: frozenset[str]
    relations: frozenset[str]
    related: bool


def missing_tokens(hard: Sequence[str], claim: Claim, today: date | None = None) -> list[str]:
    """The hard tokens that do not stand in a claim, in their order."""
    return [text for text in hard if not stands_in(text, claim.check, claim.arguments, today)]


def stands_in(token: Token | str, check: str, arguments: Mapping[str, Any], today: date | None = None) -> bool:
    """Whether a hard token stands in a claim's arguments or, where it is a relation, in the name of its check.

    With `today` "next week" and the like stand in a date that lies in it; without, only in their own words.
    """
    found = token if isinstance(token, Token) else _token_of(token)
    said = _said(check, arguments)
    if found.kind in ("name", "literal", "symbol", "abbreviation"):
        return any(
            _holds(leaf.value, found.text, exact=found.kind == "symbol")
            for leaf in said.leaves
            if isinstance(leaf.value, str)
        )
    if found.kind == "negation":
        return bool(_NEGATIONS & (said.names | said.relations)) or _none_counted(said)
    if found.kind == "limit":
        return _limited(found, said)
    if found.code and found.kind in ("superlative", "all", "order", "position"):
        return _means(found, said)
    if found.values:
        return all(value_stands(value, found.text, said.leaves, said.check, today) for value in found.values)
    return any(_holds(leaf.value, found.text) for leaf in said.leaves if isinstance(leaf.value, str))


def _token_of(text: str) -> Token:
    """The token that a text alone is; literal words where it is none."""
    alone = _as_written(text, "")
    if alone is not None:
        return alone
    # A word that is hard only beside a number or a date ("by", "about") has lost its neighbour here.
    pieces = pieces_of(text)
    if sign := SIGNS.get(pieces):
        return Token(0, len(text), text, sign[0], (), sign[1])
    for phrase in (phrase for code in LANGUAGES for phrase in lexicon(code).phrases.at(pieces, 0) if pieces):
        if phrase.words == pieces and phrase.kind in HARD_TABLES:
            return Token(0, len(text), text, _KINDS[phrase.kind], (), str(phrase.value))
        if phrase.words == pieces and phrase.kind in ("colours", "weekdays"):
            kind: Literal["colour", "weekday"] = "colour" if phrase.kind == "colours" else "weekday"
            return Token(0, len(text), text, kind, (Value(kind, phrase.value, 0, len(text)),))
    told = (found for before in _TELLS_LANGUAGE if (found := _as_written(text, before)) is not None)
    return next(told, Token(0, len(text), text, "literal"))


def _as_written(text: str, before: str) -> Token | None:
    """The token that a text is behind these words, if it is one."""
    tokens = hard_tokens(before + text)
    return next((each for each in tokens if each.text == text and each.end == len(before + text)), None)


def _said(check: str, arguments: Mapping[str, Any]) -> _Said:
    leaves = tuple(_leaves(arguments))
    own = frozenset(_name_words(check))
    names = {*own}
    values: set[str] = set()
    relations: dict[str, set[str]] = {}
    for leaf in leaves:
        for key in leaf.path:
            names |= _name_words(key)
        key = leaf.path[-1].lower() if leaf.path else ""
        if isinstance(leaf.value, str):
            text = normal(leaf.value.strip())
            relations.setdefault(key, set()).update((text, text.replace(" ", "_")))
            values |= {text, text.replace(" ", "_")}
        elif isinstance(leaf.value, bool) and leaf.value:
            relations.setdefault("mode", set()).update(_name_words(key))
            values |= _name_words(key)
    related = any(key in relations for key in _RELATION_KEYS)
    told = [relations.get(key, set()) for key in (_RELATION_KEYS if related else _MODE_KEYS)]
    return _Said(leaves, own, frozenset(names), frozenset(values), frozenset().union(*told), related)


def _name_words(name: str) -> set[str]:
    """The words of a name with underscores, alone and in pairs."""
    words = [part.lower() for part in _PARTS.findall(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name))]
    return {*words, *("_".join(pair) for pair in pairwise(words)), name.lower()}


def _leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[Leaf]:
    if isinstance(value, Mapping):
        beside = {normal(str(key)): entry for key, entry in value.items() if isinstance(entry, str)}
        for key, entry in value.items():
            for leaf in _leaves(entry, (*path, str(key))):
                yield Leaf(leaf.path, leaf.value, {**beside, **leaf.beside})
    elif isinstance(value, (list, tuple, set, frozenset)):
        for entry in value:
            yield from _leaves(entry, path)
    elif value is not None:
        yield Leaf(path, value, {})


def _holds(text: str, wanted: str, *, exact: bool = False) -> bool:
    """Whether a text holds some words whole and in their order."""
    have, need = scan(text), scan(wanted)
    left = [word.text if exact else word.norm for word in have if word.speaks]
    right = [word.text if exact else word.norm for word in need if word.speaks]
    return bool(right) and any(left[at : at + len(right)] == right for at in range(len(left) - len(right) + 1))


def _none_counted(said: _Said) -> bool:
    """Whether the claim says that there are 0 of something, or that something is not so."""
    for leaf in said.leaves:
        name = _name_words(leaf.path[-1]) if leaf.path else set()
        if leaf.value is False and name & {"present", "visible", "allowed", "exists", "included", "shown"}:
            return True
        if (
            _number(leaf.value) == 0
            and not isinstance(leaf.value, bool)
            and name & {"count", "number", "max", "times", "n"}
        ):
            return bool(said.relations & {"==", "=", "<=", "exactly", "at_most"}) or bool(name & {"max", "count"})
    return False


def _number(value: Any) -> Decimal | None:
    try:
        return Decimal(str(value))
    except InvalidOperation:
        return None


def _limited(token: Token, said: _Said) -> bool:
    allowed = _RELATIONS.get(token.code)
    if allowed is None:
        return False
    if said.relations & allowed or said.related:
        return bool(said.relations & allowed)
    return bool(said.names & (allowed - _RELATIONS["=="])) or _bounds(token, said)


def _bounds(token: Token, said: _Said) -> bool:
    """Whether "between" is said by two bounds."""
    pairs = ({"min", "max"}, {"from", "to"}, {"start", "end"}, {"earliest", "latest"}, {"low", "high"})
    return token.code == "between" and any(pair <= said.names for pair in pairs)


def _means(token: Token, said: _Said) -> bool:
    """Whether a word like "all", "first", "before" or "left" is said: as a name, or as a whole value."""
    words = _MEANINGS.get(token.code, frozenset((token.code, token.code.replace(" ", "_"))))
    if words & (said.names | (said.relations if token.kind == "order" else said.values)):
        return True
    if token.kind in ("superlative", "position"):
        return any(
            _holds(leaf.value, token.text) or any(_holds(leaf.value, word) for word in words if word.isalpha())
            for leaf in said.leaves
            if isinstance(leaf.value, str)
        )
    return False
