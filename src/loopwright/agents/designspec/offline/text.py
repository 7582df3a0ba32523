"""A user's message made readable for rules: one spelling of signs and numbers, cut into intents of one thing each."""

import math
import re
import unicodedata
from dataclasses import dataclass

# Lengths as people write them: a strict grammar, an allow-list of units, and nothing that is ever computed.

UNITS = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "inch": 0.0254}
"""How many metres one unit is."""

_SPELLINGS = {
    "mm": r"mms?|mmm|mil+i ?met(?:er|re)s?|mili?met(?:er|re)s?|millimit(?:er|re)s?|milimit(?:er|re)s?",
    "cm": r"cms?|centi ?met(?:er|re)s?|centimit(?:er|re)s?",
    "um": r"um|ums|µm|µ|microns?|micro ?met(?:er|re)s?|mircons?",
    "inch": r"inch(?:es)?|inchs|in(?=\s*(?:[.,;x)]|$|tall|wide|long|thick|high|deep|diameter|radius|"
    r"cube|sphere|disc|box))|\"",
    "m": r"m|met(?:er|re)s?",
}
_UNIT = "|".join(f"(?P<{name}>{pattern})" for name, pattern in _SPELLINGS.items())
_UNIT_PLAIN = "|".join(_SPELLINGS.values())
NUMBER = r"(?:\d{1,9}(?:[.,]\d{1,9})?|\.\d{1,9})(?:e[-+]?\d{1,4})?"
_LENGTH = re.compile(
    rf"(?<![\w.,*^/])(?P<number>[-+]?{NUMBER})(?:\s?-?(?:{_UNIT})(?![\w%°]))?(?![\d.]*\d)", re.IGNORECASE
)
_TIMES = r"\s*(?:x|\*|by)\s*"
_ONE = rf"[-+]?{NUMBER}(?:\s?(?:{_UNIT_PLAIN})(?=[\sx*]|by|[,;.)]|$))?"
_DIMENSIONS = re.compile(rf"(?<![\w.*^])({_ONE}(?:{_TIMES}{_ONE}){{1,2}})(?![\d*^]|\s*x\s*\d)", re.IGNORECASE)
_LIST = re.compile(
    rf"(?<![\w.*^])(\d+(?:\.\d+)?(?:\s*[,/]\s*(?:and )?\d+(?:\.\d+)?){{2}}\s?(?:{_UNIT_PLAIN}))(?!\w)", re.IGNORECASE
)
_FORMULA = re.compile(r"\d\s*(?:\*\*|\^)|\d\s*[*/]\s*\(|\)\s*[*/]\s*\d|\d\s*/\s*\d|\d\s*\*\s*\d+(?:\s*\*\s*\d+){3,}")
_FOREIGN = re.compile(
    r"(?<![\d.,])\d[\d.,]*\s?(ft|feet|foot|yards?|yd|nm|nanomet(?:er|re)s?|km|kilomet(?:er|re)s?|miles?|px|pixels?|pt|"
    r"points?|parsecs?|light ?years?|au|furlongs?|kg|grams?|lit(?:er|re)s?|ml|dm|decimet(?:er|re)s?|mils?|thou)\b",
    re.IGNORECASE,
)
LARGEST = 10.0
"""Metres; nothing that is printed is larger, so a larger number is a mistake."""


@dataclass(frozen=True)
class Length:
    """A length in metres, as it was written, and where. Without a unit it was taken for millimetres."""

    metres: float
    written: str
    start: int = 0
    end: int = 0
    unit_given: bool = True


class UnusableQuantity(ValueError):
    """A number that is not a length; the message says why, in a sentence for the user."""


def number(written: str) -> float:
    """A plain number; a comma before one or two digits is a decimal comma, before three it parts thousands.

    Raises:
        UnusableQuantity: it is not finite.
    """
    text = written.strip()
    text = text.replace(",", "") if re.fullmatch(r"[-+]?\d{1,3},\d{3}", text) else text.replace(",", ".")
    value = float(text)
    if not math.isfinite(value):
        raise UnusableQuantity(f"{written} is not a number that I can work with.")
    return value


def check_quantities(text: str) -> None:
    """Refuse what looks like a quantity and is none.

    Raises:
        UnusableQuantity: a formula, or a unit outside the allow-list.
    """
    if _FORMULA.search(text):
        raise UnusableQuantity("I read plain numbers such as 2.5 mm and work out no formulas.")
    foreign = _FOREIGN.search(text)
    if foreign:
        raise UnusableQuantity(f"I do not know the unit {foreign[1]!r}; I read mm, cm, m, µm (microns) and inches.")


