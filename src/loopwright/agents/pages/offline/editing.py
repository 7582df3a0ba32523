"""How the offline model edits pages: read those that are meant, edit where there is something to do, check, tell."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from loopwright.agents.pages.contracts import SectionPatch
from loopwright.agents.pages.offline.intents import Intent, mentioned_pages, page_names, slug_of, title_of
from loopwright.agents.pages.offline.product_doc import (
    LOOK,
    Call,
    check_and_repair,
    enumeration,
    excerpt,
    give_up,
    is_repair,
    problems_of,
    say,
    say_changed,
    with_patches,
)
from loopwright.agents.pages.offline.reading import Done, Reading
from loopwright.agents.pages.offline.studio.contracts import EditOutcome
from loopwright.agents.pages.offline.studio.editing import edit_page
from loopwright.agents.pages.offline.studio.editing.source import named_part, to_english
from loopwright.agents.pages.promises.wording import SUPERSEDED
from loopwright.agents.pages.requests.vocabulary import group, left_over, sentence
from loopwright.kernel.account.reading import content_words, language_of
from loopwright.kernel.offline import OfflineReply

MOST_REASON = 400
"""Characters of a reason for which a page goes."""
INSTRUCTIONS_LENGTH = 4_000
"""The longest instructions of an edit, in characters; `edit_page` takes no more than twice as many."""

_HTML = re.compile(r"(?:<!doctype html|<html).*</html>", re.DOTALL | re.IGNORECASE)
_SUPERSEDED = re.compile(rf"^{re.escape(SUPERSEDED)}(.+?)\. Tell the user so\.$", re.MULTILINE)
_CHANGED = re.compile(r"^(?:Changed|Nothing was changed): (.+)$", re.MULTILINE)
_EVERYWHERE = re.compile(r"\b(?:all|every|each|everywhere|whole|entire|both)\b", re.IGNORECASE)
_ADDITION = re.compile(r"^(?:add|insert|append|put|place|include|show)\b", re.IGNORECASE)
_NEW_WORDS = re.compile(r"\b(?:titles?|headings?|headlines?|h1)\b.*\b(?:to|into|as|read|say)\b", re.IGNORECASE)


def pages_meant(reading: Reading, text: str) -> tuple[str, ...]:
    """The pages that a request is about: those pointed at, those named, else what its words suggest.

    Colours, sizes and the renaming of something may concern every page; something new, or new words for a title,
    belong to one page, and without a name that is the home page.
    """
    known = [(page.slug, page.title) for page in reading.state.pages]
    named = reading.targets or mentioned_pages(text, known)
    if named:
        return named
    one_page = _ADDITION.search(text) or _NEW_WORDS.search(text)
    if one_page and not _EVERYWHERE.search(text) and "index" in reading.slugs:
        return ("index",)
    return reading.slugs


def changes_anything(outcome: EditOutcome) -> bool:
    """Whether an edit does something."""
    return outcome.changed


def adds_hearts(outcome: EditOutcome) -> bool:
    """Whether an edit puts hearts beside things to save, rather than a section about favourites."""
    return any(line.startswith("hearts") for line in outcome.applied)


def edit(
    reading: Reading,
    instructions: str,
    candidates: Sequence[str],
    worthwhile: Callable[[EditOutcome], bool] = changes_anything,
) -> OfflineReply:
    """The next move of an edit of those of the pages where it is `worthwhile`."""
    attempted = list(dict.fromkeys(call.slug for call in reading.calls_of("edit_page")))
    if attempted:
        return (
            _edit_again(reading, instructions, attempted)
            or check_and_repair(reading, attempted)
            or tell_changes(reading, attempted)
        )
    unread = [slug for slug in candidates if not reading.calls_of("read_page", slug)]
    if unread:
        calls: list[Call] = [("read_page", {"slug": slug}) for slug in unread]
        return OfflineReply(f"I look at {enumeration(unread)} first.", calls)
    outcomes = {slug: each for slug in candidates if (each := rehearse(reading, slug, instructions)) is not None}
    if not outcomes:
        return give_up(reading, reading.calls_of("read_page")[-1])
    changing = [slug for slug, outcome in outcomes.items() if worthwhile(outcome)]
    if not changing:
        best = next((each for each in outcomes.values() if each.understood), next(iter(outcomes.values())))
        return OfflineReply(say("not_understood", reason=bare_summary(best), pages=page_names(reading)))
    return OfflineReply(f"I change {enumeration(changing)}.", edit_calls(changing, instructions))


def bare_summary(outcome: EditOutcome) -> str:
    """What an edit says of itself, without the opening words that its reader puts before it."""
    told = re.sub(r"^(?:Changed|Nothing was changed): ", "", outcome.summary)
    return told[:1].upper() + told[1:]


def edit_calls(slugs: Sequence[str], instructions: str) -> list[Call]:
    """One edit per page, and a check of each behind them."""
    instructions = instructions[:INSTRUCTIONS_LENGTH]  # its lines are requests of their own
    edits: list[Call] = [("edit_page", {"slug": slug, "edit_instructions": instructions}) for slug in slugs]
    return [*edits, *[("validate_html", {"slug": slug}) for slug in slugs]]


def rehearse(reading: Reading, slug: str, instructions: str) -> EditOutcome | None:
    """What the edit would do to the page as it was read; None when it could not be read."""
    read = reading.succeeded("read_page", slug)
    html = _HTML.search(read.output) if read else None
    return edit_page(html[0], instructions) if html else None


def _edit_again(reading: Reading, instructions: str, attempted: Sequence[str]) -> OfflineReply | None:
    """A second attempt at edits that failed, after another look at their pages."""
    asked_for = {slug: [c for c in reading.calls_of("edit_page", slug) if not is_repair(c)] for slug in attempted}
    failed = [
        slug
        for slug, calls in asked_for.items()
        if calls and all(call.failed for call in calls) and not reading.spent("edit_page", slug)
    ]
    if not failed:
        return None
    looks: list[Call] = [("read_page", {"slug": slug}) for slug in failed]
    text = f"The edit of {enumeration(failed)} failed; I try it once more."
    return OfflineReply(text, [*looks, *edit_calls(failed, instructions)])


def what_changed(edit: Done) -> str:
    """The one line of an edit's output that says what was done."""
    told = _CHANGED.search(edit.output)
    return excerpt(told[1] if told else edit.output)


