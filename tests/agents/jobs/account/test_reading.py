"""Which words become which claim, and which are left alone because the checks do not measure what they ask."""

import pytest

from loopwright.agents.jobs.account import read_statement
from loopwright.kernel.account import Claim, Declined

ONE = ["documents/terms.pdf"]
TWO = ["documents/terms.pdf", "documents/rules.txt"]


@pytest.mark.parametrize(
    ("text", "check", "arguments"),
    [
        ("Find all requirements", "every_sentence_settled", {"scope": "all", "sought": "requirements"}),
        ("read every sentence", "every_sentence_settled", {"scope": "all", "sought": "text"}),
        ("Finde alle Anforderungen", "every_sentence_settled", {"scope": "all"}),
        ("only section 4.1", "only", {"sections": ["4.1"]}),
        ("nur Kapitel 2 und 3", "only", {"sections": ["2", "3"]}),
        ("Find the requirements on pages 3 to 8", "read", {"from_page": 3, "to_page": 8, "sought": "requirements"}),
        ("read page 7 of terms.pdf", "read", {"pages": [7], "documents": ["documents/terms.pdf"]}),
        ("as CSV", "written", {"format": "csv"}),
        ("save them as requirements.json", "written", {"format": "json", "name": "requirements.json"}),
        ("at least 20 requirements", "count", {"relation": ">=", "requirements": 20}),
        ("höchstens 5 Anforderungen", "count", {"relation": "<=", "requirements": 5}),
        ("only functional requirements", "only_kind", {"value": "functional"}),
        ("find the sentence “The lamp must be on at night”", "found", {"quote": "The lamp must be on at night"}),
    ],
)
def test_words_become_a_claim(text: str, check: str, arguments: dict[str, object]) -> None:
    claim = read_statement(text, ONE)
    assert isinstance(claim, Claim), claim
    assert claim.check == check
    assert arguments.items() <= claim.arguments.items()


@pytest.mark.parametrize(
    "text",
    [
        "extract all requirements for the hydraulic pump",
        "only requirements about closing a connection",
        "sorted by section",
        "at most 40 rows",
        "leave out the appendices",
        "each sentence with 'must'",
        "translate the requirements into French",
        "at least 20 requirements per chapter",
        "read the supplier agreement",
        "pages 3 to 8 and 12 to 20",
        "the first five requirements",
    ],
)
def test_what_is_not_measured_is_not_claimed(text: str) -> None:
    assert read_statement(text, TWO) is None


def test_a_format_that_is_not_written_is_refused_with_what_there_is() -> None:
    refused = read_statement("export as ReqIF", ONE)
    assert isinstance(refused, Declined)
    assert "output/requirements.csv" in refused.reason
    assert read_statement("read the Word document", ONE) is None


def test_without_documents_nothing_is_claimed() -> None:
    assert read_statement("Find all requirements", []) is None
