"""Streamed answers are told apart the same way however they are cut into pieces."""

from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.ide.reasoning import Speech, Transcript

PARTS = st.sampled_from(
    ["Hello", " <", ">", "<b>", "<ide_reasoning>", "</ide_reasoning>", "< IDE_Reasoning a='1'>", "</ ide_reasoning >",
     "<ide_", "<ide_reasonings>", "\n\n", "x < y", "1<<2", "</", "é"]
)  # fmt: skip


def joined(pieces, kind):
    return "".join(piece.text for piece in pieces if piece.kind == kind)


@settings(max_examples=80)
@given(st.lists(PARTS, max_size=10).map("".join), st.data())
def test_pieces_do_not_matter(text, data):
    whole, cut = Speech(), Speech()
    expected = [*whole.hear(text), *whole.end()]
    told, rest = [], text
    while rest:
        size = data.draw(st.integers(1, len(rest)))
        told += cut.hear(rest[:size])
        rest = rest[size:]
    told += cut.end()
    for kind in ("message", "thought"):
        assert joined(told, kind) == joined(expected, kind)


def test_reasoning_is_told_apart_and_tags_are_dropped():
    speech = Speech()
    pieces = [*speech.hear("<ide_rea"), *speech.hear("soning>\nPlan: look.\n</ide_reasoning>\n\nI look"), *speech.end()]
    assert joined(pieces, "thought").strip() == "Plan: look."
    assert joined(pieces, "message") == "I look"


def answer(text, stage="act"):
    return {"text": text, "stage": stage}


def delta(text, step=1, stage="act"):
    return {"text": text, "stage": stage, "step": step}


def test_what_was_not_shown_live_is_told_when_the_answer_is_stored():
    transcript = Transcript()
    told = [*transcript.hear(delta("It is ")), *transcript.answered(answer("It is done."))]
    assert joined(told, "message") == "It is done."
    assert joined(transcript.answered(answer("And more.")), "message") == "And more."


def test_an_answer_whose_beginning_was_lost_is_told_whole():
    transcript = Transcript()
    transcript.hear(delta("done."))
    assert joined(transcript.answered(answer("It is done.")), "message").endswith("It is done.")


def test_an_answer_that_breaks_off_begins_anew():
    transcript = Transcript()
    told = [*transcript.hear(delta("It i")), *transcript.hear(delta("")), *transcript.hear(delta("It is done."))]
    assert joined(told, "message") == "It iIt is done."
    assert "begins anew" in joined(told, "thought")
    assert transcript.answered(answer("It is done.")) == []


def test_json_for_the_controller_is_not_told_but_its_reasoning_is():
    transcript = Transcript()
    text = '<ide_reasoning>- Why: all is there.</ide_reasoning>{"state": "DONE"}'
    told = transcript.answered(answer(text, stage="delivery_check"))
    assert (joined(told, "message"), joined(told, "thought")) == ("", "- Why: all is there.")


def test_pieces_of_the_next_answer_may_come_before_this_one_is_stored():
    transcript = Transcript()
    told = [
        *transcript.hear(delta("One.")),
        *transcript.hear(delta("Two", step=2)),
        *transcript.answered(answer("One.")),
        *transcript.answered(answer("Two.")),
    ]
    assert joined(told, "message") == "One.Two."
