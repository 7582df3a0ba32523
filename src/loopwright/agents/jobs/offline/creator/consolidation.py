"""The consolidation: what resembles each other is noted, and a sample of the citations is verified again."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from loopwright.agents.jobs.graph.similarity import Comparison
from loopwright.agents.jobs.offline.creator.analysis import NOTES
from loopwright.agents.jobs.offline.files import append, read_whole, write
from loopwright.agents.jobs.offline.listing import Listed, list_requirements
from loopwright.agents.jobs.offline.replay import Work, call, one
from loopwright.agents.jobs.offline.view import View
from loopwright.agents.jobs.offline.wording import wording

RELATIONS = "output/relations.md"
OPEN_POINTS = "output/open_points.md"
WINDOW = 120
"""Requirements that are read and compared in one step."""
RELATED, SAME = 0.70, 0.95
SAMPLE = 20
VERIFIED = re.compile(r"\bverified: the quote stands there")
CITATION = re.compile(r"\bCIT-\d+\b")


def windows(view: View, expected: int) -> list[str]:
    """The steps that compare so many requirements, a window at a time."""
    text = wording(view.language)
    return [
        text.step("relate", first=first, last=min(first + WINDOW - 1, expected))
        for first in range(1, expected + 1, WINDOW)
    ]


def relate(view: View, facts: Mapping[str, str]) -> Work:
    """Compare a window of requirements with each other and write the pairs down."""
    first, last = int(facts["first"]), int(facts["last"])
    found = yield from list_requirements(offset=first - 1, most=last - first + 1)
    pairs = list(_pairs(found))
    text = wording(view.language)
    head = [text.say("relations_head")] if first == 1 else []
    rows = [
        f"| {a.id} | {b.id} | {ratio:.2f} | {text.say('same' if ratio >= SAME else 'related')} |"
        for a, b, ratio in pairs
    ]
    yield from append(RELATIONS, [*head, *(rows or [text.say("relations_none", first=first, last=last)])])
    return text.say(
        "note_relations",
        compared=len(found),
        types=_counted(Counter(each.type for each in found)),
        priorities=_counted(Counter(each.priority for each in found)),
        pairs=len(pairs),
        file=RELATIONS,
    )


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


def _pairs(found: Sequence[Listed]) -> Iterator[tuple[Listed, Listed, float]]:
    for place, later in enumerate(found):
        comparison = Comparison(later.text)
        for earlier in found[:place]:
            if (ratio := comparison.ratio(earlier.text, RELATED)) >= RELATED:
                yield earlier, later, ratio


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items())) or "0"
