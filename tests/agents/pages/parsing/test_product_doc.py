"""The product-doc block leaves the visible text and becomes patches."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.pages.contracts import SectionPatch
from loopwright.agents.pages.parsing.product_doc import parse_answer

SECTION = {"name": "brand_style", "title": "Brand style", "op": "set", "content": "Warm"}


def block(*sections: object) -> str:
    return "```product-doc\n" + json.dumps({"sections": list(sections)}) + "\n```"


def test_text_without_a_block_stays_as_it_is() -> None:
    text = "Done.\n\n```html\n<p>\n```\n"
    parsed = parse_answer(text)
    assert (parsed.visible, parsed.kept, list(parsed.records), parsed.complaint) == (text, text, [], None)


def test_the_block_becomes_patches() -> None:
    text = f"I noted that.\n\n{block(SECTION, {'name': 'old', 'op': 'remove'})}\n\nNow the pages."
    parsed = parse_answer(text)
    assert parsed.visible == "I noted that.\n\nNow the pages."
    assert parsed.kept == text
    assert parsed.records == (
        SectionPatch(name="brand_style", title="Brand style", op="set", content="Warm"),
        SectionPatch(name="old", op="remove"),
    )
    assert parsed.complaint is None


def test_line_breaks_inside_strings_are_forgiven() -> None:
    parsed = parse_answer('```product-doc\n{"sections": [{"name": "a", "content": "one\ntwo"}]}\n```')
    assert [patch.content for patch in parsed.records] == ["one\ntwo"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"sections": [', "not valid JSON"),
        ('{"sections": []}', "sections: Tuple should have at least 1 item"),
        ('{"sections": [{"name": "Brand Style!"}]}', "sections.0.name"),
        ('{"sections": [{"name": "a", "op": "replace"}]}', "sections.0.op"),
        ('["a"]', "the block"),
    ],
)
def test_a_malformed_block_is_hidden_and_complained_about(content: str, said: str) -> None:
    parsed = parse_answer(f"Done.\n```product-doc\n{content}\n```")
    assert parsed.visible == "Done."
    assert not parsed.records
    assert parsed.complaint is not None
    assert said in parsed.complaint
    assert "Write it like this" in parsed.complaint


def test_a_block_that_was_cut_off_is_hidden_too() -> None:
    parsed = parse_answer('Done.\n```product-doc\n{"sections": [{"name": "a", "con')
    assert parsed.visible == "Done."
    assert "cut off" in (parsed.complaint or "")


def test_a_good_block_counts_beside_a_broken_one() -> None:
    parsed = parse_answer(f"{block(SECTION)}\n```product-doc\nno\n```")
    assert len(parsed.records) == 1
    assert parsed.complaint


@given(before=st.text(alphabet="ab \n", max_size=20), after=st.text(alphabet="ab \n", max_size=20))
def test_words_around_the_block_survive(before: str, after: str) -> None:
    parsed = parse_answer(f"{before}\n{block(SECTION)}\n{after}")
    assert parsed.visible.split() == f"{before}\n{after}".split()
    assert "product-doc" not in parsed.visible


@given(st.text(max_size=300))
def test_any_text_can_be_parsed(text: str) -> None:
    assert "```product-doc" not in parse_answer(f"```product-doc\n{text}").visible.partition("\n```")[0]
