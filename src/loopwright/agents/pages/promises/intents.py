"""What the user's own words ask of something that is there: which thing, in which respect, what it is to be.

Only whole clauses of a few plain forms are understood, in English and Chinese: “make the header blue”, “the prices
should be bigger”, “change the title to "Fresh bread"”, “把标题栏改成蓝色”. What a clause says beyond such a form makes
it none: “add a blue badge to the header” asks nothing of the header. What is not understood gives no request, and then
nothing is decided by it.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from loopwright.agents.pages.brief.features import read_table
from loopwright.agents.pages.compliance.cascade.colours import colour_names, parse_colour
from loopwright.agents.pages.promises.app_pages import singular

Aspect = Literal["colour", "size", "weight", "shape", "alignment", "words", "presence"]
Part = Literal["background", "text", "border"]

MAX_MESSAGE = 2_000
MAX_CLAUSE = 300


@dataclass(frozen=True)
class Intent:
    """One request of a message.

    `target` are the words that name the thing; `value` is a colour as CSS text, `bigger`, `24px`, new words, or whether
    the thing is to be `there` or `gone`. `part`
    says which side of it was named, and `pages` in which words the pages were, empty where none were. `exact` colours
    were given as numbers.
    """

    target: frozenset[str]
    aspect: Aspect
    value: str
    part: Part | None = None
    pages: str = ""
    exact: bool = False

    def concerns(self, slug: str, title: str) -> bool:
        """Whether it is about this page: about all of them, or about this one by name."""
        if not self.pages or _EVERYWHERE.search(self.pages):
            return True
        called = title.casefold()
        names = {slug, slug.replace("-", " "), called, called.removesuffix(" page"), called.removesuffix("页")}
        names |= {"home", "首页", "主页"} if slug == "index" else set()
        return self.pages in names


_CLAUSE = re.compile(
    r"[.;!?\n。；！？]+(?=\s|$|[\u3400-\u9fff])|[，、]|,\s*|\s+(?:and|but|then|also)\s+|而且|并且|但是|然后|同时",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"“”「」『』«»]([^\"“”「」『』«»\n]{1,200})[\"“”「」『』«»]")
_OPENING = re.compile(
    r"^(?:@[a-z0-9-]+|please|pls|now|ok(?:ay)?|well|hmm+|no|sorry|actually|instead|and|then|also|just"
    r"|(?:can|could|would|will) you|let'?s|i changed my mind|on second thought"
    r"|请|麻烦|帮我|帮忙|还是|我想|我要|能不能|可以|现在|那就|你)(?![a-z])[\s,:，]*",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"[\s,]*(?:(?<![a-z])(?:please|instead|again|now|too|as well|after all|this time|thanks|thank you"
    r"|(?:instead of|rather than) [\w #-]+)|吧|吗|呢|的|了|一下|谢谢)$",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:not|never|no|don'?t|doesn'?t|without|keep|leave|stay|except|unless|if)\b|不|别|保持|保留|除了|如果",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"^(?:make|turn|paint|colou?r|set|change|switch|put|have|get|give|render|i(?:'d| would)? (?:like|want|prefer|need))"
    r"\s+(.+)$",
    re.IGNORECASE,
)
_SHOULD = re.compile(r"^(.+?)\s+(?:should|must|shall|ought to|needs? to|has to|have to)\s+be\s+(.+)$", re.IGNORECASE)
_USE = re.compile(r"^(?:use|take|try|choose|prefer)\s+(.+?)\s+(?:for|on)\s+(.+)$", re.IGNORECASE)
_RENAME = re.compile(
    r"^(?:change|set|rename|relabel|update|call|make)\s+(?:(?P<thing>.+?)\s+(?:to say|to read|to|into|as|say|read)\s+"
    r"(?P<words>.+)|(?P<called>.+?)\s+(?P<quoted>§\d+))$",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    r"^(?:把|将|让|给)?(.+?)(?:都|全)?(?:改成|改为|换成|变成|变为|设为|设成|设置为|调成|调为|调整为|涂成|弄成|做成|叫做|应该是"
    r"|要|用|改|换|变得?|调得?|弄得?|放|加|再|更|(?=[大小]一?[点些]$))(.+)$"
)
_PRESENCE = re.compile(
    r"^(?:(?P<there>add|insert|include|bring back|put back|show)|(?P<gone>remove|delete|drop|hide|take out|get rid of))"
    r"\s+(?P<thing>.+?)(?:\s+back)?$",
    re.IGNORECASE,
)
_PRESENCE_ZH = re.compile(
    r"^(?:把|将)?(?:(?P<there>添加|增加|加上|加入|加回|恢复|加)|(?P<gone>删除|删掉|去掉|移除|隐藏))"
    r"(?:一个|一段|个)?(?P<thing>.+)$"
)
_PLACES = re.compile(r"\s+(?:section|block|area|part|panel)$|(?:部分|区域|板块|模块)$", re.IGNORECASE)
_CONNECTIVES = frozenset({"to", "be", "be in", "into", "in", "a", "an", "the", "as", "with", "it", "is"})
_HOW_MUCH = frozenset(
    {"very", "much", "even", "bit", "a", "little", "slightly", "more", "really", "still", "far", "way"}
)
_SHADES = frozenset(
    {"dark", "light", "deep", "pale", "bright", "vivid", "soft", "darker", "lighter", "brighter", "deeper"}
)
_FILLER = frozenset({
    "the", "a", "an", "my", "our", "your", "its", "their", "all", "every", "each", "of", "this", "that", "these",
    "those", "s", "it", "them", "one", "ones", "colour", "color", "colours", "colors", "size", "weight", "alignment",
    "corner", "corners", "both",
})  # fmt: skip
_PAGES = re.compile(
    r"\s+(?:on|in|of|for|at|across|throughout)\s+(?:the\s+)?(?:(?P<name>[\w -]{1,60}?)\s+)?"
    r"(?P<noun>pages?|screens?|app)$"
    r"|\s+(?P<every>everywhere)$",
    re.IGNORECASE,
)
_PAGES_ZH = re.compile(r"^(首页|主页|所有页面|全部页面|每个页面|整个应用|.{1,8}?页面?)(?:上|里|中)?的")
_EVERYWHERE = re.compile(r"\b(?:all|every|each|both|everywhere|app|whole|entire)\b|所有|全部|每个|整个", re.IGNORECASE)
_LENGTH = re.compile(r"\d{1,4}(?:\.\d{1,3})?(?:px|rem|em|%|pt)")
_HEX = re.compile(r"#(?:[0-9a-f]{6}|[0-9a-f]{3})", re.IGNORECASE)


def intents_of(message: str) -> tuple[Intent, ...]:
    """The requests that a message states; none on words that are no such request, whoever wrote them."""
    return tuple(dict.fromkeys(_intents(" ".join(message[:MAX_MESSAGE].split(" ")))))


def _intents(message: str) -> Iterator[Intent]:
    quotes: list[str] = []

    def put_aside(match: re.Match[str]) -> str:
        quotes.append(match[1])
        return f"§{len(quotes) - 1}"

    before = False
    for clause in _CLAUSE.split(_QUOTED.sub(put_aside, message)):
        text = _bare(clause)
        if not text or len(text) > MAX_CLAUSE or _NEGATION.search(text):
            continue
        found = list(_read(text, quotes, elided=before))
        before = bool(found)
        yield from found


def _bare(clause: str) -> str:
    text = clause.strip()
    for pattern in (_OPENING, _CLOSING):
        while (shorter := pattern.sub("", text, count=1).strip()) != text:
            text = shorter
    return text


def _read(text: str, quotes: list[str], *, elided: bool) -> Iterator[Intent]:
    """The requests of one clause; with `elided`, the verb of the one before stands for its own."""
    if renamed := _RENAME.match(text):
        yield from _worded(renamed["thing"] or renamed["called"], renamed["words"] or renamed["quoted"], quotes)
    if chinese := _CHINESE.match(text):
        yield from _chinese(chinese[1], chinese[2], quotes)
    if presence := _PRESENCE.match(text) or _PRESENCE_ZH.match(text):
        thing, pages = _without_pages(presence["thing"])
        value = "there" if presence["there"] else "gone"
        yield from _intent(_PLACES.sub("", thing), "presence", value, False, pages)
    if should := _SHOULD.match(text):
        yield from _valued(should[1], should[2])
    elif use := _USE.match(text):
        yield from _valued(use[2], use[1])
    elif (verb := _VERB.match(text)) or elided:
        bare, pages = _without_pages(verb[1] if verb else text)
        words = bare.split()
        places = (n for n in range(1, len(words)) if _value(" ".join(words[n:])) is not None)
        if (at := next(places, None)) is not None:
            yield from _valued(" ".join(words[:at]), " ".join(words[at:]), pages)


def _valued(target: str, value: str, pages: str = "") -> Iterator[Intent]:
    # The page may be named behind the value, or before it: “the header on the menu page should be blue”.
    bare, behind = _without_pages(value)
    target, before = _without_pages(target)
    more = behind or before
    known = _value(bare)
    if known is not None:
        yield from _intent(target, *known, pages or more)


def _worded(target: str, value: str, quotes: list[str]) -> Iterator[Intent]:
    bare, pages = _without_pages(value)
    if _value(bare) is None and (words := _words(bare, quotes)):
        target, more = _without_pages(target)
        target = _words(target, quotes) or target
        yield from _intent(target.removesuffix(" to"), "words", words, False, pages or more)


def _chinese(target: str, value: str, quotes: list[str]) -> Iterator[Intent]:
    page = _PAGES_ZH.match(target)
    pages = page[1] if page else ""
    if pages not in ("首页", "主页"):
        pages = pages.removesuffix("页面").removesuffix("页")
    target = target[page.end() :] if page else target
    known = _value(value.strip())
    if known is not None:
        yield from _intent(target, *known, pages)
    elif "§" in value and (words := _words(value.strip(), quotes)):
        yield from _intent(target, "words", words, False, pages)


def _intent(target: str, aspect: Aspect, value: str, exact: bool, pages: str) -> Iterator[Intent]:
    words, part = _target(target)
    if words:
        yield Intent(words, aspect, value, part, pages.casefold().strip(), exact)


def _words(text: str, quotes: list[str]) -> str | None:
    quoted = re.fullmatch(r"§(\d+)", text)
    if quoted:
        return quotes[int(quoted[1])]
    return text if "§" not in text and text else None


def _without_pages(text: str) -> tuple[str, str]:
    found = _PAGES.search(text)
    if found is None:
        return text.strip(), ""
    name, noun = (found["name"] or "").lower(), (found["noun"] or "").lower()
    if name in ("", "this", "current") and noun in ("page", "screen"):
        return text[: found.start()].strip(), ""  # the one that is spoken of anyway
    return text[: found.start()].strip(), name if name and noun != "app" else "everywhere"


def _target(text: str) -> tuple[frozenset[str], Part | None]:
    """The words that name a thing, and which side of it is meant; “the header's background” is the header."""
    parts: Mapping[str, Part] = _table()["parts"]
    if not text.isascii():
        bare = re.sub(r"(?:的)?(?:颜色|大小|字号|部分|区域)$", "", text.strip())
        for word, side in parts.items():
            if bare.endswith(word) and bare != word:
                return frozenset({bare.removesuffix(word).removesuffix("的")}), side
        return frozenset({bare}), None
    words = [singular(word) for word in re.findall(r"[a-z0-9]+", text.lower()) if word not in _FILLER]
    sides = {parts[word] for word in words if word in parts}
    things = [word for word in words if word not in parts]
    if not things:  # the text itself, the background itself
        return frozenset(words), None
    return frozenset(things), sides.pop() if len(sides) == 1 else None


