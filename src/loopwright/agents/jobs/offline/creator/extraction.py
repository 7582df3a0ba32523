"""The extraction: each part of the reading plan becomes citations and requirements."""

from collections.abc import Mapping, Sequence
from typing import Any

from loopwright.agents.jobs.offline.creator.analysis import NOTES, TABLE
from loopwright.agents.jobs.offline.creator.candidate import Candidate, candidates_file, candidates_in
from loopwright.agents.jobs.offline.creator.reading_plan import parse_repeats
from loopwright.agents.jobs.offline.files import append, read_whole
from loopwright.agents.jobs.offline.lexicon import BusinessObject, common_objects, mentions, objects_in
from loopwright.agents.jobs.offline.outputs import added_ids, cited_ids, requirement_count
from loopwright.agents.jobs.offline.replay import Reading, Work, call, one
from loopwright.agents.jobs.offline.view import View
from loopwright.agents.jobs.offline.wording import Wording, wording

OVERVIEWS = 3
"""Documents that are asked for business objects: an overview is short, and there is one."""
MOST_CELL = 400


def record(view: View, facts: Mapping[str, str]) -> Work:
    """Cite and add the candidates of one part; what says the same again only adds its citation."""
    document, text = facts["document"], wording(view.language)
    first, last = int(facts["first"]), int(facts["last"])
    same = parse_repeats(facts.get("repeats", ""))
    read = yield from _candidates(document, first, last, same)
    if not read:
        return text.say("note_part_unread", document=document, first=first, last=last)
    objects = yield from business_objects(view)
    citations = yield from _cite(document, read)
    groups = {
        number: [number, *(later for later, earlier in same.items() if earlier == number and later in read)]
        for number in read
        if first <= number <= last and number not in same
    }
    borne = {n: [citations[each] for each in group if each in citations] for n, group in groups.items()}
    wanted = [number for number in groups if number in citations]
    added = yield from _add(document, {number: (read[number], borne[number]) for number in wanted}, objects)
    yield from _keep(text, document, facts["pages"], read, borne, added)
    merged = sum(first <= later <= last for later in same)
    return text.say(
        "note_part",
        document=document,
        first=first,
        last=last,
        added=len(added),
        merged=merged,
        uncited=len(groups) - len(wanted),
        refused=len(wanted) - len(added),
        table=TABLE,
        notes=NOTES,
    )


def count(view: View, facts: Mapping[str, str]) -> Work:
    """Compare what the store has with what was planned."""
    text = wording(view.language)
    summary = yield from one(call("get_workspace_summary"))
    stored = requirement_count(summary.text)
    yield from append(NOTES, ["", text.say("notes_total", stored=stored, expected=facts["expected"])])
    return text.say("note_count", stored=stored, expected=facts["expected"], file=NOTES)


def business_objects(view: View) -> Reading[tuple[BusinessObject, ...]]:
    """The objects of the job's own overview, or the common ones of bookkeeping."""
    found: list[BusinessObject] = []
    for path in [path for path in view.documents if path.lower().endswith((".md", ".txt"))][:OVERVIEWS]:
        found += objects_in((yield from read_whole(path)) or "")
    return tuple(found) or common_objects()


def _candidates(document: str, first: int, last: int, same: Mapping[int, int]) -> Reading[dict[int, Candidate]]:
    """The part's candidates by number, and those of later parts that repeat one of them."""
    path = candidates_file(document)
    found = candidates_in((yield from read_whole(path, first, last)) or "")
    numbered = dict(enumerate(found, first))
    for later, earlier in same.items():
        if later > last and first <= earlier <= last:
            repeated = candidates_in((yield from read_whole(path, later, later)) or "")
            if repeated:
                numbered[later] = repeated[0]
    return numbered


def _cite(document: str, read: Mapping[int, Candidate]) -> Reading[dict[int, str]]:
    """Citations by candidate; what cannot be cited is left out."""
    quotes = [
        {"quote": each.quote, "claim": each.name, "confidence": round(each.confidence, 2)}
        | ({"page": each.page} if each.page is not None else {})
        for each in read.values()
    ]
    result = yield from one(call("cite_document", path=document, citations=quotes))
    ids = cited_ids(result, [str(quote["quote"]) for quote in quotes])
    return {number: found for number, found in zip(read, ids, strict=True) if found}


def _add(
    document: str, wanted: Mapping[int, tuple[Candidate, Sequence[str]]], objects: Sequence[BusinessObject]
) -> Reading[dict[int, str]]:
    """Requirement ids by candidate; where the batch is refused they are added one by one."""
    arguments = {number: _requirement(document, *each, objects) for number, each in wanted.items()}
    if not arguments:
        return {}
    result = yield from one(call("add_requirement", requirements=list(arguments.values())))
    if result.ok:
        return dict(zip(arguments, added_ids(result), strict=False))
    results = yield [call("add_requirement", **each) for each in arguments.values()]
    return {
        number: ids[0] for number, each in zip(arguments, results, strict=True) if each.ok and (ids := added_ids(each))
    }


def _requirement(
    document: str, candidate: Candidate, citations: Sequence[str], objects: Sequence[BusinessObject]
) -> dict[str, Any]:
    page = f"p. {candidate.page}" if candidate.page is not None else ""
    return {
        "text": candidate.text,
        "name": candidate.name,
        "req_type": candidate.type,
        "priority": candidate.priority,
        "citations": list(citations),
        "source_document": document,
        "source_location": ", ".join(part for part in (page, candidate.section) if part)[:200],
        "gobd_relevant": candidate.gobd_relevant,
        "gdpr_relevant": candidate.gdpr_relevant,
        "mentioned_objects": mentions(candidate.text, objects),
        "confidence": round(candidate.confidence, 2),
        "reasoning": candidate.indicator,
    }


def _keep(
    text: Wording,
    document: str,
    pages: str,
    read: Mapping[int, Candidate],
    borne: Mapping[int, Sequence[str]],
    added: Mapping[int, str],
) -> Reading[None]:
    """Write the part into the table and the notes."""
    rows = [_row(read[number], borne[number], requirement) for number, requirement in added.items()]
    if rows:
        yield from append(TABLE, rows)
    left = [f"- {read[n].page or '-'}: {read[n].name}" for n in borne if n not in added]
    lines = [f"## {document}, {pages}", "", text.say("notes_part", added=len(added), left=len(left)), *left, ""]
    yield from append(NOTES, lines)


def _row(candidate: Candidate, citations: Sequence[str], requirement: str) -> str:
    cells = [requirement, candidate.name, candidate.type, candidate.priority, str(candidate.page or "-")]
    return "| " + " | ".join([*map(_cell, cells), ", ".join(citations), _cell(candidate.quote)]) + " |"


def _cell(value: str) -> str:
    """A value that cannot break out of its cell."""
    line = " ".join(value.split()).replace("|", "\\|")
    return line if len(line) <= MOST_CELL else f"{line[:MOST_CELL]}…"
