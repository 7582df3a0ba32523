"""One page made of its sections by code, with lists of things that are added to."""

import re
from collections.abc import Sequence
from html import escape
from importlib import resources

from loopwright.agents.pages.domain.proposal import Thing


def parts_of(things: Sequence[Thing]) -> list[str]:
    """A section for each thing: those that there are, and a form that adds one."""
    return [_section(thing, f"list-{number}") for number, thing in enumerate(things, 1)]


def render_page(frame: str, parts: Sequence[str], formula: str = "") -> str:
    """A whole document: the frame with its `<main>` filled.

    Args:
        frame: the document without its content (`page_frame.frame_of`).
        parts: the sections that stand in it.
        formula: what the page calculates, in JavaScript over `v`.
    """
    body = "\n".join(parts)
    document = re.sub(r"<main>\s*</main>", lambda _: f"<main>\n{body}\n</main>", frame, count=1)
    scripts = [_script("list.js")] if "data-list=" in body or "data-tick=" in body else []
    scripts += [f"var formula = function (v) {{ return {formula}; }};\n{_script('calculator.js')}"] if formula else []
    return document.replace("</body>", f"<script>\n{''.join(scripts)}</script>\n</body>", 1) if scripts else document


def _script(name: str) -> str:
    return resources.files("loopwright.agents.pages.domain").joinpath(name).read_text(encoding="utf-8")


def _section(thing: Thing, name: str) -> str:
    items = "".join(f'<li class="list-item">{escape(record)}</li>' for record in thing.examples)
    fields = thing.fields or [thing.name]
    inputs = "".join(
        f'<label class="field">{escape(field)}<input class="input" name="f{n}"></label>'
        for n, field in enumerate(fields, 1)
    )
    return (
        f'<section class="section"><h2 id="{name}-title">{escape(thing.name)}</h2>'
        f'<ul class="stack" role="list" id="{name}">{items}</ul>'
        f'<form class="card stack" data-list="{name}">{inputs}'
        f'<button class="btn" type="submit">+ {escape(thing.name)}</button></form></section>'
    )
