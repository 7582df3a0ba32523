"""Business objects as data: from the tables of the job's own company overview, or a small lexicon of bookkeeping."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache, lru_cache
from typing import Any

from loopwright.agents.jobs.offline.job_rules import Completion, Plan, Reading, View, Work, not_by_rules, wording
from loopwright.kits.dialogue import Result, call, data_of, one

# Whether two texts that are alike say the same: by the words in which they differ.

WORD = re.compile(r"\w+(?:[.,]\d+)*")
LITTLE = 3
"""Letters up to which a word says nothing of its own, as articles do."""
NEGATIONS = frozenset({"no", "not", "nie", "nor", "non"})
HELPING = frozenset(
    ["sind", "wird", "werden", "wurde", "wurden", "eine", "einem", "einen", "einer", "eines", "were", "have", "been"]
)
BEGINNING = 3
INFLECTED = 0.8
"""The likeness of two forms of one word, which also begin alike."""


def says_the_same(first: str, second: str) -> bool:
    """Whether nothing but articles, helping verbs and inflections differs."""
    a, b = _telling(first), _telling(second)
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    return all(
        kind == "equal" or (j - i == m - k and all(map(_is_inflected, a[i:j], b[k:m])))
        for kind, i, j, k, m in matcher.get_opcodes()
    )


def _telling(text: str) -> list[str]:
    """The words that mean something: long ones, numbers, negations."""
    words = WORD.findall(text.casefold())
    return [w for w in words if w not in HELPING and (len(w) > LITTLE or not w.isalpha() or w in NEGATIONS)]


def _is_inflected(one: str, other: str) -> bool:
    if not one.isalpha() or not other.isalpha() or one[:BEGINNING] != other[:BEGINNING]:
        return False
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= INFLECTED


PACKAGE = "loopwright.agents.jobs.offline"
LEXICON, SIGNS = data_of(PACKAGE, "lexicon.json"), data_of(PACKAGE, "signs.json")
MOST_OBJECTS = 60
MOST_NAME = 60
SEPARATOR = re.compile(r"^\|?\s*:?-{2,}")
ENDINGS = r"(?:e|en|n|s|es|er|ern|ns|nen)?"
"""Endings of German and English plurals and cases."""


@dataclass(frozen=True)
class BusinessObject:
    """A business object: the name it goes by, all names that texts use for it, what it is."""

    name: str
    names: tuple[str, ...]
    description: str = ""

    def mentioned_in(self, text: str) -> bool:
        """Whether a text speaks of it, by any name, inflected or as a part of a compound."""
        return any(pattern.search(text) for name in self.names for pattern in _patterns(name))


@cache
def _patterns(name: str) -> tuple[re.Pattern[str], ...]:
    """How a name stands in texts: alone, inflected, in German compounds.

    These end with what they are (Eingangsrechnung is a Rechnung), and begin with what they are about (Zahlungsart); for
    the latter the capital tells a noun from a verb (offered, an Offer).
    """
    stem = name[:-1] if name.endswith("e") and len(name) > 4 else name
    alone = re.compile(rf"(?<![\w-])\w{{0,30}}{re.escape(stem)}{ENDINGS}(?!\w)", re.IGNORECASE)
    if len(name) < 5 or not name[0].isupper() or " " in name:
        return (alone,)
    return alone, re.compile(rf"(?<![\w-]){re.escape(name)}(?:s|n|en|es)?[a-zäöüß]{{3,}}")


@cache
def common_objects() -> tuple[BusinessObject, ...]:
    """The lexicon that is used where the job brings no overview of its own."""
    return tuple(
        BusinessObject(item["names"][0], tuple(item["names"]), item["description"]) for item in LEXICON["objects"]
    )


def objects_in(text: str) -> tuple[BusinessObject, ...]:
    """The business objects in the Markdown tables of an overview: those under a fitting heading or column."""
    found: dict[str, BusinessObject] = {}
    for heading, rows in _tables(text):
        titles = [cell.lower() for cell in rows[0]]
        about = heading.lower()
        named = any(word in about for word in (*LEXICON["headings"], *LEXICON["glossary"]))
        if not named and not any(word == title for word in LEXICON["headings"] for title in titles):
            continue
        for row in rows[1:]:
            item = _object(titles, row)
            if item is not None:
                found.setdefault(item.name.lower(), item)
    return tuple(found.values())[:MOST_OBJECTS]


@lru_cache(maxsize=4_096)
def mentions(text: str, objects: tuple[BusinessObject, ...]) -> tuple[str, ...]:
    """The names of the objects that a text speaks of."""
    return tuple(each.name for each in objects if each.mentioned_in(text))


def _object(titles: Sequence[str], row: Sequence[str]) -> BusinessObject | None:
    cells = dict(zip(titles, row, strict=False))
    name = _first(cells, LEXICON["name_columns"])
    if not name:
        return None
    names = [part for cell in (name, _first(cells, LEXICON["other_columns"])) for part in _parts(cell)]
    short = [part for part in names if 2 < len(part) <= MOST_NAME]
    if not short:
        return None
    return BusinessObject(short[0], tuple(dict.fromkeys(short)), _first(cells, LEXICON["text_columns"])[:300])


def _first(cells: Mapping[str, str], columns: Sequence[str]) -> str:
    return next((cells[column] for column in columns if cells.get(column)), "")


def _parts(cell: str) -> list[str]:
    """`Receipt/voucher` is two names."""
    return [part.strip() for part in re.split(r"[/,;]", cell) if part.strip()]


def _tables(text: str) -> list[tuple[str, list[list[str]]]]:
    """The tables with the heading above each; the line of dashes is left out."""
    heading, tables, rows = "", list[tuple[str, list[list[str]]]](), list[list[str]]()
    for line in [*text.splitlines(), ""]:
        stripped = line.strip()
        if stripped.startswith("|"):
            if not SEPARATOR.match(stripped):
                rows.append([re.sub(r"[*_`]", "", cell).strip() for cell in stripped.strip("|").split("|")])
            continue
        if len(rows) > 1:
            tables.append((heading, rows))
        rows = []
        if stripped.startswith("#"):
            heading = stripped.lstrip("# ")
    return tables


# What a text looks like: its language by the little words, its kind by the words of the subject.

READ = 20_000
"""Characters that are looked at; a text shows its language and kind soon."""
LEAST = 3
"""Hits below which a sign does not count."""


def language_of(text: str) -> str:
    """`de`, `en`, or `unknown`."""
    words = re.findall(r"[^\W\d_]+", text[:READ].lower())
    counts = {code: sum(word in marks for word in words) for code, marks in SIGNS["languages"].items()}
    return _most(counts, "unknown")


def kind_of(text: str) -> str:
    """`legal`, `technical`, `policy` or `general`."""
    small = text[:READ].lower()
    counts = {
        kind: sum(len(re.findall(rf"(?<!\w){word}", small)) for word in words) for kind, words in SIGNS["kinds"].items()
    }
    return _most(counts, "general")


def _most(counts: Mapping[str, int], otherwise: str) -> str:
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] >= LEAST else otherwise


# Reading and writing files of the workspace through its tools.

HEAD = re.compile(r"^.+: (?P<unit>line|page)s (?P<first>\d+)–(?P<last>\d+) of (?P<total>\d+)$")
DATA = re.compile(r"<data source=\"[^\"\n]*\">\n(?P<text>.*?)\n</data>", re.DOTALL)
GO_ON = re.compile(r"^Go on with read_file\(path=.+, line_start=(?P<line>\d+)\)\.$")
MOST_PARTS = 12
"""Parts of one file: what is longer is not read whole."""
PAGED = (".pdf", ".docx")
PEEKED_PAGES, PEEKED_LINES = 2, 80


def read_whole(path: str, first: int | None = None, last: int | None = None) -> Reading[str | None]:
    """The text of a file, or of its lines from `first` to `last`; None where it cannot be read."""
    parts: list[str] = []
    start = first
    for _ in range(MOST_PARTS):
        result = yield from one(call("read_file", path=path, line_start=start, line_end=last))
        if result.failed:
            break
        parts.append(text_of(result))
        more = GO_ON.match(result.text.rsplit("\n", 1)[-1])
        if more is None:
            break
        start = int(more["line"])
    return "\n".join(parts) if parts else None


def peek(path: str) -> Reading[str | None]:
    """The beginning of a document, or None where it cannot be read."""
    if path.lower().endswith(PAGED):
        result = yield from one(call("read_file", path=path, page_start=1, page_end=PEEKED_PAGES))
    else:
        result = yield from one(call("read_file", path=path, line_end=PEEKED_LINES))
    return text_of(result) if not result.failed else None


def read_page(path: str, page: int) -> Reading[str | None]:
    """One page of a document, or None where it cannot be read."""
    result = yield from one(call("read_file", path=path, page_start=page, page_end=page))
    return text_of(result) if not result.failed else None


def text_of(result: Result) -> str:
    """The file's own text in what `read_file` said: without the line above it, the marks of data, the hints below."""
    head, _, rest = result.text.partition("\n")
    match = HEAD.match(head)
    if match is None:
        return ""  # an empty file
    marked = [part["text"] for part in DATA.finditer(rest)]
    if marked:
        return "\n".join(marked)
    lines = rest.split("\n")
    return "\n".join(lines[: int(match["last"]) - int(match["first"]) + 1])


