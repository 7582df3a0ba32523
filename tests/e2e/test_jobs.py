"""The Creator on a real regulation, the Validator on what it found: offline, through the command line."""

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.jobs.store.graph import EmbeddedGraph
from tests.support.commands import Finished, Installation

DATA = Path(__file__).parents[3] / "shared" / "data" / "gobd"
POLICY = """# House policy

The cashier must hand every customer a receipt, and must keep a copy of it for ten years.

Das Verfahren muss dokumentiert werden.
"""
"""Two duties: one of the house, and one that stands in the regulation word for word."""
REPEATED = "Das Verfahren muss dokumentiert werden."

pytestmark = [
    pytest.mark.skipif(not DATA.is_dir(), reason="the data folder with the regulation is not here"),
    # The jobs are played once for all tests, in the setup of the first; a busy machine takes its time for them.
    pytest.mark.timeout(1_800),
]


@dataclass(frozen=True)
class Played:
    """The three jobs and what they left behind."""

    place: Installation
    creator: Finished
    policy: Finished
    validator: Finished
    requirements: list[dict[str, Any]]

    def read(self, job: Finished, path: str) -> str:
        """A file of a job's workspace."""
        return (Path(job.last["workspace"]) / path).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """Two Creators, one on the regulation and one on a small policy, then a Validator with the company's overview."""
    place = Installation(tmp_path_factory.mktemp("jobs"))
    (place.folder / "policy.md").write_text(POLICY, encoding="utf-8")
    creator = place.run(
        "jobs", "run", "creator", "--document", str(DATA / "GoBD.pdf"), "--language", "de", "--json", timeout=900
    )
    policy = place.run("jobs", "run", "creator", "--document", "policy.md", "--json", timeout=900)
    listed = place.run("jobs", "requirements", str(creator.last["job_id"]), "--json")
    overview = str(DATA / "company_overview.md")
    validator = place.run("jobs", "run", "validator", "--document", overview, "--json", timeout=900)
    return Played(place, creator, policy, validator, listed.lines)


def test_the_creator_completes_and_counts_what_it_found(played: Played) -> None:
    for job in (played.creator, played.policy):
        assert job.code == 0, job.err
        assert (job.last["type"], job.last["status"], job.last["cost_usd"]) == ("complete", "completed", 0.0)
        assert all((Path(job.last["workspace"]) / path).is_file() for path in job.last["deliverables"])
    assert len(played.requirements) == played.creator.last["requirements"] >= 200
    assert played.policy.last["requirements"] == 2
    assert played.creator.last["phases"] >= 7, "so much work takes several tactical phases"
    refused = [line for line in results(played.creator) if not line["success"]]
    assert not refused, "on clean input the rules need no second attempt"


def test_every_quote_stands_word_for_word_on_its_page(played: Played) -> None:
    """Looked up with the PDF library alone, without anything of the product."""
    import pypdfium2

    document = pypdfium2.PdfDocument(DATA / "GoBD.pdf")
    pages = [letters(page.get_textpage().get_text_range()) for page in document]
    for requirement in played.requirements:
        assert requirement["citations"], requirement
        for citation in requirement["citations"]:
            assert citation["source"] == "documents/GoBD.pdf"
            assert len(letters(citation["quote"])) >= 10
            assert letters(citation["quote"]) in pages[citation["page"] - 1], citation


def test_the_files_tell_the_story_in_the_language_of_the_job(played: Played) -> None:
    plan = played.read(played.creator, "main_plan.md")
    assert plan.count("- [x] G") == 4
    assert "- [ ]" not in plan
    assert "Erfasse die Kandidaten 1 bis" in plan
    assert "documents/GoBD.pdf: deutsch, Rechtstext" in played.read(played.creator, "workspace.md")
    table = played.read(played.creator, "output/requirements.md")
    assert all(f"| {requirement['requirement_id']} |" in table for requirement in played.requirements)
    assert f"{len(played.requirements)} Anforderungen" in played.read(played.creator, "output/summary.md")


def test_what_is_said_twice_is_stored_once_with_both_quotes(played: Played) -> None:
    said = [requirement for requirement in played.requirements if requirement["text"].strip() == REPEATED]
    assert len(said) == 1
    assert len({citation["page"] for citation in said[0]["citations"]}) == 2
    texts = Counter(requirement["text"] for requirement in played.requirements)
    assert max(texts.values()) == 1


def test_no_phase_comes_near_the_limit_of_its_dialogue(played: Played) -> None:
    for job in (played.creator, played.policy, played.validator):
        strategies = {line["payload"]["strategy"] for line in job.lines if line["type"] == "compacted"}
        assert strategies == {"phase_reset"}


def test_the_validator_leaves_nothing_without_a_verdict(played: Played) -> None:
    assert played.validator.code == 0, played.validator.err
    assert played.validator.last["status"] == "completed"
    settled = played.validator.last["settled"]
    total = len(played.requirements) + 2
    assert settled["integrated"] + settled["rejected"] == total
    assert settled["pending"] == settled["validating"] == settled["failed"] == 0
    report = played.read(played.validator, "output/validation_report.md")
    assert f"- integrated: {settled['integrated']}" in report
    assert "0 errors" in report


def test_the_duplicate_is_rejected_and_names_its_original(played: Played) -> None:
    original = next(r["requirement_id"] for r in played.requirements if r["text"].strip() == REPEATED)
    listed = played.place.run("jobs", "requirements", str(played.policy.last["job_id"]), "--json").lines
    status = {requirement["text"].strip(): requirement["status"] for requirement in listed}
    assert status[REPEATED] == "rejected"
    assert status[POLICY.splitlines()[2]] == "integrated"
    relevance = played.read(played.validator, "analysis/relevance.md").splitlines()
    rid = next(line.split(" | ")[1] for line in relevance if line.startswith(f"| {original} |"))
    assert any(f"Duplicate of {rid} " in line for line in relevance)


async def test_the_graph_answers_in_cypher(played: Played) -> None:
    graph = EmbeddedGraph(played.place.folder / "home" / "graph.db")
    nodes = await graph.query("MATCH (n:Requirement) RETURN count(n) AS number")
    assert nodes.rows[0]["number"] == played.validator.last["settled"]["integrated"]
    pairs = await graph.query(
        "MATCH (a:Requirement)-[x:TRACES_TO|REFINES]->(b:Requirement) RETURN a.rid AS later, b.rid AS earlier"
    )
    assert len(pairs.rows) >= 5
    assert all(row["later"] > row["earlier"] for row in pairs.rows), "what comes later is related to what was there"
    about = await graph.query(
        "MATCH (n:Requirement)-[x]->(o:BusinessObject {name: 'Receipt'}) RETURN type(x) AS type, n.text AS text"
    )
    await graph.close()
    assert {row["type"] for row in about.rows} == {"IMPACTS_OBJECT", "RELATES_TO_OBJECT"}
    assert any("hand every customer a receipt" in row["text"] for row in about.rows)


def results(job: Finished) -> list[dict[str, Any]]:
    """The payloads of all tool results."""
    return [line["payload"] for line in job.lines if line["type"] == "tool_result"]


def letters(text: str) -> str:
    """A text without what layout does to it: white space, hyphens, forms of letters."""
    return re.sub(r"[\s\-\u00ad\u2010-\u2015\ufffe\x02]+", "", unicodedata.normalize("NFKC", text))
