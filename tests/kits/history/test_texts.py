"""Joining two people's changes of one text: nothing of either side is lost, and neither side matters more."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.kits.history.texts import merged

LINE = st.sampled_from(["a\n", "b\n", "\n", "}\n", "c\r\n"])
TEXT = st.lists(LINE, max_size=12)
UNIQUE = st.integers(2, 14).map(lambda count: [f"base {number}\n" for number in range(count)])


def joined(base: list[str], ours: list[str], theirs: list[str]) -> list[str] | None:
    """Of lines."""
    found = merged(*("".join(lines).encode() for lines in (base, ours, theirs)))
    return None if found is None else found.decode().splitlines(keepends=True)


@st.composite
def changed(draw: st.DrawFn, base: list[str], author: str) -> list[str]:
    """The base with lines added, changed and removed by an author, each of which is written once."""
    result, count = [], 0
    for line in base:
        for kind in draw(st.lists(st.sampled_from(["keep", "keep", "keep", "add", "change", "remove"]), max_size=2)):
            count += 1
            if kind == "add":
                result.append(f"{author} {count}\n")
            elif kind == "change":
                line = f"{author} {count}\n"
            elif kind == "remove":
                line = ""
        result += [line] if line else []
    return result


@given(st.data())
def test_no_line_of_either_side_is_lost_and_none_comes_back(data: st.DataObject) -> None:
    base = data.draw(UNIQUE)
    ours, theirs = data.draw(changed(base, "ours")), data.draw(changed(base, "theirs"))
    result = joined(base, ours, theirs)
    if result is not None:
        assert len(result) == len(set(result))
        added = (set(ours) | set(theirs)) - set(base)
        removed = set(base) - (set(ours) & set(theirs))
        assert set(result) == (set(base) | added) - removed
        for side in (ours, theirs):
            kept = [line for line in side if line in result]
            assert [line for line in result if line in side] == kept, "the order is each side's own"


@given(TEXT, TEXT, TEXT)
def test_the_sides_are_alike(base: list[str], ours: list[str], theirs: list[str]) -> None:
    assert joined(base, ours, theirs) == joined(base, theirs, ours)


@given(TEXT, TEXT)
def test_one_side_alone_is_taken_as_it_is(base: list[str], ours: list[str]) -> None:
    assert joined(base, ours, base) == joined(base, base, ours) == joined(base, ours, ours) == ours


@given(st.data())
def test_changes_that_do_not_touch_are_joined(data: st.DataObject) -> None:
    """Whatever is done above a line that both leave alone, and whatever is done below it."""
    above, below = data.draw(UNIQUE), [line.replace("base", "below") for line in data.draw(UNIQUE)]
    first, last = data.draw(changed(above, "ours")), data.draw(changed(below, "theirs"))
    between = ["between\n"]
    result = joined([*above, *between, *below], [*first, *between, *below], [*above, *between, *last])
    assert result == [*first, *between, *last]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("1\nx\n3\n", "1\ny\n3\n"),  # the same line
        ("x\n2\n3\n", "1\ny\n3\n"),  # the line beside
        ("1\nx\n2\n3\n", "1\n3\n"),  # beside one that is removed
        ("1\n2\n3\nx\n", "1\n2\n3\ny\n"),  # both at the end
        ("1\n2\n3", "1\n2\n3\n4\n"),  # the end of line that the other one needs
    ],
)
def test_what_touches_is_not_joined(ours: str, theirs: str) -> None:
    assert merged(b"1\n2\n3\n", ours.encode(), theirs.encode()) is None


@pytest.mark.parametrize("data", [b"\xff\n", b"a\0b\n"])
def test_what_is_no_text_is_not_joined(data: bytes) -> None:
    assert merged(data, data + b"1\n", b"2\n" + data) is None


def test_line_ends_and_a_byte_order_mark_stay() -> None:
    base = "\ufeffa\r\nb\r\nc\r\nd".encode()
    assert merged(base, base.replace(b"b\r\n", b"b\n"), base.replace(b"d", b"e")) == base.replace(
        b"b\r\n", b"b\n"
    ).replace(b"d", b"e")


@pytest.mark.parametrize("kind", ["equal", "every other"])
def test_large_texts_take_no_longer_than_a_moment(kind: str) -> None:
    base = [f"{0 if kind == 'equal' else number}\n" for number in range(19_000)]
    ours = ["x\n" if number % 2 else line for number, line in enumerate(base)]
    begin = time.process_time()
    joined(base, ours, [*base, "end\n"])
    assert time.process_time() - begin < 10
