"""What templates say of states: a rule that changes the ground of a text gives the text its colour, too."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from loopwright.agents.pages.compliance.cascade.media import StyleRule, StyleSheet
from loopwright.agents.pages.design.check import standard_sheet
from loopwright.agents.pages.offline.studio import details as resources

DATA = Path(resources.__file__).parent / "data"
STATE = re.compile(r"\.(?:is|has)-[\w-]+|\[aria-[\w-]+|\[data-\w*(?:state|done)[\w-]*=|:checked|:has\(")
WITHOUT_TEXT = re.compile(
    r"(?:(?<![\w.#-])i|\.bar|\.dot|\.slide-dot|\.switch-track|\.progress (?:> ?\*|span))[\w.\[\]=\"-]*$"
)
"""Ends of selectors of what only shows a quantity or a place: bars, dots, steps and tracks."""
MAY_FADE = re.compile(r"\[disabled\]|\[aria-disabled|\.task-card\.is-(?:ghost|moving)$|\.gift\.is-taken \.plate$")
"""What cannot be used (WCAG exempts it), a card that is being moved with its copy, and the picture of a gift."""


def style_sheets() -> Iterator[tuple[str, str]]:
    """The CSS of every template by its file, without the directives of Jinja, and the sheet that stands in."""
    for path in sorted(DATA.rglob("*")):
        if path.suffix == ".css" or path.name.endswith((".css.j2", ".html.j2")):
            text = path.read_text(encoding="utf-8")
            if path.name.endswith(".html.j2"):
                text = "".join(re.findall(r"\{% block style %\}(.*?)\{% endblock %\}", text, re.DOTALL))
            yield str(path.relative_to(DATA)), re.sub(r"\{%.*?%\}|\{\{.*?\}\}", "", text)
    yield "house.css", standard_sheet().css


def rules_of_states() -> list[tuple[str, StyleRule]]:
    found = []
    for name, css in style_sheets():
        sheet = StyleSheet()
        sheet.add(css)
        found += [(name, rule) for rule in sheet.rules if STATE.search(rule.selector.text)]
    return found


def declared(rule: StyleRule, name: str) -> str | None:
    return next((each.value.strip() for each in rule.declarations if each.name == name), None)


def test_the_rules_of_states_are_found() -> None:
    assert len(rules_of_states()) > 150


@pytest.mark.parametrize(
    ("name", "rule"), [pytest.param(name, rule, id=f"{name}: {rule.selector.text}") for name, rule in rules_of_states()]
)
def test_a_state_sets_text_and_ground_together(name: str, rule: StyleRule) -> None:
    """Two states of one element then never mix the text of the one with the ground of the other."""
    ground = declared(rule, "background") or declared(rule, "background-color")
    has_text = not rule.selector.pseudo_element and not WITHOUT_TEXT.search(rule.selector.text)
    if ground is not None and has_text:
        assert declared(rule, "color"), f"{name}: {rule.selector.text} sets a ground without a text colour"
    opacity = declared(rule, "opacity")
    if opacity not in (None, "0", "1") and has_text:
        assert MAY_FADE.search(rule.selector.text), f"{name}: {rule.selector.text} fades its text to {opacity}"
