"""A user's message made readable for rules: one spelling of signs and numbers, cut into wishes of one thing each."""

import re
import unicodedata

LONGEST = 4_000
"""Characters of a message that the rules read; every pattern is linear, and this keeps even their sum small."""

NUMBER_WORDS = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "twenty": 20,
    "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "hundred": 100, "dozen": 12, "couple of": 2, "pair of": 2,
}  # fmt: skip
_NUMBER_WORD = re.compile(rf"\b(?:an? )?({'|'.join(NUMBER_WORDS)})\b", re.IGNORECASE)
_TENS = re.compile(
    r"\b(20|30|40|50|60)[ -]([1-9])\b(?= ?(?:tips|terminals|ends|leaves|branches|channels|inlets|outlets))"
)
_SIGNS = str.maketrans(
    {
        "×": "x", "✕": "x", "✖": "x", "⨯": "x", "·": "*", "−": "-", "–": "-", "—": ", ", "“": '"', "”": '"', "″": '"',
        "’": "'", "‘": "'", "μ": "µ", "Ø": "diameter ", "ø": "diameter ", "⌀": "diameter ", "…": ".",
    }
)  # fmt: skip

VERBS = (
    "add|create|make|grow|generate|build|run|set|move|shift|remove|delete|drop|rename|put|"
    "place|use|drill|cut|carve|bore|"
    "undo|revert|fix|repair|validate|check|verify|export|import|load|change|increase|"
    "decrease|reduce|raise|lower|double|"
    "triple|halve|show|explain|give|turn|switch|connect|start|execute|compile|simulate|scale|stretch|enlarge|shrink|"
    "call|name|tell|what|why|resize|extend|widen|lengthen|shorten|insert|replace|save|list|print|mirror|rotate"
)
SHAPES = (
    "box|block|cube|cuboid|brick|plate|slab|chip|sheet|cylinder|disc|disk|puck|rod|coin|wafer|sphere|ball|ellipsoid|"
    "capsule|pill|frustum|cone|tube|pipe|body|domain|scaffold|part|insert|construct|substrate"
)
THINGS = (
    "inlets?|outlets?|ports?|openings?|trees?|networks?|vasculature|channels?|holes?|bores?|"
    "serpentines?|meanders?|ridge|"
    f"rim|{SHAPES}"
)
_SETTINGS = (
    "seed|clearance|terminal radius|terminal diameter|tip radius|min(?:imum)? (?:channel )?(?:diameter|radius)|units?|"
    "output units?|inlet (?:radius|diameter)|outlet (?:radius|diameter)|murray"
)
_KINDS = (
    r"(?:(?:straight|tapered|cylindrical|bifurcating|branching|space coloni[sz]ation|vascular|binary|round|vertical) )*"
)
_TIPS = "tips?|terminals?|leaves|ends?|end points|branches|levels?"
_NOT_BETWEEN = rf"(?!(?:{_TIPS}|from|in|on|at|of|with|and|to|by|through|each)\b)"
"""What stands between a count and its thing holds none of these: `64 tips from 2 inlets` counts no inlets by 64."""

_START = (
    rf"(?:please |also |then |finally |just |now )*(?:(?:{VERBS})\b|[a-z]+ (?:it|them)\b|at (?:most|least) |"
    rf"(?:the |all )?(?:{_SETTINGS})\b|"
    rf"(?:an?|the|another|\d+)(?: {_NOT_BETWEEN}[\w%-]+(?:\.\d+[\w%]*)?){{0,5}}? (?:{THINGS})\b|"
    rf"(?:the |some |all )?{_KINDS}(?:{THINGS})\b)"
)
_JOINTS = (
    ",? and then|,? and|,? then|,? plus|,|&|\\+|,? with|,? having|,? so that|,? (?:connected|"
    "joined|linked|fed|filled) (?:by|with)"
)
_BREAK = re.compile(
    rf"(?:\s*[.!?;\n]+\s+|\s*(?:{_JOINTS})\s+(?={_START})|\s+(?:starting )?(?:from|"
    rf"at)\s+(?=(?:an?|\d+) (?:inlets?|outlets?)\b))",
    re.IGNORECASE,
)
_INSIDE = re.compile(
    rf"\s+(?:in|inside|within|into|through|of|from|out of)\s+(?=an? (?:[\w.%-]+ ){{0,8}}?(?:{SHAPES})\b)", re.IGNORECASE
)


def readable(message: str) -> str:
    """The message in one spelling: NFKC, plain signs, number words as digits, nothing beyond `LONGEST`."""
    text = unicodedata.normalize("NFKC", message[:LONGEST]).translate(_SIGNS)
    text = "".join(" " if unicodedata.category(sign).startswith("C") and sign != "\n" else sign for sign in text)
    text = re.sub(r"[^\S\n]+", " ", text)
    text = _NUMBER_WORD.sub(lambda found: str(NUMBER_WORDS[found[1].lower()]), text)
    return _TENS.sub(lambda found: str(int(found[1]) + int(found[2])), text).strip()


def clauses(message: str) -> list[str]:
    """The wishes of a readable message, in their order: a clause begins where a verb or a thing follows a joint."""
    pieces = [piece for part in _BREAK.split(message) for piece in _INSIDE.split(part, maxsplit=1)]
    return [clean for piece in pieces if (clean := piece.strip(" ,.;:!?\n"))]


def has(clause: str, words: str) -> bool:
    """Whether one of the words, an alternation, stands in the clause."""
    return re.search(rf"\b(?:{words})\b", clause, re.IGNORECASE) is not None
