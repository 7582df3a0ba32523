"""One more page: made, linked from where people start, checked, told."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loopwright.agents.pages.contracts import SectionPatch
from loopwright.agents.pages.offline.checking import LOOK, Call, check_and_mend, give_up, problems_of
from loopwright.agents.pages.offline.conversation import page_names
from loopwright.agents.pages.offline.editing import INSTRUCTIONS_LENGTH, adds_hearts, edit_calls, rehearse, what_changed
from loopwright.agents.pages.offline.product_doc import with_patches
from loopwright.agents.pages.offline.reading import Reading
from loopwright.agents.pages.offline.wishes import Wish, slug_of, title_of
from loopwright.agents.pages.offline.wording import enumeration, excerpt, say
from loopwright.kernel.playbook import OfflineReply

LINK = "Add a link to the page"
"""How the instructions begin by which another page gets a link to the new one."""


@dataclass(frozen=True, slots=True)
class NewPage:
    """A page to be added; `elsewhere` is what other pages need besides a link, where they have a place for it."""

    slug: str
    title: str
    description: str
    elsewhere: str = ""


def add_page(reading: Reading, wish: Wish) -> OfflineReply:
    """The next move of a wish for one more page."""
    title = title_of(wish.subject)
    slug = slug_of(title)
    if not slug or existed_before(reading, slug):
        reason = f"There is a page `{slug}` already." if slug else "The new page has no name that I could use."
        return OfflineReply(say("not_understood", reason=reason, pages=page_names(reading)))
    return make_and_link(reading, NewPage(slug, title, wish.text))


def existed_before(reading: Reading, slug: str) -> bool:
    """Whether a page was there before this run; the state alone cannot tell, since a compaction renews it."""
    known = slug in [page.slug for page in reading.state.pages]
    linked = any(str(c.arguments.get("edit_instructions", "")).startswith(LINK) for c in reading.calls_of("edit_page"))
    return known and not linked and not reading.calls_of("generate_page", slug)


def make_and_link(reading: Reading, new: NewPage) -> OfflineReply:
    """The next move until the page is there and linked."""
    if new.slug not in reading.slugs:
        return _make(reading, new)
    edited = [call.slug for call in reading.calls_of("edit_page") if call.slug != new.slug]
    if not edited and (edits := _edits_elsewhere(reading, new)):
        calls = [call for slug, text in edits.items() for call in edit_calls([slug], text)]
        return OfflineReply(f"Now {enumeration(list(edits))} gets what belongs to it.", _edits_first(calls))
    touched = list(dict.fromkeys([new.slug, *edited]))
    return check_and_mend(reading, touched) or _tell(reading, new, touched)


def _make(reading: Reading, new: NewPage) -> OfflineReply:
    tried = reading.calls_of("generate_page", new.slug)
    if reading.spent("generate_page", new.slug):
        return give_up(reading, tried[-1])
    description = excerpt(new.description, INSTRUCTIONS_LENGTH)
    calls: list[Call] = [
        *([LOOK] if tried else []),
        ("generate_page", {"slug": new.slug, "title": new.title, "description": description}),
        ("validate_html", {"slug": new.slug}),
    ]
    if new.elsewhere:
        calls += [("read_page", {"slug": slug}) for slug in reading.slugs]
    if tried:
        return OfflineReply(f"I try the page **{new.title}** once more.", calls)
    line = f"- **{new.title}** (`{new.slug}`): {excerpt(new.description)}"
    patch = SectionPatch(name="pages", title="Pages", op="append", content=line)
    return OfflineReply(with_patches(f"I add the page **{new.title}**.", [patch]), calls)


def _edits_elsewhere(reading: Reading, new: NewPage) -> Mapping[str, str]:
    """What other pages need, by slug: the link from where people start, and `elsewhere` where it changes something."""
    others = [slug for slug in reading.slugs if slug != new.slug]
    edits: dict[str, str] = {}
    if others:
        home = next(slug for slug in (*reading.targets, "index", *others) if slug in others)
        edits[home] = f"{LINK} {new.title} ({new.slug})"
    for slug in others:
        outcome = rehearse(reading, slug, new.elsewhere) if new.elsewhere else None
        if outcome is not None and adds_hearts(outcome):
            edits[slug] = "\n".join(filter(None, [edits.get(slug, ""), new.elsewhere]))
    return edits


def _edits_first(calls: Sequence[Call]) -> list[Call]:
    """Edits before checks, so that each kind runs side by side."""
    return sorted(calls, key=lambda call: call[0] != "edit_page")


def _tell(reading: Reading, new: NewPage, touched: Sequence[str]) -> OfflineReply:
    changes = [f"`{new.slug}`: the new page **{new.title}**"]
    problems = problems_of(reading, touched)
    for slug in touched[1:]:
        done = reading.succeeded("edit_page", slug)
        if done is not None:
            changes.append(f"`{slug}`: {what_changed(done)}")
        else:
            problems.append(f"`{slug}` could not be changed. Say for example “@{slug} add a link to {new.title}”.")
    headline = f"**{new.title}** is there."
    return OfflineReply(say("changed", headline=headline, changes=changes, problems=problems, versions=True))
