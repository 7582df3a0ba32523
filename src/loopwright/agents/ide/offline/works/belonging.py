"""Which uses of a name belong to a definition: by the rules of Python's imports, by the language elsewhere."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from loopwright.agents.ide.offline.layout import Definition, Place, hits
from loopwright.agents.ide.offline.script import Result

FAMILIES = {
    "py": "python", "pyi": "python",
    "js": "script", "jsx": "script", "mjs": "script", "cjs": "script", "ts": "script", "tsx": "script",
    "mts": "script", "cts": "script",
    "c": "c", "h": "c", "cc": "c", "cpp": "c", "cxx": "c", "hpp": "c", "hh": "c", "hxx": "c",
}  # fmt: skip
QUALIFIER = re.compile(r"(?:([A-Za-z_]\w*)|[)\]\"'])\s*\.\s*$")
STAR = re.compile(r"from\s+(\S+)\s+import\s+\*")
ALIAS = re.compile(r"([A-Za-z_][\w.]*)\s+as\s+([A-Za-z_]\w*)")
COMMON_TYPES = (str, bytes, int, float, list, tuple, dict, set, type(None))


def family(path: str) -> str:
    """The languages whose files can use each other's names, by one word."""
    suffix = path.rpartition(".")[2].lower()
    return FAMILIES.get(suffix, suffix)


@dataclass(frozen=True)
class Belonging:
    """The files that define a name, their modules by all names that these have, and the files that import the name."""

    name: str
    homes: frozenset[str]
    families: frozenset[str]
    at_top: bool
    inside: bool
    modules: frozenset[str]
    importers: frozenset[str]

    @classmethod
    def of(cls, name: str, exact: Sequence[Definition], imports: Result, aliases: Result) -> "Belonging":
        """Read the definitions, the lines that import the name, and the lines that give modules other names."""
        modules = {part for each in exact for part in _module_names(each.path)}
        renamed = [pair for hit in hits(aliases) for pair in ALIAS.findall(hit.text)]
        modules |= {alias for module, alias in renamed if module.rpartition(".")[2] in modules}
        importers = set()
        for hit in hits(imports):
            star = STAR.search(hit.text)
            if star is None or star[1].rpartition(".")[2] in modules:
                importers.add(hit.path)
        return cls(
            name,
            frozenset(each.path for each in exact),
            frozenset(family(each.path) for each in exact),
            any(not each.container for each in exact),
            any(each.container for each in exact),
            frozenset(modules),
            frozenset(importers),
        )

    @property
    def common(self) -> bool:
        """Whether it is a member whose name members of Python's own types have."""
        return self.inside and "python" in self.families and any(hasattr(each, self.name) for each in COMMON_TYPES)

    def maybe(self, place: Place) -> bool:
        """Whether a use can be meant as far as its file tells."""
        return family(place.path) in self.families

    def holds(self, place: Place, line: str) -> bool:
        """Whether a use in this line is meant."""
        if family(place.path) != "python":
            return True
        before = line[: place.column - 1]
        if before.rstrip().endswith("."):
            qualifier = QUALIFIER.search(before)
            named = qualifier is not None and qualifier[1] in self.modules
            return self.inside or (self.at_top and named)
        if self.inside and not self.at_top:
            return place.path in self.homes and re.search(r"\b(?:def|class)\s+$|^\s*$", before) is not None
        return place.path in self.homes or place.path in self.importers

    def exported(self, quoted: Sequence[Place]) -> list[Place]:
        """Of the lines that quote the name, those that stand in a list `__all__` of a file that knows the name."""
        found, start = [], None
        for hit in quoted:
            if hit.text.startswith("__all__"):
                start = hit
            if start is not None and start.path == hit.path and (hit.path in self.homes or hit.path in self.importers):
                found += [
                    Place(hit.path, hit.line, match.start() + 2)
                    for match in re.finditer(rf"""["']{re.escape(self.name)}["']""", hit.text)
                    if hit is start or _is_entry(hit.text)
                ]
        return found


def _is_entry(line: str) -> bool:
    """Whether a line has nothing but strings, commas and brackets, as those of a list have that goes over lines."""
    return re.fullmatch(r"""\s*(?:["'][\w.]*["']\s*,?\s*)+[)\]]*\s*(?:#.*)?""", line) is not None


def _module_names(path: str) -> set[str]:
    """What a file is called in imports: its own name and its packages'."""
    parts = path.rpartition(".")[0].split("/")
    return {part for part in parts if part not in ("__init__", "src", "lib")}
