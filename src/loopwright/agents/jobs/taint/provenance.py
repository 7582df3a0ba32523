"""Provenance: tainted text enters the agent's memory only with a mark that truly names where it is from.

A mark is `[source: GoBD.pdf, p. 3]`, naming a source by its path, file name, address or id, or a citation such as
`[CIT-001]`. It covers the paragraph in which it stands, and only what really is of the source that it names.
"""

import asyncio
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate

from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.taint.data import excerpt, inert
from loopwright.agents.jobs.taint.register import HasStateFolder, register_of
from loopwright.agents.jobs.taint.words import PASSAGE_WORDS, comparable, shingles_of, words_of
from loopwright.kernel.errors import InvalidInput

# What the model wrote itself and read again is tainted too, but it is no origin of what stands in one of these.
_ORIGINALS = ("documents/", "extracted/", "sources/", "http://", "https://")
_MARK = re.compile(
    r"\[\s{0,9}(?:source\s{0,9}:(?P<name>[^\]\n]{1,400}?)(?:,\s{0,9}(?:pages?|pp?|seiten?|s)\s{0,9}\.?\s{0,9}\d[\d\s–,-]{0,40})?"
    r"|(?P<citations>CIT-\d{1,9}(?:\s{0,9}[,;]\s{0,9}CIT-\d{1,9}){0,50})\s{0,9})\]",
    re.IGNORECASE,
)
_PARAGRAPH_END = re.compile(r"\n[^\S\n]*\n")
_BETWEEN = "\n\n"


@dataclass(frozen=True)
class Passage:
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


def unsourced(workspace: HasStateFolder, text: str, known: Mapping[str, str] | None = None) -> list[Passage]:
    """The passages of at least eight words that were taken from tainted text without saying so; blocks on the disk.

    Args:
        workspace: the job's; what was filed there (`remember`) counts as tainted.
        text: the whole text that would stand in the agent's memory.
        known: the source's path or address by the id of a citation or a source; marks with other ids count for nothing.
    """
    clean, findings = _findings(workspace, text, known or {})
    passages: list[Passage] = []
    run: list[_Finding] = []
    for finding in [*findings, None]:
        if run and (finding is None or finding.sources != run[-1].sources or finding.first != run[-1].first + 1):
            marks = dict.fromkeys(mark for each in run for mark in each.marks)
            passages.append(Passage(clean[run[0].start : run[-1].end], run[0].sources, tuple(marks)))
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
