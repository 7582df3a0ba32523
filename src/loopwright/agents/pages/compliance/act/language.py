"""The language of a page and of its parts."""

from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.accessibility.detection import is_in_language
from loopwright.agents.pages.compliance.accessibility.languages import has_known_language
from loopwright.agents.pages.compliance.act.outcome import Finding
from loopwright.agents.pages.compliance.act.subject import Subject

_SPOKEN_ATTRIBUTES = ("alt", "aria-label", "aria-description", "title", "placeholder")


def check_page_has_language(subject: Subject) -> Iterator[Finding]:
    """b5c3f8: the root element says a language."""
    root = subject.page.document.root
    if subject.is_html and root is not None:
        language = root.attributes.get("lang") or ""
        yield Finding("passed" if language.strip() else "failed", root, f"lang is '{language}'")


def check_page_language(subject: Subject) -> Iterator[Finding]:
    """bf051a: the language of the page is one."""
    root = subject.page.document.root
    language = "" if root is None else root.attributes.get("lang") or ""
    if subject.is_html and language.strip():
        yield Finding("passed" if has_known_language(language) else "failed", root, f"lang is '{language[:40]}'")


def check_element_language(subject: Subject) -> Iterator[Finding]:
    """de46e4: the language of each part of the page is one."""
    for node in subject.page.find("body[lang], body [lang]"):
        language = node.attributes["lang"] or ""
        if language and own_text(subject, node).strip():
            yield Finding("passed" if has_known_language(language) else "failed", node, f"lang is '{language[:40]}'")


def check_page_language_fits(subject: Subject) -> Iterator[Finding]:
    """ucwvc8: the language of the page is the one most of its words are in."""
    root = subject.page.document.root
    language = "" if root is None else root.attributes.get("lang") or ""
    if subject.is_html and root is not None and has_known_language(language):
        title = next((node.text() for node in subject.page.find("head title, body title")), "")
        text = f"{title}\n{own_text(subject, root)}"
        if any(character.isalpha() for character in text):
            yield _fits(text, language, root)


def check_element_language_fits(subject: Subject) -> Iterator[Finding]:
    """off6ek: the language of each part is the one most of its words are in."""
    for node in subject.page.find("body[lang], body [lang]"):
        language = node.attributes["lang"] or ""
        text = own_text(subject, node) if has_known_language(language) else ""
        if text.strip():
            yield _fits(text, language, node)


def _fits(text: str, language: str, node: LexborNode) -> Finding:
    fits = is_in_language(text, language)
    if fits is None:
        return Finding("cantTell", node, "the words do not clearly belong to one language")
    return Finding("passed" if fits else "failed", node, f"lang is '{language[:40]}'")


def own_text(subject: Subject, node: LexborNode) -> str:
    """All text that is in the language of an element: what can be seen or heard, and no part has another language."""
    pieces: list[str] = []
    pending = [node]
    while pending:
        element = pending.pop()
        exposed = not subject.tree.is_hidden(element)
        if exposed or subject.visibility.of(element) is not False:
            pieces += [child.text_content or "" for child in element.iter(include_text=True) if child.is_text_node]
        if exposed and subject.tree.role(element) != "none":
            pieces += _spoken(subject, element)
        children = [child for child in element.iter() if not (child.attributes.get("lang") or "")]
        pending += reversed(children)
    return "\n".join(pieces)


def _spoken(subject: Subject, element: LexborNode) -> list[str]:
    """The name of an element where it comes from an attribute or from elsewhere on the page."""
    if not any(name in element.attributes for name in (*_SPOKEN_ATTRIBUTES, "aria-labelledby", "value")):
        return []
    return [subject.tree.name(element)]