def write(path: str, content: str) -> Reading[Result]:
    """Write a file; the result tells whether it was taken."""
    return (yield from one(call("write_file", path=path, content=content)))


def append(path: str, lines: Sequence[str]) -> Reading[Result]:
    """Add lines to a file."""
    return (yield from one(call("append_file", path=path, content="\n".join(lines) + "\n")))


# What an organisation is about, by the overview that the job was given: its objects and its words.

OVERVIEWS = 3
"""Documents that are asked for business objects: an overview is short, and there is one."""
STEM = 6
"""Letters by which words are compared; what is shorter carries little meaning."""


@dataclass(frozen=True)
class Overview:
    """The objects, and the beginnings of the words, of the overviews that name objects; empty where there is none."""

    objects: tuple[BusinessObject, ...] = ()
    stems: frozenset[str] = frozenset()
    language: str = "unknown"

    @property
    def known(self) -> bool:
        """Whether there is an overview."""
        return bool(self.objects)

    def is_foreign(self, text: str) -> bool:
        """Whether a text has no word in common with the overview, though it is in the same language.

        A text in another language tells nothing by its words, so it is never foreign.
        """
        return self.known and language_of(text) == self.language and not stems_of(text) & self.stems


def read_overviews(view: View) -> Reading[Overview]:
    """What the job's documents say of the organisation."""
    objects: list[BusinessObject] = []
    texts = []
    for path in overview_paths(view):
        text = (yield from read_whole(path)) or ""
        found = objects_in(text)
        if found:
            objects += found
            texts.append(text)
    whole = "\n".join(texts)
    return Overview(tuple(objects), stems_of(whole), language_of(whole))


