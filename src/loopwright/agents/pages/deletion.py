"""Deleting a page: it goes, the ways to it go, and so does what was promised of it. An undo brings all of it back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from loopwright.agents.pages.brief.sitemap import HOME
from loopwright.agents.pages.context.relevance import load_project
from loopwright.agents.pages.editing.applying import Unlinked, without_links_to
from loopwright.agents.pages.history import Act, Return, keep_work_by_hand
from loopwright.agents.pages.ports import PagesServices
from loopwright.agents.pages.promises.keeping import load_promises
from loopwright.agents.pages.promises.promise import Promise
from loopwright.agents.pages.promises.wording import describe, quoted
from loopwright.agents.pages.returning import Returned, carry_out
from loopwright.agents.pages.workspace import Workspace
from loopwright.kernel.errors import InvalidInput, NotFound


@dataclass(frozen=True)
class Deletion:
    """What deleting a page comes to: `unlinked` are the other pages that lead to it, by slug."""

    slug: str
    unlinked: Mapping[str, Unlinked] = field(default_factory=dict)
    returns: tuple[Return, ...] = ()

    def lines(self) -> list[str]:
        """What people and models are told of the links, a line for each page."""
        return [line for slug, unlinked in self.unlinked.items() for line in _told(slug, unlinked)]


def refuse_an_end(slug: str, slugs: Sequence[str]) -> None:
    """Refuse to delete what an app cannot do without.

    Raises:
        NotFound: there is no such page.
        InvalidInput: it is the only page, or the home page.
    """
    if slug not in slugs:
        hint = f"The pages are: {', '.join(slugs)}." if slugs else "There are no pages."
        raise NotFound(f"There is no page {slug!r}.", hint=hint)
    if len(slugs) == 1:
        raise InvalidInput(f"{slug} is the only page: without it there would be no app.", hint="Change it instead.")
    if slug == HOME:
        raise InvalidInput(
            f"{HOME} is the home page, with which the app opens; it is not deleted.",
            hint="Change it instead, or have it written anew.",
        )


def unlink(pages: Mapping[str, str], slug: str) -> dict[str, Unlinked]:
    """The other pages that lead to a page, without their links to it."""
    found = {other: without_links_to(html, slug) for other, html in pages.items() if other != slug}
    return {other: each for other, each in found.items() if each.removed or each.emptied or each.left}


async def plan_deletion(
    services: PagesServices, session_id: str, workspace: Workspace, slug: str, act: Act
) -> Deletion:
    """What is to become of the page and of those that lead to it; what an earlier attempt has stored is planned alike.

    Raises:
        NotFound: there is no such page.
        InvalidInput: it is the only page, or the home page.
    """
    there: dict[str, str] = {}
    newest: dict[str, int] = {}
    titles: dict[str, str] = {}
    for page in await services.pages.of_session(session_id, deleted=True):
        await keep_work_by_hand(services, session_id, workspace, page.slug, act)
        versions = [v for v in await services.pages.versions(session_id, page.slug) if not act.made(v)]
        last = max(versions, key=lambda version: version.version)
        if not last.deleted:
            newest[page.slug], titles[page.slug] = last.version, page.title
            there[page.slug] = await services.pages.html(session_id, page.slug, last.version)
    project = await load_project(services, session_id, workspace)
    order = [*project.slugs, *(each for each in there if each not in project.slugs)]
    refuse_an_end(slug, [each for each in order if each in there])
    unlinked = unlink({each: there[each] for each in order if each in there}, slug)
    names = (slug.replace("-", " "), titles[slug])
    returns = [Return(slug, None, "delete", "Deleted", newest[slug], names=names)]
    returns += [
        Return(other, each.html, "edit", f"Links to {slug} taken out", newest[other], preserved=each.preserved)
        for other, each in unlinked.items()
        if each.preserved is not None
    ]
    return Deletion(slug, unlinked, tuple(returns))


@dataclass(frozen=True)
class Deleted:
    """A deletion that was carried out; `lost` are the promises that it touched, with what of each no longer counts."""

    deletion: Deletion
    returned: Returned
    lost: tuple[tuple[Promise, Promise], ...]

    def promise_lines(self) -> list[str]:
        """What people and models are told of the promises, a line for each."""
        lines = []
        for promise, part in self.lost:
            if len(part.checks) == len(promise.checks):
                lines.append(f"Withdrawn with it: {promise.id} {quoted(promise.request)}.")
            else:
                lines.append(f"No longer kept of {promise.id} {quoted(promise.request)}: {'; '.join(describe(part))}.")
        return lines


async def delete_page(services: PagesServices, session_id: str, workspace: Workspace, slug: str, act: Act) -> Deleted:
    """Delete a page as one change that can be undone.

    Checks of the record that look at the page or at a way to it are given up, and those of promises that name the page
    where its deletion breaks them; all others are replayed before anything is changed.

    Raises:
        NotFound: there is no such page.
        InvalidInput: it is the only page, or the home page.
        Refused: a promise about other pages would be broken; nothing is changed.
        Conflict: a page has changed since the decision.
    """
    deletion = await plan_deletion(services, session_id, workspace, slug, act)
    returned = await carry_out(services, session_id, workspace, deletion.returns, act)
    left = {each.number: each.places for each in await load_promises(services, session_id)}
    lost = tuple((each, each.without(left.get(each.number, ()))) for each in returned.withdrawn)
    return Deleted(deletion, returned, lost)


def _told(slug: str, unlinked: Unlinked) -> list[str]:
    lines = []
    if unlinked.removed:
        lines.append(f"{slug}: taken out: {_named(unlinked.removed)}.")
    if unlinked.emptied:
        lines.append(f"{slug}: stays, and leads nowhere now: {_named(unlinked.emptied)}.")
    if unlinked.left:
        lines.append(f"{slug}: still leads there, and has to be changed: {'; '.join(dict.fromkeys(unlinked.left))}.")
    return lines


def _named(words: Sequence[str]) -> str:
    """Each link's words once, with how often they stand there."""
    counts = {each: words.count(each) for each in words}
    return ", ".join(f"“{each}”" + (f" ({count} times)" if count > 1 else "") for each, count in counts.items())
