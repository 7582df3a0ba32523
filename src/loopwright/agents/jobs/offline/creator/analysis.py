"""The first phase: what the documents are, their text, their candidates, and the plan by which these are recorded."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from loopwright.agents.jobs.offline.job_rules import View, Work, wording
from loopwright.agents.jobs.offline.lexicon import append, kind_of, language_of, peek, read_whole, write
from loopwright.kits.dialogue import Wording, call, one

# The reading plan: what is recorded together. It stands as a table in output/document_analysis.md.

SIZE = 15
"""Candidates in one part, so that five parts fit into the dialogue of a phase."""
PAGES = 2
"""Pages in one part, where candidates are not numbered beforehand."""
ROW = re.compile(r"^\| (?P<document>documents/[^|]+?) \| (?P<unit>p\. )?(?P<first>\d+)–(?P<last>\d+) \|$")


@dataclass(frozen=True)
class Part:
    """Candidates, or pages, `first` to `last` (from 1) of a document."""

    document: str
    first: int
    last: int
    by_page: bool = False

    def step(self, text: Wording) -> str:
        """The step that records it."""
        name = "record_pages" if self.by_page else "record"
        return text.step(name, first=self.first, last=self.last, document=self.document)

    def row(self) -> str:
        """Its line in the table."""
        return f"| {self.document} | {'p. ' if self.by_page else ''}{self.first}–{self.last} |"


def plan_reading(document: str, count: int, *, by_page: bool = False) -> list[Part]:
    """Divide a document's candidates, or pages, into parts."""
    size = PAGES if by_page else SIZE
    return [Part(document, n, min(n + size - 1, count), by_page) for n in range(1, count + 1, size)]


def parse_plan(text: str) -> list[Part]:
    """The parts in the tables of output/document_analysis.md."""
    rows = (ROW.match(line.strip()) for line in text.splitlines())
    return [Part(row["document"], int(row["first"]), int(row["last"]), bool(row["unit"])) for row in rows if row]


FILE = "output/document_analysis.md"
TABLE = "output/requirements.md"
NOTES = "output/extraction_notes.md"
RELATIONS = "output/relations.md"
FINDER = "identify_requirement_candidates"
COUNT = re.compile(r" has (?P<count>\d+) candidates\b")
CHUNKING = {"legal": "legal", "technical": "technical"}


def survey(view: View, facts: Mapping[str, str]) -> Work:
    """Ask what each document is, and begin the analysis with a table of them."""
    text = wording(view.language)
    infos = yield [call("get_document_info", path=path) for path in view.documents]
    rows = []
    for path, info in zip(view.documents, infos, strict=True):
        start = yield from peek(path)
        language, kind = language_of(start or ""), kind_of(start or "")
        said = text.say(f"language_{language}"), text.say(f"kind_{kind}")
        rows.append(f"| {path} | {said[1]} | {said[0]} | {_length(info.text) if not info.failed else '?'} |")
    yield from write(FILE, "\n".join([text.say("analysis_head"), *rows]) + "\n")
    unread = sum(info.failed for info in infos)
    return text.say("note_survey", documents=len(infos), unread=unread, file=FILE)


def extract_text(view: View, facts: Mapping[str, str]) -> Work:
    """Extract one document's text."""
    result = yield from one(call("extract_document_text", path=facts["document"]))
    text = wording(view.language)
    return text.say("note_no_text" if result.failed else "note_text", document=facts["document"])


def chunk(view: View, facts: Mapping[str, str]) -> Work:
    """Cut one document into passages, by the manner that suits its kind."""
    start = yield from peek(facts["document"])
    strategy = CHUNKING.get(kind_of(start or ""), "general")
    result = yield from one(call("chunk_document", path=facts["document"], strategy=strategy))
    text = wording(view.language)
    if result.failed:
        return text.say("note_no_chunks", document=facts["document"])
    return text.say("note_chunks", document=facts["document"], strategy=strategy)


def identify(view: View, facts: Mapping[str, str]) -> Work:
    """Identify one document's candidates, and add to the analysis how they will be recorded."""
    document, text = facts["document"], wording(view.language)
    result = yield from one(call(FINDER, path=document, limit=1))
    by_page = FINDER not in view.tools
    if by_page:
        info = yield from one(call("get_document_info", path=document))
        found = int(_length(info.text)) if _length(info.text).isdigit() else 1
    else:
        match = COUNT.search(result.text) if not result.failed else None
        found = int(match["count"]) if match else 0
    parts = plan_reading(document, found, by_page=by_page)
    head = ["", f"## {document}", "", text.say("analysis_counts", parts=len(parts)), ""]
    table = [text.say("analysis_table"), "|---|---|", *(part.row() for part in parts)]
    yield from append(FILE, [*head, *table] if parts else head)
    name = "note_pages" if by_page else "note_no_candidates" if result.failed else "note_candidates"
    return text.say(name, document=document, found=found, parts=len(parts), file=FILE)


def complete(view: View, facts: Mapping[str, str]) -> Work:
    """Close the analysis with the totals, and begin the files that the extraction goes on with."""
    text = wording(view.language)
    parts = parse_plan((yield from read_whole(FILE)) or "")
    documents = len({part.document for part in parts})
    yield from append(FILE, ["", text.say("analysis_totals", documents=documents, parts=len(parts))])
    yield from write(TABLE, text.say("table_head") + "\n")
    yield from write(NOTES, text.say("notes_head") + "\n\n")
    yield from write(RELATIONS, text.say("relations_head") + "\n")
    return text.say("note_analysis", parts=len(parts), files=f"{FILE}, {TABLE}, {NOTES}, {RELATIONS}")


def _length(info: str) -> str:
    """The pages that an answer of `get_document_info` names."""
    match = re.search(r"(?P<pages>\d+)\s+(?:pages?|Seiten?)\b|pages?\W{1,3}(?P<named>\d+)", info)
    return (match["pages"] or match["named"]) if match else "?"
