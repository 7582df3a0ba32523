"""The auto-fixer: repairs that need no judgement, each a splice into the source that changes only what it says."""

import html as html_entities
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from loopwright.agents.pages.compliance.cascade.computed import elements_around
from loopwright.agents.pages.compliance.markup import Edit, Token, apply_edits
from loopwright.agents.pages.compliance.page import Issue, Page, ValidationReport, page_links
from loopwright.agents.pages.compliance.rules.markup_rules import BODY_MINIMUM, FIELD_MINIMUM, TEXT_MINIMUM
from loopwright.agents.pages.compliance.shell import SHELL_RULES, fix_shell
from loopwright.agents.pages.compliance.validate import report_on
from loopwright.agents.pages.editing.regions import Unmappable
from loopwright.agents.pages.editing.source_map import BadSelector, SourceMap

# What a fix is.


@dataclass(frozen=True, slots=True)
class Fix:
    """A repair of one issue, or of several that share a place: the spans of the source that it replaces."""

    rules: tuple[str, ...]
    """Identifiers of the rules whose issues it repairs."""
    summary: str
    """What it does, in a few words and the past tense: `set font-size: 16px on #mail`."""
    edits: tuple[Edit, ...]
    """Replacements and insertions in the text that the fix was made for; everything outside them stays."""

    def apply(self, source: str) -> str:
        """The text with the fix in it."""
        return apply_edits(source, self.edits)


Fixer = Callable[[Page, Issue], Iterator[Fix]]
"""Proposes fixes of an issue, the gentlest first; the first one that works is taken."""


# Fixes of links: an address that means a page of the app becomes the address at which the page lies.


def fix_link(page: Page, issue: Issue) -> Iterator[Fix]:
    """Point all links that are written like this one to the file of their page."""
    mapping = page_links(page.known_slugs or ())
    links = [link for link in page.links if link.href == issue.measured and link.slug in mapping]
    if not links:
        return
    address = mapping[links[0].slug or ""] + links[0].suffix
    text = html_entities.escape(address, quote=True)
    edits = tuple(Edit(link.start, link.end, text if link.quote else f'"{text}"') for link in links)
    yield Fix((issue.rule,), f"pointed {issue.measured} to {address}", edits)


# Fixes of sizes and of the scrollbar: a declaration on the very element, or one rule in the head.

FONT_SIZES = {"body-text-size": BODY_MINIMUM, "field-text-size": FIELD_MINIMUM, "text-size": TEXT_MINIMUM}
"""Font sizes in CSS pixels that the rules about text ask for."""
HIDDEN_SCROLLBAR = "html { scrollbar-width: none } ::-webkit-scrollbar { display: none }"


def fix_font_size(page: Page, issue: Issue) -> Iterator[Fix]:
    """Set the size on the element; where the page's own CSS insists on another, insist more."""
    tag = _tag(page, issue.selector)
    if tag is None:
        return
    size = f"font-size: {FONT_SIZES[issue.rule]:.0f}px"
    for declaration in (size, f"{size} !important"):
        summary = f"set {declaration} on {issue.selector}"
        yield Fix((issue.rule,), summary, (_with_declaration(tag, declaration),))


def fix_scrollbar(page: Page, issue: Issue) -> Iterator[Fix]:
    """Hide the scrollbar by a rule at the end of the head, where it wins over what is linked before."""
    place = page.skeleton.head_end
    text = f"<style>{HIDDEN_SCROLLBAR}</style>\n"
    yield Fix((issue.rule,), "hid the scrollbar", (Edit(place, place, text),))


def _tag(page: Page, selector: str | None) -> Token | None:
    """The start tag in the source of the one element that the selector finds; None where no tag is written."""
    if selector is None:
        return None
    try:
        found = SourceMap(page.source).select(selector)
    except (BadSelector, Unmappable):
        return None
    return found[0].tag if len(found) == 1 else None


def _with_declaration(tag: Token, declaration: str) -> Edit:
    """The edit that appends a declaration to the style attribute of a tag, which is made if there is none."""
    style = tag.attribute("style")
    if style is None:
        place = tag.start + 1 + len(tag.name)
        return Edit(place, place, f' style="{declaration}"')
    if not style.quote:
        return Edit(style.start, style.end, f'style="{_joined(style.value, declaration)}"'.replace("&", "&amp;"))
    separator = "" if not style.value.strip() else " " if style.value.rstrip().endswith(";") else "; "
    return Edit(style.value_end, style.value_end, f"{separator}{declaration}")


def _joined(value: str, declaration: str) -> str:
    return f"{value.rstrip('; ')}; {declaration}" if value.strip("; ") else declaration


FIXERS: Mapping[str, Fixer] = {
    **dict.fromkeys(FONT_SIZES, fix_font_size),
    "scrollbar": fix_scrollbar,
    "broken-link": fix_link,
}
"""By rule, what repairs its issues; those about the outer shell of a page are repaired together by `fix_shell`."""


@dataclass(frozen=True, slots=True)
class FixedPage:
    """A page after the fixer: without `fixes` it is the very same text.

    `fixes` were made in this order, each on the outcome of the one before it. `report` is on the page as it is now.
    """

    html: str
    fixes: tuple[Fix, ...]
    report: ValidationReport

    @property
    def summaries(self) -> list[str]:
        """What was done, for people."""
        return [fix.summary for fix in self.fixes]


