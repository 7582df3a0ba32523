"""Text of documents, the web and stores: data for the model, no instructions, and no memory without its source."""

import asyncio
import hashlib
import json
import re
import threading
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from loopwright.agents.jobs.memory import config_of, find_job, workspace_of
from loopwright.agents.jobs.ports import JobServices
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.files import write_whole
from loopwright.kernel.prompts import as_data, excerpt, inert
from loopwright.kernel.tools import ToolContext, ToolResult
from loopwright.kernel.workspace import disk_errors

# Text of documents and the web is tainted: data for the model, no instructions, and no memory without its source.
#
# Who gives such text to the model files it (`remember`) and wraps it (`as_data`). Who writes what is pinned into every
# prompt (workspace.md, main_plan.md, instructions.md, the todos) asks `require_provenance` first, with the whole text
# that would stand there afterwards.
#
# Texts as sequences of comparable words, so that a copy is found however it was laid out.

PASSAGE_WORDS = 8
"""From this many words on a verbatim passage counts as taken from its source."""

# Format characters, variation selectors and tag characters; U+FFFE is how PDFium gives a hyphen at a line's end.
INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\ufe00-\ufe0f\ufeff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e0fff]+"
)
_HYPHEN = re.compile(r"[-\u2010]\s*")
_RUN = re.compile(r"[^\W_]+(?:[-\u2010]\s*[^\W_]+)*")

# Languages without spaces count by the character. Anything longer than a word can be is cut, so that encoded text
# (base64, hexadecimal) is a sequence of words as well.
_WORD = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]{1,24}")


class Word(NamedTuple):
    """A word, casefolded and without hyphens, and where it stands in the comparable text."""

    text: str
    start: int
    end: int


def comparable(text: str) -> str:
    """The text in compatibility form and without invisible characters."""
    return INVISIBLE.sub("", unicodedata.normalize("NFKC", text))


def words_of(comparable_text: str) -> list[Word]:
    """The words of a text that `comparable` gave."""
    return [
        Word(word, run.start(), run.end())
        for run in _RUN.finditer(comparable_text)
        for word in _WORD.findall(_HYPHEN.sub("", run.group()).casefold())
    ]


def shingles_of(words: list[Word]) -> list[int]:
    """A number for every run of `PASSAGE_WORDS` words, in order; it holds within this process only."""
    texts = [word.text for word in words]
    return list(map(hash, zip(*(texts[offset:] for offset in range(PASSAGE_WORDS)), strict=False)))


# The register of tainted text: what the model was given to read in this job, and from which source.

MAX_CHARACTERS = 5_000_000
"""Of one text: some 2,000 pages."""


class HasStateFolder(Protocol):
    """The workspace, as far as the register needs it."""

    @property
    def state_folder(self) -> Path:
        """Where the agent's own code keeps what no tool may touch."""
        ...


class Register:
    """What lies in one folder: a file for each text, named by its content, so that filing again changes nothing.

    The files are the truth; what is in memory is made of them, and follows them when the folder was put back to an
    earlier state.
    """

    def __init__(self, folder: Path) -> None:
        """Keep the folder; it may not exist yet."""
        self._folder = folder
        self._lock = threading.Lock()
        self._loaded: set[str] = set()
        self._shingles: dict[str, set[int]] = {}
        self._all: set[int] = set()

    def add(self, source: str, text: str) -> None:
        """File a text under its source; what stands in the source's filed texts already is not filed again.

        Raises:
            InvalidInput: the text is too long.
            Misconfigured: the disk does not take it.
        """
        if len(text) > MAX_CHARACTERS:
            raise InvalidInput(
                f"The text of {source} has {len(text):,} characters; at most {MAX_CHARACTERS:,} are read at once.",
                hint="Read it in parts.",
            )
        found = _shingles_in(text)
        with self._lock:
            self._load()
            if found <= self._shingles.get(source, set()):
                return
            name = _write(self._folder, source, text)
            self._keep(name, source, found)

    def sources_of(self, shingles: Iterable[int]) -> list[frozenset[str]]:
        """For each shingle the sources in which it stands."""
        with self._lock:
            self._load()
            return [self._sources_of(shingle) if shingle in self._all else frozenset() for shingle in shingles]

    def _sources_of(self, shingle: int) -> frozenset[str]:
        return frozenset(source for source, known in self._shingles.items() if shingle in known)

    def sources(self) -> frozenset[str]:
        """Every source of which text was filed."""
        with self._lock:
            self._load()
            return frozenset(self._shingles)

    def _load(self) -> None:
        names = {path.name for path in self._folder.glob("*.json")}
        if not self._loaded <= names:
            self._loaded, self._shingles, self._all = set(), {}, set()
        for name in names - self._loaded:
            source, text = _read(self._folder / name)
            self._keep(name, source, _shingles_in(text))

    def _keep(self, name: str, source: str, shingles: set[int]) -> None:
        self._loaded.add(name)
        self._shingles.setdefault(source, set()).update(shingles)
        self._all |= shingles


