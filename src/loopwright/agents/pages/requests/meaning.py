"""What words of a clause mean: pages, colours, relations, places, and the element that is left to be named."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from loopwright.agents.pages.account.effects import Effect
from loopwright.agents.pages.account.looks import Looks
from loopwright.agents.pages.requests.kept import Kept, kept_on
from loopwright.agents.pages.requests.vocabulary import HAN, any_of, group, left_over, named, verb, without, words
from loopwright.kernel.account.reading import read_values


@dataclass(frozen=True)
class Page:
    """A page of the app, by its slug and its title, with its lists and forms, the texts that it shows, and its head.

    `app` is what the app is called in the titles of its documents, `headline` what stands over the page.
    """

    slug: str
    title: str
    lists: tuple[Kept, ...] = ()
    texts: tuple[str, ...] = ()
    app: str = ""
    headline: str = ""


def known_pages(titles: Mapping[str, str], sources: Mapping[str, str], looks: Looks) -> list[Page]:
    """The pages with what they keep and what is to be read on them, so that a request can name a thing by its words.

    Args:
        titles: the title of each page, by its slug.
        sources: the markup of each page that there is, by its slug.
        looks: how the pages look, where they were seen.
    """
    found = []
    app = name_of_app([looks[slug].title for slug in titles if slug in looks])
    for slug, title in titles.items():
        elements = looks[slug].elements if slug in looks else ()
        texts = dict.fromkeys(text for each in elements for text in (each.text, each.own, each.label) if text)
        places = {text: at for at, text in enumerate(texts)}
        lists = [_as_shown(each, places) for each in kept_on(slug, sources.get(slug, ""))]
        heads = [each.text for each in elements if "headline" in each.kinds]
        found.append(Page(slug, title, tuple(lists), tuple(texts), app, heads[0] if heads else ""))
    return found


def name_of_app(titles: Sequence[str]) -> str:
    """What an app is called: the last part of all its documents' titles; nothing where they do not agree."""
    ends = {re.split(r"\s+[·|–—-]\s+", each.strip())[-1] for each in titles if each.strip()}
    return ends.pop() if len(ends) == 1 else ""


def _as_shown(kept: Kept, places: Mapping[str, int]) -> Kept:
    """The list with its records in the order in which the page shows them, where it shows all of them."""
    if not all(each in places for each in kept.records):
        return kept
    return replace(kept, records=tuple(sorted(kept.records, key=lambda each: places[each])))


_POLITE = re.compile(
    r"^\s*(?:(?:(?:please|kindly|could you|can you|would you|bitte|s['’]il (?:vous|te) plaît|por favor)\b"
    r"|请(?!假|求|客|柬|教)|麻烦)[\s,，]*)+",
    re.IGNORECASE,
)


def without_politeness(clause: str) -> str:
    """A clause without the courtesies at its beginning."""
    return _POLITE.sub("", clause)


MARKS = "‹›"
"""What is put around words that the pages show; whoever writes a request has no such signs."""
QUOTED = re.compile(
    r"‹([^‹›]{1,300})›|[\"“„«「『‘`]\s*([^\"”“»」』’`]{1,300}?)\s*[\"”“»」』’`]|(?<!\w)'([^']{1,200})'(?!\w)"
)


def pages_named(clause: str, pages: Sequence[Page]) -> tuple[tuple[str, ...], str]:
    """The pages that a clause says it is about, and the clause without these words."""
    rest = group("everywhere").sub(" ", clause)
    found: list[str] = []
    on = r"(?:on|in|of|from|to|at|auf|in|von|der|zur|sur|dans|de|en|a|把|在|到)?\s*(?:the|der|die|dem|la|le|el)?\s*"
    kind = f"(?:{'|'.join(words()['page'])})"
    home = group("home")
    if home.search(rest):
        found += [page.slug for page in pages if page.slug == "index"]
        rest = re.sub(rf"(?:{on})(?:{home.pattern})", " ", rest, flags=re.IGNORECASE)
    inside = r"(?<![^\W_])(?:on|in|of|from|to)\s+(?:the |our |my )?"
    for page in pages:
        for name in sorted({page.title, page.slug.replace("-", " ")}, key=len, reverse=True):
            quoted = rf"[\"“„«「‹]?{re.escape(name)}[\"”“»」›]?"
            begins = "" if HAN.match(name) else r"(?<![^\W_])"  # Chinese has no spaces between words
            shape = rf"{on}{begins}{quoted}[ -]?{kind}|{kind}\s+(?:(?:del?|de la|des|du|der)\s+)?{quoted}(?![^\W_])"
            if named("kinds", name) is None and len(name.split()) > 1:
                shape = rf"{shape}|{inside}{quoted}(?![^\W_])(?=\s*(?:[,.]|$))"
            if not re.search(shape, rest, re.IGNORECASE):
                continue
            found.append(page.slug)
            rest = re.sub(shape, " ", rest, flags=re.IGNORECASE)
            break
    return tuple(dict.fromkeys(found)), rest


