"""How the offline model edits pages: read those that are meant, edit where there is something to do, check, tell."""

import re
from collections.abc import Callable, Sequence

from loopwright.agents.pages.ledger.wording import SUPERSEDED
from loopwright.agents.pages.offline.checking import Call, check_and_mend, give_up, is_mending, problems_of
from loopwright.agents.pages.offline.conversation import page_names
from loopwright.agents.pages.offline.reading import Done, Reading
from loopwright.agents.pages.offline.studio.contracts import EditOutcome
from loopwright.agents.pages.offline.studio.editing import edit_page
from loopwright.agents.pages.offline.wishes import mentioned_pages
from loopwright.agents.pages.offline.wording import enumeration, excerpt, say
from loopwright.kernel.playbook import OfflineReply

INSTRUCTIONS_LENGTH = 4_000
"""The longest instructions of an edit, in characters; `edit_page` takes no more than twice as many."""

_HTML = re.compile(r"(?:<!doctype html|<html).*</html>", re.DOTALL | re.IGNORECASE)
_SUPERSEDED = re.compile(rf"^{re.escape(SUPERSEDED)}(.+?)\. Tell the user so\.$", re.MULTILINE)
_CHANGED = re.compile(r"^(?:Changed|Nothing was changed): (.+)$", re.MULTILINE)
_EVERYWHERE = re.compile(r"\b(?:all|every|each|everywhere|whole|entire|both)\b", re.IGNORECASE)
_ADDITION = re.compile(r"^(?:add|insert|append|put|place|include|show)\b", re.IGNORECASE)
_NEW_WORDS = re.compile(r"\b(?:titles?|headings?|headlines?|h1)\b.*\b(?:to|into|as|read|say)\b", re.IGNORECASE)


def pages_meant(reading: Reading, text: str) -> tuple[str, ...]:
    """The pages that a wish is about: those pointed at, those named, else what its words suggest.

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
            or check_and_mend(reading, attempted)
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
    instructions = instructions[:INSTRUCTIONS_LENGTH]  # its lines are wishes of their own
    edits: list[Call] = [("edit_page", {"slug": slug, "edit_instructions": instructions}) for slug in slugs]
    return [*edits, *[("validate_html", {"slug": slug}) for slug in slugs]]


def rehearse(reading: Reading, slug: str, instructions: str) -> EditOutcome | None:
    """What the edit would do to the page as it was read; None when it could not be read."""
    read = reading.succeeded("read_page", slug)
    html = _HTML.search(read.output) if read else None
    return edit_page(html[0], instructions) if html else None


def _edit_again(reading: Reading, instructions: str, attempted: Sequence[str]) -> OfflineReply | None:
    """A second attempt at edits that failed, after another look at their pages."""
    wished = {slug: [c for c in reading.calls_of("edit_page", slug) if not is_mending(c)] for slug in attempted}
    failed = [
        slug
        for slug, calls in wished.items()
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
        wished = [call for call in reading.calls_of("edit_page", slug) if not is_mending(call)]
        if wished and wished[-1].failed:
            problems.append(f"`{slug}`: {excerpt(wished[-1].output)}")
        else:  # where only the mending is remembered, the edit before it has worked
            changes.append(f"`{slug}`: {what_changed(wished[-1]) if wished else 'changed as you wished'}")
    changed = [slug for slug in slugs if any(change.startswith(f"`{slug}`:") for change in changes)]
    problems += problems_of(reading, changed)
    edits = [call for slug in slugs for call in reading.calls_of("edit_page", slug)]
    older = [found[1] for call in edits if (found := _SUPERSEDED.search(call.output))]
    changes += [f"In the place of what you asked for before: {told}" for told in dict.fromkeys(older)]
    headline = f"Done on {enumeration(changed)}." if changed else "Nothing was changed."
    return OfflineReply(say("changed", headline=headline, changes=changes, problems=problems, versions=True))
