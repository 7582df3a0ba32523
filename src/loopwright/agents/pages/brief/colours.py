"""Colours in words: names of four languages and Chinese, lighter or darker by an adjective, and grounds."""

import json
import re
from functools import cache
from importlib import resources
from itertools import pairwise

from loopwright.agents.pages.colour import Colour, from_oklch

HEX = re.compile(r"#(?:[0-9a-fA-F]{6}|[0-9a-fA-F]{3})\b")
_SHADES: tuple[tuple[str, float, float], ...] = (
    # adjective · change of lightness · factor of chroma (OKLCH)
    (r"very dark|tiefdunkel|très foncée?", -0.22, 0.9),
    (r"dark|deep|darker|dunkel|dunkle[rsnm]?|tief(?:es|e)?|foncée?s?|oscur[oa]s?|profond|深|暗", -0.14, 0.95),
    (r"pale|very light|blass|blasse[rsnm]?|pâle|pálid[oa]", 0.2, 0.5),
    (r"light|lighter|soft|pastel|hell|helle[rsnm]?|zarte[rsnm]?|claire?s?|clar[oa]s?|doux|suave|浅|淡", 0.13, 0.7),
    (r"bright|vivid|neon|leuchtend\w*|kräftig\w*|vif|vive|亮|鲜", 0.05, 1.3),
    (r"muted|dusty|dull|faded|gedeckte[rsnm]?|gedämpft\w*|terne", 0.0, 0.55),
)
_BEFORE = "|".join(f"(?:{words})" for words, _, _ in _SHADES)
_ENDINGS = "rot|gelb|grün|blau|braun|grau|rosa|violett"
"""What German words for shades of colours end in: "honiggelb" is a yellow."""
_GROUND = r"(?:backgrounds?|grounds?|canvas|paper|hintergrund|untergrund|grund|fond|fondo|背景|底色?)"
_AS_GROUND = rf" (?:as|for|in) (?:the |a )?(?:page )?{_GROUND}| (?:for|in) the (?:outer )?(?:pages?|layout)\b"
_FILL = re.compile(
    r"(?<![A-Za-zÀ-ÿ])(?:colou?rs?|tones?|accents?|brand|theme|palette|shades?|backgrounds?|our|with|in|on|and|&|a|an|the|of|touch|as|"
    r"primary|secondary|plus|"
    r"farben?|töne?n?|akzente?n?|hintergrund|und|mit|auf|couleurs?|fond|et|avec|sur|colores?|fondo|y|con|sobre|style|look|"
    r"auf|grund|helle[mn])(?![A-Za-zÀ-ÿ])|[,.:/()-]|主色|配色|为主|色调|背景|风格",
    re.I,
)


@cache
def colour_names() -> dict[str, str]:
    """Names of colours and their `#RRGGBB`."""
    text = resources.files("loopwright.agents.pages.brief").joinpath("colours.json").read_text(encoding="utf-8")
    found: dict[str, str] = json.loads(text)
    return found


@cache
def _named() -> re.Pattern[str]:
    names = sorted(colour_names(), key=len, reverse=True)
    latin = "|".join(_spaced(name) for name in names if name.isascii() or not re.search(r"[\u3400-\u9fff]", name))
    han = "|".join(re.escape(name) for name in names if re.search(r"[\u3400-\u9fff]", name))
    return re.compile(
        rf"(?P<hex>{HEX.pattern})|(?<![\w])(?:(?P<shade>{_BEFORE})[ -]?)?(?P<latin>{latin})(?:e[rnsm]?|es)?"
        rf"(?:[ -]+(?P<after>{_BEFORE}))?(?![\w])|(?<![\w])[a-zäöüß]{{3,14}}(?P<ending>{_ENDINGS})(?:e[rsnm]?)?(?![\w])"
        rf"|(?P<pre>深|浅|淡|暗|亮)?(?P<han>{han})",
        re.I,
    )


_COMPOUND = re.compile(
    r"(?P<first>[a-z]{3,})(?P<last>blue|green|white|grey|gray|red|pink|cyan|orchid|goldenrod|salmon|violet|turquoise|"
    r"brown|rod|almond|cream|blush|lace|rose|chiffon|slateblue|slategray|slategrey|seagreen|skyblue|orange|whip|puff|"
    r"shell|drop|smoke|yellow|wood|khaki|magenta|olive)"
)


