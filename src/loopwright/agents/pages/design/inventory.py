"""What a style sheet offers to pages: its variables and classes, in far fewer words than the sheet itself."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from loopwright.agents.pages.compliance.cascade.tokens import (
    Declaration,
    Item,
    StyleBlock,
    parse_stylesheet,
    text_of,
)

_CLASS = re.compile(r"\.(-?[_a-zA-Z][\w-]*)")


@dataclass(frozen=True)
class Inventory:
    """Variables with their values (the first one given counts), and class names, each in the order of the sheet."""

    variables: dict[str, str]
    classes: tuple[str, ...]

    def as_text(self, max_variables: int = 60, max_classes: int = 150) -> str:
        """Two lines for a prompt, or nothing for an empty sheet; what is left out is counted."""
        if not self.variables and not self.classes:
            return ""
        variables = [f"{name}: {value}" for name, value in self.variables.items()]
        shown = "; ".join(variables[:max_variables]) + _more(len(variables) - max_variables)
        names = " ".join(f".{name}" for name in self.classes[:max_classes]) + _more(len(self.classes) - max_classes)
        return f"Variables (use with var()): {shown}\nClasses: {names}"


@lru_cache(maxsize=16)
def take_inventory(css: str) -> Inventory:
    """Read a style sheet; what cannot be parsed is passed over."""
    variables: dict[str, str] = {}
    classes: dict[str, None] = {}
    _collect(parse_stylesheet(css), variables, classes)
    return Inventory(variables, tuple(classes))


def _collect(items: Iterable[Item], variables: dict[str, str], classes: dict[str, None]) -> None:
    for item in items:
        if isinstance(item, Declaration):
            if item.name.startswith("--"):
                variables.setdefault(item.name, item.value.strip())
            continue
        if isinstance(item, StyleBlock):
            classes.update(dict.fromkeys(_CLASS.findall(text_of(item.prelude))))
        _collect(item.content or (), variables, classes)


def _more(count: int) -> str:
    return f" and {count} more" if count > 0 else ""
