"""Messages about fields that were filled in wrongly: seen, heard, saying which field and why.

Only English messages are understood; of others that can be seen it is left open what they say.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.accessibility.roles import input_type
from loopwright.agents.pages.compliance.accessibility.tree import LabelIndex
from loopwright.agents.pages.compliance.act.outcome import FIELD_ROLES, Finding, Subject
from loopwright.agents.pages.compliance.cascade.computed import element_parent

_MARK = re.compile(r"(?:^|[-_\s])(?:errors?|invalid|alert)(?:$|[-_\s])|error(?:message|text)?$", re.IGNORECASE)
"""What authors call an element that tells of an error, in its id, a class or its role."""
_COMPLAINT = re.compile(
    r"\b(?:invalid|incorrect|wrong|errors?|not valid|must|cannot|can't|can not|required|missing|empty|blank|"
    r"too (?:short|long|small|large|few|many)|please)\b",
    re.IGNORECASE,
)
"""Words of a text that tells of an error and not of something else."""
_CAUSE = re.compile(
    r"\b(?:must (?:be|have|contain|include|match|start|end|not)\b.{2,}|should (?:be|have|contain)\b.{2,}|"
    r"at (?:least|most) \w+|(?:cannot|can't|can not|may not|must not) be (?:left )?\w+|"
    r"(?:is|are|was) (?:required|missing|empty|blank)|(?:complete|fill in|fill) all required|"
    r"all required fields|too (?:short|long|small|large|few|many|early|late)|between .+ and .+|only \w+s are|"
    r"already (?:taken|used|in use|registered)|do(?:es)? not match|(?:more|less|greater|fewer|later|earlier) than)",
    re.IGNORECASE | re.DOTALL,
)
"""Ways of saying why a value was refused, or what would be taken."""
_EMPTY_WORDS = frozenset(
    ["a", "again", "an", "and", "check", "correct", "correctly", "enter", "error", "errors", "field", "fields",
     "fill", "for", "form", "has", "have", "in", "incorrect", "input", "invalid", "is", "it", "not", "of", "on",
     "please", "properly", "provide", "re", "right", "something", "the", "there", "these", "this", "to", "try",
     "valid", "value", "values", "was", "went", "wrong", "you", "your"]
)  # fmt: skip
"""Words out of which no reason can be made."""
_OPENING_VERBS = frozenset(
    ["a", "an", "choose", "enter", "pick", "please", "select", "the", "type", "your"]
)  # fmt: skip
_WORDS = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")
_ASIDE = re.compile(r"\([^)]*\)|\*")
_STATES = re.compile(r":(?:user-)?(?:in)?valid|:target|:checked|:has\(|:focus")
MAXIMUM_TEXT = 1_000
"""Characters that are read of a message."""


@dataclass(frozen=True, slots=True)
class _Field:
    node: LexborNode
    label: frozenset[str]
    """The words of its label, without what introduces it."""
    group: frozenset[str]
    """The words of the legend of the group that it stands in."""
    messages: frozenset[int]
    """The elements it refers to as its description or its error message."""


@dataclass(frozen=True, slots=True)
class _Form:
    """The fields of a page, and how many of them each element holds."""

    fields: list[_Field]
    held: Counter[int]


def check_error_message(subject: Subject) -> Iterator[Finding]:
    """36b590: what tells of an error says which field is meant, and why, to everybody."""
    form = _read_form(subject)
    if not any(subject.tree.role(field.node) in FIELD_ROLES for field in form.fields):
        return
    messages = [node for node in subject.page.find("body *") if _is_marked(node) and _text(node)]
    yield from (_judge(subject, node, form) for node in messages)
    if not messages:
        wrong = [field.node for field in form.fields if field.node.attributes.get("aria-invalid") == "true"]
        if wrong:
            yield Finding("cantTell", wrong[0], "a field is marked as wrong, and no message is")
        else:
            yield Finding("passed", form.fields[0].node, "nothing tells of an error")


def _judge(subject: Subject, node: LexborNode, form: _Form) -> Finding:
    text = _text(node)
    if not _COMPLAINT.search(text) or _may_appear(subject, node):
        return Finding("cantTell", node, "whether the text tells of an error here is a matter of judgement")
    answers = {
        "cannot be seen": subject.visibility.of(node),
        "is hidden from assistive technologies": _is_heard(subject, node, form),
        "does not say which field is meant": _says_which(node, text, form),
        "does not say why": _says_why(text, form),
    }
    wrong = next((reason for reason, answer in answers.items() if answer is False), None)
    if wrong is not None:
        return Finding("failed", node, f"the error message {wrong}")
    if None in answers.values():
        return Finding("cantTell", node, "whether the words fit is a matter of judgement")
    return Finding("passed", node, "the message says which field, and why")


def _may_appear(subject: Subject, node: LexborNode) -> bool:
    """Whether a message that is not seen waits for a script or for a state of a field."""
    if subject.visibility.of(node) is not False:
        return False
    styles = " ".join([subject.page.css, *(style.text() for style in subject.page.find("style"))])
    handlers = "script, [onsubmit], [onclick], [oninput], [onchange], [onblur]"
    return bool(subject.page.find(handlers)) or _STATES.search(styles) is not None


def _is_heard(subject: Subject, node: LexborNode, form: _Form) -> bool:
    """Whether assistive technologies are given a message, by itself or as the description of a field."""
    return not subject.tree.is_hidden(node) or any(node.mem_id in field.messages for field in form.fields)


def _says_which(node: LexborNode, text: str, form: _Form) -> bool | None:
    """Whether a message leads to its field: referred to by it, standing beside it alone, or naming it."""
    if any(node.mem_id in field.messages for field in form.fields) or _stands_with_one(node, form):
        return True
    words = frozenset(_WORDS.findall(text.lower()))
    by_label = [field for field in form.fields if field.label and field.label <= words]
    by_group = {field.node.mem_id for field in form.fields if field.group and field.group <= words}
    if not by_label and not by_group:
        return False if len(form.fields) > 1 else None
    labels = Counter(field.label for field in form.fields)
    told_apart = {field.label for field in by_label if labels[field.label] == 1 or field.node.mem_id in by_group}
    return all(field.label in told_apart for field in by_label)


def _stands_with_one(node: LexborNode, form: _Form) -> bool:
    """Whether the smallest box around a message that holds any field, short of the form, holds one alone."""
    around = element_parent(node)
    while around is not None and around.tag not in ("form", "body", "html"):
        if form.held[around.mem_id]:
            return form.held[around.mem_id] == 1
        around = element_parent(around)
    return False


def _says_why(text: str, form: _Form) -> bool | None:
    """Whether a message tells what is wrong or what would be right; None when it says something else."""
    if _CAUSE.search(text):
        return True
    labels = frozenset[str]().union(*(field.label | field.group for field in form.fields))
    return None if set(_WORDS.findall(text.lower())) - _EMPTY_WORDS - labels else False


def _read_form(subject: Subject) -> _Form:
    labels = subject.page.once(LabelIndex)
    nodes = [node for node in subject.page.find("*") if _is_field(subject, node)]
    fields, held = [], Counter[int]()
    for node in nodes:
        if not subject.tree.includes(node):
            continue
        legend = None
        around = element_parent(node)
        while around is not None:
            held[around.mem_id] += 1
            if legend is None and around.tag == "fieldset":
                legend = around.css_first("legend")
            around = element_parent(around)
        fields.append(_field(subject, labels, node, legend))
    return _Form(fields, held)


def _is_field(subject: Subject, node: LexborNode) -> bool:
    """Fields for passwords have no role, and so are no target of the rule, but messages name them like others."""
    return subject.tree.role(node) in FIELD_ROLES or (node.tag == "input" and input_type(node) == "password")


def _field(subject: Subject, labels: LabelIndex, node: LexborNode, legend: LexborNode | None) -> _Field:
    label = " ".join(each.text(deep=True) for each in labels.of(node)) or subject.tree.name(node)
    references = " ".join(node.attributes.get(name) or "" for name in ("aria-describedby", "aria-errormessage"))
    found = (subject.page.by_id.get(word) for word in references.split())
    return _Field(
        node,
        _content_words(label),
        _content_words("" if legend is None else legend.text(deep=True)),
        frozenset(each.mem_id for each in found if each is not None),
    )


def _content_words(text: str) -> frozenset[str]:
    return frozenset(_WORDS.findall(_ASIDE.sub(" ", text).lower())) - _OPENING_VERBS


def _is_marked(node: LexborNode) -> bool:
    if node.tag in ("form", "fieldset", "label", "input", "select", "textarea", "body", "script", "style"):
        return False
    marks = (node.id or "", node.attributes.get("role") or "", *(node.attributes.get("class") or "").split())
    return any(_MARK.search(mark) for mark in marks)


def _text(node: LexborNode) -> str:
    return " ".join(node.text(deep=True, separator=" ").split())[:MAXIMUM_TEXT]
