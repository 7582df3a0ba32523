"""Working requirements off, a part at a time: find out, judge, put into the graph, settle."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from loopwright.agents.jobs.graph import comparable
from loopwright.agents.jobs.offline.job_rules import Completion, Reading, View, Work, counted, records, wording
from loopwright.agents.jobs.offline.lexicon import (
    BusinessObject,
    append,
    common_objects,
    mentions,
    read_overviews,
    read_whole,
    says_the_same,
    write,
)
from loopwright.agents.jobs.offline.validator.understanding import FILE as UNDERSTANDING
from loopwright.agents.jobs.offline.validator.understanding import OPEN, STATUSES, object_node
from loopwright.kits.dialogue import Call, Result, Wording, call, one

# The verdict on one requirement, by what the tools have found out about it.

DUPLICATE, RELATED = 0.95, 0.70
"""Thresholds of likeness (field notes, part 003): where the config has others, its tools have gone by them already."""
SURE = 0.8
"""From here on a name was found: the same, or a part of it."""
LEAST_WORDS = 4
REFINING = 0.85
"""The share of the shorter text's words in the longer one from which on that one says it more precisely."""
CHANGES = re.compile(
    r"auf(?:zu)?bewahr|archiv|unveränder|lösch|protokollier|vollständig|retain|retention|immutab|eras|delet|\blog(?:s|ged|ging)?\b",
    re.IGNORECASE,
)
"""Duties that change how a thing is kept; the others only speak of it."""

Status = Literal["integrated", "rejected"]


@dataclass(frozen=True)
class SimilarRequirement:
    """Another requirement that is alike."""

    requirement_id: str
    rid: str
    similarity: float
    text: str


@dataclass(frozen=True)
class Case:
    """A requirement with everything that was found out about it."""

    requirement_id: str
    name: str
    text: str
    imposed: bool
    cited: bool = True
    verified: bool = True
    matches: Sequence[SimilarRequirement] = ()
    objects: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class ValidationResult:
    """What becomes of it: `reason` names the text that tells why, with its facts."""

    status: Status
    reason: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    related: Sequence[SimilarRequirement] = ()


def judge(case: Case, turned_down: Collection[str], *, foreign: bool) -> ValidationResult:
    """Pass the verdict.

    Args:
        case: the requirement.
        turned_down: ids that were rejected in the same part; what is like them is not a duplicate.
        foreign: whether nothing in its words has to do with the organisation.
    """
    if len(re.findall(r"[^\W\d_]{2,}", case.text)) < LEAST_WORDS:
        return ValidationResult("rejected", "reason_vague")
    if not case.cited:
        return ValidationResult("rejected", "reason_no_citation")
    if not case.verified:
        return ValidationResult("rejected", "reason_citation")
    matches = [match for match in case.matches if match.requirement_id not in turned_down]
    same = next((m for m in matches if m.similarity >= DUPLICATE and says_the_same(case.text, m.text)), None)
    if same is not None:
        original = same.rid or same.requirement_id
        return ValidationResult(
            "rejected", "reason_duplicate", {"original": original, "likeness": f"{same.similarity:.2f}"}
        )
    found = [name for name, confidence in case.objects.items() if confidence >= SURE]
    if foreign and not found and not case.imposed:
        return ValidationResult("rejected", "reason_irrelevant")
    related = tuple(match for match in matches if match.similarity >= RELATED)
    return ValidationResult(
        "integrated", "reason_relevant" if found else "reason_partly", {"objects": len(found)}, related
    )


def relation(text: str, other: str) -> str:
    """How a requirement relates to one that is like it: it says it more precisely, or only resembles it."""
    words, others = set(comparable(text).split()), set(comparable(other).split())
    refines = len(words) > len(others) and len(words & others) >= REFINING * len(others)
    return "REFINES" if refines else "TRACES_TO"


def concern(case: Case) -> str:
    """How a requirement relates to an object that it names."""
    return "IMPACTS_OBJECT" if case.imposed and CHANGES.search(case.text) else "RELATES_TO_OBJECT"


SIZE = 8
"""Requirements in one part, so that five or six parts fit into the dialogue of a phase."""
MOST_ROUNDS = 6
"""Rounds of the last part: what comes in faster than this is left to another job."""
RELEVANCE = "analysis/relevance.md"
SHOWN_TEXT = 400
"""Characters that answers show of a text that is alike."""
RID = re.compile(r"\bR-\d{4,}\b")


def validate(view: View, facts: Mapping[str, str]) -> Work:
    """Work one part off."""
    verdicts = yield from _part(view, int(facts["size"]))
    return _note(wording(view.language), verdicts)


def validate_rest(view: View, facts: Mapping[str, str]) -> Work:
    """Work off whatever is pending still, as long as there is something to take."""
    verdicts: list[str] = []
    for _ in range(MOST_ROUNDS):
        round_ = yield from _part(view, SIZE)
        if not round_:
            break
        verdicts += round_
    return _note(wording(view.language), verdicts)


