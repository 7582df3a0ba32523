"""Whatever a message looks like, reading it loses no word, invents none, and takes time in proportion to its length."""

import gc
import time
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loopwright.kernel.account import Statement
from loopwright.kernel.account.reading import complete_reading, hard_tokens, read_statements, uncovered

_CONTENT = """
    lamp harbour violin kettle receipt orchid plumber mosaic Leuchtturm Quittung Gießkanne blühen Übersicht
    recette bougie montagne écureuil zapatero lluvia corazón vinařství knihovna žížala słoneczny ławka kirkko
    яблоко расписание ключи βιβλίο סידור مكتبة पुस्तक
    ดอกไม้ 책상 図書館 カメラ 茶壶 图书馆 灯塔 预算 🎂 🐟 ⚓
"""
_HARD = """4 runs a week|15 cm|2 x 1 x 0.5 inches|1/16 inch|12 September 2026|3. Mai 2024|2027-01-31|14:00
Tuesday|周日|六小时|#C8102E|teal|dunkelgrün|深蓝色|Dr. Osei|RFC 9000|site_data_dir
src/api/client.py|fetch_user()|„Omas Löffel“|「茶篮」|"not stated"|at most 40|höchstens 3|至少两个
without|kein|不要|€20|50 %|5000元|PhD|Ctrl-C|37 °C|every|only"""
_GLUE = """and|or|with|for|the|a|of|und|mit|für|der|die|和|的|y|et|,|;|.|:|!|?|(|)|[|]|-|–|。|，|、|（|）|…|“|”|'|please
bitte|I want|make me an app that|called|which|because|before|not|than|to|from|by"""
CONTENT = tuple(_CONTENT.split())
"""Words that say something, of languages that are known and of languages that are not."""
HARD = tuple(_HARD.replace("\n", "|").split("|"))
GLUE = ("\n", "\n- ", *_GLUE.replace("\n", "|").split("|"))


def pieces() -> st.SearchStrategy[list[str]]:
    """Words, hard tokens and what stands between them, in any order."""
    return st.lists(st.one_of(st.sampled_from(CONTENT), st.sampled_from(HARD), st.sampled_from(GLUE)), max_size=40)


def covers(statements: list[Statement], start: int, end: int) -> bool:
    """Whether one part of one statement holds the range."""
    return any(first <= start and end <= last for statement in statements for first, last in statement.parts)


def check(message: str, statements: list[Statement]) -> None:
    """What must hold of every reading."""
    assert len({statement.id for statement in statements}) == len(statements)
    for statement in statements:
        assert statement.parts
        assert all(0 <= start < end <= len(message) for start, end in statement.parts)
        assert all(one[1] <= two[0] for one, two in zip(statement.parts, statement.parts[1:], strict=False))
        assert statement.text == " ".join(message[start:end] for start, end in statement.parts)
        assert all(token in statement.text for token in statement.hard)
    for token in hard_tokens(message):
        assert message[token.start : token.end] == token.text
        assert covers(statements, token.start, token.end), token
        assert any(token.text in statement.hard for statement in statements), token
    assert uncovered(message, statements) == []


@settings(max_examples=2_000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(pieces(), st.sampled_from((" ", " ", "  ", "")))
def test_no_content_word_is_lost(words: list[str], between: str) -> None:
    """Each word that says something stands whole in a statement, in whatever company it comes."""
    message = between.join(words)
    statements = read_statements(message)
    check(message, statements)
    place = 0
    for word in words:
        start = message.index(word, place)
        place = start + len(word)
        if word in CONTENT:
            assert all(
                any(first <= at < last for statement in statements for first, last in statement.parts)
                for at in range(start, place)
                if not message[at].isspace()
            ), word


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(max_size=200))
def test_any_text_is_read(message: str) -> None:
    """No text makes the reading fail, and what it finds lies in the text."""
    check(message, read_statements(message))


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    pieces(),
    st.lists(st.tuples(st.integers(0, 200), st.integers(1, 60)), max_size=6),
    st.lists(st.text(max_size=20), max_size=3),
)
def test_a_hostile_proposal_loses_nothing(words: list[str], cuts: list[tuple[int, int]], foreign: list[str]) -> None:
    """Whatever quotes a model hands in, cut anywhere or made up, the completed reading holds every word."""
    message = " ".join(words)
    quotes = [message[start : start + size] for start, size in cuts]
    completed = complete_reading(message, [*quotes, *foreign])
    check(message, completed.statements)


@pytest.fixture
def nothing_collected() -> Iterator[None]:
    """What other tests left in memory is not walked through again and again while time is measured."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("nothing_collected")
def test_time_grows_with_the_length() -> None:
    """Four times the text takes about four times as long, for prose and for what is no prose at all."""
    for unit in (
        "A page (Mon-Fri 8-18) with 3 prices by May 3; no pop-ups. ",
        "请做一个网站，主色用深蓝色",
        "x, ",
        "(",
        "a@a.",
    ):
        short, long = unit * (4_000 // len(unit)), unit * (16_000 // len(unit))
        read_statements(unit)
        began = time.process_time()
        read_statements(short)
        first = time.process_time() - began
        began = time.process_time()
        read_statements(long)
        assert time.process_time() - began < 12 * max(first, 0.02), unit


def test_a_long_message_is_read() -> None:
    """A text of 100 kB is read whole."""
    unit = "Owners book a visit, see 3 records and meet Dr. Osei by May 3, without pop-ups.\n"
    message = unit * (100_000 // len(unit))
    check(unit, read_statements(unit))
    assert uncovered(message, read_statements(message)) == []
