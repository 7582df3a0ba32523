"""Symbols of source files, as the index knows them."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

SymbolKind = Literal[
    "class", "struct", "enum", "interface", "protocol", "extension", "function", "method", "variable", "constant",
    "initializer", "module", "type", "macro", "unknown",
]  # fmt: skip


class Symbol(BaseModel):
    """A definition. Lines count from 1, `line_end` included; `container` is what it stands in, such as a class."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    kind: SymbolKind
    path: str
    line_start: int
    line_end: int
    container: str = ""
    signature: str = ""
