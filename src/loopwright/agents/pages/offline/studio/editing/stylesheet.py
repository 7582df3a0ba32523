"""The page's own rules for edits: one `<style>` element, one line a rule, a later wish replaces an earlier one."""

import re

from loopwright.agents.pages.offline.studio.editing.source import Source

OPENING = '<style data-edits="">'
_BLOCK = re.compile(re.escape(OPENING) + r"\n(?P<rules>.*?)</style>\n", re.DOTALL)
_RULE = re.compile(r"^(?P<selector>[^{}\n]+?) \{ (?P<body>[^{}\n]*) \}$", re.MULTILINE)


def with_rule(html: str, selector: str, declarations: dict[str, str]) -> str:
    """The page with these declarations for the selector; other declarations of an earlier edit stay."""
    block = _BLOCK.search(html)
    rules: dict[str, dict[str, str]] = {}
    if block is not None:
        for rule in _RULE.finditer(block["rules"]):
            rules[rule["selector"]] = _declarations(rule["body"])
    rules.setdefault(selector, {}).update(declarations)
    lines = [f"{name} {{ {'; '.join(f'{k}: {v}' for k, v in body.items())} }}" for name, body in rules.items()]
    text = OPENING + "\n" + "\n".join(lines) + "\n</style>\n"
    if block is not None:
        return html[: block.start()] + text + html[block.end() :]
    head = Source(html).first("head")
    at = head.content_end if head is not None else 0
    return html[:at] + text + html[at:]


def _declarations(body: str) -> dict[str, str]:
    pairs = (part.partition(":") for part in body.split(";") if ":" in part)
    return {name.strip(): value.strip() for name, _, value in pairs}
