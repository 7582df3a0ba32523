"""What says the same again: among the candidates of a part, and what this job has recorded before."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loopwright.agents.jobs.graph.similarity import Comparison
from loopwright.agents.jobs.offline.creator.candidate import Candidate
from loopwright.agents.jobs.offline.records import records
from loopwright.agents.jobs.offline.replay import Reading, call, one
from loopwright.agents.jobs.offline.view import View

SAME = 0.95
"""From this likeness on two candidates say the same (field notes, part 003)."""


@dataclass(frozen=True)
class Original:
    """A requirement that this job has recorded before, with its citations."""

    requirement_id: str
    citations: tuple[str, ...]


@dataclass(frozen=True)
class Repeats:
    """By place in the part: the place of an earlier candidate, or the requirement, that says the same."""

    inside: Mapping[int, int]
    outside: Mapping[int, Original]

    def __contains__(self, place: object) -> bool:
        return place in self.inside or place in self.outside

    def __len__(self) -> int:
        return len(set(self.inside) | set(self.outside))


def find_repeats(view: View, candidates: Sequence[Candidate]) -> Reading[Repeats]:
    """Compare a part with the store and within itself. What another job has recorded is for a Validator to judge."""
    result = yield from one(call("check_for_duplicates", requirement_texts=[each.text for each in candidates]))
    rows = records(result.text) if result.ok else []
    best = {place: matches[0] for place, row in enumerate(rows) if (matches := row.get("matches"))}
    ids = list(dict.fromkeys(str(match.get("requirement_id")) for match in best.values()))
    originals = yield from _own(view, ids)
    outside = {
        place: originals[found]
        for place, match in best.items()
        if (found := str(match.get("requirement_id"))) in originals
    }
    inside: dict[int, int] = {}
    for later, candidate in enumerate(candidates):
        comparison = Comparison(candidate.text)
        earlier = (
            n
            for n, each in enumerate(candidates[:later])
            if n not in inside and n not in outside and comparison.ratio(each.text, SAME) >= SAME
        )
        if later not in outside and (first := next(earlier, None)) is not None:
            inside[later] = first
    return Repeats(inside, outside)


def _own(view: View, ids: Sequence[str]) -> Reading[dict[str, Original]]:
    """Those of the requirements that this job has added."""
    if not ids:
        return {}
    details = yield [call("get_requirement", requirement_id=each) for each in ids]
    found = {}
    for requirement_id, detail in zip(ids, details, strict=True):
        row = next(iter(records(detail.text)), None) if detail.ok else None
        if row is not None and row.get("job_id") == view.state.get("job_id"):
            cited = [str(each.get("citation_id")) for each in row.get("citations") or ()]
            found[requirement_id] = Original(requirement_id, tuple(cited))
    return found