def hidden(text: str) -> tuple[str, list[str]]:
    """A text with a sign for each quotation, so that its words are taken for nothing else; and what the signs mean."""
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        kept.append("".join(filter(None, found.groups())).strip())
        first = _FIRST_SIGN if found[0].startswith(MARKS[0]) else _FIRST_OWN
        return f"{MARKS[0]}{chr(first + len(kept) - 1)}{MARKS[1]}"

    return QUOTED.sub(keep, text), kept


_FIRST_SIGN, _FIRST_OWN = 0xE010, 0xE080


def own_words(text: str) -> str:
    """The words that a piece of a clause gives: those that the user has quoted, else all of them."""
    for found in QUOTED.finditer(text):
        content = "".join(filter(None, found.groups())).strip()
        if not found[0].startswith(MARKS[0]) or ord(content[0]) >= _FIRST_OWN:
            return content
    return text.translate(dict.fromkeys(map(ord, MARKS))).strip()


def is_own(text: str) -> bool:
    """Whether the user has put something of it in quotation marks."""
    return any(not found[0].startswith(MARKS[0]) or ord(found[0][1]) >= _FIRST_OWN for found in QUOTED.finditer(text))


def shown_again(effect: Effect, kept: Sequence[str]) -> Effect:
    """The effect with the quotations in the place of their signs."""
    signs = {first + number: text for first in (_FIRST_SIGN, _FIRST_OWN) for number, text in enumerate(kept)}
    signs |= dict.fromkeys(map(ord, MARKS), "")
    texts = {name: getattr(effect, name).translate(signs) for name in ("words", "value", "anchor")}
    return effect.model_copy(update=texts)


def colour_in(text: str) -> str | None:
    """The one colour that a text names, as hex; figures say it more exactly than the word beside them."""
    found = [value for value in read_values(text) if value.type == "colour"]
    if found:
        exact = next((each for each in found if text[each.start] == "#"), found[0])
        return _shaded(str(exact.value), text[exact.start : exact.end])
    other = named("colours", text)
    return other[0] if other else None


_SHADES = (
    (re.compile(r"(?:dark|deep|dunkles?|tiefes)\b", re.I), 0),
    (re.compile(r"(?:light|pale|soft|helles?)\b", re.I), 255),
)


def _shaded(colour: str, words: str) -> str:
    """A colour nearer to black or white where its words say so: the kernel reads "dark blue" as a kind of blue."""
    end = next((end for pattern, end in _SHADES if pattern.match(words)), None)
    if end is None or not re.search(r"\s", words):
        return colour
    parts = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    return "#{:02x}{:02x}{:02x}".format(*(round(part + (end - part) * (0.6 if end else 0.45)) for part in parts))


_TINGED = re.compile(r"\b(?:warm|cool|soft|nice|friendly|gentle|rich|calm|subtle|lovely|pretty)\s+$", re.IGNORECASE)
"""A word before a colour's name that says nothing which could be measured."""


def without_colour(text: str) -> str:
    """A text without the colours that it names."""
    for value in sorted((v for v in read_values(text) if v.type == "colour"), key=lambda v: -v.start):
        text = f"{_TINGED.sub('', text[: value.start])} {text[value.end :]}"
    other = named("colours", text)
    return text.replace(other[1][0], " ") if other else text


def relation(text: str) -> tuple[str, str, re.Match[str]] | None:
    """The property that is to be more or less, the way, and the words that say so; the longest count."""
    found = []
    for name, way, expressions in words()["relations"]:
        match = any_of(*expressions).search(text)
        if match is not None:
            found.append((-len(match[0]), name, way, match))
    return min(found, key=lambda each: each[0])[1:] if found else None


def is_style(text: str) -> bool:
    """Whether a text names a style: "red" is no new word for a thing, unless it is quoted."""
    return relation(text) is not None or colour_in(text) is not None