def tell_changes(reading: Reading, slugs: Sequence[str]) -> OfflineReply:
    """The end of an edit: what changed where, and what did not work."""
    changes, problems = [], []
    for slug in slugs:
        asked_for = [call for call in reading.calls_of("edit_page", slug) if not is_repair(call)]
        if asked_for and asked_for[-1].failed:
            problems.append(f"`{slug}`: {excerpt(asked_for[-1].output)}")
        else:  # where only the repair is remembered, the edit before it has worked
            changes.append(f"`{slug}`: {what_changed(asked_for[-1]) if asked_for else 'edited'}")
    changed = [slug for slug in slugs if any(change.startswith(f"`{slug}`:") for change in changes)]
    problems += problems_of(reading, changed)
    edits = [call for slug in slugs for call in reading.calls_of("edit_page", slug)]
    older = [found[1] for call in edits if (found := _SUPERSEDED.search(call.output))]
    changes += [f"In the place of what you asked for before: {told}" for told in dict.fromkeys(older)]
    name, pages = ("edited" if changed else "nothing"), enumeration(changed)
    return OfflineReply(say_changed(reading.message, name, changes, problems, pages=pages))


# One more page: made, linked from where people start, checked, told.

LINK = "Add a link to the page"
"""How the instructions begin by which another page gets a link to the new one."""


@dataclass(frozen=True, slots=True)
class NewPage:
    """A page to be added; `elsewhere` is what other pages need besides a link, where they have a place for it."""

    slug: str
    title: str
    description: str
    elsewhere: str = ""


def add_page(reading: Reading, intent: Intent) -> OfflineReply:
    """The next move of a request for one more page."""
    title = title_of(intent.subject)
    slug = slug_of(title)
    if not slug or existed_before(reading, slug):
        reason = f"There is a page `{slug}` already." if slug else "The new page has no name that I could use."
        return OfflineReply(say("not_understood", reason=reason, pages=page_names(reading)))
    return make_and_link(reading, NewPage(slug, title, intent.text))


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
    return check_and_repair(reading, touched) or _tell(reading, new, touched)


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
    if _beyond_title(new):
        calls.append(("read_page", {"slug": new.slug}))
    if tried:
        return OfflineReply(f"I try the page **{new.title}** once more.", calls)
    line = f"- **{new.title}** (`{new.slug}`): {excerpt(new.description)}"
    patch = SectionPatch(name="pages", title="Pages", op="append", content=line)
    return OfflineReply(with_patches(f"I add the page **{new.title}**.", [patch]), calls)


