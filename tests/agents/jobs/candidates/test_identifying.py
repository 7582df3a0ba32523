"""Which sentences become candidates, with what confidence, and how they are sorted."""

import pytest

from loopwright.agents.jobs.candidates import Candidate, Mode, candidates_of
from loopwright.agents.jobs.documents import stands_on_page
from loopwright.agents.jobs.documents.document import Block, Document, page_of


def found(text: str, mode: Mode = "balanced") -> tuple[Candidate, ...]:
    """The candidates of a document of one paragraph."""
    return candidates_of(Document("text", "Rules", (page_of(1, [Block("paragraph", text)]),)), mode)


@pytest.mark.parametrize(
    ("text", "indicator"),
    [
        ("Die Belege, die der Betrieb empfängt, sind zehn Jahre lang geordnet aufzubewahren.", "aufzubewahren"),
        ("Der Betreiber hat durch Kontrollen sicherzustellen, dass kein Beleg fehlt.", "hat"),
        ("Die Prüfer verlangen, dass alle Daten lesbar bleiben müssen.", "müssen"),
        ("Gespeicherte Belege dürfen weder verändert noch gelöscht werden.", "dürfen"),
        ("Für den Betrieb des Systems ist eine Anleitung erforderlich.", "erforderlich"),
        ("Der Betreiber ist zur Herausgabe der Daten verpflichtet.", "verpflichtet"),
        ("Eine nachträgliche Änderung ist unzulässig.", "unzulässig"),
        ("The archive shall keep every record for ten years.", "shall"),
        ("Under no circumstances may a key be copied.", "no"),
        ("Every operator is required to log all changes.", "required to"),
        ("Copies have to be destroyed without delay.", "have to"),
    ],
)
def test_duties_and_prohibitions_are_found_in_strict_mode(text: str, indicator: str) -> None:
    """With the words that state them, and a quote that stands on the page."""
    candidates = found(text, "strict") or found(text, "balanced")
    assert len(candidates) == 1
    assert indicator in candidates[0].indicator
    assert stands_on_page(candidates[0].quote, text)


@pytest.mark.parametrize(
    "text",
    [
        "Unter einem Beleg wird jede Aufzeichnung eines Vorgangs verstanden.",
        "Ein Zeitstempel ist nicht erforderlich.",
        "Vgl. Rz. 85 zu den Inhalten, die aufzuzeichnen sind.",
        "Dazu gehören auch Rechnungen und Lieferscheine.",
        "Die Ablage kann nach Nummern oder nach Namen erfolgen.",
        'The term "record" means any entry that must be kept.',
        "A signature is not required.",
        "Clerks may use the dashboard.",
        "The service was started in 2019.",
        "See Annex C for what must be kept.",
    ],
)
def test_definitions_exemptions_and_references_are_not(text: str) -> None:
    """However much they speak of duties."""
    assert found(text) == ()


def test_modes_grow_from_strict_to_permissive() -> None:
    """Conditions and recommendations come with balanced mode, mere possibilities with permissive."""
    text = (
        "Belege müssen lesbar sein. Die Belege dürfen vernichtet werden, soweit sie erfasst sind. "
        "Der Betreiber sollte die Ablage regelmäßig prüfen. Die Ablage kann nach Nummern erfolgen."
    )
    modes: tuple[Mode, ...] = ("strict", "balanced", "permissive")
    assert [len(found(text, mode)) for mode in modes] == [1, 3, 4]
    assert [candidate.candidate_id for candidate in found(text)] == ["C-001", "C-002", "C-003"]
    document = Document("text", "Rules", (page_of(1, [Block("paragraph", text)]),))
    assert len(candidates_of(document, "permissive", least=0.9)) == 1


def test_items_are_candidates_with_their_lead_in() -> None:
    """The quote is the item's own words, or the lead-in where the item is too short to prove anything."""
    blocks = [
        Block("paragraph", "Every request must contain:"),
        Block("item", "the identifier of the merchant,", 1, "-"),
        Block("item", "IBAN;", 1, "-"),
        Block("paragraph", "This includes for instance:"),
        Block("item", "the name of the customer", 1, "-"),
    ]
    candidates = candidates_of(Document("text", "Rules", (page_of(1, blocks),)), "balanced")
    assert [(candidate.text, candidate.quote) for candidate in candidates] == [
        ("Every request must contain: the identifier of the merchant", "the identifier of the merchant"),
        ("Every request must contain: IBAN", "Every request must contain:"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Buchungen müssen unveränderbar sein.", ("compliance", "high", True, False)),
        ("Personal data must be deleted on request.", ("compliance", "high", False, True)),
        ("The button must be blue.", ("functional", "medium", False, False)),
        ("The service must answer within 2 seconds.", ("non_functional", "medium", False, False)),
        ("Keys must not be printed.", ("constraint", "medium", False, False)),
        ("The page should show a clock.", ("functional", "low", False, False)),
    ],
)
def test_candidates_are_sorted(text: str, expected: tuple[str, str, bool, bool]) -> None:
    """By kind, importance, and the rules that concern them."""
    (candidate,) = found(text)
    assert (candidate.req_type, candidate.priority, candidate.gobd_relevant, candidate.gdpr_relevant) == expected


def test_a_duty_in_an_example_is_less_sure() -> None:
    """And says so in its reasons."""
    duty = Block("paragraph", "Every record must be kept.")
    plain = candidates_of(Document("text", "A", (page_of(1, [duty]),)), "balanced")
    within = candidates_of(Document("text", "A", (page_of(1, [Block("paragraph", "Example 2:"), duty]),)), "balanced")
    assert within[0].confidence < plain[0].confidence
    assert "− in an example" in within[0].reasons
