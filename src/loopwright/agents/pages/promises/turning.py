"""What undo, redo and older versions do to checks: they stand again as they stood when the page was like that."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from loopwright.agents.pages.editing.differences import Change
from loopwright.agents.pages.promises.app_pages import AppPages
from loopwright.agents.pages.promises.checks import Turn
from loopwright.agents.pages.promises.keeping import is_about
from loopwright.agents.pages.promises.ports import EntryRow, PromiseRow
from loopwright.agents.pages.promises.promise import Promise, PromiseVerdict
from loopwright.agents.pages.promises.replay import look_at

DELETED = "The page was deleted"
TAKEN_BACK = "The change that made it was taken back"


@dataclass(frozen=True)
class Turned:
    """The promises that lost checks by a way back, and those that have some again; each as it was before it."""

    withdrawn: tuple[Promise, ...]
    renewed: tuple[Promise, ...]

    @classmethod
    def of(cls, rows: Sequence[PromiseRow], turns: Sequence[Turn]) -> "Turned":
        """The promises that turns concern."""
        lost = {turn.number for turn in turns if turn.state != "active"}
        gained = {turn.number for turn in turns if turn.state == "active"}
        promises = [Promise.of(row) for row in rows]
        return cls(
            tuple(each for each in promises if each.number in lost),
            tuple(each for each in promises if each.number in gained - lost),
        )


def turns_of_step(
    rows: Sequence[PromiseRow], slug: str, change: Change, step: Literal["undo", "redo"]
) -> Iterator[Turn]:
    """The turns of every check that a change has made or ended, when it is taken back or brought again.

    What was decided since, as by a withdrawal in the user's own words, stays.

    Args:
        rows: all promises of the session, those that do not count included.
        slug: the page.
        change: of that page.
        step: the direction.
    """
    for row in rows:
        for place in dict.fromkeys(entry.place for entry in row.entries):
            entries = [entry for entry in row.entries if entry.place == place]
            first = next((n for n, entry in enumerate(entries) if _belongs(entry, slug, change)), None)
            if first is None:
                continue
            before = entries[first - 1] if first else None
            made = [entry for entry in entries if _belongs(entry, slug, change)][-1]
            was = before.state if before else "undone"
            if step == "undo" and entries[-1].state == made.state:
                yield (
                    _again(row.number, before, slug)
                    if before
                    else Turn(row.number, place, "undone", TAKEN_BACK, slug=slug)
                )
            elif step == "redo" and entries[-1].state == was:
                yield _again(row.number, made, slug)


def _again(number: int, entry: EntryRow, slug: str) -> Turn:
    return Turn(number, entry.place, entry.state, entry.reason, entry.superseded_by, slug=slug)


def _belongs(entry: EntryRow, slug: str, change: Change) -> bool:
    by_call = entry.run_id is not None and (entry.run_id, entry.call_id) in change.calls
    return by_call or (entry.slug == slug and entry.version in change.versions)


def given_up(broken: Sequence[PromiseVerdict], slug: str, reason: str = TAKEN_BACK) -> Iterator[Turn]:
    """The checks that an older version or a deletion contradicts, and no others of their promises."""
    for each in broken:
        for verdict in each.broken:
            yield Turn(each.promise.number, each.promise.place_of(verdict.check), "withdrawn", reason, slug=slug)


def deleted(promises: Sequence[Promise], slug: str) -> Iterator[Turn]:
    """The checks that go with a page: those of what is on it, and of ways to it."""
    for promise in promises:
        for place, check in zip(promise.places, promise.checks, strict=True):
            if is_about(check, slug):
                yield Turn(promise.number, place, "withdrawn", DELETED, slug=slug)


def renewed(
    rows: Sequence[PromiseRow], slug: str, calls: frozenset[tuple[str, str]], before: AppPages, after: AppPages
) -> Iterator[Turn]:
    """The checks that count again because an older version brings back what they speak of.

    Args:
        rows: all promises of the session, those that do not count included.
        slug: the page.
        calls: those that had made the page by that version.
        before: the app before the way back.
        after: the app as it is to be.
    """
    for row in rows:
        newest = {entry.place: entry for entry in row.entries}
        for each in Promise.of(row).given_up:
            entry = newest[each.place]
            by_their_word = entry.state == "withdrawn" and entry.version is None
            if (row.run_id, row.call_id) not in calls or by_their_word:
                continue
            if look_at(each.check, before).state == "broken" and look_at(each.check, after).state == "kept":
                yield Turn(row.number, each.place, "active", slug=slug)
