"""Sentences of legal prose: abbreviations, dates and brackets do not end them, pages and lists do not part them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.jobs.candidates import sentences_of
from loopwright.agents.jobs.candidates.patterns import vocabulary
from loopwright.agents.jobs.candidates.sentences import split
from loopwright.agents.jobs.documents import read_document
from loopwright.agents.jobs.documents.document import Block, Document, page_of


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in split(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Das gilt u. a. für Belege (vgl. Rz. 12, § 147 Abs. 1 AO), z. B. Rechnungen.",
        "Das Urteil vom 24. Juni 2009 (BStBl II 2010 S. 452. Siehe dort.) bleibt maßgeblich.",
        "Am 3. Tag ist zu löschen, spätestens zum 31. Dezember des Jahres.",
        "Nach Nr. 2.1 und Art. 5 DSGVO i. V. m. § 3 gilt dies ggf. nicht.",
        "See Sec. 4.2, para. 3, e.g. the letter of Dr. Miller of 3 Jan. 2021, cf. Annex B.",
        "The fee is 3.50 EUR per record.",
    ],
)
def test_one_sentence_stays_one(text: str) -> None:
    """What looks like an end is none."""
    assert sentences(text) == [text]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Belege sind zu ordnen. Sie müssen lesbar sein! Warum? Weil es so ist.", 4),
        ("Das gilt bis 2015. Danach gilt es nicht.", 2),
        ("Er heißt „Beleg“. Jeder hat einen (siehe unter 4.). Das genügt.", 3),
        ("Es gibt Rechnungen, Quittungen usw. Diese sind aufzubewahren.", 2),
        ("Keep it (see Sec. 2.). The rest may go. It must not stay.", 3),
        ("Eine (offene Klammer endet nie. Trotzdem geht es weiter.", 2),
    ],
)
def test_several_sentences_are_parted(text: str, count: int) -> None:
    """Where they end."""
    assert len(sentences(text)) == count


@given(text=st.text("aBäÖ.!?()„“ \n1§,;:", max_size=400))
@settings(max_examples=80)
def test_nothing_is_lost_and_nothing_is_said_twice(text: str) -> None:
    """Between the sentences there is only white space."""
    spans = split(text)
    at = 0
    for start, end in spans:
        assert at <= start < end
        assert not text[at:start].strip()
        assert text[start:end] == text[start:end].strip()
        at = end
    assert not text[at:].strip()


def test_endless_text_is_cut_between_words() -> None:
    """So that no search in it takes long."""
    parts = sentences("wort " * 3_000)
    assert max(map(len, parts)) <= 1_200
    assert "".join(parts).replace(" ", "") == "wort" * 3_000
    assert max(map(len, sentences("x" * 5_000))) == 1_200


def test_pages_do_not_part_sentences_and_lists_keep_their_lead_in() -> None:
    """A sentence has its places on both pages; an item knows what opens its list, and an example is known as one."""
    first = [
        Block("heading", "1. Storage", 1),
        Block("paragraph", "Every archive that keeps the records of a business must be pro-"),
    ]
    second = [
        Block("paragraph", "tected against loss. The operator must:"),
        Block("item", "test the backup,", 1, "a)"),
        Block("item", "log the test. Logs are kept.", 1, "b)"),
        Block("paragraph", "Example 1:"),
        Block("paragraph", "A clerk must go home early."),
        Block("heading", "2. Access", 1),
        Block("paragraph", "Guests wait outside."),
    ]
    document = Document("pdf", "A", (page_of(1, first), page_of(2, second)))
    found = [*sentences_of(document)]
    assert found[0].text.endswith("must be protected against loss.")
    assert [page for page, _, _ in found[0].places] == [1, 2]
    assert [document.pages[page - 1].text[start:end] for page, start, end in found[0].places] == [
        "Every archive that keeps the records of a business must be pro",
        "tected against loss.",
    ]
    assert [(s.text, s.lead_in) for s in found if s.is_item] == [
        ("test the backup,", "The operator must:"),
        ("log the test.", "The operator must:"),
        ("Logs are kept.", ""),
    ]
    assert [s.text for s in found if s.example] == ["Example 1:", "A clerk must go home early."]
    assert [s.section for s in found][-2:] == ["1. Storage", "2. Access"]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Die Belege sind zu ordnen und aufzubewahren.", "de"),
        ("The records must be kept in order.", "en"),
        ("§ 147", "de"),
    ],
)
def test_languages_are_told_by_their_commonest_words(text: str, language: str) -> None:
    """Where they do not tell, the document's language holds."""
    assert vocabulary().language_of(text, otherwise="de") == language


@pytest.mark.parametrize("text", ["a. B ", "( ", "word\n", "- a\n", "1. x.\n"])
def test_long_monotonous_documents_are_read_in_a_few_steps_each(text: str) -> None:
    """Text that is made to be slow: each line and each full stop costs the same, however many there are."""
    document = read_document("long.txt", (text * 40_000).encode())
    assert sum(len(sentence.text) for sentence in sentences_of(document)) > 0