def _part(view: View, size: int) -> Reading[list[str]]:
    """Take requirements, and bring each to its verdict; gives the statuses."""
    taken = yield from one(call("next_requirements", limit=size))
    rows = [row for row in records(taken.text) if row.get("requirement_id")] if not taken.failed else []
    if not rows:
        return []
    overview = yield from read_overviews(view)
    cases = yield from _find_out(rows, overview.objects or common_objects())
    turned_down: set[str] = set()
    verdicts: dict[str, ValidationResult] = {}
    for case in cases:
        verdict = judge(case, turned_down, foreign=overview.is_foreign(f"{case.name} {case.text}"))
        verdicts[case.requirement_id] = verdict
        if verdict.status == "rejected":
            turned_down.add(case.requirement_id)
    text = wording(view.language)
    kept = [case for case in cases if verdicts[case.requirement_id].status == "integrated"]
    rids = yield from _integrate(kept, verdicts)
    settled = yield from _settle(text, cases, verdicts, rids)
    yield from append(RELEVANCE, [_line(text, case, verdicts[case.requirement_id], rids, settled) for case in cases])
    return list(settled.values())


def _find_out(rows: Sequence[Mapping[str, Any]], objects: tuple[BusinessObject, ...]) -> Reading[list[Case]]:
    ids = [str(row["requirement_id"]) for row in rows]
    similar = yield from one(call("find_similar_requirements", requirement_ids=ids))
    matches = {str(record.get("requirement_id")): _matches(record) for record in records(similar.text)}
    matches = yield from _whole(matches)
    named = [
        list(dict.fromkeys([*(str(n) for n in row.get("mentioned_objects") or ()), *mentions(_said(row), objects)]))
        for row in rows
    ]
    known = yield from _resolve([name for names in named for name in names], objects)
    return [
        Case(
            requirement_id=requirement_id,
            name=str(row.get("name") or ""),
            text=_text(row),
            imposed=bool(row.get("gobd_relevant") or row.get("gdpr_relevant") or row.get("type") == "compliance"),
            cited=bool(row.get("citations")),
            verified=bool(row.get("citations_verified")),
            matches=matches.get(requirement_id, ()),
            objects={known[name][0]: known[name][1] for name in names if name in known},
        )
        for requirement_id, row, names in zip(ids, rows, named, strict=True)
    ]


def _whole(matches: Mapping[str, list[SimilarRequirement]]) -> Reading[dict[str, list[SimilarRequirement]]]:
    """The matches with whole texts where these decide: answers cut them, and items of lists differ at their ends."""
    cut = [m for each in matches.values() for m in each if m.similarity >= DUPLICATE and len(m.text) >= SHOWN_TEXT]
    ids = list(dict.fromkeys(match.requirement_id for match in cut if match.requirement_id))
    details = (yield [call("get_requirement", requirement_id=each) for each in ids]) if ids else []
    whole = {
        each: _text(next(iter(records(detail.text)), {}))
        for each, detail in zip(ids, details, strict=True)
        if not detail.failed
    }
    return {
        name: [replace(match, text=whole.get(match.requirement_id) or match.text) for match in each]
        for name, each in matches.items()
    }


def _resolve(names: Sequence[str], objects: tuple[BusinessObject, ...]) -> Reading[dict[str, tuple[str, float]]]:
    """The node of each name with how sure it is; a common object that the graph lacks is made."""
    wanted = list(dict.fromkeys(names))
    if not wanted:
        return {}
    found = yield from one(call("resolve_business_object", entity_names=wanted))
    known: dict[str, tuple[str, float]] = {}
    for record in records(found.text):
        best = next(iter(record.get("matches") or ()), None)
        if isinstance(best, Mapping) and float(best.get("confidence") or 0) >= SURE:
            known[str(record.get("entity_name"))] = str(best.get("id")), float(best["confidence"])
    lacking = [each for each in objects if each.name in wanted and each.name not in known]
    made = (yield [object_node(each) for each in lacking]) if lacking else []
    for each, result in zip(lacking, made, strict=True):
        if not result.failed and (match := re.match(r"ok: (?P<id>\S+)", result.text)):
            known[each.name] = match["id"], 1.0
    return known


def _integrate(cases: Sequence[Case], verdicts: Mapping[str, ValidationResult]) -> Reading[dict[str, str]]:
    """Make the nodes, then their relationships; gives the rid of each that stands in the graph."""
    if not cases:
        return {}
    made = yield [call("create_requirement_node", requirement_id=case.requirement_id) for case in cases]
    rids = {
        case.requirement_id: match.group()
        for case, result in zip(cases, made, strict=True)
        if not result.failed and (match := RID.search(result.text))
    }
    links = [
        link
        for case in cases
        if case.requirement_id in rids
        for link in _links(case, rids[case.requirement_id], verdicts[case.requirement_id].related, rids)
    ]
    if links:
        yield links
    return rids


