"""How sentences begin that ask for a part of an app and name none of it, and what only says how the app shall look."""

import re

from loopwright.agents.pages.brief.colours import named_colours, without_colours
from loopwright.agents.pages.brief.sitemap import COUNT_OF_PAGES
from loopwright.agents.pages.domain.grammar import Lexicon

_OF_PAGES = re.compile(
    r"(?<!\w)(?:use|using|apply|pages?|screens?|layouts?|outer|inner|elements?|components?|blocks?|parts?|ui|cards?|"
    r"boxes|headers?|footers?|links?|menus?|texts?|headings?|titles?|borders?|buttons?|icons?|for|of|as|which|its|"
    r"verwende|nutze|seiten?|elemente?n?|knöpfen?|schaltflächen|überschriften|karten|für|als|utilise[rz]?|pages?|"
    r"boutons?|éléments?|titres?|cartes?|pour|comme|de|usa|usar|páginas?|botones|elementos|títulos|para|como)(?!\w)|"
    r"使用|用|作为|按钮|页面|元素|标题",
    re.I,
)
"""Parts that any page has, and what joins a colour to them."""
_GIVEN = re.compile(r"\s+(?:geben|haben)$", re.I)
_PAGE_AT_END = re.compile(r"(?<=\w)\s+(?:pages?|screens?|tabs?|sections?)$", re.I)


def without_opening(text: str, words: Lexicon) -> tuple[str, bool]:
    """A sentence without what only asks ("there should also be", "I want to"), and whether it had that."""
    nice = re.search(rf"\s(?:{words.words['nice']})$", text, re.I)
    if nice:
        return without_page(text[: nice.start()]), True
    pattern = rf"(?:{words.words['opening']})" + (r"(?!\w)[\s,:]*" if words.spaced else "")
    found = re.match(pattern, text, re.I)
    if found is None or not found[0].strip() or not text[found.end() :].strip():
        return text, False
    return without_page(_GIVEN.sub("", text[found.end() :])), True


def without_page(text: str) -> str:
    """A noun phrase without the page that it is said to be: the FAQ of "a FAQ page"."""
    return _PAGE_AT_END.sub("", text)


def paints(text: str, words: Lexicon) -> bool:
    """Whether a text says of nothing but the look: "the style should feel calm", "crimson for the buttons"."""
    if re.match(rf"(?:{words.words['look_of']})" + (r"(?!\w)" if words.spaced else ""), text, re.I):
        return True
    if not named_colours(text):
        return False
    left = _OF_PAGES.sub(" ", COUNT_OF_PAGES.sub(" ", without_colours(text)))
    if words.spaced:
        left = re.sub(rf"(?<![\w-])(?:{words.words['look']}|{words.words['articles']})(?![\w-])", " ", left, flags=re.I)
    return not re.sub(r"[\W_]+", "", left)
