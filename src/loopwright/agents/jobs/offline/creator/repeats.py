"""What says the same again: among the candidates of a part, and what this job has recorded before."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from loopwright.agents.jobs.graph.similarity import Comparison
from loopwright.agents.jobs.offline.creator.candidate import Candidate
from loopwright.agents.jobs.offline.records import records
from loopwright.agents.jobs.offline.replay import Reading, call, one
from loopwright.agents.jobs.offline.sameness import says_the_same
from loopwright.agents.jobs.offline.view import View

SAME = 0.95
"""From this likeness on two candidates say the same (field notes, part 003)."""


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


def find_repeats(view: View, candidates: Sequence[Candidate]) -> Reading[Repeats]:
    """Compare a part with the store and within itself. What another job has recorded is for a Validator to judge."""
    texts = tuple(each.text for each in candidates)
    result = yield from one(call("check_for_duplicates", requirement_texts=list(texts)))
    rows = records(result.text) if result.ok else []
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
        row = next(iter(records(detail.text)), None) if detail.ok else None
        if row is not None:
            cited = [str(each.get("citation_id")) for each in row.get("citations") or ()]
            found[requirement_id] = Original(requirement_id, tuple(cited), str(row.get("text") or ""))
    return found
