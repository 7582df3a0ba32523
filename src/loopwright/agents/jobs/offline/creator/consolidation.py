"""The consolidation: relations are weighed, and a sample of the citations is verified again."""

import re
from collections.abc import Mapping

from loopwright.agents.jobs.offline.creator.analysis import NOTES, RELATIONS
from loopwright.agents.jobs.offline.files import read_whole, write
from loopwright.agents.jobs.offline.replay import Work, call, one
from loopwright.agents.jobs.offline.view import View
from loopwright.agents.jobs.offline.wording import wording

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
