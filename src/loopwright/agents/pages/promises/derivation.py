"""Checks derived from an accepted change: what is there now, and was not before, under names that last."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.cascade.computed import element_parent
from loopwright.agents.pages.compliance.cascade.media import StyleSheet
from loopwright.agents.pages.compliance.cascade.tokens import parse_declarations
from loopwright.agents.pages.compliance.page import collect_links
from loopwright.agents.pages.promises.app_pages import (
    FIELDS,
    AppPages,
    Name,
    asks_for_removal,
    certainly_hidden,
    class_names_of,
    common_words,
    comparable,
    find,
    is_housekeeping,
    known_names,
    lasting_selector,
    names_of,
    normalised,
    says,
    seen_text,
)
from loopwright.agents.pages.promises.checks import (
    MAX_SELECTOR,
    BehaviourCheck,
    Check,
    ElementCheck,
    LinkCheck,
    Step,
    StyleCheck,
    TextCheck,
    usable_selector,
)
from loopwright.agents.pages.promises.replay import look_at
from loopwright.agents.pages.promises.scripts import new_statements
from loopwright.agents.pages.promises.wording import terms_of_element, with_footprint

# What changed about things that stayed: styles, classes and attributes, as checks with the words that name them.

TOLD_ATTRIBUTES = frozenset({
    "alt", "checked", "disabled", "href", "max", "maxlength", "min", "open", "placeholder", "readonly", "required",
    "src", "step", "title", "type", "value", "aria-label", "aria-current", "aria-pressed", "aria-expanded", "role",
    "lang", "dir", "rows", "cols",
})  # fmt: skip
"""Attributes whose change a person notices; classes and styles are looked at by what they do."""

MAX_ELEMENTS = 400
"""Elements that are compared one by one."""


def restyled(slug: str, before: AppPages, after: AppPages) -> Iterator[tuple[Check, str]]:
    """Checks of changed details, each with the words that speak of it."""
    yield from _rules(slug, before, after)
    yield from _attributes(slug, before, after)


def _rules(slug: str, before: AppPages, after: AppPages) -> Iterator[tuple[Check, str]]:
    """Declarations that the page's own style sheets have now, on elements that were there before."""
    old, new = _own_rules(before, slug), _own_rules(after, slug)
    page = after.page(slug)
    for (selector, name), value in new.items():
        if old.get((selector, name)) == value or not _askable(selector) or len(value) > 500:
            continue
        if not before.page(slug).find(selector):
            continue  # the look of something new is a detail of it, no request of its own
        count = len(page.find(selector))
        if count:
            style = StyleCheck(slug=slug, selector=selector, property=name, value=value, min_count=(count + 1) // 2)
            texts = " ".join(seen_text(node)[:60] for node in page.find(selector)[:2])
            yield style, f"{selector} {name} {value} {texts}"


def _askable(selector: str) -> bool:
    """Whether a rule's selector can stand in a check."""
    try:
        return len(selector) <= MAX_SELECTOR and bool(usable_selector(selector))
    except ValueError:
        return False


def _own_rules(app: AppPages, slug: str) -> Mapping[tuple[str, str], str]:
    """Selector and property to value, of the page's own style sheets; the last one counts."""
    sheet = StyleSheet()
    for node in app.document(slug).css("style"):
        sheet.add(node.text())
    return {
        (rule.selector.text, declaration.name): declaration.value.strip()
        for rule in sheet.rules
        if rule.selector.reach == "at-rest" and not rule.selector.pseudo_element and rule.certain
        for declaration in rule.declarations
        if declaration.value.strip()
    }


def _attributes(slug: str, before: AppPages, after: AppPages) -> Iterator[tuple[Check, str]]:
    """Attributes, classes and inline styles of elements that both versions have under the same name."""
    old, new = _by_selector(before, slug), _by_selector(after, slug)
    for selector, node in new.items():
        was = old.get(selector)
        if was is None:
            continue
        words = f"{selector} {seen_text(node)[:80]}"
        for name, value in node.attributes.items():
            if name in TOLD_ATTRIBUTES and (name not in was.attributes or was.attributes[name] != value):
                told = {"attribute": name} | ({"value": value} if value is not None and len(value) <= 2_000 else {})
                yield ElementCheck(slug=slug, selector=selector, **told), f"{words} {name} {value or ''}"
        for added in class_names_of(node):
            if added not in class_names_of(was) and len(selector) + len(added) < MAX_SELECTOR:
                yield ElementCheck(slug=slug, selector=f"{selector}.{added}"), f"{words} {added}"
        yield from _inline(slug, selector, was, node, words)


def _inline(slug: str, selector: str, was: LexborNode, node: LexborNode, words: str) -> Iterator[tuple[Check, str]]:
    old = {each.name: each.value for each in parse_declarations(was.attributes.get("style") or "")}
    for each in parse_declarations(node.attributes.get("style") or ""):
        value = each.value.strip()
        if old.get(each.name) != each.value and 0 < len(value) <= 500:
            style = StyleCheck(slug=slug, selector=selector, property=each.name, value=value)
            yield style, f"{words} {each.name} {value}"


def _by_selector(app: AppPages, slug: str) -> dict[str, LexborNode]:
    """The elements that a lasting selector leads to, the first one where it leads to several."""
    document = app.document(slug)
    found: dict[str, LexborNode] = {}
    for node in find(document, "body, body *")[:MAX_ELEMENTS]:
        selector = lasting_selector(node, document)
        if selector is not None:
            found.setdefault(selector, node)
    return found


MAX_DERIVED = 6
"""Checks that one change gives by itself: the most telling ones."""

INTERACTIVE = (
    "a[href], button, input, select, textarea, summary, form, [role=button], [role=tab], [role=switch], [onclick]"
)
LANDMARKS = frozenset({"header", "footer", "nav", "aside", "form", "table", "video", "audio"})
"""Elements that people call by what they are, so that they are known without a name when a page has none any more."""

TEXT_LENGTH = range(2, 201)
"""Characters of new words that are looked for in the request."""

_TEXTS = "p, li, span, div, td, dd, dt, figcaption, blockquote, small, strong, em, a, title, option"


@dataclass(frozen=True)
class Change:
    """A page before and after, and the words that asked for it: the user's, and the instructions made of them."""

    slug: str
    before: AppPages
    after: AppPages
    request: str
    instructions: str

    @property
    def words(self) -> str:
        """All words that asked for the change."""
        return f"{self.request}\n{self.instructions}"


@dataclass(order=True)
class _Candidate:
    """A check that may be worth keeping; the smaller the rank, the more telling it is."""

    rank: tuple[int, int, int]
    check: Check = field(compare=False)
    weak: bool = field(default=False, compare=False)
    """A changed detail of something old; it counts when the words speak of it, or when it is all that changed."""
    wording: bool = field(default=False, compare=False)
    """Something new that is known by what it says: words are changed lightly, so names without words go before it."""


def derive(change: Change) -> tuple[Check, ...]:
    """The checks of an edit, the most telling first; none where the edit only repairs what a check has found.

    Every one of them holds on the page after the change and did not hold before it.
    """
    if is_housekeeping(change.instructions, change.request):
        return ()
    candidates = [*_new_elements(change), *_links(change), *_behaviours(change), *_details(change), *_texts(change)]
    if asks_for_removal(change.words):
        candidates += _removed(change)
    weak = [each for each in candidates if each.weak]
    few = len(weak) <= MAX_DERIVED // 2
    named = any(not each.weak and not each.wording and _is_new(change, each.check) for each in candidates)
    kept: list[Check] = []
    for each in sorted(candidates):
        if (each.weak and not few and each.rank[0] == 0) or each.check in kept:
            continue
        if each.wording and named and not said_by(change.request, each.check):
            continue
        if _is_new(change, each.check):
            kept.append(each.check)
        if len(kept) == MAX_DERIVED:
            break
    return tuple(kept)


def _is_new(change: Change, check: Check) -> bool:
    """Whether a check holds on the page after the change, and did not before it."""
    return look_at(check, change.after).state == "kept" and look_at(check, change.before).state == "broken"


def _ranked(change: Change, place: int, kind: int, check: Check, words: str, *, weak: bool = False) -> _Candidate:
    return _Candidate((-common_words(change.words, words), kind, place), check, weak)


def repeated(count: int) -> int:
    """How many of a repeated thing have to stay: one may go with what it stands in, as a card with its heart."""
    return count if count <= 1 else (count + 1) // 2


def _new_elements(change: Change) -> Iterator[_Candidate]:
    """Elements under names that the page did not know: the outermost ones, and the fields and controls in them."""
    before = known_names(change.before.document(change.slug))
    document = change.after.document(change.slug)
    after = known_names(document)
    page = change.after.page(change.slug)
    fresh: set[int] = set()
    taken: set[Name] = set()
    controls = {node.mem_id for node in find(document, INTERACTIVE)}
    for place, node in enumerate(find(document, "body *")):
        name = next((each for each in names_of(node) if comparable(each) not in before), None)
        if name is None:
            continue
        fresh.add(node.mem_id)
        if comparable(name) in taken:
            continue
        parent, is_control = element_parent(node), node.mem_id in controls
        if parent is not None and parent.mem_id in fresh and not is_control and name.text is None:
            continue
        taken.add(comparable(name))
        bearers = after[comparable(name)]
        twin = page.find(name.selector)
        shown = sum(not certainly_hidden(page, each) for each in twin) == len(twin)
        check = ElementCheck(
            slug=change.slug,
            selector=name.selector,
            text=name.text,
            min_count=repeated(len(bearers)),
            visible=shown and name.text is None,
        )
        kind = 0 if name.text is None and (is_control or node.tag in FIELDS) else 1 if name.text is None else 2
        found = _ranked(change, place, kind, check, f"{name.selector} {name.text or ''} {seen_text(node)[:200]}")
        found.wording = name.text is not None
        yield found


def said_by(request: str, check: Check) -> bool:
    """Whether the words by which a check knows its element are the user's own."""
    return isinstance(check, ElementCheck) and check.text is not None and says(request, check.text)


def _links(change: Change) -> Iterator[_Candidate]:
    """Pages that the page leads to and did not lead to before."""
    known = {link.slug for link in collect_links(change.before.sources[change.slug])}
    for place, link in enumerate(collect_links(change.after.sources[change.slug])):
        if link.kind == "page" and link.slug and link.slug not in known and link.slug != change.slug:
            check = LinkCheck(slug=change.slug, target=link.slug)
            yield _ranked(change, place, 0, check, f"link {link.slug}")


def _behaviours(change: Change) -> Iterator[_Candidate]:
    """Controls that new script statements or new handlers mention."""
    fresh = new_statements(change.before.sources[change.slug], change.after.sources[change.slug])
    if not fresh:
        return
    text = " ; ".join(statement.text for statement in fresh)
    document = change.after.document(change.slug)
    selectors: dict[str, LexborNode] = {}
    for node in find(document, INTERACTIVE):
        terms = terms_of_element(node)
        if any(term in text for term in terms) or _handler_is_new(node, text):
            name = next((each for each in names_of(node) if each.text is None), None)
            selector = name.selector if name else lasting_selector(node, document)
            if selector is not None:
                selectors.setdefault(selector, node)
    for place, (selector, node) in enumerate(selectors.items()):
        action = "fill" if node.tag in ("input", "textarea") and _takes_text(node) else "click"
        if node.tag in ("form", "select"):
            continue  # what a form does is seen by its button; what a choice does depends on its options
        steps = (Step(action="load"), Step(action=action, selector=selector, value="a" if action == "fill" else ""))
        check = with_footprint(BehaviourCheck(slug=change.slug, steps=steps), change.after)
        if check.statements:
            yield _ranked(change, place, 1, check, f"{selector} {seen_text(node)[:200]}")


def _handler_is_new(node: LexborNode, text: str) -> bool:
    handlers = [value for name, value in node.attributes.items() if name.startswith("on") and value]
    return any(value.partition("(")[0].strip() in text for value in handlers)


def _takes_text(node: LexborNode) -> bool:
    return (node.attributes.get("type") or "text").lower() in ("text", "search", "email", "tel", "url", "password")


def _details(change: Change) -> Iterator[_Candidate]:
    """Styles, classes and attributes of things that were there before."""
    for place, (check, words) in enumerate(restyled(change.slug, change.before, change.after)):
        yield _ranked(change, place, 3, check, words, weak=True)


def _texts(change: Change) -> Iterator[_Candidate]:
    """New words that the user, or the instructions, have said literally."""
    seen: set[str] = set()
    for place, node in enumerate(find(change.after.document(change.slug), _TEXTS)):
        words = seen_text(node) if node.tag != "title" else " ".join(node.text().split())
        key = normalised(words)
        if len(words) in TEXT_LENGTH and key not in seen and says(change.words, words):
            seen.add(key)
            yield _ranked(change, place, 2, TextCheck(slug=change.slug, text=words), words)


def _removed(change: Change) -> Iterable[_Candidate]:
    """What was asked to go is gone, and stays gone: the outermost elements whose names nobody bears any more."""
    after = known_names(change.after.document(change.slug))
    left = {tag for tag in LANDMARKS if find(change.after.document(change.slug), tag)}
    gone: set[int] = set()
    for place, node in enumerate(find(change.before.document(change.slug), "body *")):
        known_by = [*names_of(node), *([Name(node.tag)] if node.tag in LANDMARKS else [])]
        name = next((each for each in known_by if comparable(each) not in after and each.selector not in left), None)
        if name is None:
            continue
        gone.add(node.mem_id)
        parent = element_parent(node)
        if parent is not None and parent.mem_id in gone:
            continue
        check = ElementCheck(slug=change.slug, selector=name.selector, text=name.text, min_count=0, max_count=0)
        words = f"{name.selector} {name.text or ''} {seen_text(node)[:200]}"
        if common_words(change.words, words):
            yield _ranked(change, place, 1, check, words)
