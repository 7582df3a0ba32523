"""ACT rules that read words: languages and error messages, on pages that are not the W3C's."""

import pytest

from loopwright.agents.pages.compliance.act import ACT_RULES, check_act

BY_ID = {rule.id: rule for rule in ACT_RULES}
LOGIN = (
    "<form><label for=m>Email</label><input id=m{field}>"
    "<label for=p>Password</label><input id=p type=password>{message}<button>Sign in</button></form>"
)


def outcome(rule: str, html: str) -> str:
    return check_act(html, rules=[BY_ID[rule]])[0].outcome


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("nl", "Welkom bij onze bakkerij", "passed"),
        ("en", "Welkom bij onze bakkerij", "failed"),
        ("de", "Alle Termine absagen?", "passed"),
        ("de", "Cancel all appointments?", "failed"),
        ("es", "Mes courses de la semaine", "failed"),
        ("fr", "Mes courses de la semaine", "passed"),
        ("en", "Table for Two", "passed"),
        ("en", "Tarte Tatin", "cantTell"),  # one word and a name
        ("it", "Bruschetta", "cantTell"),  # one word
        ("pl", "Shopping for the weekend", "cantTell"),  # no words of that language are known
        ("de", "Zahnarztterminvereinbarung Versicherungskartenvorlage", "cantTell"),  # compounds
        ("es", "A minha lista de compras", "cantTell"),  # too close to Portuguese
    ],
)
def test_the_language_of_a_few_words_is_counted(language: str, text: str, expected: str) -> None:
    assert outcome("ucwvc8", f"<html lang={language}><body><p>{text}</p></body></html>") == expected
    assert outcome("off6ek", f"<html lang=zh><body><p lang={language}>{text}</p></body></html>") == expected


def test_names_belong_to_no_language_and_hidden_words_do_not_count() -> None:
    html = "<html lang=de><p>Wir fahren nach Oxford, Cambridge, Canterbury und Reading</p></html>"
    assert outcome("ucwvc8", html) == "passed"
    html = "<html lang=de><p>Guten Morgen zusammen</p><p style=display:none>where are all the other words</p></html>"
    assert outcome("ucwvc8", html) == "passed"


def test_words_of_a_part_with_its_own_language_are_not_its_parents() -> None:
    html = "<html lang=fr><p lang=nl>Goede morgen <q lang=en>how are you today</q></p></html>"
    assert outcome("off6ek", html) == "passed"
    assert outcome("off6ek", html.replace("lang=en", "lang=it")) == "failed"


@pytest.mark.parametrize(
    ("field", "message", "expected"),
    [
        (" aria-describedby=e", "<p id=e class=form-error>Email must contain an @.</p>", "passed"),
        ("", "<p class=error>Password is required.</p>", "passed"),
        ("", "<p role=alert>Something went wrong, please try again.</p>", "failed"),
        ("", "<p class=error>Email is invalid.</p>", "failed"),
        ("", "<p class=error>This must be at least 8 characters.</p>", "failed"),  # which?
        ("", "<p class=error aria-hidden=true>Password is required.</p>", "failed"),
        (" aria-describedby=e", "<p id=e class=error aria-hidden=true>This is missing.</p>", "passed"),
        ("", "<p class=error hidden>Password is required.</p>", "failed"),
        ("", "<p class=error hidden>Password is required.</p><script>check()</script>", "cantTell"),  # may be shown
        (
            "",
            "<style>input:invalid ~ .error{display:block}</style><p class=error hidden>Email is missing</p>",
            "cantTell",
        ),
        ("", "<p class=error>Das Passwort ist zu kurz.</p>", "cantTell"),  # another language
        ("", "<p class=error>Please use the address you signed up with, Email</p>", "cantTell"),
        (" aria-invalid=true", "", "cantTell"),  # a mark without words
        ("", "<p class=error></p>", "passed"),  # waits for a script; nothing is wrong yet
        ("", "<p class=hint>Use at least 8 characters.</p>", "passed"),  # help, not an error
    ],
)
def test_an_error_message_says_which_field_and_why(field: str, message: str, expected: str) -> None:
    assert outcome("36b590", LOGIN.format(field=field, message=message)) == expected


def test_a_message_beside_one_field_need_not_name_it() -> None:
    box = "<div><label>Age <input></label><span class=error>{}</span></div>"
    html = f"<form>{box.format('Must be at least 18.')}{box.format('')}</form>"
    assert outcome("36b590", html) == "passed"
    assert outcome("36b590", html.replace("Must be at least 18.", "Please check your input.")) == "failed"


def test_the_group_tells_fields_with_the_same_label_apart() -> None:
    group = "<fieldset><legend>{}</legend><label>Street <input></label></fieldset>"
    html = f"<form>{group.format('Billing')}{group.format('Delivery')}<p class=error>{{}}</p></form>"
    assert outcome("36b590", html.format("Street cannot be empty.")) == "failed"
    assert outcome("36b590", html.format("Delivery: Street cannot be empty.")) == "passed"
