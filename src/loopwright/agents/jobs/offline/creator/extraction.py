"""The extraction: each part of the reading plan becomes citations and requirements."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from loopwright.agents.jobs.candidates import Mode, candidates_of
from loopwright.agents.jobs.documents import read_text
from loopwright.agents.jobs.graph import Comparison
from loopwright.agents.jobs.offline.creator.analysis import FILE as ANALYSIS
from loopwright.agents.jobs.offline.creator.analysis import FINDER, NOTES, RELATIONS, TABLE
from loopwright.agents.jobs.offline.job_rules import (
    Completion,
    Reading,
    View,
    Work,
    added_ids,
    cited_ids,
    records,
    requirement_count,
    wording,
)
from loopwright.agents.jobs.offline.lexicon import (
    PAGED,
    BusinessObject,
    append,
    common_objects,
    mentions,
    read_overviews,
    read_page,
    read_whole,
    says_the_same,
    write,
)
from loopwright.agents.jobs.offline.strategic import MemoryFile
from loopwright.kits.dialogue import Wording, call, one

# The consolidation: relations are weighed, and a sample of the citations is verified again.

OPEN_POINTS = "output/open_points.md"
SAME = 0.95
"""From this likeness on two requirements say the same (field notes, part 003)."""
PAIR = re.compile(r"^\| [0-9a-f]{32} \| [0-9a-f]{32} \| (?P<likeness>[01]\.\d\d) \|$", re.MULTILINE)
SAMPLE = 20
VERIFIED = re.compile(r"\bverified: the quote stands there")
CITATION = re.compile(r"\bCIT-\d+\b")


def weigh_relations(view: View, facts: Mapping[str, str]) -> Work:
    """Count the pairs that the extraction has noted, and those that may say the same."""
    text = wording(view.language)
    noted = (yield from read_whole(RELATIONS)) or ""
    likeness = [float(match["likeness"]) for match in PAIR.finditer(noted)]
    same = sum(each >= SAME for each in likeness)
    return text.say("note_relations", pairs=len(likeness), same=same, file=RELATIONS)


def sample(view: View, facts: Mapping[str, str]) -> Work:
    """Verify citations again, spread over all that the answer names."""
    text = wording(view.language)
    sources = yield from one(call("list_sources"))
    ids = list(dict.fromkeys(CITATION.findall(sources.text)))
    chosen = ids[:: max(1, len(ids) // SAMPLE)][:SAMPLE]
    results = (yield [call("get_citation", citation_id=each) for each in chosen]) if chosen else []
    failed = [each for each, result in zip(chosen, results, strict=True) if not VERIFIED.search(result.text)]
    return text.say("note_sample", checked=len(chosen), failed=", ".join(failed) or "0")


def sources(view: View, facts: Mapping[str, str]) -> Work:
    """Say which documents were cited, and which were not."""
    text = wording(view.language)
    listed = yield from one(call("list_sources"))
    cited = [path for path in view.documents if path in listed.text]
    uncited = [path for path in view.documents if path not in cited]
    return text.say("note_sources", cited=", ".join(cited) or "-", uncited=", ".join(uncited) or "-")


def open_points(view: View, facts: Mapping[str, str]) -> Work:
    """Gather what the extraction has left out."""
    text = wording(view.language)
    notes = (yield from read_whole(NOTES)) or ""
    points = [line for line in notes.splitlines() if line.startswith("- ")]
    lines = [text.say("open_points_head"), "", *(points or [text.say("open_points_none")])]
    yield from write(OPEN_POINTS, "\n".join(lines) + "\n")
    return text.say("note_open_points", file=OPEN_POINTS, points=len(points))


# The end of the Creator's work: a summary for the reader, and what the job is closed with.

SUMMARY = "output/summary.md"
DELIVERABLES = (TABLE, RELATIONS, OPEN_POINTS, ANALYSIS, NOTES)


def summarise(view: View, facts: Mapping[str, str]) -> Work:
    """Write the summary: what was found, how, and what rules cannot see."""
    text = wording(view.language)
    summary = yield from one(call("get_workspace_summary"))
    memory = MemoryFile.parse((yield from read_whole("workspace.md")) or "")
    reached = dict(memory.sections).get(text.say("heading_reached"), ())
    stored = requirement_count(summary.text)
    lines = [
        text.say("summary_head", requirements=stored, documents=", ".join(view.documents) or "-"),
        "",
        *reached,
        *(f"- {todo.notes.splitlines()[0]}" for todo in view.todos if todo.done and todo.notes),
        "",
        text.say("summary_limits"),
        "",
        *(f"- {path}" for path in DELIVERABLES),
    ]
    yield from write(SUMMARY, "\n".join(lines) + "\n")
    return text.say("note_summary", file=SUMMARY, requirements=stored)


def close(view: View) -> Reading[Completion]:
    """Close with the number that the store has."""
    text = wording(view.language)
    summary = yield from one(call("get_workspace_summary"))
    files = yield from one(call("list_files", path="output"))
    stored = requirement_count(summary.text)
    done = "creator_done" if stored else "creator_found_nothing"
    return Completion(
        text.say(done, requirements=stored, documents=len(view.documents)),
        tuple(path for path in (SUMMARY, *DELIVERABLES) if path in files.text),
        text.say("summary_limits"),
    )


# A candidate for a requirement, as `identify_requirement_candidates` shows it.

MOST_NAME = 78
MODE: Mode = "balanced"
LEAST = 0.6
"""The defaults of the config, which the rules do not see."""


@dataclass(frozen=True)
class RequirementDraft:
    """What of a candidate becomes a requirement."""

    text: str
    quote: str
    page: int | None
    section: str
    indicator: str
    confidence: float
    type: str
    priority: str
    gobd_relevant: bool
    gdpr_relevant: bool

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> "RequirementDraft":
        """Read one line of an answer."""
        page = record.get("page")
        return cls(
            text=str(record.get("text") or record.get("quote") or ""),
            quote=str(record.get("quote") or ""),
            page=page if isinstance(page, int) else None,
            section=str(record.get("section") or ""),
            indicator=str(record.get("indicator") or ""),
            confidence=float(record.get("confidence") or 0),
            type=str(record.get("req_type") or "functional"),
            priority=str(record.get("priority") or "medium"),
            gobd_relevant=bool(record.get("gobd_relevant")),
            gdpr_relevant=bool(record.get("gdpr_relevant")),
        )

    @property
    def name(self) -> str:
        """A short name: the beginning of the text, whole words, without the number of its paragraph."""
        text = re.sub(r"^\W*(?:\d{1,4}[.)]?\s+)?", "", " ".join(re.sub(r"[*`_#]+", "", self.text).split()))
        if len(text) <= MOST_NAME:
            return text.rstrip(" .;:,")
        return f"{text[:MOST_NAME].rpartition(' ')[0].rstrip(' .;:,')}…"


def candidates_in(text: str) -> list[RequirementDraft]:
    """The candidates that `identify_requirement_candidates` shows."""
    return [RequirementDraft.of(record) for record in records(text)]


def candidates_on(page: int, text: str) -> list[RequirementDraft]:
    """The candidates of one page that was read, found by the product's own rules: for jobs without the tool for it."""
    if not text.strip():
        return []
    document = read_text("page.txt", text.encode("utf-8", "replace"))
    found = candidates_of(document, MODE, LEAST)
    return [replace(RequirementDraft.of(each.model_dump()), page=page) for each in found]


