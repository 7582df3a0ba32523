"""`loopwright pages check`: what is wrong with the pages, and repairing what needs no judgement."""

from typing import TYPE_CHECKING

import typer

from loopwright.cli.running import print_json, printable, run_in_application

if TYPE_CHECKING:
    from loopwright.agents.pages.compliance.page import Issue
    from loopwright.agents.pages.usecases.history import PageCheck
    from loopwright.app.loopwright import Loopwright

HELP = """Check a session's pages against the mobile rules; exit 4 if a page has an error.

\b
Examples:
  loopwright pages check 3f2a9c                (every page)
  loopwright pages check 3f2a9c menu --browser (one page, rendered in Chromium too)
  loopwright pages check 3f2a9c --fix          (repair what needs no judgement, as a new version; undo takes it back)
  loopwright pages check 3f2a9c --act          (ask the W3C's accessibility rules too)
"""

FOUND = 4
"""Exit code when a page has an error."""


def check(
    session: str = typer.Argument(..., metavar="SESSION", help="The session, as a run's last lines name it."),
    page: str | None = typer.Argument(None, metavar="[PAGE]", help="The page's slug. [all pages]"),
    fix: bool = typer.Option(False, "--fix", help="Repair what needs no judgement first; the page gets a new version."),
    browser: bool = typer.Option(False, "--browser", help="Render the pages in Chromium and measure them too."),
    act: bool = typer.Option(False, "--act", help="Ask the W3C's ACT rules too."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Check, and tell page by page."""

    async def work(application: "Loopwright") -> int:
        from loopwright.agents.pages.usecases.history import check_pages, repair_pages

        repaired = await repair_pages(application, session, page) if fix else {}
        checks = await check_pages(application, session, page, browser=browser, act=act)
        told = [
            each.model_copy(update={"version": repaired[each.slug][0], "fixes": tuple(repaired[each.slug][1])})
            if each.slug in repaired
            else each
            for each in checks
        ]
        good = all(each.is_good for each in told)
        if as_json:
            print_json({"good": good, "pages": [each.model_dump(mode="json") for each in told]})
        else:
            typer.echo(printable("\n".join(line for each in told for line in _lines(each, act=act))))
            if not told:
                typer.echo("This session has no pages yet.")
        return 0 if good else FOUND

    run_in_application(work, as_json=as_json)


def _lines(check: "PageCheck", *, act: bool) -> list[str]:
    lines = [f"{'✓' if check.is_good else '✗'} {check.slug}"]
    lines += [f"  repaired: {summary}" for summary in check.fixes]
    if check.version is not None:
        lines.append(f"  saved as version {check.version}; loopwright pages undo takes it back")
    lines += [f"  {line}" for line in check.report.for_model().splitlines()]
    if check.not_rendered:
        lines.append(f"  {check.not_rendered}")
    elif check.browser is not None:
        shown = [_issue_line(issue) for issue in check.browser]
        lines += ["  In Chromium:", *shown] if shown else ["  In Chromium, 430 px wide: as it should be."]
    if act and check.act is not None:
        counts = {outcome: sum(v.outcome == outcome for v in check.act) for outcome in ("passed", "failed", "cantTell")}
        lines.append(
            f"  ACT: {counts['passed']} rules passed, {counts['failed']} failed, {counts['cantTell']} cannot be told, "
            f"{len(check.act) - sum(counts.values())} do not apply."
        )
        lines += [
            f"  - {verdict.outcome} [{verdict.rule}] {verdict.name}"
            + ("" if verdict.demanded else " (not demanded)")
            + (f" at {verdict.selector}" if verdict.selector else "")
            + (f": {verdict.reason}" if verdict.reason else "")
            for verdict in check.act
            if verdict.outcome in ("failed", "cantTell")
        ]
    return lines


def _issue_line(issue: "Issue") -> str:
    where = f" at {issue.selector}" if issue.selector else ""
    figures = ", ".join(
        f"{label} {value}" for label, value in (("found", issue.measured), ("required", issue.required)) if value
    )
    return f"  - {issue.severity} [{issue.rule}]{where}: {issue.message}" + (f" ({figures})" if figures else "")
