"""Which modules of Python a project holds, by where its files lie."""

from collections.abc import Iterable

SUFFIXES = (".py", ".pyi")


class Modules:
    """The modules of one project, under every name by which they may be imported.

    A file is a module of the package that its folder is; above the outermost package (a folder with `__init__`) any
    folder may be where imports begin.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        """Take the paths of all files."""
        files = [path for path in paths if path.endswith(SUFFIXES)]
        self._packages = {path.rpartition("/")[0] for path in files if _stem(path) == "__init__"}
        self._names = {name for path in files for name in self._names_of(path)}

    def holds(self, module: str, importer: str) -> bool:
        """Whether a module, as the file `importer` writes it, is one of the project."""
        return self._absolute(module, importer) in self._names

    def inside(self, dotted: str, importer: str) -> bool:
        """Whether a dotted name is something in a module of the project, such as a class, and no module itself."""
        parts = self._absolute(dotted, importer).split(".")
        return ".".join(parts) not in self._names and any(
            ".".join(parts[:end]) in self._names for end in range(1, len(parts))
        )

    def _absolute(self, module: str, importer: str) -> str:
        """A module as it is called from the root: `..b` in `a/c/d.py` is `a.b`."""
        bare = module.lstrip(".")
        up = len(module) - len(bare)
        if not up:
            return module
        folders = importer.split("/")[:-1]
        return ".".join([*folders[: len(folders) - up + 1], *([bare] if bare else [])])

    def _names_of(self, path: str) -> Iterable[str]:
        parts = path.split("/")
        folder = parts[:-1]
        outermost = len(folder)
        while outermost > 0 and "/".join(folder[:outermost]) in self._packages:
            outermost -= 1
        dotted = [*folder] if _stem(path) == "__init__" else [*folder, _stem(path)]
        for begin in range(outermost + 1):
            for end in range(begin + 1, len(dotted) + 1):
                yield ".".join(dotted[begin:end])


def _stem(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0]
