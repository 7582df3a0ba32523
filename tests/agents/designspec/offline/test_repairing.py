"""Why a run failed, what would repair it, and undo."""

import json

from tests.agents.designspec.offline.dialogue import Dialogue, operations_of, tree

THIN = {
    "name": "min_diameter",
    "message": "The thinnest channel is 0.1 mm wide.",
    "measured": 0.0001,
    "required": 0.0002,
    "unit": "m",
    "location": [0.001, 0.0, 0.002],
    "fix": {
        "explanation": "let branches be no thinner than 0.1 mm in radius",
        "patch": [{"op": "add", "path": "/policies/radius/min_radius", "value": 0.0001}],
    },
}
NO_FIX = {"name": "topology", "message": "The genus is 1, designed is 0."}
FAILED = {"run_id": "r1", "success": False, "stage_failed": "validity", "errors": [], "failed_checks": [THIN, NO_FIX]}


def test_a_failure_is_explained_with_figures_and_its_fix_is_offered():
    message = tree(last_run=FAILED).say("why did it fail?").assistant_message
    for part in (
        "min_diameter",
        "measured 0.1 mm",
        "required 0.2 mm",
        "(1, 0, 2) mm",
        "topology",
        "fix it",
        "validity",
    ):
        assert part in message, part


def test_fix_it_proposes_the_fixes_and_says_which_there_are_none_for():
    talk = tree(last_run=FAILED)
    directive = talk.say("fix it")
    assert operations_of(directive) == THIN["fix"]["patch"]
    assert "topology" in directive.assistant_message


def test_a_fix_that_no_longer_applies_is_not_proposed():
    stale = THIN | {"fix": {"explanation": "x", "patch": [{"op": "remove", "path": "/policies/ridge"}]}}
    directive = tree(last_run=FAILED | {"failed_checks": [stale]}).say("fix it")
    assert not directive.proposed_patches
    assert "does not fit" in directive.assistant_message


def test_fix_it_and_run_it():
    directive = tree(last_run=FAILED).say("fix it and run it again")
    assert operations_of(directive)
    assert directive.run_request.run


def test_undo_proposes_the_inverse_of_the_last_change():
    talk = Dialogue("box 20x20x20 mm", "two inlets on top")
    before = json.dumps(talk.document, sort_keys=True)
    talk.say("make it 20 % taller")
    assert json.dumps(talk.document, sort_keys=True) != before
    directive = talk.say("undo that")
    assert json.dumps(talk.document, sort_keys=True) == before
    assert "20 mm to 24 mm" in directive.assistant_message


def test_there_may_be_nothing_to_undo():
    assert "no change" in Dialogue().say("undo").assistant_message