# What says the same again: among the candidates of a part, and what this job has recorded before.


@dataclass(frozen=True)
class Original:
    """A requirement that this job has recorded before, with its citations."""

    requirement_id: str
    citations: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class Repeats:
    """By place in the part: the place of an earlier candidate, or the requirement, that says the same."""

    inside: Mapping[int, int]
    outside: Mapping[int, Original]

    def __contains__(self, place: object) -> bool:
        return place in self.inside or place in self.outside

    def __len__(self) -> int:
        return len(set(self.inside) | set(self.outside))


def find_repeats(view: View, candidates: Sequence[RequirementDraft]) -> Reading[Repeats]:
    """Compare a part with the store and within itself. What another job has recorded is for a Validator to judge."""
    texts = tuple(each.text for each in candidates)
    result = yield from one(call("check_for_duplicates", requirement_texts=list(texts)))
    rows = records(result.text) if not result.failed else []
    own = {
        place: str(match["requirement_id"])
        for place, row in enumerate(rows)
        for match in (row.get("matches") or ())[:1]
        if match.get("job_id") == view.state.get("job_id")
    }
    originals = yield from _originals(list(dict.fromkeys(own.values())))
    outside = {
        place: originals[found]
        for place, found in own.items()
        if found in originals and says_the_same(texts[place], originals[found].text)
    }
    inside = {later: earlier for later, earlier in _inside(texts) if not {later, earlier} & set(outside)}
    return Repeats(inside, outside)