@lru_cache(maxsize=16)
def _register(folder: Path) -> Register:
    return Register(folder)


def register_of(workspace: HasStateFolder) -> Register:
    """The register of a workspace, shared within this process."""
    return _register(workspace.state_folder / "taint")


def remember(workspace: HasStateFolder, source: str, text: str) -> None:
    """File what the model is about to read; blocks on the disk.

    Args:
        workspace: the job's.
        source: where it is from, as in `as_data`; a page after `#` does not count.
        text: as it is given.

    Raises:
        InvalidInput: the text is longer than 5,000,000 characters.
        Misconfigured: the disk does not take it.
    """
    register_of(workspace).add(source.partition("#page=")[0], text)


def _shingles_in(text: str) -> set[int]:
    return set(shingles_of(words_of(comparable(text))))


def _write(folder: Path, source: str, text: str) -> str:
    content = json.dumps({"source": source, "text": text}, ensure_ascii=True).encode()
    name = f"{hashlib.sha256(content).hexdigest()}.json"
    with disk_errors("the record of foreign text"):
        write_whole(folder / name, content)  # the loader takes the name for a sign that the text is whole
    return name


def _read(path: Path) -> tuple[str, str]:
    content = json.loads(path.read_bytes())
    return content["source"], content["text"]


# What the model wrote itself and read again is tainted too, but it is not an origin of what stands in one of these.
_ORIGINALS = ("documents/", "extracted/", "sources/", "http://", "https://")
_MARK = re.compile(
    r"\[\s{0,9}(?:source\s{0,9}:(?P<name>[^\]\n]{1,400}?)(?:,\s{0,9}(?:pages?|pp?|seiten?|s)\s{0,9}\.?\s{0,9}\d[\d\s–,-]{0,40})?"
    r"|(?P<citations>CIT-\d{1,9}(?:\s{0,9}[,;]\s{0,9}CIT-\d{1,9}){0,50})\s{0,9})\]",
    re.IGNORECASE,
)
_PARAGRAPH_END = re.compile(r"\n[^\S\n]*\n")
_BETWEEN = "\n\n"


@dataclass(frozen=True)
class TaintedPassage:
    """A verbatim passage of tainted text that stands where its source is not named.

    `sources` are those of which one has to be named; `marks` are the marks of its paragraph, none of which does it.
    """

    text: str
    sources: tuple[str, ...]
    marks: tuple[str, ...]


@dataclass(frozen=True)
class _Mark:
    shown: str
    names: frozenset[str]


@dataclass(frozen=True)
class _Finding:
    """A run of eight words, by its first and last word's place in the text."""

    first: int
    start: int
    end: int
    sources: tuple[str, ...]
    marks: tuple[str, ...]


def unsourced(workspace: HasStateFolder, text: str, known: Mapping[str, str] | None = None) -> list[TaintedPassage]:
    """The passages of at least eight words that were taken from tainted text without saying so; blocks on the disk.

    Args:
        workspace: the job's; what was filed there (`remember`) counts as tainted.
        text: the whole text that would stand in the agent's memory.
        known: the source's path or address by the id of a citation or a source; marks with other ids count for nothing.
    """
    clean, findings = _findings(workspace, text, known or {})
    passages: list[TaintedPassage] = []
    run: list[_Finding] = []
    for finding in [*findings, None]:
        if run and (finding is None or finding.sources != run[-1].sources or finding.first != run[-1].first + 1):
            marks = dict.fromkeys(mark for each in run for mark in each.marks)
            passages.append(TaintedPassage(clean[run[0].start : run[-1].end], run[0].sources, tuple(marks)))
            run = []
        if finding is not None:
            run.append(finding)
    return passages


