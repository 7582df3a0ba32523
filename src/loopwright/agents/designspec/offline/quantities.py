"""Lengths as people write them: a strict grammar, an allow-list of units, and nothing that is ever computed."""

import math
import re
from dataclasses import dataclass

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
    """A number that is no length; the message says why, in a sentence for the user."""


def number(written: str) -> float:
    """A plain number; a comma before one or two digits is a decimal comma, before three it parts thousands.

    Raises:
        UnusableQuantity: it is not finite.
    """
    text = written.strip()
    text = text.replace(",", "") if re.fullmatch(r"[-+]?\d{1,3},\d{3}", text) else text.replace(",", ".")
    value = float(text)
    if not math.isfinite(value):
        raise UnusableQuantity(f"{written} is no number that I can work with.")
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
        raise UnusableQuantity(f"{length.written} is no size: it must be greater than zero.")
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
