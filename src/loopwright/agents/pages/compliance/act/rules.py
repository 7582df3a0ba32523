"""The W3C ACT rules that pages are checked against, with how far each is covered.

A new rule is a function from a subject to findings and a row here.
"""

from collections.abc import Iterator
from urllib.parse import unquote, urljoin, urlsplit

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.accessibility.roles import inherits_from, tab_index
from loopwright.agents.pages.compliance.accessibility.tree import DisabledText, LabelIndex
from loopwright.agents.pages.compliance.act.error_messages import check_error_message
from loopwright.agents.pages.compliance.act.meta import (
    check_orientation,
    check_refresh,
    check_refresh_strictly,
    check_zoom,
)
from loopwright.agents.pages.compliance.act.outcome import (
    FIELD_ROLES,
    ActRule,
    Coverage,
    Finding,
    Subject,
    check_autocomplete,
    check_button,
    check_element_language,
    check_element_language_fits,
    check_field,
    check_frame,
    check_heading,
    check_image_button,
    check_link,
    check_page_has_language,
    check_page_language,
    check_page_language_fits,
)
from loopwright.agents.pages.compliance.cascade.computed import element_parent
from loopwright.agents.pages.compliance.cascade.lengths import AUTO
from loopwright.agents.pages.compliance.contrast.layers import Text, is_large, written_texts
from loopwright.agents.pages.compliance.contrast.measure import TextContrast

# Frames: what is in them can be reached, and one name stands for one thing.

_HERE = "https://page.invalid/"
"""Where the page is taken to lie, so that addresses relative to it can be compared."""
_DATA_PAGE = "data:text/html"
DEFAULT_SIZE = {"width": 300.0, "height": 150.0}
SMALLEST_SIZE = 2.0
"""Pixels; nothing can be seen or aimed at in a frame smaller than this."""
MAXIMUM_DEPTH = 5
"""Frames inside frames that are followed."""


def check_tab_order(subject: Subject) -> Iterator[Finding]:
    """akn7bn: a frame with something to operate in it is not taken out of the tab order."""
    for node in subject.page.find("iframe"):
        if subject.visibility.of(node) is False or not _has_size(subject, node) or not _is_live(subject, node):
            continue
        index = tab_index(node)
        excluded = index is not None and index < 0
        inside = embedded_page(node)
        if inside is None:
            if not excluded:
                yield Finding("passed", node, "the frame is in the tab order")
            elif (node.attributes.get("src") or "").strip() not in ("", "about:blank"):
                yield Finding("cantTell", node, "the page in the frame is not known")
        elif _can_be_operated(Subject.read(inside)):
            yield Finding("failed" if excluded else "passed", node, "there is something to operate in the frame")


def check_same_name(subject: Subject) -> Iterator[Finding]:
    """4b1c6c: frames with the same name show the same thing.

    Frames with the same address do.  Whether different addresses lead to the same is not to be seen on the page.
    """
    groups: dict[str, list[tuple[LexborNode, str]]] = {}
    for node, name, address in _named_frames(subject, 0):
        groups.setdefault(name.lower(), []).append((node, address))
    for frames in groups.values():
        if len(frames) < 2:
            continue
        same = len({address for _, address in frames}) == 1
        reason = "the frames show the same" if same else "whether the frames show the same is not to be seen here"
        yield Finding("passed" if same else "cantTell", frames[1][0] if not same else frames[0][0], reason)


def embedded_page(node: LexborNode) -> str | None:
    """The source of the page in a frame, when the frame carries it itself."""
    if "srcdoc" in node.attributes:
        return node.attributes["srcdoc"] or ""
    address = (node.attributes.get("src") or "").strip()
    head, comma, body = address.partition(",")
    if comma and head.lower().startswith(_DATA_PAGE) and not head.lower().endswith(";base64"):
        return unquote(body)
    return None


def _named_frames(subject: Subject, depth: int) -> Iterator[tuple[LexborNode, str, str]]:
    """Every frame that has a name, with what it shows; frames inside frames are given by the one that holds them."""
    for node in subject.page.find("iframe"):
        if subject.tree.is_hidden(node):
            continue
        name = subject.tree.name(node)
        inside = embedded_page(node)
        if name:
            yield node, name, _address(node) if inside is None else f"page:{inside}"
        if inside is not None and depth < MAXIMUM_DEPTH:
            yield from ((node, inner, address) for _, inner, address in _named_frames(Subject.read(inside), depth + 1))


def _address(node: LexborNode) -> str:
    parts = urlsplit(urljoin(_HERE, (node.attributes.get("src") or "").strip()))
    return parts._replace(scheme=parts.scheme.lower(), netloc=parts.netloc.lower()).geturl()