def overview_paths(view: View) -> list[str]:
    """The documents that may be overviews."""
    return [path for path in view.documents if path.lower().endswith((".md", ".txt"))][:OVERVIEWS]


def stems_of(text: str) -> frozenset[str]:
    """The beginnings of a text's longer words."""
    return frozenset(word[:STEM] for word in re.findall(r"[^\W\d_]{6,}", text.lower()))


# Jobs of a kind for which there are no rules: the plan follows the instructions, and what rules cannot do is said.
#
# The numbered phases of instructions.md: their titles, steps and output files.

PHASE = re.compile(
    r"^#{1,4}\s+(?:phase|step|schritt|teil|part|stage)\s+\d{1,3}\s*[:.–-]?\s*(?P<title>\S.*)$", re.IGNORECASE
)
HEADING = re.compile(r"^#{1,4}\s+\S")
ITEM = re.compile(r"^\s{0,3}(?:\d{1,3}[.)]|[-*+])\s+(?:\[[ xX]\]\s+)?(?P<text>\S.*)$")
OUTPUT = re.compile(r"^\*{0,2}(?:output|result|ergebnis|ausgabe)\*{0,2}\s*:\**", re.IGNORECASE)
FILE = re.compile(r"`(?P<path>[\w-]+(?:/[\w.-]+)*\.(?:md|txt|csv|json))`")
FENCE = re.compile(r"^\s*(?:```|~~~)")
MOST_PHASES, MOST_STEPS, MOST_TEXT = 12, 18, 400


@dataclass(frozen=True)
class InstructedPhase:
    """One phase of the instructions."""

    title: str
    steps: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()


def instructed_phases(text: str) -> tuple[InstructedPhase, ...]:
    """The phases, in order; fenced blocks (planning templates) are no instructions."""
    phases: list[tuple[str, list[str], list[str]]] = []
    inside = fenced = open_step = False
    for line in text.splitlines():
        if FENCE.match(line):
            fenced = not fenced
        elif fenced:
            continue
        elif match := PHASE.match(line):
            phases.append((match["title"].strip("# *"), [], []))
            inside, open_step = True, False
        elif HEADING.match(line):
            inside = inside and line.startswith("###")
            open_step = False
        elif inside and phases:
            open_step = _read_line(line, phases[-1][1], phases[-1][2], open_step)
    return tuple(
        InstructedPhase(title[:200], tuple(step[:MOST_TEXT] for step in steps[:MOST_STEPS]), tuple(outputs[:5]))
        for title, steps, outputs in phases[:MOST_PHASES]
    )


def _read_line(line: str, steps: list[str], outputs: list[str], open_step: bool) -> bool:
    """Take a line of a phase in; tells whether the next line may go on with the same step."""
    if OUTPUT.match(line):
        outputs += [match["path"] for match in FILE.finditer(line)]
        return False
    if match := ITEM.match(line):
        steps.append(match["text"].strip())
        return True
    if open_step and line.startswith("   ") and line.strip():
        steps[-1] = f"{steps[-1]} {line.strip()}"
        return True
    return False


