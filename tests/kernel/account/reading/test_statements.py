"""A message as statements: one for each thing that is asked."""

import pytest

from loopwright.kernel.account.reading import content_words, hard_tokens, read_statements, uncovered


def texts(message: str) -> list[str]:
    """The statements' words."""
    return [statement.text for statement in read_statements(message)]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        # A list is one statement an item, with the head that the items share.
        ("Members lend saws and drills, see photos", ["Members lend saws", "Members lend drills", "see photos"]),
        ("meet Dr. Adeyemi and Dr. Brandt", ["meet Dr. Adeyemi", "meet Dr. Brandt"]),
        ("compare prices from Chile and Peru", ["compare prices from Chile and Peru"]),
        ("include the sales from Chile and Peru", ["include the sales from Chile", "include the sales from Peru"]),
        # A bracket is one statement an item, with the noun before it.
        ("choose a drink (tea, juice or water)", ["choose a drink", "drink tea", "drink juice", "drink water"]),
        # A reason stays with its consequence, a body with its size, a set under its "only".
        ("I work nights so only between 14:00 and 18:00", ["I work nights so only between 14:00 and 18:00"]),
        ("a box 3 x 2 x 1 cm with 4 holes", ["a box 3 x 2 x 1 cm", "with 4 holes"]),
        ("only mornings and weekends", ["only mornings and weekends"]),
        # What renames or relates two things is one statement.
        ("rename Shop to Store everywhere and run tests", ["rename Shop to Store everywhere", "run tests"]),
        ("paint the hall before the sofa arrives", ["paint the hall before the sofa arrives"]),
        # A limit, a date and a name of their own are statements of their own.
        ("write a guide by 3 May 2027, at most 20 pages", ["write a guide", "by 3 May 2027", "at most 20 pages"]),
        ("Ein Plan für den Umzug bis 1. Mai, nicht montags", ["Ein Plan für den Umzug", "bis 1. Mai", "nicht montags"]),
        ("列出每份合同的租金和期限，不要附件", ["列出每份合同的租金", "列出每份合同的 期限", "不要附件"]),
        # An amount goes on behind "and a half"; a colour may have two words.
        ("run an hour and a half every day", ["run an hour and a half every day"]),
        ("courir une heure et demie par jour", ["courir une heure et demie par jour"]),
        ("Grey and ash white.", ["Grey", "ash white"]),
        # Words of a language that nobody here knows are statements too.
        ("Vytvoř rozvrh, nejvýše pět hodin", ["Vytvoř rozvrh", "nejvýše pět hodin"]),
        ("1. Open the shop\n2. Count the stock", ["Open the shop", "Count the stock"]),
    ],
)  # fmt: skip
def test_one_statement_for_each_thing(message: str, expected: list[str]) -> None:
    """Statements are cut where one thing that is asked ends."""
    assert texts(message) == expected


def test_hard_tokens_and_kinds_go_with_their_statement() -> None:
    """Each statement has its own hard tokens, and a kind."""
    found = read_statements("Book a table for Friday at 19:30, at most 6 guests, no smokers. Where is the door?")
    assert [(s.text, s.kind, s.hard) for s in found] == [
        ("Book a table", "action", ()),
        ("for Friday at 19:30", "date", ("Friday", "19:30")),
        ("at most 6 guests", "limit", ("at most", "6 guests")),
        ("no smokers", "limit", ("no",)),
        ("Where is the door", "question", ()),
    ]


def test_a_message_of_hard_tokens_only_is_read() -> None:
    """Nothing but numbers and names is still something that is said."""
    found = read_statements("42 #ff0000 2027-01-31 RFC 9000")
    assert {token for statement in found for token in statement.hard} == {"42", "#ff0000", "2027-01-31", "RFC 9000"}


def test_pleasantries_ask_for_nothing_unless_they_are_all() -> None:
    """The frame of a message is no statement; a message that is nothing else is one."""
    assert [word.text for word in content_words("Could you please make me an app for bakers? Thanks!")] == ["bakers"]
    assert texts("please sort the list, thank you") == ["sort the list"]
    assert texts("请帮我排序列表，谢谢") == ["帮我排序列表"]
    assert [statement.text for statement in read_statements("make me an app")] == ["make me an app"]


