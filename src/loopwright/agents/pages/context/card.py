"""The project card: the compact summary that stands in every prompt, always below 500 tokens (spec 000, 1b.4)."""

from collections.abc import Mapping

from loopwright.agents.pages.context.project import Project
from loopwright.agents.pages.context.tokens import shorten
from loopwright.agents.pages.design.inventory import take_inventory
from loopwright.agents.pages.ports import SectionRow

MAX_TOKENS = 499
CONSTRAINTS = "mobile-first 430px, hidden scrollbar, 44px touch targets"

_STYLE = ("style", "brand", "design", "look", "visual", "theme")
_CONSTRAINT = ("constraint", "requirement", "rule", "limit")
_AUDIENCE = ("audience", "user", "customer")
_NOTE_TOKENS = 110


def build_project_card(project: Project, *, with_status: bool = True, with_colors: bool = True) -> str:
    """The card of the project as it is now.

    Without the status it stays the same while the planned pages come into being, and without the style sheet's colours
    while that is written, so that a nested request that is made again after a crash has the same bytes.
    """
    sitemap = project.sitemap()
    names = ", ".join(entry.slug for entry in sitemap[:40]) or "none yet"
    head = [f"Project: {shorten(project.app_name or 'unnamed', 30)}", f"Type: {project.product_type or 'unknown'}"]
    head.append(f"Pages: {len(sitemap)} ({names})")
    style = [f"Style: {text}"] if (text := _style(project, with_colors)) else []
    if with_status:
        style.append(f"Status: {len(project.slugs)}/{max(len(sitemap), len(project.slugs))} pages generated")
    lines = [" | ".join(head), " | ".join(style)]
    if audience := _section_text(project.sections, _AUDIENCE):
        lines.append(f"Audience: {audience}")
    own = _section_text(project.sections, _CONSTRAINT)
    lines.append(f"Constraints: {CONSTRAINTS}" + (f"; {own}" if own else ""))
    if project.sections:
        lines.append("Product doc: " + ", ".join(list(project.sections)[:40]))
    card = "\n".join(line for line in lines if line)
    return shorten(card, MAX_TOKENS)


def _style(project: Project, with_colors: bool) -> str:
    if text := _section_text(project.sections, _STYLE):
        return text
    variables = take_inventory(project.css).variables if project.css and with_colors else {}
    colors = [value for name, value in variables.items() if value.startswith("#")]
    return f"{', '.join(dict.fromkeys(colors[:3]))} (design-system.css)" if colors else ""


def _section_text(sections: Mapping[str, SectionRow], words: tuple[str, ...]) -> str:
    """The content of the first section whose name has one of the words, on one line and not too long."""
    found = (section for name, section in sections.items() if any(word in name for word in words))
    section = next(found, None)
    return "" if section is None else shorten(" ".join(section.content.split()), _NOTE_TOKENS)