@lru_cache(maxsize=64)
def _inside(texts: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    """Each place whose text says what an earlier one says, with the first of these."""
    found: dict[int, int] = {}
    for later, text in enumerate(texts):
        comparison = Comparison(text)
        for earlier in range(later):
            alike = earlier not in found and comparison.ratio(texts[earlier], SAME) >= SAME
            if alike and says_the_same(texts[earlier], text):
                found[later] = earlier
                break
    return tuple(found.items())


def _originals(ids: Sequence[str]) -> Reading[dict[str, Original]]:
    """Requirements that were recorded before, with their citations."""
    if not ids:
        return {}
    details = yield [call("get_requirement", requirement_id=each) for each in ids]
    found = {}
    for requirement_id, detail in zip(ids, details, strict=True):
        row = next(iter(records(detail.text)), None) if not detail.failed else None
        if row is not None:
            cited = [str(each.get("citation_id")) for each in row.get("citations") or ()]
            found[requirement_id] = Original(requirement_id, tuple(cited), str(row.get("text") or ""))
    return found


MOST_CELL = 400


@dataclass
class PartResult:
    """What became of the candidates of one part, by their place in it."""

    document: str
    candidates: Sequence[RequirementDraft]
    repeats: Repeats
    citations: Mapping[int, str]
    added: Mapping[int, str] = field(default_factory=dict)

    def borne_by(self, place: int) -> list[str]:
        """The citations of a candidate, and of those in the part that repeat it."""
        places = [place, *(later for later, earlier in self.repeats.inside.items() if earlier == place)]
        return list(dict.fromkeys(self.citations[each] for each in places if each in self.citations))

    @property
    def wanted(self) -> list[int]:
        """The places of what is to be added: new, and with a quote that stands there."""
        return [place for place in self.citations if place not in self.repeats]

    @property
    def left(self) -> list[RequirementDraft]:
        """What was neither added nor merged."""
        places = range(len(self.candidates))
        return [self.candidates[n] for n in places if n not in self.added and n not in self.repeats]


def record(view: View, facts: Mapping[str, str]) -> Work:
    """Record candidates by their numbers."""
    first, last = int(facts["first"]), int(facts["last"])
    shown = yield from one(call(FINDER, path=facts["document"], first=first, limit=last - first + 1))
    return (yield from _record(view, facts, candidates_in(shown.text) if not shown.failed else []))


def record_pages(view: View, facts: Mapping[str, str]) -> Work:
    """Read pages, and record what the rules find on them."""
    document, first, last = facts["document"], int(facts["first"]), int(facts["last"])
    paged = document.lower().endswith(PAGED)
    candidates: list[RequirementDraft] = []
    for page in range(first, last + 1):
        text = (yield from read_page(document, page)) if paged else (yield from read_whole(document))
        candidates += candidates_on(page, text or "")
    return (yield from _record(view, facts, candidates))


def _record(view: View, facts: Mapping[str, str], candidates: Sequence[RequirementDraft]) -> Work:
    """Cite and add candidates; what says the same again only gives its citation."""
    document, first, last = facts["document"], facts["first"], facts["last"]
    text = wording(view.language)
    if not candidates:
        return text.say("note_part_empty", document=document, first=first, last=last)
    overview = yield from read_overviews(view)
    repeats = yield from find_repeats(view, candidates)
    part = PartResult(document, candidates, repeats, (yield from _cite(document, candidates)))
    part.added = yield from _add(part, overview.objects or common_objects())
    merged = yield from _merge(part)
    pairs = yield from _relate(part)
    yield from _keep(text, part, f"{first}–{last}", pairs)
    counts = {"added": len(part.added), "merged": merged, "left": len(part.left), "pairs": len(pairs)}
    return text.say("note_part", document=document, first=first, last=last, table=TABLE, notes=NOTES, **counts)


def count(view: View, facts: Mapping[str, str]) -> Work:
    """Ask the store how many it has, and close the notes with it."""
    text = wording(view.language)
    summary = yield from one(call("get_workspace_summary"))
    stored = requirement_count(summary.text)
    yield from append(NOTES, ["", text.say("notes_total", stored=stored)])
    return text.say("note_count", stored=stored, file=NOTES)


def _cite(document: str, candidates: Sequence[RequirementDraft]) -> Reading[dict[int, str]]:
    """Citations by place; what cannot be cited is left out."""
    quotes = [
        {"quote": each.quote, "confidence": round(each.confidence, 2)}
        | ({"page": each.page} if each.page is not None else {})
        for each in candidates
    ]
    result = yield from one(call("cite_document", path=document, citations=quotes))
    ids = cited_ids(result, [each.quote for each in candidates])
    return {place: found for place, found in enumerate(ids) if found}


def _add(part: PartResult, objects: tuple[BusinessObject, ...]) -> Reading[dict[int, str]]:
    """Requirement ids by place; where all together are refused, they are added one by one."""
    wanted = {place: _requirement(part, place, objects) for place in part.wanted}
    if not wanted:
        return {}
    result = yield from one(call("add_requirement", requirements=list(wanted.values())))
    if not result.failed:
        return dict(zip(wanted, added_ids(result), strict=False))
    results = yield [call("add_requirement", **each) for each in wanted.values()]
    return {place: ids[0] for place, each in zip(wanted, results, strict=True) if (ids := added_ids(each))}


def _requirement(part: PartResult, place: int, objects: tuple[BusinessObject, ...]) -> dict[str, Any]:
    candidate = part.candidates[place]
    page = f"p. {candidate.page}" if candidate.page is not None else ""
    return {
        "text": candidate.text,
        "name": candidate.name,
        "req_type": candidate.type,
        "priority": candidate.priority,
        "citations": part.borne_by(place),
        "source_document": part.document,
        "source_location": ", ".join(each for each in (page, candidate.section) if each)[:200],
        "gobd_relevant": candidate.gobd_relevant,
        "gdpr_relevant": candidate.gdpr_relevant,
        "mentioned_objects": list(mentions(candidate.text, objects)),
        "reasoning": candidate.indicator,
        "confidence": round(candidate.confidence, 2),
    }


def _merge(part: PartResult) -> Reading[int]:
    """Give the citations of what repeats an earlier requirement to that one; tells how many say the same again."""
    grown: dict[str, list[str]] = {}
    changed: set[str] = set()
    for place, original in part.repeats.outside.items():
        if place in part.citations:
            bearing = grown.setdefault(original.requirement_id, list(original.citations))
            if part.citations[place] not in bearing:
                bearing.append(part.citations[place])
                changed.add(original.requirement_id)
    if changed:
        yield [call("update_requirement", requirement_id=each, citations=grown[each]) for each in sorted(changed)]
    return len(part.repeats)


def _relate(part: PartResult) -> Reading[list[str]]:
    """The rows of pairs that resemble each other: each new requirement with those that came before it."""
    ids = list(part.added.values())
    if not ids:
        return []
    similar = yield from one(call("find_similar_requirements", requirement_ids=ids, limit=3))
    return [
        f"| {row.get('requirement_id')} | {match.get('requirement_id')} | {float(match.get('similarity') or 0):.2f} |"
        for row in (records(similar.text) if not similar.failed else [])
        for match in row.get("matches") or ()
    ]


def _keep(text: Wording, part: PartResult, numbers: str, pairs: Sequence[str]) -> Reading[None]:
    """Write the part into the table, the notes and the relations."""
    rows = [_row(part.candidates[n], part.borne_by(n), requirement) for n, requirement in part.added.items()]
    if rows:
        yield from append(TABLE, rows)
    if pairs:
        yield from append(RELATIONS, pairs)
    head = text.say("notes_part", added=len(part.added), merged=len(part.repeats), left=len(part.left))
    lines = [f"- {each.page or '-'}: {each.name}" for each in part.left]
    yield from append(NOTES, [f"## {part.document}, {numbers}", "", head, "", *lines])


def _row(candidate: RequirementDraft, citations: Sequence[str], requirement: str) -> str:
    cells = [requirement, candidate.name, candidate.type, candidate.priority, str(candidate.page or "-")]
    return "| " + " | ".join([*map(_cell, cells), ", ".join(citations), _cell(candidate.quote)]) + " |"


def _cell(value: str) -> str:
    """A value that cannot break out of its cell."""
    line = " ".join(value.split()).replace("|", "\\|")
    return line if len(line) <= MOST_CELL else f"{line[:MOST_CELL]}…"
