"""What people call the parts of a page, and what the parts are in the source."""

import re
from dataclasses import dataclass

from loopwright.agents.pages.offline.studio import resources
from loopwright.agents.pages.offline.studio.editing.source import Element, Source


@dataclass(frozen=True, slots=True)
class Part:
    """A part by its usual name. `kind` says which way colours go: a `ground` gets ink that can be read on it."""

    name: str
    words: tuple[str, ...]
    selectors: tuple[str, ...]
    kind: str

    def selector_on(self, source: Source) -> str | None:
        """The selector of this part that means something on this page."""
        return next((selector for selector in self.selectors if source.find(selector)), None)


def parts() -> tuple[Part, ...]:
    """All parts, the more particular names first."""
    data = resources.read_json("parts.json")
    return tuple(Part(d["name"], tuple(d["words"]), tuple(d["selectors"]), d["kind"]) for d in data)


def named_part(text: str) -> Part | None:
    """The part that a text names first."""
    found = []
    for order, part in enumerate(parts()):
        match = re.search(rf"(?<![a-z])(?:{'|'.join(map(re.escape, part.words))})(?:s|es)?(?![a-z])", text, re.I)
        if match:
            found.append((match.start(), order, part))
    return min(found)[2] if found else None


def section_named(source: Source, words: str) -> Element | None:
    """A section of the page by its heading, id or class, as loosely as people name it."""
    wanted = re.sub(r"\b(?:the|this|that|section|block|area|part|of|page)\b", " ", words.lower())
    stems = {word.rstrip("s") for word in re.findall(r"[a-z0-9]{3,}", wanted)}
    if not stems:
        return None
    for element in source.elements:
        if element.tag.name not in ("section", "article", "aside", "footer", "form", "ul", "nav", "div", "details"):
            continue
        if element.matches(".page") or element.matches("#app") or element.matches(".content"):
            continue
        names = f"{element.tag.value('id') or ''} {element.tag.value('class') or ''} {_heading(source, element)}"
        if stems <= {word.rstrip("s") for word in re.findall(r"[a-z0-9]{3,}", names.lower())}:
            return element
    return None


def _heading(source: Source, section: Element) -> str:
    if section.tag.name == "div":
        return ""
    for element in source.elements:
        inside = section.tag.end <= element.tag.start < section.content_end
        if inside and element.tag.name in ("h2", "h3"):
            return source.text_of(element)
    return section.tag.value("aria-label") or ""