def _spaced(name: str) -> str:
    """A name as it may be written: the standard's "aliceblue" also as "alice blue"."""
    found = _COMPOUND.fullmatch(name)
    return rf"{found['first']} ?{found['last']}" if found else re.escape(name)


def read_colour(found: re.Match[str]) -> str:
    """The colour of a match: by hex, by its exact name with the adjective, else by the adjective's arithmetic."""
    if found["hex"]:
        digits = found["hex"][1:]
        return "#" + ("".join(2 * digit for digit in digits) if len(digits) == 3 else digits).upper()
    name = (found["latin"] or found["han"] or found["ending"]).lower()
    name = name if name in colour_names() else name.replace(" ", "")
    shade = (found["shade"] or found["after"] or found["pre"] or "").lower()
    exact = colour_names().get(f"{shade} {name}") or colour_names().get(f"{shade}{name}")
    return exact or shaded(colour_names()[name], shade)


def shaded(colour: str, adjective: str) -> str:
    """A colour made darker, lighter, brighter or duller as an adjective says; unchanged by any other word."""
    for words, lighter, factor in _SHADES:
        if adjective and re.fullmatch(words, adjective, re.I):
            seen = Colour.from_hex(colour).oklch
            lightness = min(0.95, max(0.2, seen.lightness + lighter))
            return from_oklch(lightness, seen.chroma * factor, seen.hue).hex.upper()
    return colour


def named_colours(text: str) -> list[tuple[str, re.Match[str]]]:
    """All colours that a text names, with where."""
    return [(read_colour(found), found) for found in _named().finditer(text)]


_ADJECTIVE = re.compile(rf"(?<!\w)(?:{_BEFORE})(?!\w)", re.I)


def is_colour_only(text: str) -> bool:
    """Whether a text consists of colours and of words that say where they go: "blush pink", "cream background"."""
    if not _named().search(text):
        return False
    found = list(_named().finditer(text))
    things = [each for each in found if (each["latin"] or "").lower() in _things() and not each["shade"]]
    if len(things) == len(found) and not _SAYS_COLOUR.search(text):
        return False
    if any(text[one.end() : other.start()] == " " and other in things for one, other in pairwise(found)):
        return False
    return not re.sub(r"[\W_]+", "", _ADJECTIVE.sub(" ", without_colours(text)))


_SAYS_COLOUR = re.compile(
    r"colou?r|accent|theme|tone|background|palette|farb|akzent|hintergrund|ton\b|couleur|fond|color|fondo|色", re.I
)


@cache
def _things() -> frozenset[str]:
    """Names of colours that are things in the first place: honey is a colour only beside others."""
    text = resources.files("loopwright.agents.pages.brief").joinpath("ambiguous_colours.json").read_text("utf-8")
    return frozenset(json.loads(text))


def without_colours(text: str) -> str:
    """The text without colours and the words that say where they go."""
    return _FILL.sub(" ", _named().sub(" ", text))


def is_sandy(colour: str) -> bool:
    """Whether a colour is a light one of little colour, as sand, beige and stone are: a ground, and no ink."""
    seen = Colour.from_hex(colour).oklch
    return 0.68 < seen.lightness < 0.92 and 0.02 < seen.chroma < 0.09


def as_ground(colour: str) -> str:
    """A colour as the background of text: sand and beige as light as paper, any other as it is."""
    seen = Colour.from_hex(colour).oklch
    return from_oklch(0.945, 0.4 * seen.chroma, seen.hue).hex.upper() if is_sandy(colour) else colour


def ground_in(text: str, *, plain: bool = False) -> str | None:
    """The background that is asked for ("on a cream background", "background: #FAFAF5"), as `#RRGGBB`.

    A name for sand is one of light sand, unless the colour is wanted as `plain` as it is named.
    """
    for named, found in named_colours(text):
        colour = named if plain or found["hex"] or found["shade"] else as_ground(named)
        after, before = text[found.end() : found.end() + 28], text[max(0, found.start() - 30) : found.start()]
        if re.match(rf"[ -]*(?:colou?red )?{_GROUND}|{_AS_GROUND}", after, re.I):
            return colour
        if re.search(rf"{_GROUND}\w*(?: colou?r)?(?: is| should be| in|:|为|是)?\s*(?:a |an |en |de )?$", before, re.I):
            return colour
    return None