def test_what_no_statement_covers_is_not_used() -> None:
    """Words that nobody took become statements that are not used, in the user's own words."""
    message = "A page for Lena, sung by goldfish, with 3 songs"
    whole = read_statements(message)
    left = uncovered(message, [statement for statement in whole if "goldfish" not in statement.text])
    assert [(statement.text, statement.state) for statement in left] == [("sung by goldfish", "not_used")]
    assert uncovered(message, whole) == []
    assert left[0].id not in {statement.id for statement in whole if "goldfish" not in statement.text}


def test_a_number_outside_its_statement_is_not_covered() -> None:
    """A statement that is cut so that its number falls outside does not hold the number."""
    message = "run 4 times a week"
    whole = read_statements(message)[0]
    start = message.index("times")
    cut = whole.model_copy(update={"parts": ((0, 3), (start, len(message))), "text": "run times a week"})
    assert "4 times a week" in [token for statement in uncovered(message, [cut]) for token in statement.hard]


@pytest.mark.parametrize("message", ["qvorp zindle matha", "яблоко груша", "ครัว ดอกไม้", "βιβλίο", "مكتبة", "책상 의자"])
def test_in_an_unknown_language_every_word_says_something(message: str) -> None:
    """No language has only function words."""
    assert len(content_words(message)) == len(message.split())
    assert uncovered(message, []) != []


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        # What is denied or limited stays with the word that says so, through prepositions.
        ("never on Fridays", ["never on Fridays"]),
        ("not before 9:00", ["not before 9:00"]),
        ("keine Termine am Montag", ["keine Termine am Montag"]),
        ("no red buttons on the first page", ["no red buttons on the first page"]),
        ("no page without a heading", ["no page without a heading"]),
        ("at most 2 hours on Mondays", ["at most 2 hours on Mondays"]),
        ("höchstens 2 Stunden am Montag", ["höchstens 2 Stunden am Montag"]),
        ("On Fridays I don't work", ["On Fridays I don't work"]),
        ("On Mondays at most 2 hours", ["On Mondays at most 2 hours"]),
        ("wall 1.2 mm ± 0.1", ["wall 1.2 mm ± 0.1"]),
        # In a list each part repeats it …
        ("Nothing on Mondays and Wednesdays", ["Nothing on Mondays", "Nothing on Wednesdays"]),
        ("No calls on Sundays or in the evening", ["No calls on Sundays", "No calls in the evening"]),
        ("keine Termine am Montag oder am Mittwoch", ["keine Termine am Montag", "keine Termine am Mittwoch"]),
        ("No work before 9 and after 17:00", ["No work before 9", "No work after 17:00"]),
        ("neither on Mondays nor on Fridays", ["neither on Mondays", "nor on Fridays"]),
        # … or the parts stay one statement.
        ("不要在周一和周三安排", ["不要在周一和周三安排"]),
        ("不要在周末、周三安排会议", ["不要在周末、周三安排会议"]),
        ("周一和周三不要安排", ["周一和周三不要安排"]),
        ("ni los lunes ni los martes", ["ni los lunes ni los martes"]),
        ("Montags und mittwochs nicht", ["Montags und mittwochs nicht"]),
        ("Mondays, Wednesdays and Fridays are out", ["Mondays, Wednesdays and Fridays are out"]),
        ("max 2 h per day, but 4 h on Sundays", ["max 2 h per day", "max 4 h on Sundays"]),
        ("每天最多2小时，周日4小时", ["每天最多2小时，周日4小时"]),
        ("no meat on Fridays and fish on Mondays", ["no meat on Fridays and fish on Mondays"]),
        ("nothing after 8 pm on weekdays, Sundays until 11", ["nothing after 8 pm on weekdays, Sundays until 11"]),
        ("Don't touch the header and the footer", ["Don't touch the header and the footer"]),
        ("不要在九点之前和六点之后安排", ["不要在九点之前和六点之后安排"]),
        ("every day except Sundays and holidays", ["every day except Sundays and holidays"]),
        ("no red or green buttons and links", ["no red or green buttons and links"]),
        ("leave a.py and b.py alone", ["leave a.py and b.py alone"]),
        # What is not under it is a statement of its own.
        ("no pop-ups and a dark mode", ["no pop-ups", "a dark mode"]),
        ("not on Mondays, but on Tuesdays", ["not on Mondays", "on Tuesdays"]),
        ("Without music and with 3 charts", ["Without music", "with 3 charts"]),
        ("no music, 3 photos", ["no music", "3 photos"]),
        # What a value is for stays with it, and when the one is that is spoken of.
        ("Use #ff8800 for the buttons", ["Use #ff8800 for the buttons"]),
        ("Verwende Blau für die Überschriften", ["Verwende Blau für die Überschriften"]),
        ("red for errors and green for success", ["red for errors", "green for success"]),
        ("the long one on Saturdays at 7.30 am", ["the long one on Saturdays at 7.30 am"]),
        # A box and its hole are two things.
        ("a box 20 x 20 x 40 mm with a 2 mm hole", ["a box 20 x 20 x 40 mm", "with a 2 mm hole"]),
        ("there is no 3 mm wall behind a 2 mm hole", ["there is no 3 mm wall behind a 2 mm hole"]),
        ("book 5 - 7 rooms", ["book 5 - 7 rooms"]),
        ("open 9–18", ["open 9–18"]),
    ],
)  # fmt: skip
def test_a_negation_is_not_cut_from_what_it_denies(message: str, expected: list[str]) -> None:
    """Nothing reads as the contrary of what was said."""
    assert texts(message) == expected


