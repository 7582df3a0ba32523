"""Which sections of the product doc a task needs (spec 000, 1b.3: selective injection)."""

import re
from collections.abc import Mapping

from loopwright.agents.pages.ports import SectionRow

MAX_CHARACTERS = 4_500
"""About 1,500 tokens, by the rough rule of characters / 3 (spec 000, phase 2)."""

WORTH_STARTING = 120
"""Characters below which a cut section would say nothing."""

ALWAYS = ("overview", "style", "brand", "constraint", "audience")
"""Sections with such a word in their name concern every task."""

_STOP = frozenset({"the", "and", "for", "with", "that", "this", "page", "pages", "app", "add", "make", "its", "are"})
_WORD = re.compile(r"[a-z0-9]{3,}")
_PAIR = re.compile(r"(?=([\u3400-\u9fff]{2}))")


def relevant_sections(
    sections: Mapping[str, SectionRow], task_hint: str | None, max_characters: int = MAX_CHARACTERS
) -> dict[str, str]:
    """The sections that concern the task, by name, within the limit; without a hint all of them may.

    A word of the hint in a section's name or title counts four times as much as one in its content.
    """
    hint = _words(task_hint or "")
    scored = [(_score(name, section, hint), name) for name, section in sections.items()]
    if task_hint is None:
        scored = [(score + 1, name) for score, name in scored]
    chosen = [name for score, name in sorted(scored, key=lambda pair: -pair[0]) if score > 0]
    kept: dict[str, str] = {}
    left = max_characters
    for name in chosen:
        text = sections[name].content.strip()
        if len(text) > left:
            if left < WORTH_STARTING:
                break
            text = text[: left - 2].rstrip() + " …"
        kept[name] = text
        left -= len(text)
    return {name: kept[name] for name in sections if name in kept}


def _score(name: str, section: SectionRow, hint: frozenset[str]) -> int:
    always = 2 if any(word in name for word in ALWAYS) else 0
    title = _words(f"{name.replace('_', ' ').replace('.', ' ')} {section.title}")
    return always + 4 * len(hint & title) + len(hint & _words(section.content))


def _words(text: str) -> frozenset[str]:
    """The words that carry meaning, a plural as its singular; of Chinese text, pairs of signs."""
    found = [*_WORD.findall(text.lower()), *_PAIR.findall(text)]
    return frozenset(word.removesuffix("s") if len(word) > 4 else word for word in found if word not in _STOP)
