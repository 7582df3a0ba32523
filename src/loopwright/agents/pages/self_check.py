"""The look at the pages in a browser before a run may end, and what is known of it from the journal.

What was found is an event: a run that is carried on elsewhere, or that is only read again, knows what this one knew.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from loopwright.agents.pages.browser.rendering import NO_BROWSER, Rendering, digest_of_page, render_pages
from loopwright.agents.pages.compliance.page import Issue
from loopwright.agents.pages.events import PagesMeasured, PageVersionCreated
from loopwright.kernel.events import ControllerMessage, Event
from loopwright.kernel.run import AgentRun

ROUNDS = 2
"""How often a run is sent back over what was found, where the user has not set another number."""
OPENING = "In the browser these pages are not right yet:"
FINDINGS_TOLD = 12
FINDINGS_KEPT = 40
"""Findings of one look that the journal keeps; the first ones are repaired first."""
SWITCHED_OFF = "not rendered: switched off"


@dataclass(frozen=True)
class Finding:
    """What is wrong with a page, as it shows in the browser."""

    slug: str
    issue: Issue

    def to_wire(self) -> dict[str, Any]:
        """As JSON data."""
        return {"slug": self.slug, **self.issue.model_dump(mode="json", exclude_none=True)}

    def line(self) -> str:
        """For the model: which page, where, what, and the figures."""
        issue = self.issue
        where = f" at {issue.selector}" if issue.selector else ""
        figures = [
            f"{label} {value}" for label, value in (("found", issue.measured), ("required", issue.required)) if value
        ]
        return f"- {self.slug}{where}: {issue.message}" + (f" ({', '.join(figures)})" if figures else "")


def rounds_allowed(settings: Mapping[str, Any]) -> int:
    """How often the run may be sent back; 0 switches the look off."""
    value = settings.get("self_check")
    return ROUNDS if value is None else int(value)


def measured_event(rendering: Rendering, pages: Mapping[str, str], css: str, slugs: Sequence[str]) -> PagesMeasured:
    """The event that keeps a look at these pages."""
    found = [Finding(slug, issue).to_wire() for slug, issues in rendering.findings.items() for issue in issues]
    return PagesMeasured(
        pages={slug: digest_of_page(pages[slug], css) for slug in slugs},
        findings=found[:FINDINGS_KEPT],
        failure=rendering.failure,
    )


@dataclass(frozen=True)
class Looks:
    """What a run's journal tells of its looks at the pages."""

    written: frozenset[str]
    restyled: bool
    """Whether the design system was changed: then every page may look different."""
    known: Mapping[tuple[str, str], tuple[Finding, ...]]
    """What was found, by page and digest."""
    failures: tuple[str, ...]
    rounds: int

    @classmethod
    def of(cls, events: Sequence[Event]) -> "Looks":
        """Read them off the journal."""
        looks = cls(
            written=frozenset(e.payload["slug"] for e in events if e.type == PageVersionCreated.type),
            restyled=any(event.type.startswith("design_system_") for event in events),
            known={},
            failures=(),
            rounds=sum(e.type == ControllerMessage.type and e.payload["text"].startswith(OPENING) for e in events),
        )
        for event in events:
            if event.type == PagesMeasured.type:
                looks = looks.after(PagesMeasured.model_validate(event.payload))
        return looks

    def after(self, looked: PagesMeasured) -> "Looks":
        """The same with one more look."""
        findings = [_finding(data) for data in looked.findings]
        new = {
            (slug, digest): tuple(finding for finding in findings if finding.slug == slug)
            for slug, digest in looked.pages.items()
        }
        failures = (looked.failure,) if looked.failure else ()
        return replace(self, known={**self.known, **new}, failures=(*self.failures, *failures))

    def concerned(self, pages: Mapping[str, str]) -> list[str]:
        """The pages that this run is answerable for."""
        return [slug for slug in pages if self.restyled or slug in self.written]


def _finding(data: Mapping[str, Any]) -> Finding:
    return Finding(str(data["slug"]), Issue.model_validate({k: v for k, v in data.items() if k != "slug"}))


async def look_at_pages(run: AgentRun, pages: Mapping[str, str], css: str) -> str | None:
    """Why the run may not end yet, as the browser shows it; None where all is well, or where nobody can look.

    Raises:
        Interrupted: the user has cancelled the run.
    """
    allowed = rounds_allowed(run.state.options)
    looks = Looks.of(await run.journal.read(run.state.run_id))
    wanted = looks.concerned(pages)
    unseen = [slug for slug in wanted if (slug, digest_of_page(pages[slug], css)) not in looks.known]
    browser = run.services.browser
    if allowed and unseen and browser is not None and browser.why_not() is None:
        message = f"Looking at {', '.join(unseen)} in the browser"
        run.sink(run.state.run_id, "progress", {"call_id": "self-check", "message": message})
        rendering = await run.interruptibly(render_pages(browser, pages, css, unseen))
        looked = measured_event(rendering, pages, css, unseen)
        # Stored together with what is decided of it: a run that dies between looks again, and decides the same.
        run.defer(looked)
        looks = looks.after(looked)
    left = findings_left(looks, pages, css)
    if not left or looks.rounds >= allowed or run.state.refusals >= run.spec.limits.refusals:
        return None
    lines = [finding.line() for finding in left[:FINDINGS_TOLD]]
    if len(left) > FINDINGS_TOLD:
        lines.append(f"- and {len(left) - FINDINGS_TOLD} more")
    repair = "Repair them with edit_page, one call a page. What cannot be repaired, tell the user."
    return "\n".join([OPENING, *lines, repair])


def findings_left(looks: Looks, pages: Mapping[str, str], css: str) -> list[Finding]:
    """What was found on the pages as they are now, and is an error."""
    found = [looks.known.get((slug, digest_of_page(pages[slug], css)), ()) for slug in looks.concerned(pages)]
    return [finding for findings in found for finding in findings if finding.issue.severity == "error"]


def account(run: AgentRun, events: Sequence[Event], pages: Mapping[str, str], css: str) -> dict[str, Any]:
    """The look at the pages, for the run's result: `rounds`, `pages` that were seen, `findings_left`, and `note`.

    `note` says why pages were not seen; it is None where all were, or where there was nothing to see.
    """
    looks = Looks.of(events)
    concerned = looks.concerned(pages)
    seen = [slug for slug in concerned if (slug, digest_of_page(pages[slug], css)) in looks.known]
    note = None
    if looks.failures:
        note = looks.failures[-1]
    elif len(seen) < len(concerned):
        browser = run.services.browser
        reason = browser.why_not() if browser is not None else None
        is_off = not rounds_allowed(run.state.options)
        note = SWITCHED_OFF if is_off else f"{NO_BROWSER} ({reason})" if reason else NO_BROWSER
    return {
        "rounds": looks.rounds,
        "pages": [] if looks.failures else seen,
        "findings_left": [finding.to_wire() for finding in findings_left(looks, pages, css)],
        "note": note,
    }
