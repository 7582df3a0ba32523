"""Checks after every change, one attempt to mend what they find, and the honest end when something keeps failing."""

from collections.abc import Mapping, Sequence
from typing import Any

from loopwright.agents.pages.offline.reading import ATTEMPTS, Done, Reading
from loopwright.agents.pages.offline.wording import enumeration, excerpt, say
from loopwright.kernel.playbook import OfflineReply

MEND = "Mend what the validation reports:"
"""How the instructions of an edit begin that follows from a check."""

REPORT_LENGTH = 6_000
"""How much of a report stands in the instructions of the edit that mends, in characters."""

Call = tuple[str, Mapping[str, Any]]

LOOK: Call = ("list_pages", {})
"""How a second attempt begins that is not about the text of one page."""


def check_and_mend(reading: Reading, slugs: Sequence[str]) -> OfflineReply | None:
    """Check the pages that were not checked since they were written; mend once what a check reports."""
    present = [slug for slug in slugs if slug in reading.slugs]
    faulty = {slug: report for slug in present if (report := _report(reading, slug)) and not report.failed}
    mend = [
        (slug, report.output)
        for slug, report in faulty.items()
        if "not valid" in report.output and not _mended(reading, slug)
    ]
    if mend:
        calls: list[Call] = [
            ("edit_page", {"slug": slug, "edit_instructions": f"{MEND}\n{report[:REPORT_LENGTH]}"})
            for slug, report in mend
        ]
        calls += [("validate_html", {"slug": slug}) for slug, _ in mend]
        return OfflineReply(f"The check found something in {enumeration([s for s, _ in mend])}; I mend it.", calls)
    unchecked = [slug for slug in present if _report(reading, slug) is None and not _checked_in_vain(reading, slug)]
    if unchecked:
        return OfflineReply("I check the pages.", [("validate_html", {"slug": slug}) for slug in unchecked])
    return None


def _mended(reading: Reading, slug: str) -> bool:
    return any(is_mending(call) for call in reading.calls_of("edit_page", slug))


def is_mending(call: Done) -> bool:
    """Whether an edit follows from a check and not from the user's wish."""
    return str(call.arguments.get("edit_instructions", "")).startswith(MEND)


def _report(reading: Reading, slug: str) -> Done | None:
    """The newest check of a page, unless the page was written after it."""
    for call in reversed(reading.done):
        if call.slug == slug and call.name == "validate_html":
            return call
        if call.slug == slug and call.name in ("generate_page", "edit_page") and not call.failed:
            return None
    return None


def _checked_in_vain(reading: Reading, slug: str) -> bool:
    return len([call for call in reading.calls_of("validate_html", slug) if call.failed]) >= ATTEMPTS


def problems_of(reading: Reading, slugs: Sequence[str]) -> list[str]:
    """What the user has to know: pages that could not be made, that fail their check, images that could not be read."""
    problems = []
    for slug in slugs:
        report = _report(reading, slug)
        if slug not in reading.slugs:
            last = reading.calls_of("generate_page", slug)[-1:]
            problems.append(
                f"`{slug}` could not be made: {excerpt(last[0].output)}" if last else f"`{slug}` is missing."
            )
        elif report is not None and (report.failed or "not valid" in report.output):
            problems.append(f"`{slug}`: {excerpt(report.output)}")
    unread = [call for call in reading.calls_of("extract_style") if call.failed]
    return problems + [
        f"The style of {excerpt(str(call.arguments.get('image_url')), 80)} could not be read." for call in unread
    ]


def give_up(reading: Reading, last: Done) -> OfflineReply:
    """The honest end when something that everything else needs has failed twice."""
    made = enumeration([f"`{slug}`" for slug in reading.slugs])
    return OfflineReply(say("gave_up", tool=last.name, error=excerpt(last.output), made=made))
