"""Work on names and whole files: imports, new files, replaced text, renaming and tidying."""

import ast
import keyword
import re
from dataclasses import dataclass

from loopwright.agents.ide.offline import script as patch
from loopwright.agents.ide.offline.layout import (
    Excerpt,
    ShownDefinition,
    configuration,
    definitions,
    exit_code,
    format_commands,
    hits,
    listing,
    output,
    read,
    uses,
    was_run,
)
from loopwright.agents.ide.offline.script import (
    Outcome,
    TaskPlan,
    Work,
    has_import,
    import_place,
    is_standard,
    module_of,
    standard_home,
    undefined_names,
)
from loopwright.kits.dialogue import Script, call, one

# Small edits that the user has written out: one text for another, a file with a given content, a file away.


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


# Renaming a symbol: the tool knows scopes and imports; here is decided whether rules may call it.
#
# Applying what the project's own formatters and linters can repair.

NOT_FOUND = 127
SHOWN_LINES = 12


@dataclass(frozen=True)
class Tidy:
    """Run the formatters, the linters' fixes, or both."""

    linters: bool = True
    formatters: bool = True

    @property
    def aim(self) -> str:
        """What is to be done."""
        kinds = [name for name, wanted in (("linter fixes", self.linters), ("formatting", self.formatters)) if wanted]
        return f"apply {' and '.join(kinds)}"

    @property
    def plan(self) -> TaskPlan:
        """How it is gone about."""
        return TaskPlan(
            research="which formatters and linters the project configures",
            risk="a tool could be missing on this machine; what it cannot repair stays",
            done_when="the configured tools have run",
        )

    def work(self, offered: frozenset[str]) -> Work:
        """Find them, run them one after the other."""
        found = yield from configuration()
        commands = format_commands(found, linters=self.linters, formatters=self.formatters)
        if not commands:
            words = "The project configures no formatter or linter that is known here; none was chosen for it."
            return Outcome(
                f"{words} Known: ruff, black, isort, eslint, prettier, biome, gofmt, cargo fmt.", (self.aim,)
            )
        if "run_command" not in offered:
            return Outcome(f"These would do it: {'; '.join(commands)}. Nothing can be run here.", (self.aim,))
        told: list[str] = []
        missing: list[str] = []
        for command in commands:
            result = yield from one(call("run_command", command=command))
            code = exit_code(result)
            if not was_run(result) or code is None or code == NOT_FOUND:
                why = "it is not installed here" if code == NOT_FOUND else result.first_line
                told.append(f"“{command}” did not run: {why}")
                missing.append(f"{command}: {why}")
                continue
            tail = "\n".join(output(result).strip().splitlines()[-SHOWN_LINES:])
            ending = "done" if code == 0 else f"exit code {code}; this is left to repair by hand"
            told.append(f"“{command}”: {ending}.\n{tail}".strip())
        return Outcome("\n".join(told), tuple(missing))


COMMON_TYPES = (str, bytes, int, float, list, tuple, dict, set, type(None))
CHANGED = re.compile(r"^Changed (.+) \(\+(\d+) [−-]\d+\)$", re.MULTILINE)
MOST_PLACES = 40


@dataclass(frozen=True)
class Rename:
    """Rename `old` to `new`; `container` is the class that it stands in, `every` takes all definitions of the name."""

    old: str
    new: str
    container: str = ""
    every: bool = False

    @property
    def aim(self) -> str:
        """What is to be done."""
        return f"rename {self.old} to {self.new} in its definition and in every use of it"

    @property
    def plan(self) -> TaskPlan:
        """How it is gone about."""
        return TaskPlan(
            research=f"the definitions and uses of {self.old}, and whether {self.new} is taken",
            risk=f"other things could have the name {self.old} too, and strings that hold it are not followed",
            done_when=f"the files that mean {self.old} say {self.new}, and a search finds it defined",
        )

    def work(self, offered: frozenset[str]) -> Work:
        """Look whether it is safe, rename, look again."""
        if not self.new.isidentifier() or keyword.iskeyword(self.new):
            return Outcome(f"{self.new!r} is not a name that code can use, so nothing was renamed.", (self.aim,))
        found, used, taken = yield (
            call("index_search_symbols", query=self.old),
            call("index_find_uses", name=self.old),
            call("index_search_symbols", query=self.new),
        )
        exact = [each for each in definitions(found) if each.name == self.old]
        exact = [each for each in exact if self.container in ("", each.container.rpartition(".")[2])]
        why_not = self._why_not(exact, [each for each in definitions(taken) if each.name == self.new])
        if found.failed or taken.failed or why_not:
            words = why_not or found.first_line
            return Outcome(f"{words} Nothing was changed.", (self.aim,))
        if "rename_symbol_in" not in offered:
            places = ", ".join(f"{place.path}:{place.line}" for place in uses(used)[:MOST_PLACES])
            words = f"Renaming {self.old} to {self.new} concerns these places: {places}."
            return Outcome(f"{words} Nothing was changed: here the project can only be read.", (self.aim,))
        if self.every:
            done = yield from one(call("rename_symbol_everywhere", old=self.old, new=self.new))
        else:
            done = yield from one(call("rename_symbol_in", old=self.old, new=self.new, path=exact[0].path))
        if done.failed:
            return Outcome(f"{self.old} was not renamed: {done.first_line}", (f"{self.aim}: {done.first_line}",))
        now = yield from one(call("index_search_symbols", query=self.new))
        files = ", ".join(f"{path} ({lines})" for path, lines in CHANGED.findall(done.text))
        kept = "".join(f" {line}" for line in done.text.splitlines() if line.startswith("Left as "))
        words = f"Renamed {self.old} to {self.new}; changed lines by file: {files}.{kept}"
        defined = any(each.name == self.new for each in definitions(now))
        missing = () if defined else (f"{self.new} is defined nowhere now",)
        return Outcome(f"{words} Comments and strings that speak of {self.old} were not changed.", missing)

    def _why_not(self, exact: list[ShownDefinition], taken: list[ShownDefinition]) -> str:
        """Why rules should not rename this; empty where they may."""
        every = f"“Rename every {self.old} to {self.new}” takes all."
        if not exact:
            return f"The index of the project's code has no definition of {self.old}."
        if taken:
            return f"{self.new} is defined already, at {taken[0].place}; the two would be mixed up."
        if self.every:
            return ""
        if len({(each.path, each.container) for each in exact}) > 1:
            places = ", ".join(each.place for each in exact[:10])
            return f"{self.old} is defined in several places ({places}), and rules cannot choose. {every}"
        member = exact[0].container and exact[0].path.endswith((".py", ".pyi"))
        if member and any(hasattr(each, self.old) for each in COMMON_TYPES):
            return f"{self.old} is a name that Python's own types have too; uses cannot be told apart. {every}"
        return ""