@dataclass(frozen=True, slots=True)
class _State:
    page: Page
    report: ValidationReport


def fix_page(
    html: str,
    *,
    css: str = "",
    slug: str = "index",
    known_slugs: Collection[str] | None = None,
    title: str = "",
    lang: str = "en",
    rules: Collection[str] | None = None,
) -> FixedPage:
    """Repair what needs no judgement, and prove of each fix that its issue is gone and no other has come.

    Args:
        html: the page.
        css: the design system, as for `validate_page`.
        slug: the page's name.
        known_slugs: the pages of the app; without them links are left alone.
        title: what a page without a title is called; else its main heading, or its slug.
        lang: the language of a page that does not say its own.
        rules: repair only issues of these rules.
    """

    def read(text: str) -> _State:
        page = Page.read(text, css=css, slug=slug, known_slugs=known_slugs)
        return _State(page, report_on(page))

    state = read(html)
    fixes: list[Fix] = []
    shell = [issue for issue in _fixable(state.report, rules) if issue.rule in SHELL_RULES]
    if shell:
        name = title or _heading(state.page) or slug.replace("-", " ").capitalize()
        wanted = frozenset(issue.rule for issue in shell)
        edits, summaries = fix_shell(html, wanted, title=name, lang=lang)
        fix = Fix(tuple(sorted(wanted)), ", ".join(summaries), tuple(edits))
        after = read(fix.apply(html))
        if _is_better(state.report, after.report, fix.rules):
            state, fixes = after, [fix]
    # Most pages have a few issues of a kind; repaired together they cost one look instead of one each.
    together = _together(state, rules)
    if together is not None:
        after = read(together.apply(state.page.source))
        if _is_better(state.report, after.report, together.rules) and not _left(after.report, together.rules):
            return FixedPage(after.page.source, (*fixes, together), after.report)
    hopeless: set[tuple[str, str | None]] = set()
    while issue := _next(state.report, rules, hopeless):
        for fix in _candidates(state.page, issue):
            after = read(fix.apply(state.page.source))
            if _is_better(state.report, after.report, fix.rules):
                state = after
                fixes.append(fix)
                break
        else:
            hopeless.add((issue.rule, issue.selector))
    return FixedPage(state.page.source, tuple(fixes), state.report)


def _fixable(report: ValidationReport, rules: Collection[str] | None) -> Iterator[Issue]:
    return (issue for issue in report.issues if issue.auto_fixable and (rules is None or issue.rule in rules))


def _next(
    report: ValidationReport, rules: Collection[str] | None, hopeless: Collection[tuple[str, str | None]]
) -> Issue | None:
    """The next issue that is worth a try."""
    open_issues = (issue for issue in _fixable(report, rules) if (issue.rule, issue.selector) not in hopeless)
    return next((issue for issue in open_issues if issue.rule in FIXERS), None)


def _candidates(page: Page, issue: Issue) -> Iterator[Fix]:
    yield from FIXERS[issue.rule](page, issue)


def _together(state: _State, rules: Collection[str] | None) -> Fix | None:
    """The gentlest fixes of all issues as one; None with fewer than two, or when two want the same place."""
    issues = _outermost(state.page, [i for i in _fixable(state.report, rules) if i.rule in FIXERS])
    first = [next(_candidates(state.page, issue), None) for issue in issues]
    fixes = list(dict.fromkeys(fix for fix in first if fix is not None))
    edits = sorted((edit for fix in fixes for edit in fix.edits), key=lambda edit: (edit.start, edit.end))
    clash = any(one.end > other.start or one == other for one, other in pairwise(edits))
    if len(fixes) < 2 or clash:
        return None
    names = tuple(dict.fromkeys(rule for fix in fixes for rule in fix.rules))
    return Fix(names, ", ".join(fix.summary for fix in fixes), tuple(edits))


def _outermost(page: Page, issues: Sequence[Issue]) -> list[Issue]:
    """The issues without those that an element has from one around it: sizes are inherited, and so is their repair."""
    nodes = [
        next(iter(page.find(issue.selector or "*")), None) if issue.rule in FONT_SIZES else None for issue in issues
    ]
    places = {(issue.rule, node.mem_id) for issue, node in zip(issues, nodes, strict=True) if node is not None}
    return [
        issue
        for issue, node in zip(issues, nodes, strict=True)
        if not any((issue.rule, above.mem_id) in places for above in elements_around(node))
    ]


def _is_better(before: ValidationReport, after: ValidationReport, repaired: Collection[str]) -> bool:
    """Whether issues of the repaired rules are fewer, and of no rule there are more."""
    was, now = (Counter(issue.rule for issue in report.issues) for report in (before, after))
    return all(now[rule] < was[rule] for rule in repaired) and all(now[rule] <= was[rule] for rule in now)


def _left(report: ValidationReport, repaired: Collection[str]) -> bool:
    return any(issue.auto_fixable and issue.rule in repaired for issue in report.issues)


def _heading(page: Page) -> str:
    heading = next(iter(page.find("h1")), None)
    return " ".join(heading.text(deep=True, separator=" ").split())[:100] if heading is not None else ""