def order_of(text: str) -> str:
    """What the user has asked for: the last section; the product adds it to the instructions of the job's kind."""
    return text.rpartition("\n## ")[2].partition("\n")[2].strip()


MOST_TERMS, MOST_SEARCHES, EACH = 6, 4, 2
SNIPPET = re.compile(r"<data source=\"(?P<source>[^\"\n]*)\">\n(?P<text>.*?)\n</data>", re.DOTALL)
STEP = "step_of_instructions"


class Generic:
    """The rules for every kind of job that has none of its own."""

    def goals(self, view: View, instructions: str) -> Sequence[str]:
        """The phases of the instructions, or one goal where they name none."""
        phases = instructed_phases(instructions)
        return [phase.title for phase in phases] or [wording(view.language).say("goal_generic")]

    def divide(self, view: View, plan: Plan, goal_id: str, instructions: str) -> Reading[list[str]] | None:
        """The steps that the instructions number, and one for each file that they ask for."""
        return self._divided(view, _phase_of(instructions, goal_id), goal_id)

    def _divided(self, view: View, phase: InstructedPhase, goal_id: str) -> Reading[list[str]]:
        yield from ()
        text = wording(view.language)
        outputs = phase.outputs or (f"output/{goal_id.lower()}.md",)
        steps = [text.step(STEP, goal=goal_id, text=step) for step in phase.steps] or [
            text.step(STEP, goal=goal_id, text=phase.title)
        ]
        return [*steps, *(text.step("write_output", goal=goal_id, path=path, title=phase.title) for path in outputs)]

    def work(self, view: View, content: str) -> Work:
        """Look for passages about the step, or write down what was and was not done."""
        known = wording(view.language).read(content)
        if known is not None and known[0] == "write_output":
            return self._write(view, known[1]["goal"], known[1]["path"], known[1]["title"])
        if known is not None and known[0] == "look_over":
            return look_over(view, known[1])
        return not_by_rules(view, known[1].get("text", content) if known is not None else content)

    def weight(self, view: View, content: str) -> int:
        """Every step is light."""
        return 1

    def witness(self, view: View, content: str) -> Mapping[str, Any] | None:
        """The file that a step writes."""
        known = wording(view.language).read(content)
        return {"kind": "file", "path": known[1]["path"]} if known is not None and known[0] == "write_output" else None

    def close(self, view: View, plan: Plan) -> Reading[Completion]:
        """End, and say what rules could not do."""
        yield from ()
        text = wording(view.language)
        files = [
            known[1]["path"]
            for goal in plan.goals
            for step in goal.steps
            if (known := text.read(step.content)) is not None and known[0] == "write_output"
        ]
        summary = text.say("generic_summary", goals=len(plan.goals), job=view.job_type)
        return Completion(summary, tuple(files), text.say("generic_limits"))

    def _write(self, view: View, goal: str, path: str, title: str) -> Work:
        words = wording(view.language)
        instructions = yield from read_whole("instructions.md")
        terms = key_terms(order_of(instructions or ""))[:MOST_SEARCHES]
        passages: dict[tuple[str, str], None] = {}
        for result in (yield [call("web_search", query=term, max_results=EACH) for term in terms]) if terms else []:
            passages |= dict.fromkeys((found["source"], found["text"]) for found in SNIPPET.finditer(result.text))
        lines = [f"# {title}", "", words.say("generic_limits"), "", words.say("steps_done", goal=goal), ""]
        lines += [f"- {todo.content}" for todo in view.todos if todo.done and f"{goal} " in todo.content]
        lines += ["", words.say("passages_found", terms=", ".join(terms) or "-"), ""]
        lines += [f"- {source}: {' '.join(text.split())}" for source, text in passages] or ["-"]
        yield from write(path, "\n".join(lines) + "\n")
        return words.say("file_written", path=path, passages=len(passages))


def look_over(view: View, facts: Mapping[str, str]) -> Work:
    """Look at what there is once more: a phase with few steps is filled up with this."""
    summary = yield from one(call("get_workspace_summary"))
    return wording(view.language).say("looked_over", size=len(summary.text.splitlines()))


def key_terms(text: str) -> list[str]:
    """The words that carry a step's meaning: the longest ones, in their order."""
    words = [word for word in re.findall(r"[^\W\d_]{5,40}", text) if word.lower() not in {"output", "documents"}]
    longest = set(sorted(dict.fromkeys(words), key=len, reverse=True)[:MOST_TERMS])
    return [word for word in dict.fromkeys(words) if word in longest]


def _phase_of(instructions: str, goal_id: str) -> InstructedPhase:
    phases = instructed_phases(instructions)
    number = int(goal_id[1:]) - 1
    return phases[number] if number < len(phases) else InstructedPhase(goal_id)


GENERIC = Generic()
