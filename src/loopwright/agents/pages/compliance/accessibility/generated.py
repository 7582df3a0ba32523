"""Text that CSS adds before and after the content of elements (CSS Content Level 3)."""

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.cascade.computed import Cascade, rank
from loopwright.agents.pages.compliance.cascade.sheet import StyleRule
from loopwright.agents.pages.compliance.cascade.tokens import CssToken, parse_values, split_on
from loopwright.agents.pages.compliance.cascade.variables import UnresolvedVariableError, substitute

_EDGES = ("before", "after")


class GeneratedContent:
    """The text of the `::before` and `::after` of every element of a page."""

    def __init__(self, cascade: Cascade) -> None:
        self.cascade = cascade
        self._rules: dict[tuple[int, str], list[StyleRule]] = {}
        for rule, node in cascade.pseudo_elements:
            edge = rule.selector.pseudo_element
            if edge in _EDGES:
                self._rules.setdefault((node.mem_id, edge), []).append(rule)

    def text(self, node: LexborNode, edge: str) -> str:
        """What stands at one edge of an element, `before` or `after`; empty for nothing, and for pictures.

        The alternative text after a slash, `content: "★" / "favourite"`, is what is read aloud.
        """
        rules = self._rules.get((node.mem_id, edge))
        if not rules:
            return ""
        values = self._values(node, rules)
        if values.get("display") == "none" or values.get("visibility") in ("hidden", "collapse"):
            return ""
        return "".join(_text(token, node) for token in _spoken(parse_values(values.get("content", ""))))

    def _values(self, node: LexborNode, rules: list[StyleRule]) -> dict[str, str]:
        """The declared values, the winner of each property last and so in force."""
        declared = [(rank(rule, declaration), declaration) for rule in rules for declaration in rule.declarations]
        values: dict[str, str] = {}
        for _, declaration in sorted(declared, key=lambda entry: entry[0]):
            try:
                values[declaration.name] = substitute(declaration.value, self.cascade.custom_properties(node).get)
            except UnresolvedVariableError:
                values.pop(declaration.name, None)
        return values


def _spoken(tokens: tuple[CssToken, ...]) -> tuple[CssToken, ...]:
    parts = split_on(tokens, "/")
    return parts[-1] if len(parts) > 1 else tokens


def _text(token: CssToken, node: LexborNode) -> str:
    if token.kind == "string":
        return token.name
    if token.kind == "function" and token.name == "attr":
        return node.attributes.get(token.children[0].name if token.children else "") or ""
    return ""