def _value(text: str) -> tuple[Aspect, str, bool] | None:
    """What a thing is to be: its respect, the value, and whether it is a colour given as numbers."""
    words = text.lower().split()
    while words and words[0] in _CONNECTIVES:
        words.pop(0)
    plain = " ".join(words)
    if _HEX.fullmatch(plain) or (plain.startswith(("rgb(", "hsl(")) and parse_colour(plain)):
        return "colour", plain, True
    if _LENGTH.fullmatch(plain):
        return "size", plain, True
    while words and words[0] in _HOW_MUCH:
        words.pop(0)
    if known := _table()["values"].get(" ".join(words)):
        return known[0], known[1], False
    while words and words[0] in _SHADES and " ".join(words) not in _colours():
        words.pop(0)
    while words and words[-1] in ("colour", "color", "background", "tone", "shade"):
        words.pop()
    name = re.sub(r"^[深浅淡亮暗]", "", " ".join(words))
    colour = _colours().get(name) or _colours().get(f"{name}色")
    return ("colour", colour, False) if colour else None


@cache
def _colours() -> dict[str, str]:
    return {**colour_names(), **_table()["colours"], **read_table("colours.json")}


@cache
def _table() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(files(__package__).joinpath("intent_words.json").read_text(encoding="utf-8"))
    return found


def is_main_heading(target: frozenset[str]) -> bool:
    """Whether words name a page's main heading."""
    return bool(target) and target <= frozenset(_table()["headings"])
