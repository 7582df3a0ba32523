"""Names of elements that the syntax of HTML treats in a way of their own."""

VOID = frozenset({
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr", "param",
})  # fmt: skip
"""Elements without content and end tag (HTML standard, 13.1.2)."""