def quotes(text: str) -> list[str]:
    """What stands in quotation marks."""
    return ["".join(each).strip() for each in QUOTED.findall(text)]


@dataclass(frozen=True)
class Named:
    """An element as a clause names it: what it is called, the words that it shows, and its place among its like.

    `inside` is the kind of element in which it stands, `looking` how it looks ("the grey text").
    """

    kind: str
    words: str
    nth: int = 0
    inside: str = ""
    looking: str = ""

    def __bool__(self) -> bool:
        """Whether anything is named."""
        return bool(self.kind or self.words)


_THE = r"(?<![\w])(?:the|this|that|these|those|all(?: the)?)\s+"


def looking(rest: str) -> tuple[str, str]:
    """How what is named looks now, and the clause without it: a size or a colour between article and kind."""
    kinds = "|".join(each for one in words()["kinds"].values() for each in one if not HAN.search(each))
    found = re.search(rf"{_THE}(?P<how>[\w ]{{3,20}}?)\s+(?=(?:{kinds})(?![\w-]))", rest, re.IGNORECASE)
    if found is None:
        return "", rest
    how = found["how"]
    left = f"{rest[: found.start('how')]}{rest[found.end('how') + 1 :]}"
    for size in ("small", "big"):
        if group(f"looking_{size}").fullmatch(how):
            return size, left
    colour = colour_in(how)
    return (colour, left) if colour and not left_over(without_colour(how)) else ("", rest)


def style_tail(piece: str) -> str | None:
    """A piece of a clause that names a style and no element, as it is said of what was named before; else None."""
    if colour_in(piece) is None and relation(piece) is None and named("align", piece) is None:
        return None
    rest = " ".join(without_colour(piece).split())
    way, align = relation(rest) or relation(piece), named("align", piece)
    for found in (way and way[2], align and align[1]):
        rest = rest.replace(found[0], " ") if found else rest
    inner = named("kinds", rest)
    if inner is not None and inner[0] == "text" and colour_in(piece):
        rest = f"{rest[: inner[1].start()]} {rest[inner[1].end() :]}"
    else:
        inner = None
    if left_over(without(rest, [verb("change"), group("small"), group("much"), group("pronouns")])):
        return None
    return f"its {inner[1][0]} {piece.replace(inner[1][0], ' ')}" if inner else f"it {piece}"


def part_or_whole(rest: str) -> Named:
    """As `target`, also where two kinds are named of which one stands in the other: "the menu icons"."""
    looks, bare = looking(rest)
    if looks and bare != rest:
        return replace(part_or_whole(bare), looking=looks)
    first = named("kinds", rest)
    other = named("kinds", rest[first[1].end() :]) if first is not None else None
    if first is None or other is None or first[0] == other[0]:
        return target(rest)
    between = rest[first[1].end() : first[1].end() + other[1].start()]
    if between.strip(" 里中的上") == "":  # a compound: its last part is what it is
        whole, inner = first, other[0]
        rest = f"{rest[: first[1].start()]} {rest[first[1].end() :]}"
    elif group("part_of").fullmatch(between.strip()):
        at = first[1].end()
        whole, inner = other, first[0]
        rest = f"{rest[:at]} {rest[at + other[1].end() :]}"
    else:
        return target(rest)
    meant = target(rest)
    kind = "heading" if inner == "headline" else inner  # "card titles" are no titles of a page
    return Named(kind, meant.words, meant.nth, whole[0])


def _verb_as_name(rest: str, at: int) -> re.Match[str] | None:
    """A word with a capital right before the place of its kind that means a change otherwise: "the Add button"."""
    found = re.search(r"(?<=[a-zäöüß] )[A-ZÄÖÜ][\w-]+(?=\s*$)", rest[:at])
    verbs = ("add", "remove", "move", "change", "other")
    return found if found and any(verb(each).fullmatch(found[0]) for each in verbs) else None


def target(rest: str) -> Named:
    """The kind of element that is left to be named in a clause, the other words that name it, and which one it is."""
    counted = named("ordinals", rest)
    if counted is not None:
        rest = f"{rest[: counted[1].start()]} {rest[counted[1].end() :]}"
    kind = named("kinds", rest)
    if kind is not None:
        rest = f"{rest[: kind[1].start()]} {rest[kind[1].end() :]}"
    if kind is not None and (own := _verb_as_name(rest, kind[1].start())) is not None:
        return Named(kind[0], own[0], int(counted[0]) if counted else 0)
    quoted = quotes(rest)
    nth = int(counted[0]) if counted else 0
    quoted_words = quoted[0] if quoted else ""
    rest = QUOTED.sub(" ", rest) if quoted else rest
    rest = without(
        rest,
        [verb("change"), verb("move"), verb("remove"), verb("add"), group("small"), group("much"), group("pronouns")],
    )
    # A word beside a quotation is not passed over either: together they name nothing that is there.
    name = " ".join(filter(None, [quoted_words, left_over(rest)]))
    return Named(kind[0] if kind else "", name, nth)


