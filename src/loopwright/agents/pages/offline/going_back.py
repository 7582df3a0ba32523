"""How the offline model goes back: undo, redo, an older version, and one part of it."""

import re

from loopwright.agents.pages.offline.conversation import page_names
from loopwright.agents.pages.offline.editing import pages_meant
from loopwright.agents.pages.offline.reading import Done, Reading
from loopwright.agents.pages.offline.studio.editing.chinese import to_english
from loopwright.agents.pages.offline.studio.editing.parts import named_part
from loopwright.agents.pages.offline.wishes import Wish, mentioned_pages
from loopwright.agents.pages.offline.wording import excerpt, say
from loopwright.kernel.playbook import OfflineReply

MAX_SELECTORS = 4
"""Selectors that are tried for one part; people's names for things are not the page's."""

_REDO = re.compile(r"^(?:redo|re-apply)\b|^(?:重做|重新应用)", re.IGNORECASE)
_VERSION = re.compile(r"\bversion\s+(\d{1,6})\b|版本\s*(\d{1,6})|第\s*(\d{1,6})\s*版", re.IGNORECASE)
_LEADING = re.compile(
    r"^(?:please\s+)?(?:undo|revert|restore|reinstate|bring back|bring|put|take|give me|go back to|roll back|change|"
    r"turn)\b",
    re.IGNORECASE,
)
_EMPTY = frozenset(
    {
        "the",
        "that",
        "this",
        "last",
        "latest",
        "recent",
        "previous",
        "old",
        "older",
        "earlier",
        "former",
        "change",
        "changes",
        "edit",
        "edits",
        "it",
        "them",
        "back",
        "again",
        "to",
        "how",
        "was",
        "were",
        "my",
        "our",
        "a",
        "an",
        "of",
        "on",
        "in",
        "page",
        "section",
        "version",
        "please",
        "everything",
        "all",
        "what",
        "you",
        "did",
        "just",
        "now",
        "and",
    }
)
_WORD = re.compile(r"[a-z][a-z-]{2,30}")


def go_back(reading: Reading, wish: Wish) -> OfflineReply:
    """The next move of a wish for something older."""
    done = reading.calls_of("restore_page")
    selectors = _selectors(wish.text)
    if done and not _not_found(done[-1]):
        return _tell(reading, done[-1])
    tried = {str(call.arguments.get("element")) for call in done}
    left = [selector for selector in selectors if selector not in tried]
    if done and not left:
        return _tell(reading, done[-1])
    return OfflineReply("I look for it among the older versions.", [("restore_page", _arguments(reading, wish, left))])


def _arguments(reading: Reading, wish: Wish, selectors: list[str]) -> dict[str, object]:
    """What is to go back: a part, a version, else the last change."""
    page = _page(reading, wish.text)
    version = _VERSION.search(wish.text)
    number = {"version": int(next(filter(None, version.groups())))} if version else {}
    if _REDO.match(wish.text):
        return {"step": "redo", **({"slug": page} if page else {})}
    if selectors or version:
        slug = page or ("index" if "index" in reading.slugs else reading.slugs[0])
        return {"step": "restore", "slug": slug, **number, **({"element": selectors[0]} if selectors else {})}
    return {"step": "undo", **({"slug": page} if page else {})}


def _page(reading: Reading, text: str) -> str | None:
    """The page that a wish points at or names."""
    known = [(page.slug, page.title) for page in reading.state.pages]
    named = reading.targets or mentioned_pages(text, known)
    if named:
        return named[0]
    meant = pages_meant(reading, text)
    return meant[0] if len(reading.slugs) == 1 and meant else None


def _selectors(text: str) -> list[str]:
    """What the named part may be called on the page, the likeliest first; none when the wish names no part."""
    english = to_english(text) or text
    rest = _LEADING.sub("", english)
    part = named_part(rest)
    if part is not None and part.kind != "token":
        return list(part.selectors)[:MAX_SELECTORS]
    words = [word for word in _WORD.findall(rest.lower()) if word not in _EMPTY]
    if not words or _VERSION.search(text):
        return []
    stems = [word.rstrip("s") for word in words][:2]
    return [f'section[id*="{stem}"]' for stem in stems] + [f'[id="{"-".join(words[:3])}"]']


def _not_found(call: Done) -> bool:
    return call.failed and re.search(r"cannot be brought back|is as it was in version", call.output) is not None


def _tell(reading: Reading, call: Done) -> OfflineReply:
    told = [line for line in call.output.splitlines() if line.strip()]
    if call.failed:
        reason = excerpt(re.sub(r"^Error:\s*", "", " ".join(told)))
        return OfflineReply(say("undo", reason=reason, pages=page_names(reading)))
    return OfflineReply(say("changed", headline="Done.", changes=told, problems=[], versions=True))
