"""Verdicts on requirements, by what was found out about them."""

from typing import Any

import pytest

from loopwright.agents.jobs.offline.validator.validating import Case, SimilarRequirement, concern, judge, relation

TEXT = "Rechnungen sind zehn Jahre aufzubewahren."


def case(**more: Any) -> Case:
    values: dict[str, Any] = {"text": TEXT, "imposed": True, "objects": {"BO-invoice": 1.0}}
    return Case(**{"requirement_id": "b", "name": "Aufbewahrung", **values, **more})


def match(similarity: float, rid: str = "R-0001", requirement_id: str = "a") -> SimilarRequirement:
    return SimilarRequirement(requirement_id, rid, similarity, TEXT)


@pytest.mark.parametrize(
    ("given", "foreign", "status", "reason"),
    [
        (case(), False, "integrated", "reason_relevant"),
        (case(objects={}), False, "integrated", "reason_partly"),
        (case(objects={"BO-x": 0.6}), False, "integrated", "reason_partly"),
        (case(objects={}), True, "integrated", "reason_partly"),
        (case(objects={}, imposed=False), True, "rejected", "reason_irrelevant"),
        (case(imposed=False), True, "integrated", "reason_relevant"),
        (case(text="Zu kurz gesagt"), False, "rejected", "reason_vague"),
        (case(cited=False), False, "rejected", "reason_no_citation"),
        (case(verified=False), False, "rejected", "reason_citation"),
        (case(matches=[match(0.97)]), False, "rejected", "reason_duplicate"),
        (case(matches=[match(0.80)]), False, "integrated", "reason_relevant"),
    ],
)
def test_verdicts(given: Case, foreign: bool, status: str, reason: str) -> None:
    verdict = judge(given, set(), foreign=foreign)
    assert (verdict.status, verdict.reason) == (status, reason)


def test_a_duplicate_names_its_original_and_what_was_turned_down_is_none() -> None:
    alike = [match(0.99, "", "gone"), match(0.96), match(0.75, "R-0009", "c")]
    verdict = judge(case(matches=alike), {"gone"}, foreign=False)
    assert verdict.facts == {"original": "R-0001", "likeness": "0.96"}
    kept = judge(case(matches=alike), {"gone", "a"}, foreign=False)
    assert kept.status == "integrated"
    assert [each.rid for each in kept.related] == ["R-0009"]


def test_relations_between_requirements_and_to_objects() -> None:
    more = "Rechnungen sind zehn Jahre in einem unveränderbaren Format aufzubewahren."
    assert relation(more, TEXT) == "REFINES"
    assert relation(TEXT, more) == "TRACES_TO"
    assert relation("Belege sind zehn Monate aufzubewahren.", TEXT) == "TRACES_TO"
    assert concern(case()) == "IMPACTS_OBJECT"
    assert concern(case(text="Rechnungen nennen den Preis der Leistung.")) == "RELATES_TO_OBJECT"
