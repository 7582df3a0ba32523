"""All ACT rules, run over one page."""

import re
from collections.abc import Sequence
from itertools import count

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from loopwright.agents.pages.compliance.act.outcome import ActResult, ActRule, Subject, combine
from loopwright.agents.pages.compliance.act.rules import ACT_RULES
from loopwright.agents.pages.compliance.page import is_too_large

# Shadow trees, written out into the page as the flat tree that people are given (CSS Scoping 1, section 3.3).

MAXIMUM_LENGTH = 20_000
"""Characters of a script that is read for shadow roots."""
_STRING = re.compile(r"'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"|`(?:[^`\\$]|\\.)*`")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_NAME = r"[A-Za-z_$][\w$]*"
_TEXT = r"@\d+@(?:\s*\+\s*@\d+@)*"
_FIND = r"document\s*\.\s*(?P<how>getElementById|querySelector)\s*\(\s*(?P<what>@\d+@)\s*\)"
_ATTACH = r"\.\s*attachShadow\s*\(\s*\{[^{}]*\}\s*\)"
_FILL = rf"\.\s*(?P<way>innerHTML|textContent)\s*=\s*(?P<text>{_TEXT})"
_STATEMENT = re.compile(
    rf"\s*(?:(?:const|let|var)\s+)?(?:(?P<variable>{_NAME})\s*=(?!=)\s*)?"
    rf"(?:{_FIND}|(?P<host>{_NAME})(?:\s*\.\s*shadowRoot)?)(?P<attach>\s*{_ATTACH})?(?:\s*{_FILL})?\s*(?:;|(?=\n)|$)"
)
_REFERENCES = ("id", "for", "aria-labelledby", "aria-describedby", "aria-owns", "aria-controls", "list", "headers")
_TEMPLATE = re.compile(r"^<template[^>]*>(.*)</template>$", re.DOTALL)
_OUTER_CSS = "style, link[rel~=stylesheet]"


def write_out_shadows(html: str) -> str:
    """The page with its shadow trees written out; the page itself where there are none or they cannot be followed."""
    if "attachShadow" not in html and "shadowrootmode" not in html.lower():
        return html
    document = LexborHTMLParser(html)
    if document.css(_OUTER_CSS):
        return html
    numbers = count(1)
    for template in document.css("template[shadowrootmode]"):
        host, written = template.parent, _TEMPLATE.match(template.html or "")
        if host is None or written is None or "<style" in written[1].lower():
            return html
        template.decompose()
        _fill(host, written[1], next(numbers))
    for script in document.css("script"):
        if "attachShadow" not in script.text():
            continue
        roots = read_roots(document, script.text())
        if roots is None:
            return html
        for host, content in roots:
            _fill(host, content, next(numbers))
        script.decompose()
    return document.html or html


def read_roots(document: LexborHTMLParser, script: str) -> list[tuple[LexborNode, str]] | None:
    """The hosts and the contents of the shadow roots that a script attaches; None when it does anything else."""
    if len(script) > MAXIMUM_LENGTH:
        return None
    strings: list[str] = []

    def mask(match: re.Match[str]) -> str:
        strings.append(_unquoted(match[0]))
        return f"@{len(strings) - 1}@"

    masked = _COMMENT.sub("", _STRING.sub(mask, script)).strip()
    known: dict[str, LexborNode] = {}
    contents: dict[int, tuple[LexborNode, str]] = {}
    position = 0
    while position < len(masked):
        match = _STATEMENT.match(masked, position)
        if match is None or match.end() == position:
            return None
        node = _node(document, match, known, strings)
        if node is None:
            return None
        if match["variable"]:
            known[match["variable"]] = node
        if match["way"]:
            text = "".join(strings[int(number)] for number in re.findall(r"@(\d+)@", match["text"]))
            contents[node.mem_id] = (node, text if match["way"] == "innerHTML" else _escaped(text))
        elif match["attach"]:
            contents.setdefault(node.mem_id, (node, ""))
        position = match.end()
    return None if any("<style" in text.lower() for _, text in contents.values()) else list(contents.values())


def _node(
    document: LexborHTMLParser, match: re.Match[str], known: dict[str, LexborNode], strings: list[str]
) -> LexborNode | None:
    """The element a statement is about; a shadow root is known by its host."""
    if match["host"]:
        return known.get(match["host"])
    wanted = strings[int(match["what"].strip("@"))]
    try:
        if match["how"] == "querySelector":
            return document.css_first(wanted)
        return next((node for node in document.css("[id]") if node.id == wanted), None)
    except SelectolaxError:
        return None


def _fill(host: LexborNode, content: str, number: int) -> None:
    """Replace what a host holds by its shadow tree, in whose slots that goes."""
    shadow = LexborHTMLParser(f"<body>{content}")
    for name in _REFERENCES:
        for node in shadow.css(f"[{name}]"):
            words = (node.attributes[name] or "").split()
            node.attrs[name] = " ".join(f"shadow-{number}-{word}" for word in words)
    slotted = list(host.iter(include_text=True))
    for slot in shadow.css("slot"):
        wanted = slot.attributes.get("name") or ""
        given = [child for child in slotted if _slot_of(child) == wanted]
        if any(not child.is_text_node or (child.text_content or "").strip() for child in given):
            slot.inner_html = "".join(_markup(child) for child in given)
    # A slot draws no box of its own, and neither does a span.
    body = "" if shadow.body is None else shadow.body.inner_html or ""
    host.inner_html = re.sub(r"<(/?)slot\b[^>]*>", r"<\1span>", body)


def _slot_of(child: LexborNode) -> str | None:
    if child.is_text_node:
        return ""
    return child.attributes.get("slot") or "" if child.is_element_node else None


def _markup(child: LexborNode) -> str:
    return _escaped(child.text_content or "") if child.is_text_node else child.html or ""


def _unquoted(literal: str) -> str:
    body = literal[1:-1]
    if "\\" not in body:
        return body
    simple = {"n": "\n", "t": "\t", "'": "'", '"': '"', "`": "`", "\\": "\\", "\n": "", "/": "/"}
    return re.sub(r"\\(.)", lambda match: simple.get(match[1], match[0]), body, flags=re.DOTALL)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def check_act(html: str, *, css: str = "", rules: Sequence[ActRule] = ACT_RULES) -> tuple[ActResult, ...]:
    """The outcome of every rule on a page, judged as its source stands: scripts are not run.

    Args:
        html: the page.
        css: its design system, as if linked first.
        rules: the rules to check.
    """
    if is_too_large(html):
        return tuple(ActResult(rule, "cantTell", reason="the page is too large to be checked") for rule in rules)
    subject = Subject.read(write_out_shadows(html), css)
    if subject.page.cascade.exhausted_by:
        return tuple(ActResult(rule, "cantTell", reason="the page asks for too much work") for rule in rules)
    return tuple(_result(rule, subject) for rule in rules)


def _result(rule: ActRule, subject: Subject) -> ActResult:
    if subject.scripts_change_it:
        return ActResult(rule, "cantTell", reason="a script changes the page while it loads")
    outcome, decisive = combine(rule.check(subject))
    if not subject.page.css_is_complete and rule.depends_on_css:
        return ActResult(rule, "cantTell", reason="a stylesheet of the page is not known")
    node = None if decisive is None else decisive.node
    selector = None if node is None else subject.page.selector_of(node)
    return ActResult(rule, outcome, selector, "" if decisive is None else decisive.reason)