def lengths(text: str, *, bare: bool = True) -> list[Length]:
    """The lengths of a text in their order; `bare` tells whether numbers without a unit count as millimetres.

    Raises:
        UnusableQuantity: one of them is not finite, or larger than `LARGEST`.
    """
    found = []
    for match in _LENGTH.finditer(text):
        unit = next((name for name in UNITS if match[name]), None)
        if unit or bare:
            found.append(_length(match["number"], unit, match.start(), match.end()))
    return found


def dimensions(text: str) -> tuple[list[Length], str]:
    """The first size of the form `20x60x30 mm` (two or three lengths), and the text without it.

    A number without a unit takes that of the next one that has it, else that of the one before.

    Raises:
        UnusableQuantity: one of the lengths is not positive, not finite or too large.
    """
    match = _DIMENSIONS.search(text) or _LIST.search(text)
    if not match:
        return [], text
    parts = [part for part in re.split(r"\s*(?:x|\*|by|[,/])\s*", match[1], flags=re.IGNORECASE) if part.strip()]
    ones = [_LENGTH.match(part.removeprefix("and ").strip()) for part in parts]
    units = [next((name for name in UNITS if one[name]), None) if one else None for one in ones]
    sizes = []
    for index, one in enumerate(ones):
        unit = next((u for u in units[index:] if u), None) or next((u for u in reversed(units[:index]) if u), None)
        if one:
            sizes.append(positive(_length(one["number"], unit, match.start(), match.end())))
    return sizes, f"{text[: match.start()]} {text[match.end() :]}"


def positive(length: Length) -> Length:
    """The length itself.

    Raises:
        UnusableQuantity: it is not greater than zero.
    """
    if length.metres <= 0:
        raise UnusableQuantity(f"{length.written} is not a size: it must be greater than zero.")
    return length


def _length(written: str, unit: str | None, start: int, end: int) -> Length:
    value = number(written) * UNITS[unit or "mm"]
    name = f"{written} {unit or 'mm'}"
    if abs(value) > LARGEST:
        raise UnusableQuantity(f"{name} is larger than anything this pipeline makes (at most {LARGEST:g} m).")
    return Length(value, name, start, end, unit_given=unit is not None)


def shown(metres: float) -> str:
    """A length for people: millimetres, or micrometres below a tenth of one, without needless digits."""
    if metres and abs(metres) < 1e-4 * (1 - 1e-9):
        return f"{metres * 1e6:.4g} µm"
    return f"{metres * 1e3:.6g} mm"


# German requests in the words that the rules know: a table, no grammar; what it does not know stays as it is.

_FACES = {
    "links": "left",
    "rechts": "right",
    "vorne?": "front",
    "hinten": "back",
    "oben": "top",
    "unten": "bottom",
}
_FACE = "|".join(_FACES)
_WORDS: tuple[tuple[str, str], ...] = (
    (rf"von ({_FACE}) (?:bis )?nach ({_FACE})", r"from \1 to \2"),
    *((word, face) for word, face in _FACES.items()),
    (r"linke[nr]? seite|linken", "left"),
    (r"rechte[nr]? seite|rechten", "right"),
    (r"oberseite|oberen", "top"),
    (r"unterseite|unteren", "bottom"),
    (r"vorderseite|vorderen", "front"),
    (r"rückseite|hinteren", "back"),
    (r"mach\w* (?:ihn|sie|es)", "make it"),
    (r"doppelt so", "twice as"),
    (r"halb so", "half as"),
    (r"dreimal so", "3 times as"),
    (r"mach\w*|erstell\w*|erzeug\w*|baue?", "make"),
    (r"bohre?", "drill"),
    (r"füge", "add"),
    (r"hinzu", ""),
    (r"entfern\w*|lösch\w*", "remove"),
    (r"setze?|änder\w*", "set"),
    (r"ich (?:brauche|möchte|hätte gern\w*|will)|gib mir", "I want"),
    (r"würfels?", "cube"),
    (r"quaders?|blocks?|blöcke|klotz|kasten", "box"),
    (r"platten?", "plate"),
    (r"zylinders?", "cylinder"),
    (r"scheiben?", "disc"),
    (r"st[aä]be?|stange", "rod"),
    (r"kugel", "sphere"),
    (r"durchgehende[nrs]?", "through"),
    (r"gerade[nrs]?", "straight"),
    (r"parallele[nrs]?", "parallel"),
    (r"(?:das |den |dem |die |der )?(?:bohrungen|löchern?|kanälen?)", "holes"),
    (r"bohrung|loch|kanal", "hole"),
    (r"einlässen?|einlässe", "inlets"),
    (r"auslässen?|auslässe", "outlets"),
    (r"einlass", "inlet"),
    (r"auslass", "outlet"),
    (r"öffnungen", "openings"),
    (r"kantenlänge|seitenlänge|kanten", "sides"),
    (r"durchmesser", "diameter"),
    (r"durch die dicke|durch die höhe|der höhe nach", "through the height"),
    (r"(?:entlang der|der|durch die) länge(?: nach)?|längs", "along the length"),
    (r"entlang der breite|durch die breite", "along the width"),
    (r"durch die (?:mitte|körpermitte)", "through the centre"),
    (r"(?:in der )?mitte", "in the centre"),
    (r"länge|lang", "long"),
    (r"breite|breit", "wide"),
    (r"höhe|hoch", "high"),
    (r"dicke|dick", "thick"),
    (r"tiefe|tief", "deep"),
    (r"höher", "taller"),
    (r"dicker", "thicker"),
    (r"breiter", "wider"),
    (r"länger", "longer"),
    (r"niedriger|flacher", "lower"),
    (r"dünner", "thinner"),
    (r"entlang", "along"),
    (r"durch", "through"),
    (r"(?:voneinander )?entfernt|auseinander", "apart"),
    (r"prozent", "%"),
    (r"jeweils|je|jede[rnms]?", "each"),
    (r"mit", "with"),
    (r"von|aus", "of"),
    (r"und", "and"),
    (r"auf", "to"),
    (r"zwei", "two"),
    (r"drei", "three"),
    (r"vier", "four"),
    (r"fünf", "five"),
    (r"sechs", "six"),
    (r"sieben", "seven"),
    (r"acht", "eight"),
    (r"neun", "nine"),
    (r"zehn", "ten"),
    (r"eine[nrms]?|ein", "a"),
    (r"de[rnms]|die|das", "the"),
    (r"bitte", "please"),
)
_RULES = tuple((re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.I), english) for words, english in _WORDS)
_GERMAN = re.compile(
    r"(?<!\w)(?:mit|und|eine?[nrms]?|mach\w*|bohre?|füge|würfel|quader|zylinder|platte|scheibe|löcher\w*|durch)(?!\w)",
    re.I,
)


