"""Languages by suffix, and their grammars and queries, loaded when a file of theirs is read first."""

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Parser, Query

BY_SUFFIX = {
    ".py": "python", ".pyi": "python",
    ".js": "javascript", ".jsx": "javascript", ".mjs": "javascript", ".cjs": "javascript",
    ".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "tsx",
    ".go": "go", ".rs": "rust", ".java": "java", ".swift": "swift", ".rb": "ruby",
    ".c": "c", ".h": "c", ".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".hpp": "cpp", ".hh": "cpp", ".hxx": "cpp",
}  # fmt: skip
IDENTIFIERS = frozenset(
    {
        "identifier", "type_identifier", "field_identifier", "property_identifier", "simple_identifier", "constant",
        "shorthand_property_identifier", "shorthand_property_identifier_pattern", "namespace_identifier",
    }
)  # fmt: skip
"""Kinds of leaves that are names, in the grammars of these languages."""


@dataclass(frozen=True)
class Grammar:
    """A language's parser, and the query that finds its definitions."""

    parser: "Parser"
    query: "Query"


def language_of(path: str) -> str | None:
    """The language of a file by its suffix, or None where there is no grammar for it."""
    return BY_SUFFIX.get("." + path.rpartition("/")[2].rpartition(".")[2].lower())


@cache
def grammar_of(language: str) -> Grammar:
    """The grammar of a language that `language_of` names."""
    from tree_sitter import Parser, Query
    from tree_sitter_language_pack import get_language

    found = get_language(language)  # type: ignore[arg-type]
    text = resources.files(__package__).joinpath("queries", f"{language}.scm").read_text(encoding="utf-8")
    return Grammar(Parser(found), Query(found, text))
