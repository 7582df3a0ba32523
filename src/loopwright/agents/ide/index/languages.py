"""Languages by suffix, and their grammars and queries, loaded when a file of theirs is read first."""

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
FAMILIES = {"typescript": "javascript", "tsx": "javascript", "c": "cpp"}
"""Languages whose files use each other's names."""
IDENTIFIERS = frozenset(
    {
        "identifier", "type_identifier", "field_identifier", "property_identifier", "simple_identifier", "constant",
        "shorthand_property_identifier", "shorthand_property_identifier_pattern", "namespace_identifier",
    }
)  # fmt: skip
"""Kinds of leaves that are names, in the grammars of these languages."""


def language_of(path: str) -> str | None:
    """The language of a file by its suffix, or None where there is no grammar for it."""
    return BY_SUFFIX.get("." + path.rpartition("/")[2].rpartition(".")[2].lower())


def family_of(path: str) -> str | None:
    """The languages that share their names with each other, by one of them; None as for `language_of`."""
    language = language_of(path)
    return FAMILIES.get(language, language) if language else None


def parser_of(language: str) -> "Parser":
    """A parser of its own for each caller: two threads must not share one."""
    from tree_sitter import Parser
    from tree_sitter_language_pack import get_language

    return Parser(get_language(language))  # type: ignore[arg-type]


@cache
def query_of(language: str, what: str = "definitions") -> "Query | None":
    """One of a language's queries, from its file in the folder of that name; None where the language has none."""
    from tree_sitter import Query
    from tree_sitter_language_pack import get_language

    file = resources.files(__package__).joinpath("queries", what, f"{language}.scm")
    if not file.is_file():
        return None
    return Query(get_language(language), file.read_text(encoding="utf-8"))  # type: ignore[arg-type]
