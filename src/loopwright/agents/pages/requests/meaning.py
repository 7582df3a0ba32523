"""What words of a clause mean: pages, colours, relations, places, and the element that is left to be named."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from loopwright.agents.pages.requests.vocabulary import any_of, group, left_over, named, verb, without, words
from loopwright.kernel.account.reading import read_values


@dataclass(frozen=True)
class Page:
    """A page of the app, by its slug and its title."""

    slug: str
    title: str


QUOTED = re.compile(r"[\"“„«「『‘`]\s*([^\"”“»」』’`]{1,300}?)\s*[\"”“»」』’`]|(?<!\w)'([^']{1,200})'(?!\w)")


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
    for page in pages:
        for name in sorted({page.title, page.slug.replace("-", " ")}, key=len, reverse=True):
            quoted = rf"[\"“„«「]?{re.escape(name)}[\"”“»」]?"
            shape = rf"{on}(?<![^\W_]){quoted}[ -]?{kind}|{kind}\s+{quoted}(?![^\W_])"
            if not re.search(shape, rest, re.IGNORECASE):
                continue
            found.append(page.slug)
            rest = re.sub(shape, " ", rest, flags=re.IGNORECASE)
            break
    return tuple(dict.fromkeys(found)), rest


def colour_in(text: str) -> str | None:
    """The one colour that a text names, as hex."""
    found = [value for value in read_values(text) if value.type == "colour"]
    if found:
        return _shaded(str(found[0].value), text[found[0].start : found[0].end])
    other = named("colours", text)
    return other[0] if other else None


_SHADES = (
    (re.compile(r"(?:dark|deep|dunkles?|tiefes)\b", re.I), 0),
    (re.compile(r"(?:light|pale|helles?)\b", re.I), 255),
)


def _shaded(colour: str, words: str) -> str:
    """A colour nearer to black or white where its words say so: the kernel reads "dark blue" as a kind of blue."""
    end = next((end for pattern, end in _SHADES if pattern.match(words)), None)
    if end is None or not re.search(r"\s", words):
        return colour
    parts = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    return "#{:02x}{:02x}{:02x}".format(*(round(part + (end - part) * 0.45) for part in parts))


def without_colour(text: str) -> str:
    """A text without the colours that it names."""
    for value in sorted((v for v in read_values(text) if v.type == "colour"), key=lambda v: -v.start):
        text = f"{text[: value.start]} {text[value.end :]}"
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


def quotes(text: str) -> list[str]:
    """What stands in quotation marks."""
    return [(a or b).strip() for a, b in QUOTED.findall(text)]


@dataclass(frozen=True)
class Named:
    """An element as a clause names it: what it is called, the words that it shows, and its place among its like.

    `inside` is the kind of element in which it stands.
    """

    kind: str
    words: str
    nth: int = 0
    inside: str = ""

    def __bool__(self) -> bool:
        """Whether anything is named."""
        return bool(self.kind or self.words)


def part_or_whole(rest: str) -> Named:
    """As `target`, also where two kinds are named of which one stands in the other: "the menu icons"."""
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


def target(rest: str) -> Named:
    """The kind of element that is left to be named in a clause, the other words that name it, and which one it is."""
    counted = named("ordinals", rest)
    if counted is not None:
        rest = f"{rest[: counted[1].start()]} {rest[counted[1].end() :]}"
    kind = named("kinds", rest)
    if kind is not None:
        rest = f"{rest[: kind[1].start()]} {rest[kind[1].end() :]}"
    quoted = quotes(rest)
    nth = int(counted[0]) if counted else 0
    if quoted:
        return Named(kind[0] if kind else "", quoted[0], nth)
    rest = without(
        rest,
        [verb("change"), verb("move"), verb("remove"), verb("add"), group("small"), group("much"), group("pronouns")],
    )
    return Named(kind[0] if kind else "", left_over(rest), nth)


_FIRST_PLACE = re.compile(
    r"\b(?:to|in|into) (?:the )?first (?:place|position)\b|第一(?:位|个位置)|\ban (?:die )?erste(?:r)? stelle\b"
    r"|\ben premi[eè]re position\b|\ben (?:el )?primer lugar\b",
    re.IGNORECASE,
)


def place_of(rest: str) -> tuple[str, Named, str]:
    """The place that a clause names: top, bottom, or below or above something; and the clause without it."""
    for key, expressions in words()["beside"].items():
        found = re.search(rf"(?<![^\W_])(?:{'|'.join(expressions)})(?![^\W_])\s+(?P<anchor>.+)$", rest, re.IGNORECASE)
        if found is not None:
            return key, target(found["anchor"]), rest[: found.start()]
    beside = re.search(r"(?:移到|放到|放在)(?P<anchor>.+?)(?P<way>下面|下方|上面|上方)", rest)
    if beside is not None and beside["anchor"] not in ("最", "页面最"):
        way = "below" if beside["way"].startswith("下") else "above"
        return way, target(beside["anchor"]), f"{rest[: beside.start()]} {rest[beside.end() :]}"
    if (first := _FIRST_PLACE.search(rest)) is not None:
        left = f"{rest[: first.start()]} {rest[first.end() :]}"
        return "above", Named(target(left).kind, "", 1), left
    for key, expressions in words()["places"].items():
        found = any_of(*expressions).search(rest)
        if found is not None:
            return key, Named("", ""), f"{rest[: found.start()]} {rest[found.end() :]}"
    return "", Named("", ""), rest