_IN_MENU = re.compile(
    r"\s*\b(?:in|on|of|from|off) (?:the |our )?(?:bottom |main )?(?:menu|navigation|nav|tab)(?: ?bar)?"
    r"(?![\w ]*\bpage)\b"
    r"|\b(?:menu|nav(?:igation)?) (?=(?:entry|item|link|tab|point)\b)"
    r"|\s*\b(?:im|ins|aus dem) (?:unteren |oberen )?(?:haupt)?menü\b|\s*\b(?:in|aus) der navigation(?:sleiste)?\b"
    r"|\s*\b(?:dans|du|de) (?:le |la )?(?:menu|navigation|barre de navigation)\b|\s*\b(?:en el|del) menú\b"
    r"|在?(?:菜单|导航)栏?(?:里面?|中|上|的?(?=第|最))",
    re.IGNORECASE,
)


def in_menu(rest: str) -> tuple[bool, str]:
    """Whether a clause is about the entries of the menu, and the clause without the words that say so."""
    if _IN_MENU.search(rest) is None:
        return False, rest
    bare = _IN_MENU.sub(" ", rest)
    return True, re.sub(r"\b(?:entry|entries|items?|tabs?|points?)\b(?!\s*(?:in|on|of)\b)", " ", bare)


_FIRST_PLACE = re.compile(
    r"\b(?:to|in|into) (?:the )?first (?:place|position)\b|第一(?:位|个位置)|\ban (?:die )?erste(?:r)? stelle\b"
    r"|\ben premi[eè]re position\b|\ben (?:el )?primer lugar\b",
    re.IGNORECASE,
)


_COUNTED_PLACE = re.compile(
    r"(?:\b(?:to|in|into|at|as)\s+)?\b(?:the\s+)?(?P<which>\w+)\s+(?:place|position|spot|one|entry|item|tab)\b"
    r"|\b(?P<end>first|last)(?=\s+(?:in|on)\b|\s*$)",
    re.IGNORECASE,
)


def _place_itself(text: str) -> re.Match[str] | None:
    """A place of the page at the beginning of a text: "nach unten" is below nothing."""
    return next((found for each in words()["places"].values() if (found := any_of(*each).match(text))), None)


def place_of(rest: str) -> tuple[str, Named, str]:
    """The place that a clause names: top, bottom, or below or above something; and the clause without it."""
    for key, expressions in words()["beside"].items():
        found = re.search(rf"(?<![^\W_])(?:{'|'.join(expressions)})(?![^\W_])\s+(?P<anchor>.+)$", rest, re.IGNORECASE)
        if found is not None and _place_itself(found["anchor"]) is None:
            return key, target(found["anchor"]), rest[: found.start()]
    beside = re.search(r"(?:移到|放到|放在)(?P<anchor>.+?)(?P<way>下面|下方|上面|上方)", rest)
    if beside is not None and beside["anchor"] not in ("最", "页面最"):
        way = "below" if beside["way"].startswith("下") else "above"
        return way, target(beside["anchor"]), f"{rest[: beside.start()]} {rest[beside.end() :]}"
    for counted in _COUNTED_PLACE.finditer(rest):
        number = named("ordinals", counted["which"] or counted["end"])
        if number is None:
            continue
        left = f"{rest[: counted.start()]} {rest[counted.end() :]}"
        kind = named("kinds", left)
        if kind and kind[0] in ("menu", "menu item"):
            return "at", Named("menu item", "", int(number[0])), f"{left[: kind[1].start()]} {left[kind[1].end() :]}"
    if (first := _FIRST_PLACE.search(rest)) is not None:
        left = f"{rest[: first.start()]} {rest[first.end() :]}"
        return "above", Named(target(left).kind, "", 1), left
    for key, expressions in words()["places"].items():
        found = any_of(*expressions).search(rest)
        if found is not None:
            return key, Named("", ""), f"{rest[: found.start()]} {rest[found.end() :]}"
    return "", Named("", ""), rest