def _findings(workspace: HasStateFolder, text: str, known: Mapping[str, str]) -> tuple[str, list[_Finding]]:
    """The comparable text, and its unmarked runs of eight words in their order."""
    paragraphs = _PARAGRAPH_END.split(inert(text))
    marks = [[_mark(match, known) for match in _MARK.finditer(each)] for each in paragraphs]
    cleaned = [comparable(_MARK.sub(" ", each)) for each in paragraphs]
    starts = [0, *accumulate(len(each) + len(_BETWEEN) for each in cleaned)]
    clean = _BETWEEN.join(cleaned)
    words = words_of(clean)
    findings = []
    for first, sources in enumerate(register_of(workspace).sources_of(shingles_of(words))):
        if not sources:
            continue
        start, end = words[first].start, words[first + PASSAGE_WORDS - 1].end
        touched = range(bisect_right(starts, start) - 1, bisect_right(starts, end - 1))
        near = [mark for number in touched for mark in marks[number]]
        wanted = _origins(sources)
        names = {name for source in wanted for name in _names_of(source)}
        if not any(mark.names & names for mark in near):
            findings.append(_Finding(first, start, end, wanted, tuple(mark.shown for mark in near)))
    return clean, findings


def _origins(sources: frozenset[str]) -> tuple[str, ...]:
    return tuple(sorted(source for source in sources if source.startswith(_ORIGINALS)) or sorted(sources))


def _mark(match: re.Match[str], known: Mapping[str, str]) -> _Mark:
    """The mark, with every name by which it may mean a source."""
    if match["citations"]:
        ids = [part.strip().upper() for part in re.split("[,;]", match["citations"])]
        return _Mark(match.group(), frozenset(_folded(known[each]) for each in ids if each in known))
    name = match["name"].strip()
    return _Mark(match.group(), frozenset({_folded(name), _folded(known.get(name.upper(), name))}))


def _names_of(source: str) -> set[str]:
    if "://" in source:
        return {_folded(source)}
    return {_folded(source), _folded(source.rpartition("/")[2])}


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold().strip().rstrip("/")


async def require_provenance(
    workspace: HasStateFolder, text: str, services: JobServices, job_id: str, *, what: str
) -> None:
    """Refuse text for the agent's memory that holds tainted passages without their source.

    Args:
        workspace: the job's.
        text: the whole text that would stand there, not only what is added: passages could be put together piecemeal.
        services: where the job's sources and citations are.
        job_id: whose.
        what: where it would stand, such as `workspace.md`.

    Raises:
        InvalidInput: it names the first such passage and the mark that is missing or does not fit.
    """
    known = await services.sources.locators(job_id)
    passages = await asyncio.to_thread(unsourced, workspace, text, known)
    if not passages:
        return
    first, others = passages[0], len(passages) - 1
    sources = [inert(" ".join(source.split()))[:200] for source in first.sources]
    wrong = f" The mark {inert(first.marks[0])} does not fit: the passage is not of that source." if first.marks else ""
    more = (
        f" There {'is 1 more such passage' if others == 1 else f'are {others} more such passages'}." if others else ""
    )
    raise InvalidInput(
        f"{what} would hold text of {' or '.join(sources[:3])} without naming its source: {excerpt(first.text)}."
        f"{wrong}{more}",
        hint=f"Say it in your own words, or put [source: {sources[0]}], with its page (p. N) where it has one, or a "
        "citation of that source such as [CIT-001] into the same paragraph.",
    )


# Answers that show records of stores: one JSON object a line, marked as data, since documents speak through them.

LONGEST_ANSWER = 60_000
"""Of one answer; what is longer is cut at a whole record."""


async def records_answer(
    head: str, records: Iterable[Mapping[str, Any]], source: str, ctx: ToolContext[JobServices], **artifacts: Any
) -> ToolResult:
    """A successful answer.

    Args:
        head: what the product itself says, in front of the data.
        records: what is shown.
        source: where the records are from, in the mark around them.
        ctx: of the call.
        artifacts: structured data beside them.
    """
    lines = [json.dumps(record, ensure_ascii=False, default=str) for record in records]
    shown, length = 0, 0
    while shown < len(lines) and length + len(lines[shown]) <= LONGEST_ANSWER:
        length += len(lines[shown]) + 1
        shown += 1
    shown = max(shown, min(1, len(lines)))
    text = "\n".join(lines[:shown])[:LONGEST_ANSWER]
    if not text:
        return ToolResult(success=True, output=head, artifacts=artifacts or None)
    workspace = workspace_of(ctx.output_dir, config_of(ctx.settings))
    await asyncio.to_thread(remember, workspace, source, text)
    cut = f"\nOnly the first {shown} of {len(lines)} are shown; ask for fewer." if shown < len(lines) else ""
    return ToolResult(success=True, output=f"{head}\n{as_data(text, source)}{cut}", artifacts=artifacts or None)


async def current_phase(ctx: ToolContext[JobServices]) -> int:
    """The number of the job's phase, 0 before it has begun."""
    state = await find_job(ctx.db, ctx.session_id)
    return state.phase.number if state is not None else 0