def _links(case: Case, rid: str, related: Sequence[SimilarRequirement], rids: Mapping[str, str]) -> list[Call]:
    links = [
        call("create_relationship", source_id=rid, target_id=boid, type=concern(case), confidence=confidence)
        for boid, confidence in case.objects.items()
    ]
    for match in related:
        target = match.rid or rids.get(match.requirement_id, "")
        if target:
            links.append(
                call(
                    "create_relationship",
                    source_id=rid,
                    target_id=target,
                    type=relation(case.text, match.text),
                    confidence=round(match.similarity, 2),
                )
            )
    return links


def _settle(
    text: Wording, cases: Sequence[Case], verdicts: Mapping[str, ValidationResult], rids: Mapping[str, str]
) -> Reading[dict[str, str]]:
    """Pass the verdicts; what should stand in the graph and does not has failed."""
    calls = []
    for case in cases:
        verdict = verdicts[case.requirement_id]
        status = "failed" if verdict.status == "integrated" and case.requirement_id not in rids else verdict.status
        reason = text.say("reason_no_node") if status == "failed" else text.say(verdict.reason, **verdict.facts)
        calls.append(
            call(
                "update_requirement",
                requirement_id=case.requirement_id,
                status=status,
                reason="" if status == "integrated" else reason,
                validation_result={
                    "finding": reason,
                    "objects": list(case.objects),
                    "related": [match.rid or match.requirement_id for match in verdict.related],
                },
            )
        )
    results: Sequence[Result] = yield calls
    return {
        str(made.arguments["requirement_id"]): str(made.arguments["status"]) if not result.failed else "open"
        for made, result in zip(calls, results, strict=True)
    }


def _line(
    text: Wording, case: Case, verdict: ValidationResult, rids: Mapping[str, str], settled: Mapping[str, str]
) -> str:
    rid = rids.get(case.requirement_id, "-")
    reason = text.say(verdict.reason, **verdict.facts)
    cells = (case.requirement_id, rid, settled[case.requirement_id], " ".join(case.name.split()), reason)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _note(text: Wording, statuses: Sequence[str]) -> str:
    counts = {status: statuses.count(status) for status in ("integrated", "rejected", "failed", "open")}
    return text.say("note_verdicts", taken=len(statuses), **counts, file=RELEVANCE)


def _matches(record: Mapping[str, Any]) -> list[SimilarRequirement]:
    return [
        SimilarRequirement(
            str(item.get("requirement_id") or ""),
            str(item.get("rid") or ""),
            float(item.get("similarity") or 0),
            str(item.get("text") or ""),
        )
        for item in record.get("matches") or ()
        if isinstance(item, Mapping)
    ]


def _text(row: Mapping[str, Any]) -> str:
    return str(row.get("text") or "")


def _said(row: Mapping[str, Any]) -> str:
    return f"{row.get('name') or ''}: {_text(row)}"


# The end of the Validator's work: a report for the reader, and what the job is closed with.

FILE = "output/validation_report.md"
EACH = 20


def write_report(view: View, facts: Mapping[str, str]) -> Work:
    """Write the report: verdicts, duplicates with their originals, the state of the graph."""
    text = wording(view.language)
    settled, schema, graph = yield [
        call("list_requirements", scope="settled", limit=1),
        call("validate_schema_compliance"),
        call("count_graph_statistics"),
    ]
    rows = _table(text, (yield from read_whole(RELEVANCE)) or "")
    lines = [
        text.say("report_head"),
        "",
        *(f"- {status}: {counted(settled.text, status)}" for status in STATUSES[2:]),
        "",
        *(f"- {_first_line(each)}" for each in (graph, schema)),
        "",
        text.say("report_table"),
        *rows,
        "",
        text.say("validator_limits"),
    ]
    yield from write(FILE, "\n".join(lines) + "\n")
    return text.say("note_report", file=FILE, rows=len(rows))


def close(view: View) -> Reading[Completion]:
    """Close with what the report says."""
    text = wording(view.language)
    report = (yield from read_whole(FILE)) or ""
    files = yield from one(call("list_files"))
    counts = {status: _listed(report, status) for status in STATUSES[2:]}
    total = sum(counts.values())
    deliverables = tuple(path for path in (FILE, RELEVANCE, OPEN, UNDERSTANDING) if path in files.text)
    summary = text.say("validator_done", total=total, **counts)
    return Completion(summary, deliverables, text.say("validator_limits"))


def _first_line(result: Result) -> str:
    return result.text.partition("\n")[0][:300]


def _table(text: Wording, relevance: str) -> list[str]:
    """The rows of rejected and failed requirements; the integrated ones stand in the graph."""
    return [line for line in relevance.splitlines() if line.startswith("| ") and "| integrated |" not in line]


def _listed(report: str, status: str) -> int:
    line = next((line for line in report.splitlines() if line.startswith(f"- {status}: ")), "")
    number = line.rpartition(" ")[2]
    return int(number) if number.isdigit() else 0
