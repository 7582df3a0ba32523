"""A request in plain English, read as tasks: the patterns are in `patterns.json`, here is what each intent becomes."""

import re
from collections.abc import Callable, Mapping

from loopwright.agents.ide.offline.task import Task
from loopwright.agents.ide.offline.works.finding import ExplainFile, ExplainSymbol, FindFiles, FindSymbol, FindText
from loopwright.agents.ide.offline.works.importing import AddImport, MakeFile, RemoveFile, ReplaceText
from loopwright.agents.ide.offline.works.renaming import Rename, Tidy
from loopwright.agents.ide.offline.works.testing import FixTests, Overview, RunTests, StubTest
from loopwright.agents.ide.offline.works.undoing import (
    Forget,
    Introduce,
    Recall,
    Remember,
    ShowChanges,
    Unable,
    UndoLastRun,
)
from loopwright.kits.dialogue.patterns import Patterns, Request, clauses, data_of, expression

SUFFIXES = frozenset(
    {
        "bash", "c", "cc", "cfg", "conf", "cpp", "cs", "css", "csv", "cxx", "dart", "go", "gradle", "h", "hh", "hpp",
        "html", "hxx", "ini", "ipynb", "java", "js", "json", "jsx", "kt", "less", "lock", "lua", "m", "md", "mjs",
        "cjs", "mts", "cts", "php", "pl", "proto", "py", "pyi", "r", "rb", "rs", "rst", "scala", "scss", "sh", "sql",
        "svelte", "swift", "tex", "tf", "toml", "ts", "tsx", "txt", "vue", "xml", "yaml", "yml",
    }
)  # fmt: skip
"""By which `a.b` is a file and not the member of something."""

PARTS = {"language": "languages", "entry": "entry points", "structure": "structure", "layout": "structure"}
"""Parts of a project's overview, by how the words for them begin."""


def is_file(path: str) -> bool:
    """Whether a word with a dot in it names a file."""
    return "/" in path or path.rpartition(".")[2].lower() in SUFFIXES or "." not in path


def _rename(asked: Request) -> Task:
    owner, _, old = asked["old"].rpartition(".")
    return Rename(old, asked["new"].rpartition(".")[2], owner.rpartition(".")[2], every=bool(asked["every"]))


def _make(asked: Request) -> Task:
    return MakeFile(asked["path"], asked["block"] if "block" in asked.groups else asked["text"] + "\n")


def _tidy(asked: Request) -> Task:
    words = asked.words.lower()
    lint, style = "lint" in words, re.search("format|style", words) is not None
    return Tidy(linters=lint or not style, formatters=style or not lint)


def _part(asked: Request) -> Task:
    word = asked["part"].lower()
    return Overview(next((part for beginning, part in PARTS.items() if word.startswith(beginning)), ""))


TASKS: Mapping[str, Callable[[Request], Task]] = {
    "remember": lambda asked: Remember(asked["what"].strip(" .")),
    "forget": lambda asked: Forget(asked["what"].strip(" .")),
    "rename": _rename,
    "replace_text": lambda asked: ReplaceText(asked["path"], asked["old"], asked["new"]),
    "make_file": _make,
    "remove_file": lambda asked: RemoveFile(asked["path"]),
    "stub_test": lambda asked: StubTest(asked["name"]),
    "add_import_line": lambda asked: AddImport(asked["path"], statement=" ".join(asked["line"].split())),
    "add_import": lambda asked: AddImport(asked["path"], asked["name"], asked["module"]),
    "add_missing_imports": lambda asked: AddImport(asked["path"]),
    "tidy": _tidy,
    "undo": lambda asked: UndoLastRun(),
    "fix_tests": lambda asked: FixTests(),
    "run_tests": lambda asked: RunTests(path=asked["path"]),
    "run_command": lambda asked: RunTests(command=asked["command"]),
    "recall": lambda asked: Recall(),
    "show_changes": lambda asked: ShowChanges(),
    "overview_of_tests": lambda asked: Overview("tests"),
    "overview_of_part": _part,
    "overview": lambda asked: Overview(),
    "find_definition": lambda asked: FindSymbol(asked["name"], "definition"),
    "find_uses": lambda asked: FindSymbol(asked["name"], "uses"),
    "find_symbol": lambda asked: FindSymbol(asked["name"]),
    "search_text": lambda asked: FindText(asked["text"], asked["path"]),
    "find_marks": lambda asked: FindText(asked["mark"].upper()),
    "find_files": lambda asked: FindFiles(asked["pattern"].strip("`\"'")),
    "explain_path": lambda asked: (
        ExplainFile(asked["path"]) if is_file(asked["path"]) else ExplainSymbol(asked["path"])
    ),
    "explain_symbol": lambda asked: ExplainSymbol(asked["name"]),
    "introduce": lambda asked: Introduce(),
}
"""What each intent becomes."""

DATA = data_of("loopwright.agents.ide.offline", "patterns.json")
PATTERNS = Patterns.of(DATA)
JOINT, KEPT, MEMORY, COURTESY = (expression(DATA, name) for name in ("joint", "kept", "memory", "courtesy"))
NOWHERE = re.compile(r"(?!)")
MOST_CLAUSES = 6


def read_request(text: str) -> list[Task]:
    """The tasks of a request, in their order; an empty one is answered with what the rules can do.

    The same task is worked off once, and what nobody reads is told of at the end, all at once.
    """
    # What is to be remembered is one clause, whatever joints it has.
    joint = NOWHERE if MEMORY.match(KEPT.sub("\x00", text)) else JOINT
    pieces = clauses(text, joint, KEPT, lambda piece: COURTESY.sub("", piece).strip(" .!?,;"))
    read = [(clause, _task(clause)) for clause in pieces[:MOST_CLAUSES]]
    tasks: list[Task] = []
    for _, task in read:
        # “Run the tests and say what failed” asks for one run.
        if task is not None and not (isinstance(task, RunTests) and tasks and isinstance(tasks[-1], RunTests)):
            tasks.append(task)
    unread = [clause for clause, task in read if task is None] + pieces[MOST_CLAUSES:]
    return tasks + ([Unable("; ".join(unread))] if unread else []) or [Introduce()]


def _task(clause: str) -> Task | None:
    asked = PATTERNS.read(clause)
    return TASKS[asked.intent](asked) if asked is not None else None
