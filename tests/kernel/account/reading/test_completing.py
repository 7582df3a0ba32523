"""A model's quotes, checked and completed."""

from loopwright.kernel.account.reading import complete_reading, read_statements, uncovered

MESSAGE = "A page for Dr. Osei: 4 runs a week, at most 2 km each, no music, in teal, by 3 May 2027"


def texts(quotes: list[str | list[str]], message: str = MESSAGE) -> list[str]:
    """The words of the completed statements."""
    return [statement.text for statement in complete_reading(message, quotes).statements]


def test_good_quotes_are_kept_as_they_are() -> None:
    """A quote that is in the message is a statement, with its hard tokens; parts that lie apart stay one statement."""
    found = complete_reading(
        "Members borrow drills and ladders", ["Members borrow drills", ["Members borrow", "ladders"]]
    )
    assert [s.text for s in found.statements] == ["Members borrow drills", "Members borrow ladders"]
    assert found.refused == []


def test_a_quote_that_is_not_in_the_message_is_refused() -> None:
    """What the model made up, or copied from its instructions, is named and left out."""
    found = complete_reading(MESSAGE, ["Copy the words exactly", "5 runs a week", "4 runs a week"])
    assert [reason for _, reason in found.refused] == ["not in the message", "not in the message"]
    assert "5" not in " ".join(statement.text for statement in found.statements)


def test_a_quote_that_cuts_a_token_in_two_is_widened() -> None:
    """The number cannot fall outside, nor half of a name or a date."""
    found = complete_reading(MESSAGE, ["runs a week", "by 3 May"]).statements
    assert any("4 runs a week" in statement.hard for statement in found)
    assert any("3 May 2027" in statement.hard for statement in found)
    assert not any(statement.text == "runs a week" for statement in found)


def test_everything_in_one_quote_is_cut() -> None:
    """One quote that holds the whole message does not hide ten statements behind one."""
    assert texts([MESSAGE]) == [statement.text for statement in read_statements(MESSAGE)]


def test_nothing_proposed_is_read_by_the_rules() -> None:
    """A model that says nothing loses nothing."""
    assert texts([]) == [statement.text for statement in read_statements(MESSAGE)]


def test_repetitions_are_one() -> None:
    """The same quote again, or a part of it, adds nothing."""
    found = texts(["no music", "no music", "music", "in teal"])
    assert found.count("no music") == 1
    assert "music" not in found


def test_what_the_model_left_out_comes_back() -> None:
    """The words that no quote has are there all the same."""
    found = complete_reading(MESSAGE, ["4 runs a week"]).statements
    assert uncovered(MESSAGE, found) == []
    assert any("no" in statement.hard for statement in found)


def test_a_flood_of_quotes_is_bounded() -> None:
    """Thousands of quotes are not taken."""
    found = complete_reading(MESSAGE, ["teal"] * 5_000)
    assert {reason for _, reason in found.refused} == {"too many quotes"}


def test_things_without_numbers_in_one_quote_are_cut_too() -> None:
    """Three things behind one quote would be kept by a check of one of them."""
    message = "track rent, groceries and nights out"
    assert texts([message], message) == ["track rent", "track groceries", "track nights out"]


def test_an_item_quoted_alone_gets_its_head() -> None:
    """A list's later items are not torn from what is asked of them."""
    assert texts(["track rent", "groceries"], "track rent and groceries") == ["track rent", "track groceries"]


def test_a_quote_gets_the_negation_that_it_was_cut_from() -> None:
    """A day that is quoted without its "no" would be the contrary of what was said."""
    message = "No calls on Sundays or in the evening"
    assert texts(["on Sundays", "in the evening"], message) == ["No calls on Sundays", "No calls in the evening"]
    crossing = texts(["on Fridays and make it teal"], "never on Fridays and make it teal")
    assert crossing == ["never on Fridays", "make it teal"]
