"""Pages made of a domain by code: what the app shows as lists, what is kept as forms, what users do as links there."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib import resources
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from loopwright.agents.pages.contracts import PageEntry

# --------------------------------------------------------------------------------------------------------------------
# The domain of an app: its name, what it shows and keeps, what its users do, its screens.
# --------------------------------------------------------------------------------------------------------------------

Short = Annotated[str, Field(max_length=40)]
Line = Annotated[str, Field(max_length=90)]


class Thing(BaseModel):
    """Something that the app shows or keeps, with what one sees of it and a few examples."""

    model_config = ConfigDict(extra="forbid")

    name: Short
    fields: Annotated[list[Short], Field(max_length=6)]
    examples: Annotated[list[Line], Field(max_length=4)]


class Domain(BaseModel):
    """What the brief says the app is about.

    Each list may be empty: nothing is asked for that a brief may not say.
    """

    model_config = ConfigDict(extra="forbid")

    name: Short
    colours: Annotated[list[Short], Field(max_length=3)]
    things: Annotated[list[Thing], Field(max_length=6)]
    actions: Annotated[list[Line], Field(max_length=8)]
    screens: Annotated[list[Short], Field(max_length=6)]


# --------------------------------------------------------------------------------------------------------------------
# A model's domain, held against the brief: what was invented goes or is named, what is said twice stands once.
# --------------------------------------------------------------------------------------------------------------------

WORDS = re.compile(r"[\w'’-]+")


@dataclass(frozen=True)
class CheckedDomain:
    """A domain that may be built; `assumed` says in words what the brief did not say."""

    domain: Domain
    assumed: tuple[str, ...]


def checked(domain: Domain, brief: str) -> CheckedDomain:
    """The domain without colours that nobody named, without repetitions, and without what has no name."""
    assumed = []
    if not says(brief, domain.name):
        assumed.append(f"the name “{domain.name}”")
    things, seen = [], set[str]()
    for thing in domain.things:
        name = thing.name.strip()
        if not name or name.lower() in seen:
            continue
        seen.add(name.lower())
        examples, invented = _examples(_once(thing.examples), brief)
        things.append(Thing(name=name, fields=_once(thing.fields), examples=examples))
        if invented:
            assumed.append(f"examples of {name}")
    kept = Domain(
        name=domain.name.strip(),
        colours=[colour for colour in _once(domain.colours) if says(brief, colour)],
        things=things,
        actions=_once(domain.actions),
        screens=_once(domain.screens),
    )
    return CheckedDomain(kept, tuple(assumed))


def _examples(examples: Sequence[str], brief: str) -> tuple[list[str], bool]:
    """The examples that may be shown, and whether they are made up.

    Where the brief names some, only these are shown; made-up figures, prices and dates never are.
    """
    said = [example for example in examples if says(brief, example)]
    if said:
        return said, False
    plain = [example for example in examples if not any(sign.isdigit() for sign in example)]
    return plain, bool(plain)


def says(text: str, phrase: str) -> bool:
    """Whether the text has all words of the phrase, in whatever order and case."""
    wanted = {word.lower() for word in WORDS.findall(phrase)}
    return bool(wanted) and wanted <= {word.lower() for word in WORDS.findall(text)}


def _once(texts: Sequence[str]) -> list[str]:
    found = dict.fromkeys(" ".join(text.split()) for text in texts)
    return [text for text in found if text]


STEM = 5
"""Characters by which two words count as the same: "bookings" and "book", "Buchung" and "buchen"."""


def shared_out(domain: Domain, pages: Sequence[PageEntry]) -> Mapping[str, Sequence[Thing]]:
    """Which page shows which things: each the one whose title speaks of it, the rest the first page."""
    places: dict[str, list[Thing]] = {page.slug: [] for page in pages}
    for thing in domain.things:
        best = max(pages, key=lambda page: _common(page.title, f"{thing.name} {' '.join(thing.fields)}"))
        found = best if _common(best.title, f"{thing.name} {' '.join(thing.fields)}") else pages[0]
        places[found.slug].append(thing)
    empty = [slug for slug, things in places.items() if not things]
    for slug in empty:  # a page without a thing of its own shows what its title's actions are about, or everything
        title = next(page.title for page in pages if page.slug == slug)
        about = [action for action in domain.actions if _common(title, action)]
        things = [thing for thing in domain.things if any(_common(action, thing.name) for action in about)]
        places[slug] = things or list(domain.things)
    return places


def parts_of(domain: Domain, things: Sequence[Thing], *, first: bool) -> list[str]:
    """The sections of a page of an app.

    Args:
        domain: what the app is about.
        things: what this page shows.
        first: whether it is the home page, which leads to all that users can do.
    """
    names = {thing.name: f"list-{number}" for number, thing in enumerate(things, 1)}
    actions = [action for action in domain.actions if first or any(_common(action, thing.name) for thing in things)]
    parts = [_actions(actions, things, names)] if actions else []
    return parts + [_section(thing, names[thing.name]) for thing in things]


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


def _actions(actions: Sequence[str], things: Sequence[Thing], names: Mapping[str, str]) -> str:
    rows = []
    for action in actions:
        about = max(things, key=lambda thing: _common(action, thing.name), default=None)
        text = escape(action)
        link = f'<a class="btn-secondary" href="#{names[about.name]}-title">{text}</a>' if about is not None else text
        rows.append(f"<li>{link}</li>")
    return f'<section class="section"><ul class="stack" role="list">{"".join(rows)}</ul></section>'


def _section(thing: Thing, name: str) -> str:
    items = "".join(f'<li class="list-item">{escape(example)}</li>' for example in thing.examples)
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


def _common(one: str, other: str) -> int:
    """How many words two texts share, by their beginnings; Chinese by characters."""
    return len(_stems(one) & _stems(other))


def _stems(text: str) -> set[str]:
    found: set[str] = set()
    for word in WORDS.findall(text.lower()):
        if word.isascii() or not re.search(r"[\u3400-\u9fff]", word):
            found |= {word[:STEM]} if len(word) > 2 else set()
        else:
            found |= set(word)
    return found
