"""What `autocomplete` may say (HTML standard, section 4.10.18.7.1, autofill detail tokens)."""

import json
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.accessibility.focus import is_disabled_for_all
from loopwright.agents.pages.compliance.accessibility.roles import inherits_from, input_type
from loopwright.agents.pages.compliance.act.outcome import Finding
from loopwright.agents.pages.compliance.act.subject import Subject

_WITHOUT_TEXT = frozenset({"button", "checkbox", "file", "image", "radio", "reset", "submit", "hidden"})


def is_valid_autocomplete(value: str) -> bool:
    """Whether a value of `autocomplete`, other than `on` and `off`, follows the grammar.

    Optional `section-…`, optional `shipping` or `billing`, optional kind of contact before a contact field, the field,
    optional `webauthn`.
    """
    tokens = value.lower().split()
    if tokens and tokens[-1] == "webauthn":
        tokens.pop()
    if tokens and tokens[0].startswith("section-"):
        tokens.pop(0)
    if tokens and tokens[0] in ("shipping", "billing"):
        tokens.pop(0)
    fields = autofill_fields()
    if len(tokens) == 2 and tokens[0] in fields["contact_kinds"]:
        return tokens[1] in fields["contact"]
    return len(tokens) == 1 and tokens[0] in fields["plain"] | fields["contact"]


@cache
def autofill_fields() -> dict[str, frozenset[str]]:
    """The names of the fields: `plain` ones, those of a `contact`, and the kinds of contact."""
    data = json.loads(files(__package__).joinpath("autofill_fields.json").read_text(encoding="utf-8"))
    return {key: frozenset(names) for key, names in data.items()}


def check_autocomplete(subject: Subject) -> Iterator[Finding]:
    """73f2c2: fields that people can use and that say what they are for say it correctly."""
    for node in subject.page.find("input[autocomplete], select[autocomplete], textarea[autocomplete]"):
        value = node.attributes["autocomplete"] or ""
        if value.split() and value.strip().lower() not in ("on", "off") and _is_used(subject, node):
            good = is_valid_autocomplete(value)
            yield Finding("passed" if good else "failed", node, f"autocomplete is '{value[:80]}'")


def _is_used(subject: Subject, node: LexborNode) -> bool:
    if node.tag == "input" and input_type(node) in _WITHOUT_TEXT:
        return False
    if is_disabled_for_all(node):
        return False
    if subject.tree.is_hidden(node) and subject.visibility.of(node) is False:
        return False
    is_static = not subject.tree.is_in_tab_order(node) and not inherits_from(subject.tree.role(node), "widget")
    # A field without a role of its own, such as one for passwords, is still a field.
    return not (is_static and subject.tree.role(node))