def _beyond_title(new: NewPage) -> list[str]:
    """What the request names besides the page itself: the words and numbers that its content is to have."""
    title = new.title.lower()
    asked = re.sub(r"^.{0,60}?\b(?:pages?|screens?)\b", "", new.description, count=1, flags=re.IGNORECASE | re.DOTALL)
    return [word.text for word in content_words(asked) if word.speaks and word.text.lower() not in title]


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
    read = reading.succeeded("read_page", new.slug)
    shown = re.sub(r"<head.*?</head>|<svg.*?</svg>", " ", read.output, flags=re.DOTALL).lower() if read else ""
    lacking = [
        each for each in _beyond_title(new) if read and not re.search(rf"(?<!\w){re.escape(each.lower())}", shown)
    ]
    if lacking:
        problems.append(f"`{new.slug}` does not show: {enumeration([f'“{each}”' for each in dict.fromkeys(lacking)])}.")
    return OfflineReply(say_changed(reading.message, "added_page", changes, problems, what=new.title))


# How the offline model goes back: undo, redo, an older version, and one part of it.

MAX_SELECTORS = 2
"""Selectors that are tried for one part: people's names for things are not the page's, and three errors end a run."""

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


def go_back(reading: Reading, intent: Intent) -> OfflineReply:
    """The next move of a request for something older."""
    done = reading.calls_of("restore_page")
    if group("undo_several").search(intent.text):
        return OfflineReply(say("told", told=sentence(language_of(intent.text), "one_undo")))
    selectors = _selectors(intent.text)
    if done and not _not_found(done[-1]):
        return _going_back_tell(reading, done[-1])
    tried = {str(call.arguments.get("element")) for call in done}
    left = [selector for selector in selectors if selector not in tried]
    if done and not left:
        return _going_back_tell(reading, done[-1])
    return OfflineReply("", [("restore_page", _arguments(reading, intent, left))])


def _arguments(reading: Reading, intent: Intent, selectors: list[str]) -> dict[str, object]:
    """What is to go back: a part, a version, else the last change."""
    page = _page(reading, intent.text)
    version = _VERSION.search(intent.text)
    number = {"version": int(next(filter(None, version.groups())))} if version else {}
    if _REDO.match(intent.text):
        return {"step": "redo", **({"slug": page} if page else {})}
    if selectors or version:
        slug = page or ("index" if "index" in reading.slugs else reading.slugs[0])
        return {"step": "restore", "slug": slug, **number, **({"element": selectors[0]} if selectors else {})}
    return {"step": "undo", **({"slug": page} if page else {})}


def _page(reading: Reading, text: str) -> str | None:
    """The page that a request points at or names."""
    known = [(page.slug, page.title) for page in reading.state.pages]
    named = reading.targets or mentioned_pages(text, known)
    if named:
        return named[0]
    meant = pages_meant(reading, text)
    return meant[0] if len(reading.slugs) == 1 and meant else None


def _selectors(text: str) -> list[str]:
    """What the named part may be called on the page, the likeliest first; none when the request names no part."""
    if language_of(text) != "en" and not left_over(group("undo_words").sub(" ", text)):
        return []
    english = to_english(text) or text
    rest = _LEADING.sub("", english)
    part = named_part(rest)
    if part is not None and part.kind != "token":
        return list(part.selectors)[:MAX_SELECTORS]
    words = [word for word in _WORD.findall(rest.lower()) if word not in _EMPTY]
    if not words or _VERSION.search(text):
        return []
    stems = [word.rstrip("s") for word in words][:2]
    return [*(f'section[id*="{stem}"]' for stem in stems), f'[id="{"-".join(words[:3])}"]'][:MAX_SELECTORS]


def _not_found(call: Done) -> bool:
    return call.failed and re.search(r"cannot be brought back|is as it was in version", call.output) is not None


_PAGE_OF = re.compile(r"^Page '([\w-]+)'", re.MULTILINE)


def _going_back_tell(reading: Reading, call: Done) -> OfflineReply:
    told = [line for line in call.output.splitlines() if line.strip()]
    if call.failed:
        reason = excerpt(re.sub(r"^Error:\s*", "", " ".join(told)))
        return OfflineReply(say("undo", reason=reason, pages=page_names(reading)))
    if language_of(reading.message) != "en":  # the tool's words are for models
        told = [", ".join(dict.fromkeys(_PAGE_OF.findall(call.output)))]
    return OfflineReply(say_changed(reading.message, "taken_back", [each for each in told if each], []))