def _has_size(subject: Subject, node: LexborNode) -> bool:
    for name, usual in DEFAULT_SIZE.items():
        length = subject.page.cascade.length(node, name, percent_of=usual)
        size = usual if length is AUTO or length is None else float(length)
        if size < SMALLEST_SIZE:
            return False
    return True


def _is_live(subject: Subject, node: LexborNode) -> bool:
    """Whether neither the frame nor anything around it is inert."""
    return subject.tree.is_focusable(node)


def _can_be_operated(inside: Subject) -> bool:
    return any(
        inside.tree.is_in_tab_order(node) and inside.visibility.of(node) is not False
        for node in inside.page.find("body *")
    )


# Text that stands out from its ground.

MINIMUM = (4.5, 3.0)
"""WCAG 1.4.3: the ratio for text, and for large text."""
ENHANCED = (7.0, 4.5)
"""WCAG 1.4.6."""
ROUNDING = 0.005
"""Ratios are not rounded (WCAG 2.2, "contrast ratio"); this is for the arithmetic alone."""
MAXIMUM_DISTANCE = 10
"""Elements between a sign and the control that it is the icon of."""


def check_contrast(subject: Subject) -> Iterator[Finding]:
    """afw4f7: text has a contrast of 4.5, large text of 3."""
    return _check(subject, MINIMUM)


def check_enhanced_contrast(subject: Subject) -> Iterator[Finding]:
    """09o5cg: text has a contrast of 7, large text of 4.5."""
    return _check(subject, ENHANCED)


def _check(subject: Subject, required: tuple[float, float]) -> Iterator[Finding]:
    disabled = DisabledText(subject.page, subject.tree)
    for text in written_texts(subject.page):
        if text.is_typed or subject.visibility.of(text.node) is False or disabled.holds(text.node):
            continue
        finding = _judge(subject, text, required)
        if finding is not None:
            yield finding


def _judge(subject: Subject, text: Text, required: tuple[float, float]) -> Finding | None:
    node = text.node
    if _is_no_language(subject, text):
        return Finding("passed", node, "the text says nothing in a human language")
    measured, large = subject.meter.measure(node, text.words), is_large(subject.page, node)
    if measured is None or large is None:
        return Finding("cantTell", node, "what lies behind the text is not known")
    if measured.text.hex == measured.ground.hex:
        return None  # invisible, so there is nothing to be told apart
    least = required[large] - ROUNDING
    reason = f"{measured.highest:.2f}:1 of {required[large]:g}:1"
    if measured.certain >= least:
        return Finding("passed", node, reason)
    if measured.highest >= least:
        return Finding("cantTell", node, f"{reason} on a part of the ground that the text may not stand on")
    return _failed(subject, node, reason, measured)


def _failed(subject: Subject, node: LexborNode, reason: str, measured: TextContrast) -> Finding:
    if subject.visibility.of(node) is None:
        return Finding("cantTell", node, f"{reason}, if the text is seen at all")
    if subject.tree.is_hidden(node):
        # The rule takes text that does not count to be hidden from assistive technologies, but not the other way.
        return Finding("cantTell", node, f"{reason}, if the text is more than decoration")
    return Finding("failed", node, f"{reason}: {measured.text.hex} on {measured.ground.hex}")


def _is_no_language(subject: Subject, text: Text) -> bool:
    """Whether a text is a sign: no letters or digits, or a single one used as an icon that has a name of its own."""
    if not any(character.isalnum() for character in text.words):
        return True
    if len(text.words) > 1:
        return False
    current: LexborNode | None = text.node
    for _ in range(MAXIMUM_DISTANCE):
        if current is None or current.tag == "body":
            break
        name = any((current.attributes.get(each) or "").strip() for each in ("aria-label", "aria-labelledby"))
        if name and text.words.lower() not in subject.tree.name(current).lower().split():
            return True
        current = element_parent(current)
    return False


# Headings that lead past what all pages share.

_SHARED = ("banner", "complementary", "contentinfo", "navigation", "search")
"""Landmarks for what the pages of a site have in common (WAI-ARIA 1.2, section 5.3.4)."""
_PERCEIVED = frozenset({"img", "svg", "canvas", "video", "audio", "iframe", "input", "select", "textarea", "button"})


def check_heading_after_repeated_content(subject: Subject) -> Iterator[Finding]:
    """047fe0: after what other pages repeat comes a heading.

    One page does not show what others repeat.  Landmarks that hold links to other pages are taken as repeated, and
    what a page says outside of them as its own.  Where links stand in no landmark, a page without a heading is left
    open.
    """
    root = subject.page.document.root
    if root is None or not subject.is_html:
        return
    in_landmarks, elsewhere = _links(subject)
    own = list(_after(subject, in_landmarks[0])) if in_landmarks else []
    if any(_is_heading(subject, node) for node in own):
        yield Finding("passed", root, "a heading leads to the page's own content")
    elif in_landmarks and any(_is_content(subject, node) for node in own):
        yield Finding("failed", root, "no heading leads past the repeated content")
    elif elsewhere and not any(_is_heading(subject, node) for node in _after(subject, elsewhere[0])):
        yield Finding("cantTell", root, "whether other pages repeat the links is not to be seen here")
    else:
        yield Finding("passed", root, "nothing is repeated before the page's own content")


