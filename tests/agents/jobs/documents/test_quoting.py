"""A quote stands on its page, or it does not: line breaks do not matter, words do."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.jobs.documents import find_on_page, stands_on_page

PAGE = (
    "Der Ein\ufffesatz von DV-\nSystemen ist\nzu „protokollieren“ - auch\u00a0am 1. Mai – nach"
    " § 146 AO (Vermögens￾und Ertragslage)."
)


@pytest.mark.parametrize(
    "quote",
    [
        "Der Einsatz von DV-Systemen ist zu",
        "Der  Ein-satz von\nDV-Systemen",
        'ist zu "protokollieren" – auch am 1. Mai - nach',
        "Vermögens- und Ertragslage",
        "Systemen",
        "§ 146 AO",
        PAGE,
    ],
)
def test_what_the_page_says_stands_on_it(quote: str) -> None:
    """Hyphenation, spaces, quotation marks and dashes may differ."""
    assert stands_on_page(quote, PAGE)


@pytest.mark.parametrize(
    "quote",
    [
        "",
        "   ",
        "„“ – .",
        "der Einsatz",
        "Der Einsatz von DV-Systemen ist nicht zu",
        "Einsätze",
        "satz von DV-Systemen",
        "Der Einsatz von DV-Sys",
        "am 11. Mai",
        "§ 14",
        "§ 146 Absatz",
    ],
)
def test_what_it_does_not_say_does_not(quote: str) -> None:
    """Another case, another word, a word cut in half, nothing at all."""
    assert not stands_on_page(quote, PAGE)


def test_signs_count() -> None:
    """A minus is not a hyphen."""
    assert not stands_on_page("at 5 °C", "stored at -5 °C")
    assert stands_on_page("at −5 °C", "stored at -5 °C")


def test_a_later_whole_word_is_found_behind_an_earlier_part() -> None:
    """The first place that fits whole words is given, with offsets into the page as it is."""
    assert find_on_page("Buch", "Buchung, Handbuch, Buch") == (19, 23)


WORDS = st.lists(st.text("abcÄöß09", min_size=1, max_size=6), min_size=1, max_size=12)


@given(words=WORDS, data=st.data())
@settings(max_examples=60)
def test_any_run_of_words_is_found_however_it_is_broken(words: list[str], data: st.DataObject) -> None:
    """Between words anything blank may stand, within words a soft hyphen."""
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first, len(words) - 1))
    blank = st.sampled_from([" ", "\n", "\r\n", "\u00a0 ", " \n "])
    broken = "".join(
        word[:1] + data.draw(st.sampled_from(["", "\ufffe"])) + word[1:] + data.draw(blank) for word in words
    )
    place = find_on_page(" ".join(words[first : last + 1]), broken)
    assert place is not None
    assert "".join(broken[slice(*place)].replace("\ufffe", "").split()) == "".join(words[first : last + 1])
