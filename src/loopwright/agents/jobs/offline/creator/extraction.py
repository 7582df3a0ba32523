"""The extraction: each part of the reading plan becomes citations and requirements."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from loopwright.agents.jobs.offline.creator.analysis import FINDER, NOTES, RELATIONS, TABLE
from loopwright.agents.jobs.offline.creator.candidate import Candidate, candidates_in, candidates_on
from loopwright.agents.jobs.offline.creator.repeats import Repeats, find_repeats
from loopwright.agents.jobs.offline.files import PAGED, append, read_page, read_whole
from loopwright.agents.jobs.offline.lexicon import BusinessObject, common_objects, mentions
from loopwright.agents.jobs.offline.outputs import added_ids, cited_ids, requirement_count
from loopwright.agents.jobs.offline.overviews import read_overviews
from loopwright.agents.jobs.offline.records import records
from loopwright.agents.jobs.offline.replay import Reading, Work, call, one
from loopwright.agents.jobs.offline.view import View
from loopwright.agents.jobs.offline.wording import Wording, wording

MOST_CELL = 400


@dataclass
class Part:
    """What became of the candidates of one part, by their place in it."""

    document: str
    candidates: Sequence[Candidate]
    repeats: Repeats
    citations: Mapping[int, str]
    added: Mapping[int, str] = field(default_factory=dict)

    def borne_by(self, place: int) -> list[str]:
        """The citations of a candidate, and of those in the part that repeat it."""
        places = [place, *(later for later, earlier in self.repeats.inside.items() if earlier == place)]
        return [self.citations[each] for each in places if each in self.citations]

    @property
    def wanted(self) -> list[int]:
        """The places of what is to be added: new, and with a quote that stands there."""
        return [place for place in self.citations if place not in self.repeats]

    @property
    def left(self) -> list[Candidate]:
        """What was neither added nor merged."""
        places = range(len(self.candidates))
        return [self.candidates[n] for n in places if n not in self.added and n not in self.repeats]


def record(view: View, facts: Mapping[str, str]) -> Work:
    """Record candidates by their numbers."""
    first, last = int(facts["first"]), int(facts["last"])
    shown = yield from one(call(FINDER, path=facts["document"], first=first, limit=last - first + 1))
    return (yield from _record(view, facts, candidates_in(shown.text) if shown.ok else []))


def record_pages(view: View, facts: Mapping[str, str]) -> Work:
    """Read pages, and record what the rules find on them."""
    document, first, last = facts["document"], int(facts["first"]), int(facts["last"])
    paged = document.lower().endswith(PAGED)
    candidates: list[Candidate] = []
    for page in range(first, last + 1):
        text = (yield from read_page(document, page)) if paged else (yield from read_whole(document))
        candidates += candidates_on(page, text or "")
    return (yield from _record(view, facts, candidates))


def _record(view: View, facts: Mapping[str, str], candidates: Sequence[Candidate]) -> Work:
    """Cite and add candidates; what says the same again only gives its citation."""
    document, first, last = facts["document"], facts["first"], facts["last"]
    text = wording(view.language)
    if not candidates:
        return text.say("note_part_empty", document=document, first=first, last=last)
    overview = yield from read_overviews(view)
    repeats = yield from find_repeats(view, candidates)
    part = Part(document, candidates, repeats, (yield from _cite(document, candidates)))
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


def _cite(document: str, candidates: Sequence[Candidate]) -> Reading[dict[int, str]]:
    """Citations by place; what cannot be cited is left out."""
    quotes = [
        {"quote": each.quote, "confidence": round(each.confidence, 2)}
        | ({"page": each.page} if each.page is not None else {})
        for each in candidates
    ]
    result = yield from one(call("cite_document", path=document, citations=quotes))
    ids = cited_ids(result, [each.quote for each in candidates])
    return {place: found for place, found in enumerate(ids) if found}


def _add(part: Part, objects: tuple[BusinessObject, ...]) -> Reading[dict[int, str]]:
    """Requirement ids by place; where all together are refused, they are added one by one."""
    wanted = {place: _requirement(part, place, objects) for place in part.wanted}
    if not wanted:
        return {}
    result = yield from one(call("add_requirement", requirements=list(wanted.values())))
    if result.ok:
        return dict(zip(wanted, added_ids(result), strict=False))
    results = yield [call("add_requirement", **each) for each in wanted.values()]
    return {place: ids[0] for place, each in zip(wanted, results, strict=True) if (ids := added_ids(each))}


def _requirement(part: Part, place: int, objects: tuple[BusinessObject, ...]) -> dict[str, Any]:
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


def _merge(part: Part) -> Reading[int]:
    """Give the citations of what repeats an earlier requirement to that one; tells how many say the same again."""
    grown: dict[str, list[str]] = {}
    for place, original in part.repeats.outside.items():
        if place in part.citations:
            grown.setdefault(original.requirement_id, list(original.citations)).append(part.citations[place])
    if grown:
        yield [call("update_requirement", requirement_id=each, citations=ids) for each, ids in grown.items()]
    return len(part.repeats)


def _relate(part: Part) -> Reading[list[str]]:
    """The rows of pairs that resemble each other: each new requirement with those that came before it."""
    ids = list(part.added.values())
    if not ids:
        return []
    similar = yield from one(call("find_similar_requirements", requirement_ids=ids, limit=3))
    return [
        f"| {row.get('requirement_id')} | {match.get('requirement_id')} | {float(match.get('similarity') or 0):.2f} |"
        for row in (records(similar.text) if similar.ok else [])
        for match in row.get("matches") or ()
    ]


def _keep(text: Wording, part: Part, numbers: str, pairs: Sequence[str]) -> Reading[None]:
    """Write the part into the table, the notes and the relations."""
    rows = [_row(part.candidates[n], part.borne_by(n), requirement) for n, requirement in part.added.items()]
    if rows:
        yield from append(TABLE, rows)
    if pairs:
        yield from append(RELATIONS, pairs)
    head = text.say("notes_part", added=len(part.added), merged=len(part.repeats), left=len(part.left))
    lines = [f"- {each.page or '-'}: {each.name}" for each in part.left]
    yield from append(NOTES, [f"## {part.document}, {numbers}", "", head, "", *lines])


def _row(candidate: Candidate, citations: Sequence[str], requirement: str) -> str:
    cells = [requirement, candidate.name, candidate.type, candidate.priority, str(candidate.page or "-")]
    return "| " + " | ".join([*map(_cell, cells), ", ".join(citations), _cell(candidate.quote)]) + " |"


def _cell(value: str) -> str:
    """A value that cannot break out of its cell."""
    line = " ".join(value.split()).replace("|", "\\|")
    return line if len(line) <= MOST_CELL else f"{line[:MOST_CELL]}…"