@pytest.mark.parametrize(
    ("message", "hard"),
    [
        ("≤ 3 pages", ["≤", "3 pages"]),
        ("<3 pages", ["<", "3 pages"]),
        ("> 10 mm", [">", "10 mm"]),
        ("wall ≥ 1.2mm", ["≥", "1.2mm"]),
        ("3+ pages", ["3", "+"]),
        ("tolerance +/- 0.1 mm", ["+/-", "0.1 mm"]),
        ("a -> b", []),
        ("C++ and 3+4", ["3", "4"]),
        ("5-7 pages", ["5-7 pages"]),
        ("3 to 5 times a week", ["3 to 5 times a week"]),
        ("2 bis 3 Stunden", ["2 bis 3 Stunden"]),
        ("3到5页", ["3到5页"]),
        ("half an inch thick", ["half an inch"]),
        ("use range(1, n) here", ["range(1, n)"]),
        ("the box(es) and page(s)", []),
        ("Wednesdays are out", ["Wednesdays", "are out"]),
        ("they are out of milk", []),
        ("free on Fridays", ["free on", "Fridays"]),
        ("a free gift", []),
        ("leave utils.py alone", ["utils.py", "alone"]),
        ("she lives alone", []),
        ("anything but Thursdays", ["anything but", "Thursdays"]),
        ("Mittwochs fällt aus", ["Mittwochs", "fällt aus"]),
        ("lass utils.py in Ruhe", ["utils.py", "in Ruhe"]),
        ("跳过周三", ["跳过", "周三"]),
        ("周五休息", ["周五", "休息"]),
        ("别动utils.py", ["别动", "utils.py"]),
        ("fermé le lundi", ["fermé", "lundi"]),
        ("los viernes libre", ["viernes", "libre"]),
    ],
)
def test_signs_ranges_and_exclusions_are_hard(message: str, hard: list[str]) -> None:
    """What turns a number or a day into its contrary must be in the claim too."""
    assert [token.text for token in hard_tokens(message)] == hard


def test_an_only_behind_a_set_is_about_all_of_it() -> None:
    """The set stays in one statement."""
    texts = [
        each.text for each in read_statements("We have time on Wednesdays and Saturdays only, and 3 hours at most.")
    ]
    assert texts[0] == "We have time on Wednesdays and Saturdays only"
