"""Adding imports to a Python file: the ones that are named, or those that its names lack."""

import ast
import re
from dataclasses import dataclass

from loopwright.agents.ide.offline import script as patch
from loopwright.agents.ide.offline.layout import Excerpt, definitions, hits, listing, read
from loopwright.agents.ide.offline.script import (
    Outcome,
    Work,
    has_import,
    import_place,
    is_standard,
    module_of,
    standard_home,
    undefined_names,
)
from loopwright.agents.ide.offline.task import TaskPlan
from loopwright.kits.dialogue.scripts import Script, call, one

# --------------------------------------------------------------------------------------------------------------------
# Small edits that the user has written out: one text for another, a file with a given content, a file away.
# --------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ReplaceText:
    """Put one text in the place of another in a file, everywhere."""

    path: str
    old: str
    new: str

    @property
    def aim(self) -> str:
        """What is to be done."""
        return f"replace {self.old!r} by {self.new!r} in {self.path}"

    @property
    def plan(self) -> TaskPlan:
        """How it is gone about."""
        return TaskPlan(
            research=f"whether {self.path} holds {self.old!r}",
            risk="the text could stand in places that were not meant",
            done_when=f"{self.path} has been written and says how often",
        )

    def work(self, offered: frozenset[str]) -> Work:
        """Look whether it is there to the letter, then replace."""
        line = self.old.strip().splitlines()[0] if self.old.strip() else self.old
        found = yield from one(call("index_search_regex", pattern=re.escape(line), glob=self.path))
        if not any(hit.path == self.path for hit in hits(found)):
            return Outcome(f"{self.path} does not hold {self.old!r}; nothing was changed.", (self.aim,))
        if "replace_all_in_file" not in offered:
            return Outcome(f"{self.path} holds it; nothing was changed: here it can only be read.", (self.aim,))
        done = yield from one(call("replace_all_in_file", path=self.path, search=self.old, replace=self.new))
        if done.failed:
            return Outcome(f"{self.path} was not changed: {done.first_line}", (f"{self.aim}: {done.first_line}",))
        return Outcome(f"Replaced {self.old!r} by {self.new!r} in {self.path}. {' '.join(done.text.split())}")


@dataclass(frozen=True)
class MakeFile:
    """Create a file with a content that the user has given."""

    path: str
    content: str

    @property
    def aim(self) -> str:
        """What is to be done."""
        return f"create {self.path}"

    @property
    def plan(self) -> TaskPlan:
        """How it is gone about."""
        return TaskPlan(
            research=f"whether {self.path} is there already",
            risk="a file with that name could be there already, and is not overwritten then",
            done_when=f"{self.path} has been written",
        )

    def work(self, offered: frozenset[str]) -> Work:
        """Create it."""
        if "create_file" not in offered:
            return Outcome(f"{self.path} was not created: here the project can only be read.", (self.aim,))
        done = yield from one(call("create_file", path=self.path, content=self.content))
        if done.failed:
            return Outcome(f"{self.path} was not created: {done.first_line}", (f"{self.aim}: {done.first_line}",))
        return Outcome(f"Created {self.path} with {len(self.content.splitlines())} lines.")


@dataclass(frozen=True)
class RemoveFile:
    """Delete a file that the user has named."""

    path: str

    @property
    def aim(self) -> str:
        """What is to be done."""
        return f"delete {self.path}"

    @property
    def plan(self) -> TaskPlan:
        """How it is gone about."""
        return TaskPlan(
            research=f"whether {self.path} is there",
            risk="other files could need it; the deletion can be undone",
            done_when=f"{self.path} is gone",
        )

    def work(self, offered: frozenset[str]) -> Work:
        """Delete it."""
        if "delete_file" not in offered:
            return Outcome(f"{self.path} was not deleted: here the project can only be read.", (self.aim,))
        done = yield from one(call("delete_file", path=self.path))
        if done.failed:
            return Outcome(f"{self.path} was not deleted: {done.first_line}", (f"{self.aim}: {done.first_line}",))
        return Outcome(f"Deleted {self.path}.")


MOST_LINES = 600
"""`index_read_file` gives no more at once; the imports of a longer file cannot be judged by rules."""
MOST_NAMES = 10


