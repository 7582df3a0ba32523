"""The ide agent without a language model: rules that play the model's part."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from loopwright.agents.ide.offline.finding import ExplainFile, ExplainSymbol, FindFiles, FindSymbol, FindText
from loopwright.agents.ide.offline.names import AddImport, MakeFile, RemoveFile, Rename, ReplaceText, Tidy
from loopwright.agents.ide.offline.runner_output import review
from loopwright.agents.ide.offline.script import Dialogue, Outcome, Task, in_turn, shown
from loopwright.agents.ide.offline.testing import FixTests, Overview, RunTests, StubTest
from loopwright.agents.ide.offline.undoing import (
    Forget,
    Introduce,
    Recall,
    Remember,
    ShowChanges,
    Unable,
    UndoLastRun,
)
from loopwright.kernel.messages import STAGE, Message, split_blocks
from loopwright.kernel.offline import OfflineReply, OfflineRequest
from loopwright.kernel.policy import MORE_TOOLS
from loopwright.kits.dialogue import Call, Exchange, Patterns, Progress, Request, clauses, data_of, expression, follow

# A request in plain English, read as tasks: the patterns are in `patterns.json`, here is what each intent becomes.

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


# The ide agent without a language model: rules that answer in every stage.
#
# The reasoning blocks that the user may switch on: what the rules go by, in the format that the prompt demands.

MACRO, MICRO = "[reasoning format: macro]", "[reasoning format: micro]"
UNSAFE = re.compile(r"[<>`]|\.\.\.|…")
"""What a block must not have: tags and code, and dots that stand for something left out."""
PLACEHOLDERS = re.compile(r"\b(?:todo|tbd|n/?a|lorem ipsum|placeholder|fill in|to be determined)\b", re.IGNORECASE)
LONGEST = 260


def demanded(messages: Sequence[Message]) -> str | None:
    """The format that the newest stage demands: macro, micro or none."""
    told = (split_blocks(message.content)[1] for message in reversed(messages) if message.role == "user")
    stage = next((blocks[STAGE] for blocks in told if STAGE in blocks), "")
    return "macro" if MACRO in stage else "micro" if MICRO in stage else None


def macro(request: str, tasks: Sequence[Task]) -> str:
    """The plan of a request, before anything was done."""
    aims = "; ".join(task.aim for task in tasks)
    research = "; ".join(task.plan.research for task in tasks)
    risks = "; ".join(dict.fromkeys(task.plan.risk for task in tasks))
    done = "; ".join(task.plan.done_when for task in tasks)
    steps = " ".join(f"{number}) {_plain(task.aim, 80)};" for number, task in enumerate(tasks, 1))
    lines = [
        f"Analyze: {_plain(request, 120)} is read as: {_plain(aims)}. It counts as done when {_plain(done)}.",
        f"Research: what must be known is {_plain(research)}.",
        f"Plan: {steps} then check the results.",
        f"Reflect: {_plain(risks)}. Rules decide here and no language model, so what they cannot read is said.",
        f"Action: search and read {_plain(research)}.",
        "Delivery: NEEDS_WORK, nothing has been done yet.",
    ]
    return _block(lines)


def micro(progress: Progress[Any], tasks: Sequence[Task], *, done: bool) -> str:
    """The last step, the next one and why; `done` says whether the work is there."""
    following = _named(progress.upcoming) if progress.upcoming else "report what the tools have shown"
    why = "; ".join(task.aim for task in tasks)
    ending = "its result is needed" if progress.upcoming else "no rule for this request has a step left"
    lines = [
        f"- Outcome: {_plain(_newest(progress.newest))}",
        f"- Next: {_plain(following)}",
        f"- Why: {ending} to {_plain(why)}",
        f"- Delivery: {'DONE' if done else 'NEEDS_WORK'}",
    ]
    return _block(lines)


def _newest(unit: Exchange | None) -> str:
    if unit is None:
        return "no tool has been called for this request so far"
    failed = [result.first_line for result in unit.results if result.failed]
    shown = f"failed: {failed[0]}" if failed else f"showed: {unit.results[-1].first_line}"
    return f"{_named(unit.calls)} {shown}"


def _named(steps: Sequence[Call]) -> str:
    more = f" and {len(steps) - 3} more calls" if len(steps) > 3 else ""
    return ", ".join(shown(each) for each in steps[:3]) + more


def _plain(text: str, most: int = LONGEST) -> str:
    """One line that no reader of the block takes for a tag, code or a placeholder."""
    line = " ".join(PLACEHOLDERS.sub("open point", UNSAFE.sub(" ", text)).split())
    return (line if len(line) <= most else line[:most].rpartition(" ")[0] or line[:most]).strip(" .") or "nothing"


def _block(lines: Sequence[str]) -> str:
    return "<ide_reasoning>\n" + "\n".join(lines) + "\n</ide_reasoning>"


WORKING_TOOLS = frozenset(
    {
        "apply_patch", "checkpoint_list", "checkpoint_restore", "create_file", "delete_file", "index_add_memory",
        "index_delete_memory", "rename_symbol_everywhere", "rename_symbol_in", "replace_all_in_file", "run_command",
    }
)  # fmt: skip
"""What the stages of the work offer; the stages that judge it offer nothing, and look at it all the same."""
READING_TOOLS = frozenset(
    {
        "checkpoint_list", "checkpoint_show", "index_find_files", "index_find_uses", "index_list_files",
        "index_list_memories", "index_read_file", "index_read_lines", "index_search_regex", "index_search_symbols",
        "index_search_text",
    }
)  # fmt: skip
WRITER = "write_file"
"""Only the stages of the work are told of it."""
ROOT = re.compile(r"^The project's root is (/.+)\.$", re.MULTILINE)
TAG = re.compile(r"<(?=\s*/?\s*ide_reasoning)", re.IGNORECASE)
NOT_FINISHED = "The work did not come to its end."


class IdePlaybook:
    """Stateless: everything is read from the request, so the same request always gets the same answer."""

    name = "ide"

    def answer(self, request: OfflineRequest) -> OfflineReply:
        """Answer one request; what cannot be done by rules is said in words."""
        stage = STAGES.get(request.prompt)
        if stage is None:
            return OfflineReply(text=f"The offline model has no rules for {request.task}.")
        system = "\n".join(message.content for message in request.messages if message.role == "system")
        dialogue = Dialogue.of(request.messages)
        reply = stage(request, dialogue, read_request(dialogue.request), demanded(request.messages))
        root = ROOT.search(system)
        # Programs name files by their whole paths; people and the report want those of the project.
        return OfflineReply(reply.text.replace(f"{root[1]}/", ""), reply.tool_calls) if root else reply


def _warmup(request: OfflineRequest, dialogue: Dialogue, tasks: Sequence[Task], reasoning: str | None) -> OfflineReply:
    words = f"First comes a look at {tasks[0].plan.research}. The aim: {'; '.join(task.aim for task in tasks)}."
    return _reply(words, macro(dialogue.request, tasks) if reasoning == "macro" else "")


def _work(request: OfflineRequest, dialogue: Dialogue, tasks: Sequence[Task], reasoning: str | None) -> OfflineReply:
    offered = _offered(request)
    progress = _progress(tasks, dialogue, offered)
    block = _micro(progress, tasks, reasoning)
    lacking = sorted({step.name for step in progress.upcoming} - offered)
    if lacking:
        return _reply(f"This needs tools that are not offered here: {', '.join(lacking)}.", block)
    if progress.outcome is None:
        return OfflineReply(block, tuple((step.name, step.arguments) for step in progress.upcoming))
    return _reply(progress.outcome.words, block)


def _offered(request: OfflineRequest) -> frozenset[str]:
    """The tools that may be called: all, where those that are told first are not the only ones."""
    told = frozenset(request.tools)
    return told | READING_TOOLS | (WORKING_TOOLS if WRITER in told else frozenset()) if MORE_TOOLS in told else told


def _delivery(
    request: OfflineRequest, dialogue: Dialogue, tasks: Sequence[Task], reasoning: str | None
) -> OfflineReply:
    progress = _progress(tasks, dialogue, WORKING_TOOLS)
    missing = [NOT_FINISHED] if progress.outcome is None else list(progress.outcome.missing)
    check = {
        "state": "NEEDS_WORK" if missing else "DONE",
        "missing": [line[:300] for line in missing[:20]],
        "reason": "The tools have not shown everything that was asked for."
        if missing
        else "By the results of the tools no rule sees anything missing.",
    }
    return _reply(json.dumps(check, ensure_ascii=False), _micro(progress, tasks, reasoning))


def _final(request: OfflineRequest, dialogue: Dialogue, tasks: Sequence[Task], reasoning: str | None) -> OfflineReply:
    progress = _progress(tasks, dialogue, WORKING_TOOLS)
    block = _micro(progress, tasks, reasoning)
    if progress.outcome is not None:
        return _reply(progress.outcome.words, block)
    made = "\n".join(f"- {shown(step)}" for unit in dialogue.units for step in unit.calls)
    return _reply(f"{NOT_FINISHED} These calls were made:\n{made or '- none'}", block)


def _qa(request: OfflineRequest, dialogue: Dialogue, tasks: Sequence[Task], reasoning: str | None) -> OfflineReply:
    look = follow(review(dialogue), dialogue.units[dialogue.reviewed_from :])
    work = _progress(tasks, Dialogue(dialogue.request, dialogue.work), WORKING_TOOLS)
    done = work.outcome is not None and not work.outcome.missing
    block = micro(look, tasks, done=done) if reasoning == "micro" else ""
    if look.outcome is None:
        return OfflineReply(block, tuple((step.name, step.arguments) for step in look.upcoming))
    return _reply(json.dumps(look.outcome, ensure_ascii=False), block)


def _progress(tasks: Sequence[Task], dialogue: Dialogue, offered: frozenset[str]) -> Progress[Outcome]:
    return follow(in_turn(task.work(offered) for task in tasks), dialogue.units)


def _micro(progress: Progress[Outcome], tasks: Sequence[Task], reasoning: str | None) -> str:
    done = progress.outcome is not None and not progress.outcome.missing
    return micro(progress, tasks, done=done) if reasoning == "micro" else ""


def _reply(words: str, reasoning: str) -> OfflineReply:
    """An answer in words; a tag that is quoted in them is not read as one of the answer."""
    plain = TAG.sub("‹", words)
    return OfflineReply(f"{reasoning}\n\n{plain}" if reasoning else plain)


Stage = Callable[[OfflineRequest, Dialogue, Sequence[Task], str | None], OfflineReply]
STAGES: Mapping[str, Stage] = {
    "chat": _work,
    "warmup": _warmup,
    "act": _work,
    "tool_followup": _work,
    "delivery_check": _delivery,
    "final": _final,
    "qa_review": _qa,
}
"""The rules of each stage, by the name of its prompt."""

PLAYBOOK = IdePlaybook()