def _links(subject: Subject) -> tuple[list[LexborNode], list[LexborNode]]:
    """The links to other pages, in landmarks and elsewhere."""
    in_landmarks: list[LexborNode] = []
    elsewhere: list[LexborNode] = []
    for node in subject.page.find("a[href], area[href]"):
        address = (node.attributes["href"] or "").strip()
        if address and not address.startswith("#"):
            (in_landmarks if _shared_landmark(subject, node) else elsewhere).append(node)
    return in_landmarks, elsewhere


def _shared_landmark(subject: Subject, node: LexborNode) -> LexborNode | None:
    current: LexborNode | None = node
    while current is not None:
        role = subject.tree.role(current)
        if any(inherits_from(role, shared) for shared in _SHARED):
            return current
        current = element_parent(current)
    return None


def _after(subject: Subject, start: LexborNode) -> Iterator[LexborNode]:
    """The elements behind another one in the source that stand in no shared landmark."""
    seen = False
    for node in subject.page.find("body *"):
        if seen and _shared_landmark(subject, node) is None:
            yield node
        seen = seen or node.mem_id == start.mem_id


def _is_heading(subject: Subject, node: LexborNode) -> bool:
    is_heading = subject.tree.role(node) == "heading" and subject.tree.includes(node)
    return is_heading and subject.visibility.of(node) is not False and bool(subject.tree.name(node))


def _is_content(subject: Subject, node: LexborNode) -> bool:
    """Whether an element says or shows something by itself."""
    if subject.visibility.of(node) is False and subject.tree.is_hidden(node):
        return False
    texts = (child.text_content or "" for child in node.iter(include_text=True) if child.is_text_node)
    return node.tag in _PERCEIVED or (node.tag not in ("script", "style") and any(text.strip() for text in texts))


# Rules that ask whether words describe something: only their clear cases are decided.

_ASKS = "whether the words fit is a matter of judgement"
_IMAGES = "img, canvas, svg"


def check_title_describes(subject: Subject) -> Iterator[Finding]:
    """c4a8a4: pages that have a title; an empty one is another rule's."""
    root = subject.page.document.root
    title = next((node for node in subject.page.find("title") if not _is_drawing(node)), None)
    if subject.is_html and root is not None and title is not None and title.text().strip():
        yield Finding("cantTell", title, _ASKS)


def check_heading_describes(subject: Subject) -> Iterator[Finding]:
    """b49b2e: headings that are exposed and have a name."""
    for node in subject.page.find("*"):
        if subject.tree.role(node) == "heading" and subject.tree.includes(node) and subject.tree.name(node):
            yield Finding("cantTell", node, _ASKS)


def check_label_describes(subject: Subject) -> Iterator[Finding]:
    """cc0f0a: labels that are seen, of fields that are seen."""
    labels = subject.page.once(LabelIndex)
    for node in subject.page.find("*"):
        if subject.tree.role(node) not in FIELD_ROLES or subject.visibility.of(node) is False:
            continue
        named = [subject.page.by_id.get(word) for word in (node.attributes.get("aria-labelledby") or "").split()]
        for label in (*labels.of(node), *named):
            if label is not None and subject.visibility.of(label) is not False and label.text(deep=True).strip():
                yield Finding("cantTell", label, _ASKS)


def check_image_name_describes(subject: Subject) -> Iterator[Finding]:
    """qt1vmo: pictures that are seen and have a name of their own."""
    for node in subject.page.find(_IMAGES):
        if subject.tree.is_hidden(node) or subject.visibility.of(node) is False or _is_named_by_owner(subject, node):
            continue
        if subject.tree.name(node):
            yield Finding("cantTell", node, _ASKS)


def _is_drawing(node: LexborNode) -> bool:
    parent = element_parent(node)
    return parent is not None and parent.tag not in ("head", "body", "html", "div", "main", "section", "p")


def _is_named_by_owner(subject: Subject, node: LexborNode) -> bool:
    """Whether something around a picture is named by its author, so that the picture's own name is not heard."""
    parent = element_parent(node)
    while parent is not None:
        if any((parent.attributes.get(name) or "").strip() for name in ("aria-label", "aria-labelledby")):
            return True
        parent = element_parent(parent)
    return False


