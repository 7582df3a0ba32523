"""One element of an older version, brought back into the page as it is now, with the styles that are its alone."""

from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.cascade.tokens import parse_selectors, parse_values
from loopwright.agents.pages.compliance.markup import Edit
from loopwright.agents.pages.editing.applying import FIXED, Inapplicable, placed
from loopwright.agents.pages.editing.regions import Revision
from loopwright.agents.pages.editing.source_map import BadSelector, Names, SourceElement, SourceMap
from loopwright.agents.pages.editing.style_rules import StyleRule, normal_selector, page_styles, top_rules


def with_element_of(now: str, older: str, selector: str) -> Revision:
    """The page with one element as the older version has it, spliced in at its place.

    Where the page has the element, it is exchanged; else it comes behind the neighbour that it stood behind, or before
    the one that it stood before, or into the element that it stood in. Style rules of the page's own that concern
    nothing but this element become what they were.

    Args:
        now: the page as it is.
        older: the version that has the element.
        selector: finds exactly one element in the older version, and at most one in the page.

    Raises:
        Inapplicable: the element is not to be found, or has no place.
        BadSelector: the selector cannot be read.
        Unmappable: one of the pages has markup that leaves open what belongs to what.
    """
    page, source = SourceMap(now), SourceMap(older)
    wanted = _only(source, selector, "the older version")
    if wanted is None:
        raise Inapplicable(f"the older version has no element that matches {selector!r}")
    if wanted.name in FIXED:
        raise Inapplicable(f"restore the whole version for its <{wanted.name}>")
    text = source.html[wanted.start : wanted.end]
    present = _only(page, selector, "the page")
    edit = Edit(present.start, present.end, text) if present else _placed(page, source, wanted, text)
    edits = [] if edit.text == page.html[edit.start : edit.end] else [edit]
    return Revision.of(now).spliced([*edits, *_styles(page, present, source, wanted)])


def _only(source: SourceMap, selector: str, where: str) -> SourceElement | None:
    found = source.select(selector)
    if len(found) > 1:
        raise Inapplicable(f"{len(found)} elements of {where} match {selector!r}; name one")
    if found and not found[0].whole:
        raise Inapplicable(f"the tags of {where} overlap there, so that the element has no place of its own")
    return found[0] if found else None


def _placed(page: SourceMap, source: SourceMap, wanted: SourceElement, text: str) -> Edit:
    """The insertion beside the nearest of its old neighbours that the page still has, else at the end of its parent."""
    names = Names(source)
    parent = _counterpart(page, names, wanted.parent)
    siblings = [e for e in source.elements if e.parent is wanted.parent and e is not wanted]
    before = [e for e in siblings if e.start < wanted.start]
    after = [e for e in siblings if e.start > wanted.start]
    for neighbours, position in ((reversed(before), "after"), (after, "before")):
        for neighbour in neighbours:
            found = _counterpart(page, names, neighbour)
            if found is not None and found.parent is parent and neighbour.name not in FIXED:
                return placed(page, found, "after" if position == "after" else "before", text)
    if parent is None:
        raise Inapplicable("the element in which it stood is no longer on the page")
    return placed(page, parent, "append", text)


def _counterpart(page: SourceMap, names: Names, element: SourceElement | None) -> SourceElement | None:
    """The page's element of the same name and place, when there is exactly one."""
    if element is None:
        return None
    try:
        found = page.select(names.of(element))
    except BadSelector:
        return None
    return found[0] if len(found) == 1 and found[0].whole and found[0].name == element.name else None


def _styles(page: SourceMap, present: SourceElement | None, source: SourceMap, wanted: SourceElement) -> Iterator[Edit]:
    """The edits that give the element's own rules back: those of now go, those of then come or stay."""
    mine = {normal_selector(rule.selector): rule for rule in _own_rules(page, present)} if present else {}
    theirs = {normal_selector(rule.selector): rule for rule in _own_rules(source, wanted)}
    new = []
    for name, rule in theirs.items():
        text = source.html[rule.start : rule.end + 1].strip()
        current = mine.get(name)
        if current is None and not _has_rule(page, name):
            new.append(text)
        elif current is not None and page.html[current.start : current.end + 1].strip() != text:
            lead = page.html[current.start : current.end + 1]
            start = current.start + len(lead) - len(lead.lstrip())
            yield Edit(start, current.end + 1, text)
    for name, rule in mine.items():
        if name not in theirs:
            yield Edit(*_line_of(page.html, rule), "")
    styles = page_styles(page)
    if new and styles:
        at = styles[-1].content_end
        lead = "" if page.html[:at].endswith("\n") else "\n"
        yield Edit(at, at, lead + "\n".join(new) + "\n")
    elif new:
        head = page.first("head")
        if head is not None:
            yield Edit(head.content_end, head.content_end, "<style>\n" + "\n".join(new) + "\n</style>\n")


def _own_rules(source: SourceMap, element: SourceElement) -> Iterator[StyleRule]:
    """The page's own rules whose selectors find something, and all of it in this element."""
    for style in page_styles(source):
        for rule in top_rules(source.html, style.tag.end, style.content_end):
            nodes = _matches(source, rule.selector)
            if nodes and all(_is_within(node, element.node) for node in nodes):
                yield rule


def _has_rule(source: SourceMap, name: str) -> bool:
    rules = (rule for s in page_styles(source) for rule in top_rules(source.html, s.tag.end, s.content_end))
    return any(normal_selector(rule.selector) == name for rule in rules)


def _matches(source: SourceMap, selector: str) -> list[LexborNode]:
    """What a rule's selector finds; its states and pseudo-elements are left aside."""
    found: list[LexborNode] = []
    for each in parse_selectors(parse_values(selector)):
        if len(each.text) <= 1_000 and each.text.strip():
            try:
                found += source.document.css(each.text)
            except ValueError:  # selectors that this parser does not know concern nothing that is known
                continue
    return found


def _is_within(node: LexborNode, element: LexborNode) -> bool:
    current: LexborNode | None = node
    while current is not None:
        if current.mem_id == element.mem_id:
            return True
        current = current.parent
    return False


def _line_of(html: str, rule: StyleRule) -> tuple[int, int]:
    text = html[rule.start : rule.end + 1]
    start = rule.start + len(text) - len(text.lstrip())
    end = rule.end + 1
    return start, end + 1 if html[end : end + 1] == "\n" and html[start - 1 : start] == "\n" else end
