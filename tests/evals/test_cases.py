"""Cases are read from YAML, JSON and JSON Lines; what cannot be used is refused with file, case and line."""

import json
from pathlib import Path

import pytest

from loopwright.evals.cases import Answers, Case, load_cases
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.gates import Gate, QuestionItem

ONE = {"id": "one", "agent": "clerk", "message": "note tea", "checks": ["completed"]}


def test_all_forms_say_the_same(tmp_path: Path) -> None:
    """One case, a list, a file with defaults, JSON with tabs, JSON Lines, a folder."""
    (tmp_path / "one.yaml").write_text("id: a\nagent: clerk\nmessage: note tea\nchecks: [completed]\n")
    (tmp_path / "list.yml").write_text("- {id: b, agent: clerk, message: note tea, checks: [completed: true]}\n")
    (tmp_path / "more.json").write_text(
        '{"defaults": {"agent": "clerk", "checks": ["completed"]},\n\t"cases": [{"id": "c", "message": "note tea"}]}'
    )
    (tmp_path / "lines.jsonl").write_text(
        json.dumps({**ONE, "id": "d"}) + "\n\n" + json.dumps({**ONE, "id": "e"}) + "\n"
    )
    (tmp_path / "given.files").mkdir()
    (tmp_path / "given.files" / "not-a-case.json").write_text("[]")
    cases = load_cases(tmp_path)
    assert sorted(case.id for case in cases) == ["a", "b", "c", "d", "e"]
    assert len({case.run_digest for case in cases}) == 1  # the id is no part of what is run
    assert {case.id: case.place.partition(":")[2] for case in cases} == {
        "a": "1",
        "b": "1",
        "c": "2",
        "d": "1",
        "e": "3",
    }


def test_texts_stay_what_they_are(tmp_path: Path) -> None:
    """A date is a text."""
    (tmp_path / "c.yaml").write_text(
        "id: a\nagent: clerk\nmessage: note tea\nchecks: [{result: {at: /due, equals: 2026-03-15}}]\n"
    )
    assert load_cases(tmp_path / "c.yaml")[0].checks[0].result.equals == "2026-03-15"  # type: ignore[union-attr]


REFUSED = [
    ("id: a\nagent: clerk\nmesage: x\nchecks: [completed]\n", "c.yaml:3: case a: mesage: a key that is not known"),
    ("id: a\nagent: clerk\nmessage: x\nchecks:\n  - completed\n  - texxt: {contains: x}\n", "c.yaml:6: case a"),
    ("- {id: a, agent: c, message: x, checks: [completed]}\n- id: b\n  agent: c\n  message: x\n", "c.yaml:2: case b"),
    ("id: a\nagent: c\nmessage: x\nchecks:\n  - file: {path: ../x}\n", "c.yaml:5: case a: checks.0.file.path: '../x'"),
    ("id: a\nagent: c\nmessage: x\nchecks:\n  - text: {matches: '('}\n", "is no regular expression"),
    ("id: a\nagent: c\nmessage: x\nchecks:\n  - text: {}\n", "say what is expected"),
    ("id: a\nagent: c\nmessage: x\nchecks:\n  - {completed: true, steps: 3}\n", "one key"),
    ("id: a\nagent: c\nmessage: x\nchecks:\n  - result: {at: pages.0, equals: 1}\n", "no JSON pointer: write /pages/0"),
    ("id: a\nagent: c\nmessage: x\nfiles: {/etc/x: y}\nchecks: [completed]\n", "leads out of"),
    ("id: a\nagent: c\nmessage: x\nfiles: gone\nchecks: [completed]\n", "there is no folder"),
    ("id: a\nagent: c\nmessage: x\nrecording: gone\nchecks: [completed]\n", "there is no file"),
    ("id: a\nagent: c\nchecks: [completed]\n", "either `message` or `messages`"),
    ("id: a\nagent: c\nmessage: x\nanswers: [{permission: maybe}]\nchecks: [completed]\n", "answers no gate"),
    ("id: a\nagent: c\nmessage: x\nanswers: [{nonsense: approve}]\nchecks: [completed]\n", "case a: answers.0"),
    ("id: a\nid: b\nagent: c\nmessage: x\nchecks: [completed]\n", "the key 'id' stands twice"),
    ("id: [a\n", "c.yaml:2: no YAML"),
    ("just words\n", "c.yaml:1: this is no case"),
    ("", "holds no cases"),
    ("cases: []\nmodels: [x]\n", "c.yaml:2: beside `cases`"),
]


