"""How the offline model removes pages: it reads which are meant, asks for each, and tells what went with it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from loopwright.agents.pages.brief.sitemap import slugify
from loopwright.agents.pages.offline.product_doc import Call, enumeration, excerpt, say, say_changed
from loopwright.agents.pages.offline.reading import PageEntry, Reading
from loopwright.agents.pages.requests.kept import likeness
from loopwright.agents.pages.requests.meaning import without_politeness
from loopwright.agents.pages.requests.phrases import clauses
from loopwright.agents.pages.requests.vocabulary import any_of, group, sentence, verb, without, words
from loopwright.kernel.account.reading import language_of
from loopwright.kernel.offline import OfflineReply

MOST_REASON = 400
"""Characters of a reason for which a page goes."""

_AND = re.compile(r"\s*(?:,|、|，|\b(?:and|und|et|y)\b|&|和|与|及)\s*", re.IGNORECASE)
_ARTICLE = (
    r"(?:(?:the|this|that|these|those|my|our|der|die|das|den|unsere?|de la|de los|de las|del|des|du|de"
    r"|la|le|les|el|l[oa]s)\s+|l['’])"
)
_NAME = r"(?:(?!(?:to|on|in|at|of|for|into|from|with|every|each|all|auf|von|aus|im)\b)[\w&'’-]+,?\s+)"
_SHAPES = [
    re.compile(shape, re.IGNORECASE)
    for shape in (
        rf"{_ARTICLE}*(?P<name>{_NAME}{{0,9}}?)(?:pages?|screens?)\b\s*(?P<after>[a-z0-9-]*)",
        rf"{_ARTICLE}*(?P<name>[\w&]{{2,30}}?)[- ]?seiten?",
        (
            rf"{_ARTICLE}*(?:pages?|seiten?|páginas?)\s+(?:(?:with|about|called|mit|über|für|namens|avec|sur|con|sobre|para)"
            rf"\s+)?{_ARTICLE}*[\"„“«‹]?(?P<name>[\w&' -]{{2,40}}?)[\"”“»›]?"
        ),
        r"(?P<name>[\w\u3400-\u9fff、]{1,24}?)(?:这个|那个)?(?:页面|页)",
    )
]
_BESIDE = re.compile(
    r"\s*,?\s*(?:and|with|including|plus)\s+(?:all |every )?(?:the |its |of its )*(?:links?|ways?)"
    r"(?: (?:to|of) (?:it|them))?|\bany ?(?:more|longer)\b|\b(?:bitte|please)\b|请|帮我|麻烦|把|将|吧|了$",
    re.IGNORECASE,
)
"""What a removal may say besides: that the ways to the page go too, and courtesies."""


@dataclass(frozen=True)
class Removal:
    """What a message wants to be rid of: `names` of pages as they are said, what may be one, and all other clauses."""

    names: tuple[str, ...] = ()
    maybe: tuple[str, ...] = ()
    rest: str = ""
    here: bool = False
    """Whether it speaks of "the page" that it points at, without a name."""


def removal_in(message: str) -> Removal:
    """The pages that a message asks to remove, clause by clause."""
    found = Removal()
    for clause in clauses(message):
        bare = " ".join(_BESIDE.sub(" ", without_politeness(clause)).strip(" .!。,").split())
        if verb("remove").search(bare) is None:
            found = _and_also(found, clause)
            continue
        left = " ".join(verb("remove").sub(" ", bare, count=1).split())
        shape = next((each for one in _SHAPES if (each := one.fullmatch(left))), None)
        if shape is not None:
            said = shape["name"].strip() or shape.groupdict().get("after") or ""
            names = [_without_article(each) for each in _AND.split(said) if each.strip()]
            found = Removal((*found.names, *names), found.maybe, found.rest, found.here or not names)
        elif not left or group("pronouns").fullmatch(left):
            found = Removal(found.names, found.maybe, found.rest, here=True)
        elif verb("remove").match(bare) and len(left.split()) < 6:
            found = Removal(found.names, (*found.maybe, left), found.rest, found.here)
        else:
            found = _and_also(found, clause)
    return found


def _without_article(name: str) -> str:
    return re.sub(rf"^{_ARTICLE}+", "", name, flags=re.IGNORECASE)


def _and_also(found: Removal, clause: str) -> Removal:
    return Removal(found.names, found.maybe, f"{found.rest}; {clause}".strip("; "), found.here)


@dataclass(frozen=True)
class PagesToGo:
    """The pages that are to go, the names that fit none, and what else the message asks for."""

    slugs: tuple[str, ...]
    unknown: tuple[str, ...]
    rest: str


def pages_to_go(reading: Reading, message: str) -> PagesToGo:
    """Which pages a message wants to be rid of: those that it names as pages, or by a title and nothing else."""
    said = removal_in(message)
    pages = reading.state.pages
    slugs = list(reading.targets) if said.here or (said.names and reading.targets) else []
    unknown, rest = [], said.rest
    for name in said.names if not slugs else ():
        page = _called(name, pages)
        slugs += [page.slug] if page else []
        unknown += [] if page else [name]
    for name in said.maybe:
        called = _without_article(name)
        page = next((each for each in pages if _is_called(each, called) and each.slug != "index"), None)
        slugs += [page.slug] if page else []
        rest = rest if page or reading.calls_of("delete_page") else message
    return PagesToGo(tuple(dict.fromkeys(slugs)), tuple(unknown), rest)


def _called(name: str, pages: Sequence[PageEntry]) -> PageEntry | None:
    """The page that is called so, else the only one of whose title all words of the name are a part."""
    if (same := next((each for each in pages if _is_called(each, name)), None)) is not None:
        return same
    bare = without(name, [any_of(*words()["page"]), group("lists")])
    near = [each for each in pages if each.slug != "index" and likeness(bare, [each.title]) == 1.0]
    return near[0] if len(near) == 1 else None


def _is_called(page: PageEntry, name: str) -> bool:
    names = {page.slug, page.slug.replace("-", " "), page.title.lower()}
    return name.lower() in names or slugify(name) == page.slug


def remove_pages(reading: Reading, message: str, meant: PagesToGo) -> OfflineReply:
    """The next move of a request that pages go."""
    asked = {call.slug: call for call in reading.calls_of("delete_page")}
    slugs = list(dict.fromkeys([*meant.slugs, *asked]))
    left = [slug for slug in slugs if slug not in asked]
    if left:
        calls: list[Call] = [("delete_page", {"slug": slug, "reason": message[:MOST_REASON]}) for slug in left]
        return OfflineReply(f"I ask whether {enumeration(left)} may go.", calls)
    unknown = () if asked and not meant.slugs else meant.unknown
    also = reading.calls_of("change_app")
    told = [line for call in also for line in call.output.splitlines() if line.strip()]
    if not asked:
        named = enumeration(list(unknown)) or message
        reason = "no_page" if told else "no_such_page"
        there = sentence(language_of(message), reason, what=named, pages=", ".join(reading.slugs))
        return OfflineReply(say("told", told="\n".join([there, *told])))
    gone = [slug for slug, call in asked.items() if not call.failed]
    english = language_of(message) == "en"  # the tool's words are for models
    changes = [line for slug in gone for line in asked[slug].output.splitlines() if line.strip() and english]
    problems = [f"`{slug}` stays: {_reason_of(call.output)}" for slug, call in asked.items() if call.failed]
    problems += [f"I know no page “{name}”." for name in unknown]
    name = "went" if gone else "stays"
    pages = enumeration([f"`{slug}`" for slug in gone])
    return OfflineReply(say_changed(message, name, [*changes, *told], problems, versions=False, pages=pages))


def _reason_of(output: str) -> str:
    return excerpt(re.sub(r"^Error:\s*", "", output))
