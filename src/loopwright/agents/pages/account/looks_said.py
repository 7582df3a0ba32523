"""What statements say of looks: colours, grounds and tones, and what has them."""

import re
from collections.abc import Sequence
from itertools import pairwise

from loopwright.agents.pages.account.vocabulary import COOL, DARK, LIGHT, PLACES, TASTE, WARM, word, words_of
from loopwright.kernel.account import Claim
from loopwright.kernel.account.reading import Token

NAMES = ("name", "literal", "abbreviation", "symbol")
"""Kinds of token that are names."""
_MODE_WORDS = re.compile(r"(?<!\w)(?:theme|mode|design|look|modus|thème|mode|tema|modo)(?!\w)|主题|模式|风格", re.I)
_MODE = re.compile(rf"(?:(?:{DARK.pattern}|{LIGHT.pattern}|{_MODE_WORDS.pattern}|an?|ein\w*|un|en)\s*)+", re.I)
_AT_NIGHT = re.compile(r"in the dark$|im dunkeln|dans (?:le noir|l'obscurité)|en la oscuridad|黑暗中", re.I)
_TURNS = re.compile(rf"{DARK.pattern}|{LIGHT.pattern}|[浅淡深暗]|pale|pastel", re.I)
"""What makes another colour of a colour: no name of a shade."""
_PAINTING = re.compile(r"(?<!\w)(?:change|turn|color|all|ändere|färbe)(?!\w)|改成|改为|变成|换成", re.I)


def is_main_colour(claim: Claim) -> bool:
    """Whether a claim is of the app's main colour."""
    return claim.check == "colour" and claim.arguments["where"] == "main"


def toned(text: str, tokens: Sequence[Token]) -> Claim | None:
    """Warm or cool colours."""
    warm, cool = WARM.search(text), COOL.search(text)
    if bool(warm) == bool(cool) or any(t.kind not in NAMES for t in tokens) or not word(PLACES["main"]).search(text):
        return None
    rest = word(PLACES["main"]).sub(" ", (WARM if warm else COOL).sub(" ", text))
    return (
        None if words_of(rest) else Claim(check="tone", arguments={"tone": "warm" if warm else "cool", "named": text})
    )


def ground(text: str, tokens: Sequence[Token]) -> Claim | None:
    """A dark or a light background."""
    dark, light = DARK.search(text), LIGHT.search(text)
    if bool(dark) == bool(light):
        return None
    meant = word(PLACES["background"]).search(text) or _MODE.fullmatch(text.strip(" .")) or _AT_NIGHT.search(text)
    if not meant:
        return None
    rest = word(PLACES["background"]).sub(" ", _MODE_WORDS.sub(" ", (DARK if dark else LIGHT).sub(" ", text)))
    if words_of(TASTE.sub(" ", rest)) or any(token.kind not in (*NAMES, "limit") for token in tokens):
        return None
    return Claim(check="ground", arguments={"relation": "<" if dark else ">", "named": text})


def coloured(text: str, tokens: Sequence[Token]) -> Claim | None:
    """One colour, of what is named or of the app as a whole."""
    colours = [token for token in tokens if token.kind == "colour"]
    others = [token for token in tokens if token.kind != "colour"]
    if not colours or any(text[one.end : other.start].strip() for one, other in pairwise(colours)):
        return None  # none, or several; "sage green" is one
    if any(not any(word(names).fullmatch(o.text) for names in PLACES.values()) for o in others):
        return None
    left = f"{text[: colours[0].start]} {text[colours[-1].end :]}"
    found = [place for place, names in PLACES.items() if place != "main" and word(names).search(left)]
    if len(found) > 1:
        return None
    for names in PLACES.values():
        left = word(names).sub(" ", left)
    left = TASTE.sub(" ", _PAINTING.sub(" ", left))
    shade = len(words_of(left)) == 1 and text[: colours[0].start].split()[-1:] == left.split()  # "blush pink"
    if (words_of(left) and not shade) or _TURNS.search(left):
        return None
    colour = text if others else text[colours[0].start : colours[-1].end]
    return Claim(check="colour", arguments={"where": found[0] if found else "main", "colour": colour})