@pytest.mark.parametrize(("text", "told"), REFUSED)
def test_what_cannot_be_used_is_refused_with_its_place(text: str, told: str, tmp_path: Path) -> None:
    """The message names the file, the line and the case."""
    (tmp_path / "c.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInput) as refused:
        load_cases(tmp_path / "c.yaml")
    assert told in refused.value.message


def test_lines_of_json(tmp_path: Path) -> None:
    """JSON and JSON Lines are told by their own lines; an id stands once in a folder."""
    (tmp_path / "c.jsonl").write_text(json.dumps(ONE) + "\n" + json.dumps({**ONE, "id": "two", "x": 1}) + "\n")
    with pytest.raises(InvalidInput, match=r"c\.jsonl:2: case two: x"):
        load_cases(tmp_path)
    (tmp_path / "c.jsonl").write_text(json.dumps(ONE) + "\n{\n")
    with pytest.raises(InvalidInput, match=r"c\.jsonl:2: no JSON"):
        load_cases(tmp_path)
    (tmp_path / "c.jsonl").write_text(json.dumps(ONE) + "\n" + json.dumps(ONE) + "\n")
    with pytest.raises(InvalidInput, match=r"c\.jsonl:2: case one has the id of the one at .*c\.jsonl:1"):
        load_cases(tmp_path)


def test_digests_tell_what_has_changed(tmp_path: Path) -> None:
    """What is run and what is checked have digests of their own; files and modules beside the case belong to them."""
    (tmp_path / "given").mkdir()
    (tmp_path / "given" / "a.txt").write_text("a")
    (tmp_path / "mine.py").write_text("def good(run): ...")
    data = {**ONE, "files": "given", "checks": [{"python": "mine:good"}]}

    def digests(**changes: object) -> tuple[str, str]:
        (tmp_path / "c.json").write_text(json.dumps(data | changes))
        case = load_cases(tmp_path / "c.json")[0]
        return case.run_digest, case.check_digest

    run, check = digests()
    assert digests(tags=["x"], id="other") == (run, check)
    assert digests(message="note coffee")[0] != run
    other = digests(checks=["completed"])
    assert (other[0] == run, other[1] == check) == (True, False)
    (tmp_path / "mine.py").write_text("def good(run): return False")
    assert (digests()[0] == run, digests()[1] == check) == (True, False)
    (tmp_path / "given" / "a.txt").write_text("b")
    assert digests()[0] != run


def gate(kind: str, *questions: str, **details: object) -> Gate:
    items = [QuestionItem(question=each, type="radio", options=["x", "y"]) for each in questions]
    return Gate(gate_id="r.g", kind=kind, digest="", questions=items, details=details)  # type: ignore[arg-type]


def test_answers_fit_their_gates() -> None:
    """Each is used once, for the first gate of its kind that it fits; the rest is as the case says."""
    case = Case.model_validate(
        {
            **ONE,
            "answers": [
                {"permission": "approve"},
                {"questions": {"Which?": "y"}},
                {"questions": {"0": "x"}},
                {"permission": {"decision": "reject", "comment": "no"}},
                {"client": {"result": 5}},
            ],
        }
    )
    answers = Answers(case)
    assert answers.take(gate("questions", "Other?")) == {"answers": {"Other?": "x"}}
    assert answers.take(gate("questions", "What?", "Which?")) == {"answers": {"Which?": "y"}}
    assert answers.take(gate("permission")) == {"decision": "approve"}
    assert answers.take(gate("permission")) == {"decision": "reject", "comment": "no"}
    assert answers.take(gate("permission")) is None
    assert answers.unused == [{"client": {"result": 5}}]
    assert answers.take(gate("client", tool="t")) == {"result": 5}
    by_default = Answers(case.model_copy(update={"answers": case.answers[1:2], "unanswered": "defaults"}))
    assert by_default.take(gate("questions", "What?", "Which?")) == {"answers": {"What?": "x", "Which?": "y"}}
    assert by_default.take(gate("patch")) == {"decision": "approve"}
    refusing = Answers(case.model_copy(update={"answers": [], "unanswered": "reject"}))
    assert refusing.take(gate("patch")) == {"decision": "reject"}
