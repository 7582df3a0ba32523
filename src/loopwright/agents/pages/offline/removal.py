"""How the offline model removes pages: it finds out which are meant, asks for each, and tells what went with it."""

import re

from loopwright.agents.pages.brief.slugs import slugify
from loopwright.agents.pages.offline.checking import Call
from loopwright.agents.pages.offline.conversation import page_names
from loopwright.agents.pages.offline.reading import PageEntry, Reading
from loopwright.agents.pages.offline.wishes import Wish
from loopwright.agents.pages.offline.wording import enumeration, excerpt, say
from loopwright.kernel.playbook import OfflineReply

_AND = re.compile(r"\s*(?:,|、|，|\band\b|&|和|与|及)\s*", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:the|this|that|my|our)\s+", re.IGNORECASE)
_REASON = 400
"""Characters of the wish that stand in a call's reason."""


def remove_pages(reading: Reading, wish: Wish) -> OfflineReply:
    """The next move of a wish that pages go."""
    slugs, unknown = _meant(reading, wish)
    asked = {call.slug: call for call in reading.calls_of("delete_page")}
    left = [slug for slug in slugs if slug not in asked]
    if left:
        calls: list[Call] = [("delete_page", {"slug": slug, "reason": wish.text[:_REASON]}) for slug in left]
        return OfflineReply(f"I ask whether {enumeration(left)} may go.", calls)
    if not asked:
        reason = f"I know no page “{enumeration(unknown)}”." if unknown else "Which page is to go?"
        return OfflineReply(say("not_understood", reason=reason, pages=page_names(reading)))
    gone = [slug for slug, call in asked.items() if not call.failed]
    changes = [line for slug in gone for line in asked[slug].output.splitlines() if line.strip()]
    problems = [f"`{slug}` stays: {_reason(call.output)}" for slug, call in asked.items() if call.failed]
    problems += [f"I know no page “{name}”." for name in unknown]
    headline = f"{enumeration([f'`{slug}`' for slug in gone])} went." if gone else "Every page stays as it is."
    return OfflineReply(say("changed", headline=headline, changes=changes, problems=problems, versions=False))


def _meant(reading: Reading, wish: Wish) -> tuple[list[str], list[str]]:
    """The pages that are to go, and the names that fit no page."""
    named = [_ARTICLE.sub("", name) for name in _AND.split(wish.subject) if name.strip()]
    found, unknown = list(reading.targets), []
    for name in [] if reading.targets else named:
        page = next((page for page in reading.state.pages if _is_called(page, name)), None)
        if page is None:
            unknown.append(name)
        else:
            found.append(page.slug)
    deleted = [call.slug for call in reading.calls_of("delete_page")]
    return list(dict.fromkeys([*found, *deleted])), unknown if found or not deleted else []


def _is_called(page: PageEntry, name: str) -> bool:
    names = {page.slug, page.slug.replace("-", " "), page.title.lower()}
    return name.lower() in names or slugify(name) == page.slug


def _reason(output: str) -> str:
    return excerpt(re.sub(r"^Error:\s*", "", output))
