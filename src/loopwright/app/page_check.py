"""Use case: check a session's pages against the rules, in the browser and against the W3C's ACT rules; mend them."""

import asyncio

from pydantic import BaseModel, ConfigDict

from loopwright.agents.pages.browser.rendering import Rendering, render_pages
from loopwright.agents.pages.compliance import ValidationReport, validate_page
from loopwright.agents.pages.compliance.act import check_act
from loopwright.agents.pages.compliance.fixes import fix_page
from loopwright.agents.pages.compliance.report import Issue
from loopwright.agents.pages.context.project import load_page, load_project
from loopwright.agents.pages.history import Act, Return, keep_work_by_hand
from loopwright.agents.pages.returning import carry_out
from loopwright.app.loopwright import Loopwright
from loopwright.app.page_files import workspace_of
from loopwright.app.page_history import refuse_while_a_run_works
from loopwright.kernel.errors import NotFound


class ActVerdict(BaseModel):
    """What one ACT rule says of a page."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rule: str
    name: str
    outcome: str
    selector: str | None
    reason: str
    demanded: bool
    """Whether the rules of the validation ask for the same: enhanced contrast (level AAA), say, they do not."""


class PageCheck(BaseModel):
    """What was found on one page, and what was mended."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    slug: str
    report: ValidationReport
    browser: tuple[Issue, ...] | None = None
    """What shows in the browser; None where nobody looked."""
    not_rendered: str | None = None
    """Why nobody looked, where that was asked for."""
    act: tuple[ActVerdict, ...] | None = None
    fixes: tuple[str, ...] = ()
    version: int | None = None
    """The version that the fixes made."""

    @property
    def is_good(self) -> bool:
        """Whether nothing that was looked at has an error."""
        failed = [each for each in self.act or () if each.outcome == "failed" and each.demanded]
        shown = [issue for issue in self.browser or () if issue.severity == "error"]
        return self.report.valid and not failed and not shown


async def check_pages(
    house: Loopwright, session_id: str, slug: str | None = None, *, browser: bool = False, act: bool = False
) -> list[PageCheck]:
    """Check one page, or all pages in the plan's order; nothing is changed.

    Args:
        house: the opened house.
        session_id: whose pages.
        slug: the page; None means all.
        browser: render the pages too.
        act: ask the ACT rules too.

    Raises:
        NotFound: there is no such session or page.
    """
    pages, css = await _sources(house, session_id)
    wanted = _wanted(session_id, pages, slug)
    rendering = Rendering()
    if browser:
        rendering = await render_pages(house.stores.browser, pages, css, wanted)
    checks = []
    for each in wanted:
        report = await asyncio.to_thread(validate_page, pages[each], css=css, slug=each, known_slugs=tuple(pages))
        verdicts = await asyncio.to_thread(_act, pages[each], css) if act else None
        seen = rendering.findings.get(each)
        checks.append(PageCheck(slug=each, report=report, browser=seen, not_rendered=rendering.failure, act=verdicts))
    return checks


async def mend_pages(house: Loopwright, session_id: str, slug: str | None = None) -> dict[str, tuple[int, list[str]]]:
    """Mend what needs no judgement; each page that changes gets a new version.

    Returns:
        By page, the new version and what was done, for the pages that were changed.

    Raises:
        NotFound: there is no such session or page.
        Conflict: a run of the session is at work.
        Refused: a fix would break a promise; nothing was changed.
    """
    await refuse_while_a_run_works(house, session_id)
    workspace = await workspace_of(house, session_id)
    pages, css = await _sources(house, session_id)
    act = Act.by_user()
    returns: list[Return] = []
    done: dict[str, list[str]] = {}
    for each in _wanted(session_id, pages, slug):
        fixed = await asyncio.to_thread(fix_page, pages[each], css=css, slug=each, known_slugs=tuple(pages))
        if not fixed.fixes:
            continue
        await keep_work_by_hand(house.stores, session_id, workspace, each, act)
        newest = max(version.version for version in await house.stores.pages.versions(session_id, each))
        done[each] = fixed.summaries
        description = f"Mended: {', '.join(fixed.summaries)}"[:500]
        returns.append(Return(each, fixed.html, "edit", description, newest))
    if not returns:
        return {}
    made = await carry_out(house.stores, session_id, workspace, returns, act)
    return {each: (row.version, done[each]) for each, row in made.versions.items()}


def _act(html: str, css: str) -> tuple[ActVerdict, ...]:
    return tuple(
        ActVerdict(
            rule=result.rule.id,
            name=result.rule.name,
            outcome=result.outcome,
            selector=result.selector,
            reason=result.reason,
            demanded=bool(result.rule.rules),
        )
        for result in check_act(html, css=css)
    )


def _wanted(session_id: str, pages: dict[str, str], slug: str | None) -> list[str]:
    if slug is not None and slug not in pages:
        hint = f"The pages are: {', '.join(pages)}." if pages else "It has no pages yet."
        raise NotFound(f"Session {session_id} has no page {slug!r}.", hint=hint)
    return list(pages) if slug is None else [slug]


async def _sources(house: Loopwright, session_id: str) -> tuple[dict[str, str], str]:
    workspace = await workspace_of(house, session_id)
    project = await load_project(house.stores, session_id, workspace)
    pages = {each: await load_page(house.stores, session_id, workspace, each) or "" for each in project.slugs}
    return pages, project.css
