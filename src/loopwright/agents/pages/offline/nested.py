"""The model calls that the agent's tools make: a design system, a page, an edit."""

import json
from typing import Any

from loopwright.agents.pages.offline.editing import bare_summary
from loopwright.agents.pages.offline.patches import Inexpressible, blocks_between, render
from loopwright.agents.pages.offline.reading import UnreadableRequest
from loopwright.agents.pages.offline.studio.contracts import PageRequest, SitemapEntry
from loopwright.agents.pages.offline.studio.design_system import render_design_system
from loopwright.agents.pages.offline.studio.editing import edit_page
from loopwright.agents.pages.offline.studio.rendering import render_page
from loopwright.agents.pages.offline.studio.theme import read_theme
from loopwright.kernel.playbook import OfflineReply, OfflineRequest


def design_system(request: OfflineRequest) -> OfflineReply:
    """Task `pages/design-system`: the whole CSS in a fence."""
    asked = payload_of(request)
    tokens = asked.get("style_tokens") or {}
    said = read_theme(asked.get("brief") or "")
    css = render_design_system(
        asked.get("product_type") or "",
        style_tokens=tokens,
        brand_colors=tuple(asked.get("brand_colors") or ()) or said.brand_colors,
        app_name=asked.get("app_name") or "",
        style_words=tuple(tokens.get("style_words") or said.style_words),
        mode=tokens.get("mode") or said.mode,
        brief=asked.get("brief") or "",
    )
    return OfflineReply(f"```css\n{css.strip()}\n```")


def new_page(request: OfflineRequest) -> OfflineReply:
    """Task `pages/generate-page`: the complete document in a fence."""
    asked = payload_of(request)
    sections = asked.get("sections") or {}
    html = render_page(
        PageRequest(
            slug=asked["slug"],
            title=asked["title"],
            description=asked.get("description") or "",
            product_type=asked.get("product_type") or "",
            app_name=asked.get("app_name") or "",
            sitemap=tuple(SitemapEntry(page["slug"], page["title"]) for page in asked.get("sitemap") or ()),
            brief=asked.get("brief") or "",
            data_model=asked.get("data_model"),
            notes="\n".join(str(text) for text in sections.values()),
        )
    )
    return OfflineReply(f"```html\n{html.strip()}\n```")


def edited_page(request: OfflineRequest) -> OfflineReply:
    """Task `pages/edit-page`: minimal SEARCH/REPLACE blocks, or a sentence that says why there are none."""
    asked = payload_of(request)
    html = asked["html"]
    outcome = edit_page(html, asked["instructions"])
    try:
        blocks = blocks_between(html, outcome.html) if outcome.changed else []
    except Inexpressible as error:
        return OfflineReply(f"I left the page as it is: {error}.")
    return OfflineReply(f"{render(blocks)}\n\n{bare_summary(outcome)}".strip())


def payload_of(request: OfflineRequest) -> dict[str, Any]:
    """The JSON object that the tool sent; corrections that follow it change nothing about what is wanted.

    Raises:
        UnreadableRequest: the first user message is not a JSON object.
    """
    text = next((message.content for message in request.messages if message.role == "user"), "")
    try:
        payload = json.loads(text)
    except ValueError as error:
        raise UnreadableRequest("the first user message is not JSON") from error
    if not isinstance(payload, dict):
        raise UnreadableRequest("the first user message is not a JSON object")
    return payload