def in_english(text: str) -> str:
    """The text with what German words in it mean; a text without any stays as it is."""
    if not _GERMAN.search(text):
        return text
    for rule, english in _RULES:
        text = rule.sub(english, text)
    return re.sub(r"[^\S\n]+", " ", text)


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
_FRACTION = re.compile(r"(?<![\w./])(?:(\d{1,3})[ -])?(\d{1,3})/(\d{1,3})(?=[ -]?(?:inch|in\b|\"))", re.IGNORECASE)
"""A fraction of an inch is a plain number, however it is written; any other is a formula."""
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
_THROUGH = "through(?! (?:holes?|channels?|bores?))"
_NOT_BETWEEN = rf"(?!(?:{_TIPS}|from|in|on|at|of|with|and|to|by|{_THROUGH}|each)\b)"
"""What stands between a count and its thing holds none of these: `64 tips from 2 inlets` counts no inlets by 64."""

_START = (
    rf"(?:please |also |then |finally |just |now )*(?:(?:{VERBS})\b|[a-z]+ (?:it|them)\b|at (?:most|least) |"
    rf"(?:the |all )?(?:{_SETTINGS})\b|"
    rf"(?:an?|the|another|\d+)(?: {_NOT_BETWEEN}[\w%-]+(?:\.\d+[\w%]*)?){{0,5}}? (?:{THINGS})\b|"
    rf"(?:the |some |all )?{_KINDS}(?:{THINGS})\b)"
)
_JOINTS = (
    ",? and then|,? and|,? (?:that|which) (?:has|have|contains?|holds?)|,? then|,? plus|,|&|\\+|,? with|,? having|"
    ",? so that|,? (?:connected|joined|linked|fed|filled) (?:by|with)"
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
    text = re.sub(r"\bthrough-(?=holes?\b|channels?\b|bores?\b)", "through ", in_english(text), flags=re.I)
    text = _NUMBER_WORD.sub(lambda found: str(NUMBER_WORDS[found[1].lower()]), text)
    text = _FRACTION.sub(lambda found: _decimal(*found.groups()), text)
    return _TENS.sub(lambda found: str(int(found[1]) + int(found[2])), text).strip()


def _decimal(whole: str | None, above: str, below: str) -> str:
    if not int(below):
        return f"{above}/{below}"
    return f"{int(whole or 0) + int(above) / int(below):.6f}".rstrip("0").rstrip(".")


def clauses(message: str) -> list[str]:
    """The intents of a readable message, in their order: a clause begins where a verb or a thing follows a joint."""
    pieces = [piece for part in _BREAK.split(message) for piece in _INSIDE.split(part, maxsplit=1)]
    return [clean for piece in pieces if (clean := piece.strip(" ,.;:!?\n"))]


def has(clause: str, words: str) -> bool:
    """Whether one of the words, an alternation, stands in the clause."""
    return re.search(rf"\b(?:{words})\b", clause, re.IGNORECASE) is not None
