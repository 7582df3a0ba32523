"""Fixes of sizes and of the scrollbar: a declaration on the very element, or one rule in the head."""

from collections.abc import Iterator

from loopwright.agents.pages.compliance.fixes.fix import Fix
from loopwright.agents.pages.compliance.markup import Edit, Token
from loopwright.agents.pages.compliance.page import Page
from loopwright.agents.pages.compliance.report import Issue
from loopwright.agents.pages.compliance.rules.typography import BODY_MINIMUM, FIELD_MINIMUM, TEXT_MINIMUM
from loopwright.agents.pages.editing.marking import Unmappable
from loopwright.agents.pages.editing.source_map import BadSelector, SourceMap

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