ACT_RULES: tuple[ActRule, ...] = (
    ActRule("73f2c2", "Autocomplete attribute has valid value", ("1.3.5",), "full", ("autocomplete",),
            check_autocomplete),
    ActRule("97a4e1", "Button has non-empty accessible name", ("4.1.2",), "full", ("control-name",), check_button),
    ActRule("b33eff", "Orientation of the page is not restricted using CSS transforms", ("1.3.4",), "full",
            ("orientation-lock",), check_orientation),
    ActRule("047fe0", "Document has heading for non-repeated content", ("2.4.1",), "full", ("main-heading",),
            check_heading_after_repeated_content),
    ActRule("off6ek", "HTML element language subtag matches language", ("3.1.2",), "full", (),
            check_element_language_fits),
    ActRule("de46e4", "Element with lang attribute has valid language tag", ("3.1.2",), "full", ("element-lang",),
            check_element_language),
    ActRule("cc0f0a", "Form field label is descriptive", ("2.4.6",), "partial", (), check_label_describes),
    ActRule("e086e5", "Form field has non-empty accessible name", ("4.1.2",), "full", ("field-label",), check_field),
    ActRule("b49b2e", "Heading is descriptive", ("2.4.6",), "partial", (), check_heading_describes),
    ActRule("ffd0e9", "Heading has non-empty accessible name", ("1.3.1",), "full", ("heading-name",), check_heading),
    ActRule("b5c3f8", "HTML page has lang attribute", ("3.1.1",), "full", ("html-lang",), check_page_has_language,
            depends_on_css=False),
    ActRule("ucwvc8", "HTML page language subtag matches default language", ("3.1.1",), "full", ("page-language",),
            check_page_language_fits),
    ActRule("bf051a", "HTML page lang attribute has valid language tag", ("3.1.1",), "full", ("html-lang",),
            check_page_language, depends_on_css=False),
    ActRule("c4a8a4", "HTML page title is descriptive", ("2.4.2",), "partial", (), check_title_describes,
            depends_on_css=False),
    ActRule("4b1c6c", "Iframe elements with identical accessible names have equivalent purpose", ("4.1.2",), "partial",
            (), check_same_name),
    ActRule("cae760", "Iframe element has non-empty accessible name", ("4.1.2",), "full", ("frame-name",),
            check_frame),
    ActRule("akn7bn", "Iframe with interactive elements is not excluded from tab-order", ("2.1.1",), "full",
            ("frame-tab-order",), check_tab_order),
    ActRule("qt1vmo", "Image accessible name is descriptive", ("1.1.1",), "partial", (), check_image_name_describes),
    ActRule("59796f", "Image button has non-empty accessible name", ("1.1.1", "4.1.2"), "full", ("control-name",),
            check_image_button),
    ActRule("36b590", "Error message describes invalid form field value", ("3.3.1",), "full", (),
            check_error_message),
    ActRule("c487ae", "Link has non-empty accessible name", ("2.4.4", "2.4.9", "4.1.2"), "full", ("control-name",),
            check_link),
    ActRule("bc659a", "Meta element has no refresh delay", ("2.2.1",), "full", ("meta-refresh",), check_refresh,
            depends_on_css=False),
    ActRule("bisz58", "Meta element has no refresh delay (no exception)", ("2.2.4", "3.2.5"), "full",
            ("meta-refresh",), check_refresh_strictly, depends_on_css=False),
    ActRule("b4f0c3", "Meta viewport allows for zoom", ("1.4.4",), "full", ("viewport-zoom",), check_zoom,
            depends_on_css=False),
    ActRule("afw4f7", "Text has minimum contrast", ("1.4.3",), "full", ("contrast",), check_contrast),
    ActRule("09o5cg", "Text has enhanced contrast", ("1.4.6",), "full", (), check_enhanced_contrast),
)  # fmt: skip
"""All rules, in the order of the W3C's examples."""


# Which ACT rules are covered, and by which rules of the validation.


def act_coverage() -> dict[str, Coverage]:
    """The identifiers of the ACT rules that are checked, with how far."""
    return {rule.id: rule.coverage for rule in ACT_RULES}


def coverage_table() -> str:
    """The declaration as a Markdown table."""
    lines = ["| ACT rule | name | WCAG | coverage | rules of `validate_html` |", "| --- | --- | --- | --- | --- |"]
    return "\n".join([*lines, *map(_row, ACT_RULES)])


def _row(rule: ActRule) -> str:
    address = f"https://www.w3.org/WAI/standards-guidelines/act/rules/{rule.id}/"
    own = ", ".join(f"`{name}`" for name in rule.rules) or "none"
    return f"| [{rule.id}]({address}) | {rule.name} | {', '.join(rule.criteria)} | {rule.coverage} | {own} |"