@dataclass(frozen=True)
class AddImport:
    """Add imports to `path`: of `name` (out of `module` where it is given), or of every name that the file lacks."""

    path: str
    name: str = ""
    module: str = ""
    statement: str = ""

    @property
    def aim(self) -> str:
        """What is to be done."""
        what = f"the import of {self.name}" if self.name else "the missing imports"
        return f"add {self.statement or what} to {self.path}"

    @property
    def plan(self) -> TaskPlan:
        """How it is gone about."""
        return TaskPlan(
            research=f"the lines of {self.path}, and where the names are defined",
            risk="a name could be defined in several modules, or an import could close a circle",
            done_when=f"the import stands in {self.path}",
        )

    def work(self, offered: frozenset[str]) -> Work:
        """Read the file, find the modules, add the lines."""
        if not self.path.endswith((".py", ".pyi")):
            return Outcome(f"Rules add imports to Python files only; {self.path} is none.", (self.aim,))
        lines = yield from read(self.path, 1, MOST_LINES)
        if lines is None or not lines.whole:
            why = "could not be read" if lines is None else f"has more than {MOST_LINES} lines"
            return Outcome(f"{self.path} {why}; nothing was changed.", (self.aim,))
        statements, problems = yield from self._statements(lines)
        wanted = [each for each in statements if not has_import(lines.text, each)]
        if not wanted:
            told = problems or [f"{self.path}: I found no name that lacks an import."]
            return Outcome(" ".join(told), tuple(problems))
        if "apply_patch" not in offered:
            return Outcome(f"{self.path} needs: {'; '.join(wanted)}. Here it can only be read.", (self.aim,))
        done = yield from one(call("apply_patch", diff=_patch(lines, wanted)))
        if done.failed:
            return Outcome(f"{self.path} was not changed: {done.first_line}", (f"{self.aim}: {done.first_line}",))
        return Outcome(" ".join([f"Added to {self.path}: {'; '.join(wanted)}.", *problems]), tuple(problems))

    def _statements(self, lines: Excerpt) -> Script[tuple[list[str], list[str]]]:
        """The import statements to add, and what could not be found."""
        if self.statement:
            return [self.statement], []
        if self.name and self.module:
            return [f"from {self.module} import {self.name}"], []
        names = [self.name] if self.name else _lacking(lines)
        if names is None:
            return [], [f"{self.path} has a syntax error, so the names that it lacks cannot be told."]
        files = yield from listing()
        statements, problems = [], []
        searched = [name for name in names[:MOST_NAMES] if not is_standard(name)]
        found = (yield tuple(call("index_search_symbols", query=name) for name in searched)) if searched else ()
        results = dict(zip(searched, found, strict=True))
        for name in names[:MOST_NAMES]:
            if name not in results:
                statements.append(f"import {name}")
                continue
            tops = [each for each in definitions(results[name]) if each.name == name and not each.container]
            homes = {
                module_of(each.path, files) for each in tops if each.path.endswith(".py") and each.path != self.path
            }
            if len(homes) == 1:
                statements.append(f"from {homes.pop()} import {name}")
            elif homes:
                problems.append(f"{name} is defined in several modules: {', '.join(sorted(homes))}.")
            elif (home := standard_home(name)) is not None:
                statements.append(f"from {home} import {name}")
            else:
                problems.append(f"Nothing in this project or among Python's modules is called {name}.")
        return statements, problems


def _lacking(lines: Excerpt) -> list[str] | None:
    """The names that a file lacks; None where it cannot be parsed."""
    try:
        return undefined_names(ast.parse(lines.text))
    except SyntaxError:
        return None


def _patch(lines: Excerpt, statements: list[str]) -> str:
    place = import_place(lines.lines)
    if place:
        line = lines.lines[place]
        # After the module's own words comes an empty line, after another import none.
        gap = [""] if line.rstrip().endswith(('"', "'")) else []
        return patch.unified(lines.path, lines.lines, {place: (line, *gap, *statements)})
    alone = not lines.lines or lines.lines[1].startswith(("import ", "from "))
    return patch.unified(lines.path, lines.lines, {0: (*statements, *([] if alone else ["", ""]))})
