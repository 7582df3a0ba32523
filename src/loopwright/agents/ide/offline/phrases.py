"""Parts of the patterns by which requests are read: names, paths, quotations, kinds of symbols."""

import re
from collections.abc import Callable

from loopwright.agents.ide.offline.wish import Wish

NAME = r"[`“\"']?(?P<{0}>[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)(?:\(\))?[`”\"']?"
PATH = (
    r"[`“\"']?(?P<{0}>(?:[\w.@+-]+/)*[\w@+-][\w.@+-]*\.\w{{1,8}}|(?:[\w.@+-]+/)+[\w.@+-]*|Makefile|Dockerfile)[`”\"']?"
)
QUOTED = r"(?:`(?P<{0}_a>[^`]+)`|\"(?P<{0}_b>[^\"]+)\"|“(?P<{0}_c>[^”]+)”|'(?P<{0}_d>[^'\n]+)')"
KIND = r"(?:(?:the |a |an )?(?:function|method|class|variable|constant|symbol|name|type|struct|interface)s? )?"
PROJECT = (
    r"(?:(?:this|the|my|our) )?(?:whole )?"
    r"(?:repo(?:sitory)?|project|code ?base|code|package|program|app(?:lication)?)"
)
PLACE = re.compile(r"@(/?)('?)(\w+)\2")
"""In a pattern `@x` is a name, `@/x` a path, `@'x'` a quotation; `KIND` and `PROJECT` are the words above."""

SUFFIXES = frozenset(
    {
        "bash", "c", "cc", "cfg", "conf", "cpp", "cs", "css", "csv", "cxx", "dart", "go", "gradle", "h", "hh", "hpp",
        "html", "hxx", "ini", "ipynb", "java", "js", "json", "jsx", "kt", "less", "lock", "lua", "m", "md", "mjs",
        "cjs", "mts", "cts", "php", "pl", "proto", "py", "pyi", "r", "rb", "rs", "rst", "scala", "scss", "sh", "sql",
        "svelte", "swift", "tex", "tf", "toml", "ts", "tsx", "txt", "vue", "xml", "yaml", "yml",
    }
)  # fmt: skip
"""By which `a.b` is a file and not the member of something."""

Rule = tuple[re.Pattern[str], Callable[[re.Match[str]], Wish]]


def rule(make: Callable[[re.Match[str]], Wish], *alternatives: str) -> Rule:
    """A rule whose pattern is one of these, each for the whole clause."""
    whole = "|".join(f"(?:{each})" for each in alternatives)
    filled = PLACE.sub(_part, whole.replace("KIND", KIND).replace("PROJECT", PROJECT))
    return re.compile(f"^(?:{filled})$", re.IGNORECASE | re.DOTALL), make


def said(found: re.Match[str], name: str) -> str:
    """What a quotation holds; empty where it is not there."""
    return next((value for key in "abcd" if (value := found[f"{name}_{key}"]) is not None), "")


def first(found: re.Match[str], *names: str) -> str:
    """The first of these groups that took part; empty where none did."""
    return next((found[name] for name in names if found[name]), "")


def is_file(path: str) -> bool:
    """Whether a word with a dot in it names a file."""
    return "/" in path or path.rpartition(".")[2].lower() in SUFFIXES or "." not in path


def _part(found: re.Match[str]) -> str:
    if found[1]:
        return PATH.format(found[3])
    return QUOTED.format(found[3]) if found[2] else NAME.format(found[3])
